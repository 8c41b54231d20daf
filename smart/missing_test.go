package smart

import (
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// TestMissingIsNoValue takes each field away in turn: no rule that looks at it
// may apply, whatever stands in its place.
func TestMissingIsNoValue(t *testing.T) {
	for _, fill := range []uint64{0, 3, 200} {
		for _, r := range Rules() {
			for _, field := range r.Fields {
				f := &Facts{SMART: healthy(), Model: optane(), Missing: []string{strings.Replace(field, "bytes_written", "data_units_written", 1)}}
				f.SMART.MediaErrors, f.SMART.PercentageUsed = nvme.U128(fill), uint8(fill)
				f.SMART.CriticalWarning = nvme.CriticalWarning(fill)
				if field != "smart" && fires(Assess(f), r.ID) {
					t.Errorf("%s applies although %s is missing", r.ID, field)
				}
			}
		}
	}
}

// TestNothingFollowsFromMissing holds that a page with holes gives no sign of a
// forgery, no condition, no rate and no place among others.
func TestNothingFollowsFromMissing(t *testing.T) {
	all := counterNames()
	all = append(all, "available_spare_threshold_percent", "percentage_used_percent", "identify_controller.sn", "identify_controller.oacs")
	f := &Facts{
		SMART: &nvme.SMARTLog{DataUnitsWritten: nvme.U128(5_000_000_000), CompositeTemperature: 300}, Model: drivedb.Lookup("INTEL SSDPE21D960GA"),
		ModelNumber: "INTEL SSDPE21D960GA", Controller: new(nvme.IdentifyController), SizeBytes: 1e9, Missing: all,
	}
	c := Plausibility(f, AsUsed)
	if len(c.Signs) != 0 || c.Condition != "" || c.Belief != Plausible {
		t.Errorf("%+v", c)
	}
	if e := f.Endurance(); e.RatedBytes == nil || e.WrittenPercent != nil || e.BytesToRated != nil {
		t.Errorf("endurance %+v", e)
	}
	for _, p := range PopulationOf(f.Model).Compare(f) {
		if p.Metric != "celsius" {
			t.Errorf("compared by %s", p.Metric)
		}
	}
	a := Assess(f)
	if fires(a, "smart-page-cut") {
		t.Error("what the source does not have was taken for a page that is cut")
	}
	if a.Level != Unknown || !strings.Contains(a.Summary, "not whole") || fires(a, "capacity-lost") {
		t.Errorf("%s: %s", a.Level, a.Summary)
	}
	f.Missing = nil
	if c := Plausibility(f, AsUsed); !slices.ContainsFunc(c.Signs, func(s Sign) bool { return s.ID == "placeholder-serial" }) {
		t.Errorf("the test does not show what it should: %+v", c.Signs)
	}
}

func TestWrittenIsKnownByUnits(t *testing.T) {
	f := &Facts{Missing: []string{"data_units_written"}}
	if f.knows("bytes_written") || !f.knows("bytes_read", "power_cycles") {
		t.Error("bytes written are those of the data units")
	}
}
