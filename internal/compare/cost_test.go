package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
	"qd1.example/qd1/nvme"
)

// counted sets the state of the drive at both ends.
func counted(r *report.BenchReport, time string, hours, units, unitsAfter uint64) *report.BenchReport {
	state := func(units uint64) conditions.DriveState {
		return conditions.DriveState{Health: &conditions.Health{DataUnitsWritten: nvme.U128(units), PowerOnHours: nvme.U128(hours)}}
	}
	r.Time = time
	r.Conditions.Before = new(state(units))
	r.Conditions.SetAfter(state(unitsAfter))
	return r
}

func TestCost(t *testing.T) {
	b := counted(made(six(100)), "2026-01-02T01:00:00Z", 10, 1000, 1004)
	b2 := counted(made(six(100)), "2026-01-02T00:00:00Z", 9, 990, 1000)
	a := counted(made(six(100)), "2026-01-02T05:00:00Z", 13, 3004, 3005)
	b.Results[0].BytesRead, b.Results[1].BytesWritten, b2.Results[0].BytesRead = 4096, 8192, 100
	b.Results[0].Partial = true
	b.Precondition = &scratch.Preconditioned{BytesWritten: 7}
	b2.Copy = []scratch.CopyResult{{BytesWritten: 50}}
	c := Bench([]*report.BenchReport{b, b2}, one(a), Options{}).Cost
	want := SideCost{
		BytesRead: 4196, BytesWritten: 8242, PreparedBytes: 7,
		DriveBytesRead: new(uint64(0)), DriveBytesWritten: new(uint64(14 * 512000)),
		UsedPercent: new(uint64(0)), MediaErrors: new(uint64(0)), ErrorLogEntries: new(uint64(0)),
	}
	if diff := cmp.Diff(want, c.Before); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if c.Between == nil || *c.Between.BytesWritten != 2000*512000 || *c.PowerOnHours != 3 {
		t.Errorf("between is %+v, %v", c.Between, c.PowerOnHours)
	}
}

func TestCostUnknown(t *testing.T) {
	known := func() *report.BenchReport { return counted(made(six(100)), "2026-01-02T01:00:00Z", 10, 1, 2) }
	tests := []struct {
		name          string
		before, after []*report.BenchReport
	}{
		{"no state", one(made(six(100))), one(known())},
		{"no state after", one(known()), one(made(six(100)))},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		if c := Bench(tt.before, tt.after, Options{}).Cost; c.Between != nil || c.PowerOnHours != nil {
			t.Errorf("%s: between is %+v", tt.name, c.Between)
		}
	}
	other := known()
	other.Drive.Serial = "B2"
	if c := Bench(one(known()), one(other), Options{}).Cost; c.Between != nil {
		t.Errorf("two drives: between is %+v", c.Between)
	}
	if c := Bench([]*report.BenchReport{known(), made(six(1))}, nil, Options{}).Cost.Before; c.DriveBytesWritten != nil {
		t.Errorf("one result does not know, and the sum is %d", *c.DriveBytesWritten)
	}
	reset := counted(made(six(100)), "2026-01-02T01:00:00Z", 10, 5, 2)
	if c := Bench(one(reset), nil, Options{}).Cost.Before; c.DriveBytesWritten != nil || c.DriveBytesRead == nil {
		t.Errorf("a counter that began anew: %+v", c)
	}
}
