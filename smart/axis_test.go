package smart

import (
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

func TestEveryRuleHasAnAxis(t *testing.T) {
	seen := map[Axis]bool{}
	for _, r := range Rules() {
		seen[r.Axis] = true
		if !slices.Contains(Axes(), r.Axis) {
			t.Errorf("rule %s has the axis %q", r.ID, r.Axis)
		}
	}
	for _, a := range Axes() {
		if !seen[a] {
			t.Errorf("no rule is about %s", a)
		}
	}
}

// names lists the rules of findings.
func names(list []Finding) string {
	var s []string
	for _, f := range list {
		s = append(s, f.Rule)
	}
	return strings.Join(s, " ")
}

func TestReasons(t *testing.T) {
	tests := []struct {
		name string
		set  func(*Facts)
		want string
	}{
		{"healthy", func(*Facts) {}, "critical-warning-none writable media-errors-none percentage-used-ok"},
		{"genuine 905P", both(named("INTEL SSDPE21D960GA", "E2010650"), func(f *Facts) { f.SizeBytes = 960197124096 }, linked(Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 8, SlotWidth: 4})),
			"critical-warning-none writable capacity-ok percentage-used-ok link-ok"},
		{"two notes", both(mediaErrors(1), used(95)), "media-errors percentage-used-high"},
		{"not read", func(f *Facts) { f.SMART = nil; logged(0x281)(f) }, "smart-unreadable error-log-media"},
		{"inconclusive first", func(f *Facts) {
			f.SMART, f.Unreadable = nil, []string{IdentityUnreadable}
			named("Samsung SSD 980 PRO 2TB", "3B2QGXA7")(f)
		}, "smart-unreadable identity-unreadable firmware-defect"},
		{"more than five", func(f *Facts) {
			f.SMART.CriticalWarning = 0x3F
			spareOf(1, 10)(f)
			mediaErrors(500)(f)
			used(95)(f)
		}, "critical-warning-read-only critical-warning-reliability critical-warning-spare critical-warning-temperature percentage-used-high"},
		{"one axis often", func(f *Facts) {
			f.SMART.CriticalWarning = 0x34
			spareOf(100, 0)(f)
			mediaErrors(500)(f)
			logged(0x281, 0x006)(f)
		}, "critical-warning-reliability critical-warning-volatile-backup critical-warning-pmr media-errors-many error-log-media"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &Facts{SMART: healthy()}
			tt.set(f)
			a := Assess(f)
			if got := names(a.Reasons()); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestReasonsOfEveryEdge(t *testing.T) {
	for _, e := range edges {
		f := &Facts{SMART: healthy()}
		e.set(f)
		a := Assess(f)
		r := a.Reasons()
		if len(r) == 0 || len(r) > maxReasons {
			t.Errorf("%s/%s: %d reasons", e.rule, e.name, len(r))
		}
		if a.Level == Return && r[0].Severity != SeverityReturn {
			t.Errorf("%s/%s: the verdict is return and the first reason %s", e.rule, e.name, r[0].Rule)
		}
	}
}

func TestByAxis(t *testing.T) {
	f := &Facts{SMART: healthy()}
	mediaErrors(500)(f)
	f.SMART.CriticalWarning = nvme.WarningTemperature
	a := Assess(f)
	got := map[Axis]string{}
	for _, x := range a.ByAxis() {
		if x.Finding != nil {
			got[x.Axis] = x.Finding.Rule
		}
	}
	for axis, want := range map[Axis]string{
		AxisMedia: "media-errors-many", AxisThermal: "critical-warning-temperature", AxisReadOnly: "writable",
		AxisEndurance: "percentage-used-ok", AxisLink: "", AxisFirmware: "",
	} {
		if got[axis] != want {
			t.Errorf("%s: %q, want %q", axis, got[axis], want)
		}
	}
	if len(a.ByAxis()) != len(Axes()) {
		t.Errorf("%d axes, want %d", len(a.ByAxis()), len(Axes()))
	}
}

// TestValues holds that a sentence can be built again from its rule and its
// values, as one in another language is.
func TestValues(t *testing.T) {
	templates := map[string]string{}
	for _, r := range Rules() {
		templates[r.ID] = r.Text
	}
	for _, e := range edges {
		f := &Facts{SMART: healthy()}
		e.set(f)
		for _, x := range Assess(f).Findings {
			text := templates[x.Rule]
			for name, value := range x.Values {
				text = strings.ReplaceAll(text, "{"+name+"}", value)
			}
			if text != x.Text {
				t.Errorf("%s: %q, want %q", x.Rule, text, x.Text)
			}
		}
	}
}

func TestFactsFromIdentify(t *testing.T) {
	c := &nvme.IdentifyController{VID: 0x8086, SSVID: 0x1028}
	copy(c.ModelNumber[:], "INTEL SSDPE21D960GA                     ")
	copy(c.FirmwareRevision[:], "E2010480")
	f := &Facts{Controller: c, SizeBytes: 5}
	if f.model() != "INTEL SSDPE21D960GA" || f.firmware() != "E2010480" || f.vendorID() != 0x8086 || f.subsystemVendorID() != 0x1028 || f.capacity() != 5 {
		t.Errorf("facts of Identify are %q %q %x %x %d", f.model(), f.firmware(), f.vendorID(), f.subsystemVendorID(), f.capacity())
	}
	f.ModelNumber, f.Firmware, f.PCIVendorID, f.PCISubsystemVendorID = " M ", "F\x00", 1, 2
	if f.model() != "M" || f.firmware() != "F" || f.vendorID() != 1 || f.subsystemVendorID() != 2 {
		t.Errorf("facts beside Identify are %q %q %x %x", f.model(), f.firmware(), f.vendorID(), f.subsystemVendorID())
	}
	none := new(Facts)
	if none.model() != "" || none.firmware() != "" || none.vendorID() != 0 || none.subsystemVendorID() != 0 || none.capacity() != 0 {
		t.Error("facts of nothing are something")
	}
}

// TestEnduranceKnowsFirmware holds that what firmware miscounts is not judged.
func TestEnduranceKnowsFirmware(t *testing.T) {
	f := &Facts{SMART: healthy()}
	named("INTEL SSDPEDMD016T4", "8DV10131")(f)
	if e := f.Endurance(); e.NotJudged == "" || e.WrittenPercent != nil || e.RatedBytes == nil {
		t.Errorf("wrapping counters: %+v", e)
	}
	a := Assess(f)
	for _, rule := range []string{"endurance-consumed", "endurance-spent", "doubtful", "implausible"} {
		if fires(a, rule) {
			t.Errorf("rule %s fires on counters that wrap", rule)
		}
	}
	named("INTEL SSDPEDMD016T4", "8DV10171")(f)
	if e := f.Endurance(); e.NotJudged != "" || e.WrittenPercent == nil {
		t.Errorf("sound counters: %+v", e)
	}
}

// TestEnduranceOfMinutes holds that minutes do not pass for hours.
func TestEnduranceOfMinutes(t *testing.T) {
	f := &Facts{SMART: healthy(), ModelNumber: "INTEL MEMPEK1J016GAD", Firmware: "K4110400", Model: optane()}
	f.SMART.PowerOnHours = nvme.U128(900_446)
	minutes := f.Endurance().YearsLeftAtObservedRate
	f.SMART.PowerOnHours, f.Firmware = nvme.U128(900_446/60), ""
	if hours := f.Endurance().YearsLeftAtObservedRate; minutes == nil || hours == nil || *minutes != *hours {
		t.Errorf("years left %v of minutes, %v of hours", minutes, hours)
	}
	if fires(Assess(f), "power-on-hours-implausible") || f.SMART.PowerOnHours != nvme.U128(15_007) {
		t.Error("the hours of the facts changed, or are called implausible")
	}
}

func TestOlderRevision(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"E2010480", "E2010650", true},
		{"E2010650", "E2010480", false},
		{"E2010480", "E2010480", false},
		{"3B2QGXA7", "5B2QGXA7", true},
		{"P9CR312", "P9CR313", true},
		{"8DV10131", "8DV101H0", false},
		{"E201043A", "E2010650", false},
		{"E201DP32", "E2010650", false},
		{"1000AAAA", "2000AAAA", true},
		{"10001AAA", "20002AAA", false},
		{"12", "13", false},
		{"E2010480", "E20104800", false},
		{"", "E2010480", false},
	}
	for _, tt := range tests {
		if got := olderRevision(tt.a, tt.b); got != tt.want {
			t.Errorf("olderRevision(%q, %q) = %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestDefectsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Defects() {
		if seen[d.ID] || d.ID == "" || d.Text == "" || d.Cure == "" || d.Source == "" || d.Model == "" {
			t.Errorf("defect %q is incomplete or not unique", d.ID)
		}
		seen[d.ID] = true
		if !slices.Contains([]Harm{HarmDead, HarmData, HarmLife, HarmCounters, HarmCaution}, d.Harm) {
			t.Errorf("defect %s has the harm %q", d.ID, d.Harm)
		}
	}
	if DefectsOf("", "ERRORMOD") != nil {
		t.Error("a drive without a model has a defect")
	}
}

// TestLineOf905P holds what the 480 GB drive in question is.
func TestLineOf905P(t *testing.T) {
	for model, want := range map[string]string{"INTEL SSDPE21D480GA": "Optane 905P", "INTEL SSDPED1D480GA": "Optane 900P"} {
		if e := drivedb.Lookup(model); e == nil || e.Family != want {
			t.Errorf("%s: %+v, want %s", model, e, want)
		}
	}
}
