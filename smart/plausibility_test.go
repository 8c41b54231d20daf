package smart

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// signEdges has for each sign facts around its limits, as edges has for rules.
var signEdges = []edge{
	{"hours-reset", "10 h", counted(5, 10, 1_953_126), false},
	{"hours-reset", "9 h and more than 1 TB", counted(5, 9, 1_953_126), true},
	{"hours-reset", "9 h and 1 TB", counted(5, 9, 1_953_125), false},
	{"hours-reset", "miscounting firmware", both(named("INTEL SSDPEDMD400G4", "8DV10049"), counted(5, 9, 1_953_126)), false},
	{"write-size", "512 bytes", wrote(1, 1000), false},
	{"write-size", "below 512 bytes", wrote(1, 1001), true},
	{"write-size", "nothing written", wrote(0, 1000), true},
	{"write-size", "1 MiB and the rounding", wrote(2049, 1000), false},
	{"write-size", "above 1 MiB", wrote(2050, 1000), true},
	{"write-size", "too few commands", wrote(0, 999), false},
	{"write-size", "firmware that wraps", both(named("INTEL SSDPEDMD400G4", "8DV10131"), wrote(0, 1000)), false},
	{"read-size", "below 512 bytes", func(f *Facts) { f.SMART.DataUnitsRead, f.SMART.HostReadCommands = nvme.U128(1), nvme.U128(1001) }, true},
	{"read-size", "512 bytes", func(f *Facts) { f.SMART.DataUnitsRead, f.SMART.HostReadCommands = nvme.U128(1), nvme.U128(1000) }, false},
	{"write-rate", "at", counted(5, 99, 86_328_125), false},
	{"write-rate", "above", counted(5, 99, 86_328_126), true},
	{"write-rate", "hours were reset", counted(5, 9, 86_328_126), false},
	{"busy-time", "at", both(counted(5, 9, 1), busyFor(600)), false},
	{"busy-time", "above", both(counted(5, 9, 1), busyFor(601)), true},
	{"same-counters", "three", same(3, 1000), false},
	{"same-counters", "four", same(4, 1000), true},
	{"same-counters", "four small", same(4, 255), false},
	{"no-cycles", "off and on", counted(1, 100, 1), false},
	{"no-cycles", "never on", counted(0, 100, 1), true},
	{"no-cycles", "no hours either", counted(0, 0, 1), false},
	{"more-unsafe-shutdowns", "equal", cut(9, 9), false},
	{"more-unsafe-shutdowns", "more", cut(10, 9), true},
	{"all-unsafe-shutdowns", "nine", cut(9, 9), false},
	{"all-unsafe-shutdowns", "ten", cut(10, 10), true},
	{"all-unsafe-shutdowns", "all but one", cut(9, 10), false},
	{"often-unsafe", "half", cut(5, 10), false},
	{"often-unsafe", "more than half", cut(6, 10), true},
	{"often-unsafe", "more than all", cut(11, 10), false},
	{"hours-per-cycle", "seldom on", counted(100, 13, 1), true},
	{"hours-per-cycle", "at the lower limit", counted(100, 14, 1), false},
	{"hours-per-cycle", "at the upper limit", counted(1, 5122, 1), false},
	{"hours-per-cycle", "always on", counted(1, 5123, 1), true},
	{"wear-too-low", "half of the rating", rated(500_250_000, 1, "TLC NAND"), false},
	{"wear-too-low", "above half", rated(501_000_000, 1, "TLC NAND"), true},
	{"wear-too-low", "2 %", rated(501_000_000, 2, "TLC NAND"), false},
	{"wear-too-low", "3D XPoint", rated(501_000_000, 0, mediaXPoint), false},
	{"warning-contradicts-spare", "above the limit", both(spareOf(11, 10), warned(0x01)), true},
	{"warning-contradicts-spare", "at the limit", both(spareOf(10, 10), warned(0x01)), false},
	{"warning-contradicts-spare", "below the limit", both(spareOf(9, 10), warned(0x01)), false},
	{"warning-contradicts-spare", "no limit", both(spareOf(100, 0), warned(0x01)), false},
	{"warning-contradicts-spare", "another warning", both(spareOf(100, 10), warned(0xFE)), false},
	{"far-more-unsafe-shutdowns", "hundred", cut(100, 9), false},
	{"far-more-unsafe-shutdowns", "hundred and one", cut(101, 10), true},
	{"far-more-unsafe-shutdowns", "ten times", cut(110, 11), false},
	{"far-more-unsafe-shutdowns", "more than ten times", cut(111, 11), true},
	{"more-unsafe-shutdowns", "more than ten times", cut(111, 11), false},
	{"busy-rate", "below", both(moved(226_800_000), busyFor(61)), false},
	{"busy-rate", "above", both(moved(230_000_000), busyFor(61)), true},
	{"busy-rate", "too short to tell", both(moved(230_000_000), busyFor(60)), false},
	{"busy-rate", "miscounting firmware", both(named("INTEL SSDPEDMD400G4", "8DV10049"), moved(230_000_000), busyFor(61)), false},
	{"no-traffic", "nothing but busy", both(silent, busyFor(1)), true},
	{"no-traffic", "not busy", silent, false},
	{"no-traffic", "one command", both(silent, busyFor(1), func(f *Facts) { f.SMART.HostReadCommands = nvme.U128(1) }), false},
	{"no-traffic", "bytes read", both(silent, busyFor(1), func(f *Facts) { f.SMART.DataUnitsRead = nvme.U128(1) }), false},
	{"nothing-written", "busy", both(counted(20, 101, 0), busyFor(61)), true},
	{"nothing-written", "not busy", both(counted(20, 101, 0), busyFor(60)), false},
	{"nothing-written", "hours at the limit", both(counted(20, 100, 0), busyFor(61)), false},
	{"nothing-written", "something written", both(counted(20, 101, 1), busyFor(61)), false},
	{"nothing-written", "the commands say it", both(wrote(0, 1000), busyFor(61)), false},
	{"nothing-written", "nothing at all", both(silent, busyFor(61)), false},
	{"impossible-temperature", "150 °C", kelvin(273 + 150), false},
	{"impossible-temperature", "151 °C", kelvin(273 + 151), true},
	{"impossible-temperature", "-40 °C", kelvin(273 - 40), false},
	{"impossible-temperature", "-41 °C", kelvin(273 - 41), true},
	{"impossible-temperature", "not reported", kelvin(0), false},
	{"media-uncounted", "as many", both(logged(0x281, 0x280), mediaErrors(2)), false},
	{"media-uncounted", "fewer counted", both(logged(0x281, 0x280), mediaErrors(1)), true},
	{"media-uncounted", "guard check", both(logged(0x282), mediaErrors(0)), true},
	{"media-uncounted", "compare failure", both(logged(0x285), mediaErrors(0)), false},
	{"fresh-for-used", "new", both(counted(5, 1, 1), func(f *Facts) { f.As = AsUsed }), true},
	{"fresh-for-used", "opened", both(counted(11, 1, 1), func(f *Facts) { f.As = AsUsed }), false},
	{"fresh-for-used", "not told", counted(5, 1, 1), false},

	{"foreign-controller", "Samsung by Maxio", both(named("Samsung SSD 980 PRO 1TB", "5B2QGXA7"), pci(0x1E4B, 0)), true},
	{"foreign-controller", "Samsung by Samsung", both(named("Samsung SSD 980 PRO 1TB", "5B2QGXA7"), pci(0x144D, 0)), false},
	{"foreign-controller", "Sabrent by Phison", both(named("Sabrent Rocket 4.0 1TB", ""), pci(0x1987, 0)), false},
	{"foreign-controller", "Micron by Silicon Motion", both(named("Micron_7450_MTFDKCB3T8TFR", ""), pci(0x126F, 0)), true},
	{"foreign-controller", "WD by Realtek", both(named("WD_BLACK SN850X 2000GB", ""), pci(0x10EC, 0)), true},
	{"foreign-controller", "SK hynix by Phison", both(named("SHPP41-2000GM", ""), pci(0x1987, 0)), true},
	{"foreign-controller", "Kioxia by Maxio", both(named("KXG60ZNV512G TOSHIBA", ""), pci(0x1E4B, 0)), true},
	{"foreign-controller", "Kioxia Exceria", both(named("KIOXIA-EXCERIA SSD", ""), pci(0x1987, 0)), false},
	{"other-vendor", "none of many", both(named("INTEL SSDPE21D480GA", ""), pci(0x1AF4, 0)), true},
	{"other-vendor", "all of many", both(named("INTEL SSDPE21D480GA", ""), pci(0x8086, 0)), false},
	{"other-vendor", "few were seen", both(seenVendors(map[string]int{"8086": 9}), pci(0x1AF4, 0)), false},
	{"other-vendor", "enough were seen", both(seenVendors(map[string]int{"8086": 10}), pci(0x1AF4, 0)), true},
	{"other-vendor", "one in twenty", both(seenVendors(map[string]int{"8086": 19, "1af4": 1}), pci(0x1AF4, 0)), false},
	{"other-vendor", "fewer", both(seenVendors(map[string]int{"8086": 20, "1af4": 1}), pci(0x1AF4, 0)), true},
	{"known-forgery", "Kingston", both(named("KINGSTON SNVS500GB", "EDFK9N02"), pci(0x10EC, 0)), true},
	{"known-forgery", "Kingston by Kingston", both(named("KINGSTON SNVS500GB", "EDFK9N02"), pci(0x2646, 0)), false},
	{"known-forgery", "990 PRO", named("Samsung SSD 990 PRO 2TB", "88888888"), true},
	{"foreign-firmware", "Maxio's", named("Samsung SSD 980 1TB", "SN10660"), true},
	{"foreign-firmware", "Realtek's", named("Samsung SSD 980 1TB", "VC0S032Z"), true},
	{"foreign-firmware", "Phison's", named("INTEL SSDPEKNW010T8", "ECFM22.6"), true},
	{"foreign-firmware", "its own", named("Samsung SSD 980 1TB", "3B4QFXO7"), false},
	{"foreign-firmware", "a brand that buys", named("Fanxiang S501 512GB", "SN10660"), false},
	{"other-oui", "none of many", withOUI("INTEL SSDPE21D480GA", nvme.OUI{1, 2, 3}), true},
	{"other-oui", "all of many", withOUI("INTEL SSDPE21D480GA", nvme.OUI{0xE4, 0xD2, 0x5C}), false},
	{"other-oui", "none given", withOUI("INTEL SSDPE21D480GA", nvme.OUI{}), false},
	{"other-threshold", "none of many", both(named("INTEL SSDPE21D480GA", ""), spareOf(100, 10)), true},
	{"other-threshold", "all of many", named("INTEL SSDPE21D480GA", ""), false},
	{"slower-interface", "as its model", both(generation(4, 4), linked(Link{GTs: 16, Width: 4, DriveGTs: 16, DriveWidth: 4, SlotGTs: 16, SlotWidth: 4})), false},
	{"slower-interface", "older generation", both(generation(4, 4), linked(Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 4})), true},
	{"slower-interface", "fewer lanes", both(generation(4, 4), linked(Link{GTs: 16, Width: 2, DriveGTs: 16, DriveWidth: 2, SlotGTs: 16, SlotWidth: 4})), true},
	{"slower-interface", "slow slot", both(generation(4, 4), linked(Link{GTs: 8, Width: 2, DriveGTs: 16, DriveWidth: 4, SlotGTs: 8, SlotWidth: 2})), false},
	{"slower-interface", "not known", both(generation(4, 4), linked(Link{})), false},
	{"placeholder-serial", "1234", serial("1234"), true},
	{"placeholder-serial", "zeros", serial("00000000000000000000"), true},
	{"placeholder-serial", "a serial", serial("PHM2810300A1960CGN"), false},
	{"placeholder-serial", "empty", serial(""), true},
}

func wrote(units, commands uint64) func(*Facts) {
	return func(f *Facts) {
		f.SMART.DataUnitsWritten, f.SMART.HostWriteCommands = nvme.U128(units), nvme.U128(commands)
	}
}

// moved gives data units, all of them read.
func moved(units uint64) func(*Facts) {
	return func(f *Facts) {
		f.SMART.DataUnitsRead, f.SMART.HostReadCommands, f.SMART.DataUnitsWritten = nvme.U128(units), nvme.U128(10*units), nvme.U128(1_000_000)
	}
}

func silent(f *Facts) {
	l := f.SMART
	for _, c := range []*nvme.Uint128{&l.DataUnitsRead, &l.DataUnitsWritten, &l.HostReadCommands, &l.HostWriteCommands} {
		*c = nvme.Uint128{}
	}
}

// same makes n counters the same.
func same(n int, value uint64) func(*Facts) {
	return func(f *Facts) {
		l := f.SMART
		for _, c := range []*nvme.Uint128{&l.MediaErrors, &l.ErrorLogEntries, &l.UnsafeShutdowns, &l.PowerCycles}[:n] {
			*c = nvme.U128(value)
		}
	}
}

func rated(units uint64, percent uint8, media string) func(*Facts) {
	return both(written(units, false), used(percent), func(f *Facts) { f.Model.Media, f.SMART.HostWriteCommands = media, nvme.U128(units*10) })
}

func seenVendors(vendors map[string]int) func(*Facts) {
	return func(f *Facts) { f.Model = &drivedb.Entry{PCIVendorsSeen: vendors} }
}

func serial(s string) func(*Facts) {
	return func(f *Facts) {
		f.Controller = new(nvme.IdentifyController)
		copy(f.Controller.SerialNumber[:], s)
	}
}

func withOUI(model string, oui nvme.OUI) func(*Facts) {
	return both(serial("S"), named(model, ""), func(f *Facts) { f.Controller.IEEE = oui })
}

func generation(pcie, lanes int) func(*Facts) {
	return func(f *Facts) { f.Model = &drivedb.Entry{PCIeGeneration: pcie, PCIeLanes: lanes} }
}

func TestSignEdges(t *testing.T) {
	sides := map[string][2]bool{}
	for _, tt := range signEdges {
		t.Run(tt.rule+"/"+tt.name, func(t *testing.T) {
			f := &Facts{SMART: healthy()}
			tt.set(f)
			c := Plausibility(f, f.As)
			i := slices.IndexFunc(c.Signs, func(s Sign) bool { return s.ID == tt.rule })
			if got := i >= 0; got != tt.fires {
				t.Errorf("fires = %t, want %t", got, tt.fires)
			}
			if i >= 0 && (c.Signs[i].Text == "" || c.Signs[i].Evidence == "" || c.Signs[i].FleetPercent != nil && c.Signs[i].FleetDrives == 0) {
				t.Errorf("the sign is incomplete: %+v", c.Signs[i])
			}
			s := sides[tt.rule]
			s[map[bool]int{false: 0, true: 1}[i >= 0]] = true
			sides[tt.rule] = s
		})
	}
	if len(sides) != len(signs()) {
		t.Errorf("%d signs are tested, want %d", len(sides), len(signs()))
	}
	for id, s := range sides {
		if !s[0] || !s[1] {
			t.Errorf("the sign %s has not a row on each side", id)
		}
	}
}

// TestUncheckedFiguresWeighLess holds that an unverified figure counts for less.
func TestUncheckedFiguresWeighLess(t *testing.T) {
	weight := func(set func(*Facts)) int {
		f := &Facts{SMART: healthy()}
		set(f)
		return Plausibility(f, "").Score
	}
	slow := both(generation(4, 4), linked(Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 4}))
	unchecked := both(slow, func(f *Facts) { f.Model.Indicative = []string{"pcie_generation"} })
	if checked, not := weight(slow), weight(unchecked); checked != 2 || not != 1 {
		t.Errorf("generation: weight %d, unchecked %d", checked, not)
	}
	worn := rated(600_000_000, 0, "TLC NAND")
	indicative := both(worn, func(f *Facts) { f.Model.RatedIndicative = true })
	if checked, not := weight(worn), weight(indicative); checked != 2 || not != 1 {
		t.Errorf("endurance: weight %d, unchecked %d", checked, not)
	}
	bought := both(named("Fanxiang S501 128GB", ""), pci(0x10EC, 0))
	if got := weight(bought); got > 2 {
		t.Errorf("a brand that changes its controllers: weight %d", got)
	}
}

// fakeDrive is a drive as cheap forgeries are: a name, another maker's
// controller, and counters that cannot be.
func fakeDrive() *Facts {
	f := &Facts{
		Controller: &nvme.IdentifyController{VID: 0x10EC, SSVID: 0x10EC, IEEE: nvme.OUI{0x4C, 0xE0, 0x00}},
		SMART: &nvme.SMARTLog{
			CompositeTemperature: 313, AvailableSpare: 100, AvailableSpareThreshold: 10,
			DataUnitsRead: nvme.U128(12), DataUnitsWritten: nvme.U128(9),
			HostReadCommands: nvme.U128(41_002_118_904), HostWriteCommands: nvme.U128(39_112_006_771),
			ControllerBusyTime: nvme.U128(920_144), PowerCycles: nvme.U128(2), PowerOnHours: nvme.U128(1), UnsafeShutdowns: nvme.U128(311),
		},
		SizeBytes: 2_000_398_934_016,
		Link:      &Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 4},
	}
	copy(f.Controller.ModelNumber[:], "Samsung SSD 990 PRO 2TB")
	copy(f.Controller.FirmwareRevision[:], "VC0S032Z")
	copy(f.Controller.SerialNumber[:], "AA000000000000000123")
	f.Model = drivedb.Lookup("Samsung SSD 990 PRO 2TB")
	return f
}

func TestFakeIsNotKept(t *testing.T) {
	a := Assess(fakeDrive())
	if a.Level != Return || a.Findings[0].Rule != "implausible" {
		t.Errorf("level %s by %s: %s", a.Level, a.Findings[0].Rule, a.Summary)
	}
	want := "The drive is not what it claims, or its counters were altered: the controller is of Realtek, and Samsung builds its own; " +
		"write commands of 0 bytes on average cannot be; read commands of 0 bytes on average cannot be (and 4 more signs)."
	if a.Summary != want {
		t.Errorf("got  %s\nwant %s", a.Summary, want)
	}
	c := Plausibility(fakeDrive(), AsNew)
	if c.Belief != Implausible || c.Score < 2*implausibleScore || c.Text != want {
		t.Errorf("belief %s, score %d: %s", c.Belief, c.Score, c.Text)
	}
	if !slices.IsSortedFunc(c.Signs, func(a, b Sign) int { return b.Weight - a.Weight }) {
		t.Errorf("signs are not in order: %+v", c.Signs)
	}
}

func TestPlausibilityBeliefs(t *testing.T) {
	tests := []struct {
		name      string
		facts     *Facts
		as        string
		belief    Belief
		condition Condition
		text      string
	}{
		{"nothing known", new(Facts), "", Unjudged, "", "Nothing is known"},
		{"an empty page", &Facts{SMART: new(nvme.SMARTLog)}, "", Unjudged, "", "Nothing is known"},
		{"healthy", &Facts{SMART: healthy()}, AsUsed, Plausible, ConditionUsed, "Nothing speaks against"},
		{"a model alone", &Facts{ModelNumber: "INTEL SSDPE21D960GA"}, "", Unjudged, "", "Nothing is known"},
	}
	for _, tt := range tests {
		c := Plausibility(tt.facts, tt.as)
		if c.Belief != tt.belief || c.Condition != tt.condition || !strings.HasPrefix(c.Text, tt.text) {
			t.Errorf("%s: %s, condition %q, %s", tt.name, c.Belief, c.Condition, c.Text)
		}
	}
}

func TestCredibilityJSON(t *testing.T) {
	b, err := json.Marshal(Plausibility(&Facts{SMART: healthy()}, ""))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"belief":"plausible","score":0,"text":"Nothing speaks against the drive being what it claims.","signs":[],"condition":"used"}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

// TestUsedOptanesAreKept holds that drives which lost power nearly every time
// are kept: it says nothing about them.
func TestUsedOptanesAreKept(t *testing.T) {
	for _, tt := range []struct{ unsafe, cycles uint64 }{{294, 340}, {78, 95}, {60, 83}, {26, 38}, {85, 97}} {
		f := &Facts{SMART: healthy()}
		named("INTEL SSDPE21D480GA", "E2010480")(f)
		cut(tt.unsafe, tt.cycles)(f)
		if a := Assess(f); a.Level != Keep {
			t.Errorf("%d of %d: %s: %s", tt.unsafe, tt.cycles, a.Level, a.Summary)
		}
	}
}

// TestForeignControllerNamesEnoughDrives holds that no share is of a few.
func TestForeignControllerNamesEnoughDrives(t *testing.T) {
	for seen, want := range map[int]int{0: fleet, enoughSeen - 1: fleet, enoughSeen: enoughSeen} {
		f := &Facts{ModelNumber: "Samsung SSD 980 PRO 1TB", PCIVendorID: 0x1E4B, Model: &drivedb.Entry{DrivesSeen: seen}}
		if s := foreignController(f); s == nil || s.FleetDrives != want {
			t.Errorf("%d drives seen: %+v, want a share of %d", seen, s, want)
		}
	}
}
