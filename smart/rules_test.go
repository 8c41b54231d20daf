package smart

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// healthy returns the log of a healthy Optane drive.
func healthy() *nvme.SMARTLog {
	return &nvme.SMARTLog{
		CompositeTemperature: 308,
		AvailableSpare:       100,
		DataUnitsRead:        nvme.U128(1_000_000),
		DataUnitsWritten:     nvme.U128(17_000_000),
		HostReadCommands:     nvme.U128(10_000_000),
		HostWriteCommands:    nvme.U128(20_000_000),
		PowerCycles:          nvme.U128(132),
		PowerOnHours:         nvme.U128(4125),
	}
}

// ratedUnits is the rating of optane in data units: 512.256 TB.
const ratedUnits = 1_000_500_000

func optane() *drivedb.Entry {
	return &drivedb.Entry{RatedBytesWritten: ratedUnits * nvme.DataUnit, Source: "test", ReadOnlyAtPercent: 105}
}

func entry(count uint64, status nvme.Status, lba uint64) nvme.ErrorLogEntry {
	return nvme.ErrorLogEntry{ErrorCount: count, StatusInfo: nvme.StatusInfo(status << 1), LBA: lba, NSID: 1}
}

// edge is facts at a limit of a rule. The facts start as a healthy drive
// without a database entry.
type edge struct {
	rule  string
	name  string
	set   func(*Facts)
	fires bool
}

// edges has for each rule facts around its limits.
var edges = slices.Concat(edgesOfSMART, edgesOfIdentity, edgesOfHost)

var edgesOfSMART = []edge{
	{"smart-unreadable", "read", func(*Facts) {}, false},
	{"smart-unreadable", "not read", func(f *Facts) { f.SMART = nil }, true},
	{"smart-unreadable", "not in the dump", func(f *Facts) { f.SMART, f.SMARTNotInDump = nil, true }, false},
	{"smart-not-in-dump", "not in the dump", func(f *Facts) { f.SMART, f.SMARTNotInDump = nil, true }, true},
	{"smart-not-in-dump", "not read", func(f *Facts) { f.SMART = nil }, false},
	{"smart-not-in-dump", "read", func(f *Facts) { f.SMARTNotInDump = true }, false},
	{"smart-page-cut", "one terabyte", cutPage(1_953_125), false},
	{"smart-page-cut", "above", cutPage(1_953_126), true},
	{"smart-page-cut", "a power cycle", both(cutPage(1_953_126), func(f *Facts) { f.SMART.PowerCycles = nvme.U128(1) }), false},
	{"smart-page-cut", "a sensor", both(cutPage(1_953_126), func(f *Facts) { f.SMART.TemperatureSensors[7] = 300 }), false},
	{"smart-page-empty", "one field", func(f *Facts) { f.SMART = &nvme.SMARTLog{PowerCycles: nvme.U128(1)} }, false},
	{"smart-page-empty", "no field", func(f *Facts) { f.SMART = new(nvme.SMARTLog) }, true},
	{"smart-page-all-ones", "all but one bit", func(f *Facts) { f.SMART = allOnes(); f.SMART.PowerCycles.Lo-- }, false},
	{"smart-page-all-ones", "all", func(f *Facts) { f.SMART = allOnes() }, true},

	{"smart-incomplete", "whole", func(*Facts) {}, false},
	{"smart-incomplete", "not read", func(f *Facts) { f.SMART, f.Missing = nil, []string{"media_errors"} }, false},
	{"smart-incomplete", "a field that decides nothing", func(f *Facts) { f.Missing = []string{"tmt1_seconds"} }, false},
	{"smart-incomplete", "no media errors", func(f *Facts) { f.Missing = []string{"media_errors"} }, true},
	{"counters-implausible", "below", func(f *Facts) { f.SMART.DataUnitsRead = nvme.Uint128{Lo: 1<<64 - 1, Hi: 1<<16 - 1} }, false},
	{"counters-implausible", "at", func(f *Facts) { f.SMART.DataUnitsRead = counterLimit }, false},
	{"counters-implausible", "above", func(f *Facts) { f.SMART.DataUnitsRead = nvme.Uint128{Lo: 1, Hi: 1 << 16} }, true},
	{"counters-implausible", "last counter", func(f *Facts) { f.SMART.ErrorLogEntries.Hi = 1 << 40 }, true},
	{"state-lost", "254 and no counters", func(f *Facts) { f.SMART = &nvme.SMARTLog{PercentageUsed: 254} }, false},
	{"state-lost", "255 and no counters", func(f *Facts) { f.SMART = &nvme.SMARTLog{PercentageUsed: 255} }, true},
	{"state-lost", "255 and a counter", func(f *Facts) { f.SMART.PercentageUsed = 255 }, false},
	{"power-on-hours-implausible", "at", func(f *Facts) { f.SMART.PowerOnHours = nvme.U128(hoursLimit) }, false},
	{"power-on-hours-implausible", "above", func(f *Facts) { f.SMART.PowerOnHours = nvme.U128(hoursLimit + 1) }, true},
	{"power-on-hours-implausible", "128 bits", func(f *Facts) { f.SMART.PowerOnHours = nvme.Uint128{Hi: 1} }, true},
	{"identity-unreadable", "another section", func(f *Facts) { f.Unreadable = []string{"firmware"} }, false},
	{"identity-unreadable", "not read", func(f *Facts) { f.Unreadable = []string{IdentityUnreadable} }, true},
	{"model-unknown", "no model number", func(*Facts) {}, true},
	{"model-unknown", "a model number", func(f *Facts) { f.ModelNumber = "X" }, false},
	{"model-unknown", "no log either", func(f *Facts) { f.SMART = nil }, false},
	{"sections-unreadable", "none", func(*Facts) {}, false},
	{"sections-unreadable", "one", func(f *Facts) { f.Unreadable = []string{"firmware"} }, true},

	{"critical-warning-spare", "clear", func(f *Facts) { f.SMART.CriticalWarning = 0xFE }, false},
	{"critical-warning-spare", "set", func(f *Facts) { f.SMART.CriticalWarning = 0x01 }, true},
	{"critical-warning-temperature", "clear", func(f *Facts) { f.SMART.CriticalWarning = 0xFD }, false},
	{"critical-warning-temperature", "set", func(f *Facts) { f.SMART.CriticalWarning = 0x02 }, true},
	{"critical-warning-reliability", "clear", func(f *Facts) { f.SMART.CriticalWarning = 0xFB }, false},
	{"critical-warning-reliability", "set", func(f *Facts) { f.SMART.CriticalWarning = 0x04 }, true},
	{"critical-warning-reliability", "at 99 %", worn(99, 100, 10, 0, 0x04), true},
	{"critical-warning-reliability", "at 100 %", worn(100, 100, 10, 0, 0x04), false},
	{"critical-warning-reliability-wear", "at 99 %", worn(99, 100, 10, 0, 0x04), false},
	{"critical-warning-reliability-wear", "at 100 %", worn(100, 100, 10, 0, 0x04), true},
	{"critical-warning-reliability-wear", "spare at its limit", worn(100, 10, 10, 0, 0x04), false},
	{"critical-warning-reliability-wear", "spare above its limit", worn(100, 11, 10, 0, 0x04), true},
	{"percentage-used-spent", "said by the warning", worn(100, 100, 10, 0, 0x04), false},
	{"percentage-used-spent", "the warning has another cause", worn(100, 100, 10, 1, 0x04), true},
	{"critical-warning-reliability-wear", "no limit", worn(100, 1, 0, 0, 0x04), true},
	{"critical-warning-reliability-wear", "no limit and no spare", worn(100, 0, 0, 0, 0x04), false},
	{"critical-warning-reliability-wear", "spare above 100", worn(100, 101, 10, 0, 0x04), false},
	{"critical-warning-reliability-wear", "one media error", worn(100, 100, 10, 1, 0x04), false},
	{"critical-warning-reliability-wear", "also read-only", worn(100, 100, 10, 0, 0x0C), false},
	{"critical-warning-reliability-wear", "also hot", worn(100, 100, 10, 0, 0x06), true},
	{"critical-warning-read-only", "clear", func(f *Facts) { f.SMART.CriticalWarning = 0xF7 }, false},
	{"critical-warning-read-only", "set", func(f *Facts) { f.SMART.CriticalWarning = 0x08 }, true},
	{"critical-warning-volatile-backup", "clear", func(f *Facts) { f.SMART.CriticalWarning = 0xEF }, false},
	{"critical-warning-volatile-backup", "set", func(f *Facts) { f.SMART.CriticalWarning = 0x10 }, true},
	{"critical-warning-pmr", "clear", func(f *Facts) { f.SMART.CriticalWarning = 0xDF }, false},
	{"critical-warning-pmr", "set", func(f *Facts) { f.SMART.CriticalWarning = 0x20 }, true},
	{"critical-warning-reserved", "clear", func(f *Facts) { f.SMART.CriticalWarning = 0x3F }, false},
	{"critical-warning-reserved", "bit 6", func(f *Facts) { f.SMART.CriticalWarning = 0x40 }, true},
	{"critical-warning-reserved", "bit 7", func(f *Facts) { f.SMART.CriticalWarning = 0x80 }, true},
	{"critical-warning-none", "none", func(*Facts) {}, true},
	{"critical-warning-none", "any", func(f *Facts) { f.SMART.CriticalWarning = 0x80 }, false},
	{"writable", "yes", func(f *Facts) { f.SMART.CriticalWarning = 0xF7 }, true},
	{"writable", "no", func(f *Facts) { f.SMART.CriticalWarning = 0x08 }, false},

	{"media-errors-none", "0", mediaErrors(0), true},
	{"media-errors-none", "1", mediaErrors(1), false},
	{"media-errors", "0", mediaErrors(0), false},
	{"media-errors", "1", mediaErrors(1), true},
	{"media-errors", "below the limit", mediaErrors(manyMediaErrors - 1), true},
	{"media-errors", "at the limit", mediaErrors(manyMediaErrors), false},
	{"media-errors-many", "below the limit", mediaErrors(manyMediaErrors - 1), false},
	{"media-errors-many", "at the limit", mediaErrors(manyMediaErrors), true},
	{"media-errors-many", "above the limit", mediaErrors(manyMediaErrors + 1), true},
	{"media-errors-many", "128 bits", func(f *Facts) { f.SMART.MediaErrors = nvme.Uint128{Hi: 1} }, true},

	{"spare-below-threshold", "below", spareOf(9, 10), true},
	{"spare-below-threshold", "at", spareOf(10, 10), false},
	{"spare-below-threshold", "no threshold", spareOf(0, 0), false},
	{"spare-below-threshold", "threshold 1", spareOf(0, 1), true},
	{"spare-below-threshold", "threshold 100", spareOf(99, 100), true},
	{"spare-below-threshold", "threshold reserved", spareOf(0, 101), false},
	{"spare-at-threshold", "below", spareOf(9, 10), false},
	{"spare-at-threshold", "at", spareOf(10, 10), true},
	{"spare-at-threshold", "above", spareOf(11, 10), false},
	{"spare-at-threshold", "no threshold", spareOf(0, 0), false},
	{"spare-at-threshold", "both 100", spareOf(100, 100), false},
	{"spare-ok", "at", spareOf(10, 10), false},
	{"spare-ok", "close above", spareOf(20, 10), false},
	{"spare-ok", "above", spareOf(21, 10), true},
	{"spare-ok", "above a limit of 91", spareOf(92, 91), true},
	{"spare-ok", "the drive warns", both(spareOf(100, 10), warned(0x01)), false},
	{"spare-ok", "the drive warns of something else", both(spareOf(100, 10), warned(0x02)), true},
	{"spare-near-threshold", "at", spareOf(10, 10), false},
	{"spare-near-threshold", "one above", spareOf(11, 10), true},
	{"spare-near-threshold", "ten above", spareOf(20, 10), true},
	{"spare-near-threshold", "eleven above", spareOf(21, 10), false},
	{"spare-near-threshold", "limit 90", spareOf(99, 90), true},
	{"spare-near-threshold", "limit 90 and all spare", spareOf(100, 90), false},
	{"spare-near-threshold", "limit 91", spareOf(92, 91), false},
	{"spare-near-threshold", "no limit", spareOf(1, 0), false},
	{"spare-low-no-limit", "below half", spareOf(49, 0), true},
	{"spare-low-no-limit", "half", spareOf(50, 0), false},
	{"spare-low-no-limit", "one", spareOf(1, 0), true},
	{"spare-low-no-limit", "not reported", spareOf(0, 0), false},
	{"spare-low-no-limit", "a limit", spareOf(49, 1), false},
	{"spare-ok", "both 100", spareOf(100, 100), true},
	{"spare-ok", "no threshold", spareOf(100, 0), false},

	{"percentage-used-ok", "below", used(79), true},
	{"percentage-used-ok", "at", used(80), false},
	{"percentage-used-high", "below", used(79), false},
	{"percentage-used-high", "at", used(80), true},
	{"percentage-used-high", "rated", both(written(1000, false), used(80)), true},
	{"percentage-used-high", "99", used(99), true},
	{"percentage-used-high", "100", used(100), false},
	{"percentage-used-spent", "below", used(99), false},
	{"percentage-used-spent", "at", used(100), true},
	{"percentage-used-spent", "255", used(255), true},
	{"percentage-used-spent", "Optane", func(f *Facts) { used(100)(f); f.Model = optane() }, false},
	{"read-only-soon", "Optane below", func(f *Facts) { used(99)(f); f.Model = optane() }, false},
	{"read-only-soon", "Optane at", func(f *Facts) { used(100)(f); f.Model = optane() }, true},
	{"read-only-soon", "Optane above", func(f *Facts) { used(101)(f); f.Model = optane() }, true},
	{"read-only-soon", "no model", used(100), false},
	{"read-only-soon", "model that goes on", func(f *Facts) { used(100)(f); f.Model = new(drivedb.Entry) }, false},

	{"endurance-consumed", "below", written(ratedUnits/5*4-1, false), true},
	{"endurance-consumed", "near", written(ratedUnits/5*4, false), false},
	{"endurance-near", "below", written(ratedUnits/5*4-1, false), false},
	{"endurance-near", "at", written(ratedUnits/5*4, false), true},
	{"endurance-near", "nearly spent", written(ratedUnits-1, false), true},
	{"endurance-near", "spent", written(ratedUnits, false), false},
	{"endurance-near", "indicative", written(ratedUnits-1, true), false},
	{"endurance-consumed", "at", written(ratedUnits, false), false},
	{"endurance-consumed", "indicative", written(ratedUnits-1, true), true},
	{"endurance-consumed", "no rating", func(*Facts) {}, false},
	{"endurance-spent", "below", written(ratedUnits-1, false), false},
	{"endurance-spent", "at", written(ratedUnits, false), true},
	{"endurance-spent", "above", written(ratedUnits+1, false), true},
	{"endurance-spent", "indicative", written(ratedUnits+1, true), false},
	{"endurance-spent-indicative", "below", written(ratedUnits-1, true), false},
	{"endurance-spent-indicative", "at", written(ratedUnits, true), true},
	{"endurance-spent-indicative", "above", written(ratedUnits+1, true), true},
	{"endurance-spent-indicative", "checked", written(ratedUnits+1, false), false},

	{"error-log-media", "write fault", logged(0x280), true},
	{"error-log-media", "two at the end", loggedAt(960197124096, 1875384832, 1875384968), true},
	{"error-log-media", "end of the data integrity codes", logged(0x284), true},
	{"error-log-media", "compare failure", logged(0x285), false},
	{"error-log-media", "invalid field", logged(0x002), false},
	{"error-log-internal", "invalid opcode", logged(0x001), false},
	{"error-log-internal", "data transfer error", logged(0x004), true},
	{"error-log-internal", "internal error", logged(0x006), true},
	{"error-log-internal", "vendor specific", logged(0x7C0), true},
	{"error-log-harmless", "invalid field", logged(0x002), true},
	{"error-log-harmless", "invalid log page", logged(0x109), true},
	{"error-log-harmless", "one of two is media", logged(0x002, 0x281), false},
	{"error-log-harmless", "no entries", func(*Facts) {}, false},
	{"error-log-cleared", "counted and empty", func(f *Facts) { f.SMART.ErrorLogEntries = nvme.U128(1); f.Errors = nvme.ErrorLog{} }, true},
	{"error-log-cleared", "counted and not read", func(f *Facts) { f.SMART.ErrorLogEntries = nvme.U128(1) }, false},
	{"error-log-cleared", "not counted", func(f *Facts) { f.Errors = nvme.ErrorLog{} }, false},
	{"error-log-cleared", "not empty", func(f *Facts) { f.SMART.ErrorLogEntries = nvme.U128(1); logged(0x002)(f) }, false},

	{"temperature-not-reported", "0 K", kelvin(0), true},
	{"temperature-not-reported", "1 K", kelvin(1), false},
	{"temperature-implausible", "0 K", kelvin(0), false},
	{"temperature-implausible", "-41 °C", kelvin(273 - 41), true},
	{"temperature-implausible", "-40 °C", kelvin(273 - 40), false},
	{"temperature-implausible", "125 °C", kelvin(273 + 125), false},
	{"temperature-implausible", "126 °C", kelvin(273 + 126), true},
	{"temperature-limit-minutes", "none", func(*Facts) {}, false},
	{"temperature-limit-minutes", "warning", func(f *Facts) { f.SMART.WarningTemperatureTime = 1 }, true},
	{"temperature-limit-minutes", "critical alone, which is another matter", heated(0, 1), false},
	{"temperature-limit-minutes", "long, which is another matter", heated(2476, 0), false},
	{"temperature-limit-long", "one percent", heated(2475, 0), false},
	{"temperature-limit-long", "above one percent", heated(2476, 0), true},
	{"temperature-limit-long", "short of an hour", both(counted(20, 10, 1), heated(59, 0)), false},
	{"temperature-limit-long", "an hour", both(counted(20, 10, 1), heated(60, 0)), true},
	{"temperature-limit-long", "all the time", both(counted(20, 10, 1), heated(600, 0)), true},
	{"temperature-limit-long", "longer than it was on", both(counted(20, 10, 1), heated(601, 0)), false},
	{"temperature-critical-minutes", "none", heated(1, 0), false},
	{"temperature-critical-minutes", "one", heated(0, 1), true},
	{"sensor-hot", "79 °C", sensor(273 + 79), false},
	{"sensor-hot", "80 °C", sensor(273 + 80), true},
	{"sensor-hot", "125 °C", sensor(273 + 125), true},
	{"sensor-hot", "126 °C", sensor(273 + 126), false},
	{"thermal-throttled-long", "one percent", slowed(1, 100_000, 48_500), false},
	{"thermal-throttled-long", "above one percent", slowed(1, 100_000, 48_501), true},
	{"thermal-throttled-long", "short of an hour", both(counted(20, 10, 1), slowed(1, 3599, 0)), false},
	{"thermal-throttled-long", "an hour", both(counted(20, 10, 1), slowed(1, 0, 3600)), true},
	{"thermal-throttled-long", "longer than it was on", both(counted(20, 10, 1), slowed(1, 36_000, 1)), false},
	{"thermal-throttled", "never", func(*Facts) {}, false},
	{"thermal-throttled", "once", slowed(1, 0, 0), true},
	{"thermal-throttled", "a second", slowed(0, 0, 1), true},
	{"thermal-throttled", "long", slowed(1, 100_000, 48_501), false},
	{"nothing-written", "100 h", both(counted(20, 100, 0), busyFor(60)), false},
	{"nothing-written", "101 h", both(counted(20, 101, 0), busyFor(60)), true},
	{"nothing-written", "busy for longer", both(counted(20, 101, 0), busyFor(61)), false},
	{"nothing-written", "one unit", both(counted(20, 101, 1), busyFor(60)), false},
	{"unsafe-shutdowns", "none", func(*Facts) {}, false},
	{"unsafe-shutdowns", "one", func(f *Facts) { f.SMART.UnsafeShutdowns = nvme.U128(1) }, true},
	{"unsafe-shutdowns", "all", cut(132, 132), true},
	{"unsafe-shutdowns", "more than all, which is another matter", cut(133, 132), false},
	{"unsafe-shutdowns", "no cycles", func(f *Facts) { f.SMART.UnsafeShutdowns = nvme.U128(1); f.SMART.PowerCycles = nvme.Uint128{} }, false},
}

// cutPage is a page without what stands from the power cycles on.
func cutPage(units uint64) func(*Facts) {
	return func(f *Facts) {
		f.SMART = &nvme.SMARTLog{CompositeTemperature: 308, AvailableSpare: 100, AvailableSpareThreshold: 10, PercentageUsed: 3,
			DataUnitsRead: nvme.U128(units), DataUnitsWritten: nvme.U128(units), HostReadCommands: nvme.U128(10 * units),
			HostWriteCommands: nvme.U128(10 * units), ControllerBusyTime: nvme.U128(99)}
	}
}

func warned(w nvme.CriticalWarning) func(*Facts) {
	return func(f *Facts) { f.SMART.CriticalWarning = w }
}

// heated gives the minutes above both temperatures.
func heated(warning, critical uint32) func(*Facts) {
	return func(f *Facts) { f.SMART.WarningTemperatureTime, f.SMART.CriticalTemperatureTime = warning, critical }
}

// slowed gives transitions, and the seconds at both levels.
func slowed(transitions, light, heavy uint32) func(*Facts) {
	return func(f *Facts) {
		f.SMART.TMT1Transitions, f.SMART.TMT1Time, f.SMART.TMT2Time = transitions, light, heavy
	}
}

// loggedAt gives media errors at blocks of a drive.
func loggedAt(capacity int64, blocks ...uint64) func(*Facts) {
	return func(f *Facts) {
		f.SizeBytes, f.SMART.MediaErrors = capacity, nvme.U128(uint64(len(blocks)))
		for i, lba := range blocks {
			f.Errors = append(f.Errors, entry(uint64(i+1), 0x281, lba))
		}
	}
}

func allOnes() *nvme.SMARTLog {
	l := new(nvme.SMARTLog)
	if err := l.UnmarshalBinary(slices.Repeat([]byte{0xFF}, 512)); err != nil {
		panic(err)
	}
	return l
}

func worn(percent, spare, threshold uint8, media uint64, w nvme.CriticalWarning) func(*Facts) {
	return func(f *Facts) {
		f.SMART.PercentageUsed, f.SMART.AvailableSpare, f.SMART.AvailableSpareThreshold = percent, spare, threshold
		f.SMART.MediaErrors, f.SMART.CriticalWarning = nvme.U128(media), w
	}
}

func mediaErrors(n uint64) func(*Facts) {
	return func(f *Facts) { f.SMART.MediaErrors = nvme.U128(n) }
}

func spareOf(spare, threshold uint8) func(*Facts) {
	return func(f *Facts) { f.SMART.AvailableSpare, f.SMART.AvailableSpareThreshold = spare, threshold }
}

func used(percent uint8) func(*Facts) {
	return func(f *Facts) { f.SMART.PercentageUsed = percent }
}

// written gives the drive a rating.
func written(units uint64, indicative bool) func(*Facts) {
	return func(f *Facts) {
		f.Model, f.SMART.DataUnitsWritten = optane(), nvme.U128(units)
		f.Model.RatedIndicative = indicative
	}
}

func logged(statuses ...nvme.Status) func(*Facts) {
	return func(f *Facts) {
		for i, s := range statuses {
			f.Errors = append(f.Errors, entry(uint64(i+1), s, 8))
		}
	}
}

func kelvin(k nvme.Kelvin) func(*Facts) {
	return func(f *Facts) { f.SMART.CompositeTemperature = k }
}

func TestRuleEdges(t *testing.T) {
	for _, tt := range edges {
		t.Run(tt.rule+"/"+tt.name, func(t *testing.T) {
			f := &Facts{SMART: healthy()}
			tt.set(f)
			if got := fires(Assess(f), tt.rule); got != tt.fires {
				t.Errorf("fires = %t, want %t", got, tt.fires)
			}
		})
	}
}

func fires(a Assessment, rule string) bool {
	return slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.Rule == rule })
}

// TestEveryRuleHasEdges fails for a rule without a row on each side.
func TestEveryRuleHasEdges(t *testing.T) {
	sides := map[string]bool{}
	for _, e := range edges {
		sides[fmt.Sprint(e.rule, e.fires)] = true
	}
	for _, r := range Rules() {
		for _, side := range []bool{true, false} {
			if !sides[fmt.Sprint(r.ID, side)] {
				t.Errorf("rule %s has no row in which fires is %t", r.ID, side)
			}
		}
	}
}

// TestSentences holds that no sentence keeps a name in braces.
func TestSentences(t *testing.T) {
	for _, tt := range edges {
		f := &Facts{SMART: healthy()}
		tt.set(f)
		for _, x := range Assess(f).Findings {
			if strings.ContainsAny(x.Text, "{}") || !strings.HasSuffix(x.Text, ".") || x.Evidence == "" {
				t.Errorf("%s: text %q, evidence %q", x.Rule, x.Text, x.Evidence)
			}
		}
	}
}

func TestRulesAreDescribed(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, r := range Rules() {
		if !id.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("rule identity %q is malformed or not unique", r.ID)
		}
		seen[r.ID] = true
		if r.Severity.rank() < 0 || len(r.Fields) == 0 || r.Text == "" || r.Source == "" || r.applies == nil {
			t.Errorf("rule %s is incomplete: %+v", r.ID, r)
		}
		if r.Inconclusive && r.Severity != SeverityNote {
			t.Errorf("rule %s is inconclusive with severity %s", r.ID, r.Severity)
		}
	}
}

// sensor gives the second temperature sensor a reading.
func sensor(k nvme.Kelvin) func(*Facts) {
	return func(f *Facts) { f.SMART.TemperatureSensors[1] = k }
}
