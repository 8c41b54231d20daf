package smart

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

func TestAssessLevel(t *testing.T) {
	tests := []struct {
		name    string
		set     func(*Facts)
		level   Level
		first   string
		summary string
	}{
		{"healthy", func(*Facts) {}, Keep, "unsafe-shutdowns",
			"No critical warning, not read-only, no media errors."},
		{"healthy with a rating", func(f *Facts) { f.Model = drivedb.Lookup("INTEL SSDPE21D960GA") }, Keep, "endurance-consumed",
			"No critical warning, not read-only, no media errors, 0.0497 % of an unchecked rating written."},
		{"one media error", mediaErrors(1), Note, "media-errors",
			"The drive has counted media errors (1): data that it could not read or found damaged. Read again later: a growing number is a reason to return it."},
		{"two notes", func(f *Facts) { mediaErrors(1)(f); used(95)(f) }, Note, "media-errors",
			"The drive has counted media errors (1): data that it could not read or found damaged. Read again later: a growing number is a reason to return it (and 1 more)."},
		{"read-only", func(f *Facts) { f.SMART.CriticalWarning = 0x08 }, Return, "critical-warning-read-only",
			"The drive has become read-only: it accepts no more writes."},
		{"not read", func(f *Facts) { f.SMART = nil }, Unknown, "smart-unreadable",
			"The SMART log could not be read, so that the health of the drive is not known."},
		{"not read but errors logged", func(f *Facts) { f.SMART = nil; logged(0x281)(f) }, Unknown, "smart-unreadable",
			"The SMART log could not be read, so that the health of the drive is not known (and 1 more)."},
		{"empty", func(f *Facts) { f.SMART = new(nvme.SMARTLog) }, Unknown, "smart-page-empty",
			"The drive returned an empty SMART page, so that its health is not known."},
		{"all ones", func(f *Facts) { f.SMART = allOnes() }, Unknown, "smart-page-all-ones",
			"The SMART page has every bit set, as from a drive that is gone or dead."},
		{"worn Optane", func(f *Facts) { used(104)(f); f.Model = optane(); f.Model.RatedBytesWritten = 0 }, Return, "read-only-soon",
			"104 % of the rated life is used: drives of this model turn read-only at about 105 %."},
		{"worn flash", used(255), Note, "percentage-used-spent",
			"By its own account the drive is past its rated life: at least 255 % used (its own opinion: the rated endurance is not known)."},
		{"own account", used(7), Keep, "unsafe-shutdowns",
			"No critical warning, not read-only, no media errors, 7 % of its life used by its own account."},
		{"own account above the share written", func(f *Facts) { written(10_005_000, false)(f); used(2)(f) }, Keep, "endurance-consumed",
			"No critical warning, not read-only, no media errors, 1.000 % of the rated endurance written, 2 % of its life used by its own account."},
		{"own account below the share written", func(f *Facts) { written(100_050_000, false)(f); f.SMART.HostWriteCommands = nvme.U128(1e9); used(9)(f) }, Keep, "endurance-consumed",
			"No critical warning, not read-only, no media errors, 10.000 % of the rated endurance written."},
		{"nothing written", func(f *Facts) { written(0, false)(f); f.SMART.HostWriteCommands = nvme.Uint128{} }, Keep, "endurance-consumed",
			"No critical warning, not read-only, no media errors."},
		{"return outweighs notes", func(f *Facts) { used(95)(f); mediaErrors(5000)(f); spareOf(1, 10)(f) }, Return, "media-errors-many",
			"The drive has counted 5 000 media errors: data that it could not read or found damaged (and 1 more)."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &Facts{SMART: healthy()}
			f.SMART.UnsafeShutdowns = nvme.U128(54)
			tt.set(f)
			a := Assess(f)
			if a.Level != tt.level || a.Findings[0].Rule != tt.first || a.Summary != tt.summary {
				t.Errorf("got  %s by %s: %s\nwant %s by %s: %s", a.Level, a.Findings[0].Rule, a.Summary, tt.level, tt.first, tt.summary)
			}
		})
	}
}

func TestAssessOrdersFindings(t *testing.T) {
	for _, tt := range edges {
		f := &Facts{SMART: healthy(), Unreadable: []string{"firmware"}}
		tt.set(f)
		a := Assess(f)
		if !slices.IsSortedFunc(a.Findings, func(x, y Finding) int { return x.Severity.rank() - y.Severity.rank() }) {
			t.Errorf("%s/%s: findings are not in order: %v", tt.rule, tt.name, a.Findings)
		}
	}
}

// TestAssessKeepsFacts holds that judging changes nothing.
func TestAssessKeepsFacts(t *testing.T) {
	f := &Facts{SMART: new(nvme.SMARTLog), Model: drivedb.Lookup("INTEL SSDPE21D960GA")}
	Assess(f)
	if f.SMART == nil {
		t.Error("Assess removed the SMART log from the facts")
	}
}

func TestAssessKeepHasEvidence(t *testing.T) {
	f := &Facts{SMART: healthy()}
	spareOf(100, 10)(f)
	a := Assess(f)
	for _, rule := range []string{"critical-warning-none", "writable", "media-errors-none", "spare-ok", "percentage-used-ok"} {
		if !fires(a, rule) {
			t.Errorf("the finding %s is missing", rule)
		}
	}
}

func TestAssessmentJSON(t *testing.T) {
	a := Assessment{Level: Note, Summary: "s", Findings: []Finding{{Rule: "r", Axis: AxisMedia, Severity: SeverityNote, Text: "t", Evidence: "e", Values: map[string]string{"a": "b"}}}}
	got, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"level":"note","summary":"s","findings":[{"rule":"r","axis":"media","severity":"note","text":"t","evidence":"e"}]}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}

// FuzzAssess judges arbitrary pages: no panic, always a level and a summary.
func FuzzAssess(f *testing.F) {
	f.Add(make([]byte, 512), make([]byte, 64), "INTEL SSDPE21D960GA", "E2010480", uint16(0x8086))
	f.Add(slices.Repeat([]byte{0xFF}, 512), slices.Repeat([]byte{0xFF}, 64), "", "", uint16(0))
	f.Fuzz(func(t *testing.T, page, errors []byte, model, firmware string, vendor uint16) {
		facts := &Facts{Model: drivedb.Lookup(model), ModelNumber: model, Firmware: firmware, PCIVendorID: vendor, As: AsNew}
		l := new(nvme.SMARTLog)
		if l.UnmarshalBinary(page) == nil {
			facts.SMART = l
		}
		if err := facts.Errors.UnmarshalBinary(errors); err != nil {
			t.Fatal(err)
		}
		a := Assess(facts)
		if a.Summary == "" || len(a.Findings) == 0 {
			t.Errorf("no verdict: %+v", a)
		}
		if _, err := json.Marshal(Plausibility(facts, AsUsed)); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(facts.Endurance()); err != nil {
			t.Error(err)
		}
	})
}
