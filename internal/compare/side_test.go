package compare

import (
	"math"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// TestRates: a run that has only one of its rates has the other by the block
// size.
func TestRates(t *testing.T) {
	l := &load{job: qd1()}
	tests := []struct {
		name       string
		iops, mbs  float64
		blockBytes int
		wantIOPS   float64
		wantMBPerS float64
	}{
		{"both", 1000, 5, 4096, 1000, 5},
		{"MB/s alone", 0, 4.096, 4096, 1000, 4.096},
		{"IOPS alone", 1000, 0, 4096, 1000, 4.096},
		{"neither", 0, 0, 4096, 0, 0},
		{"no block size", 0, 5, 0, 0, 5},
	}
	for _, tt := range tests {
		l.job.BlockBytes = tt.blockBytes
		r := &report.BenchResult{Result: bench.Result{IOPS: tt.iops, MBPerS: tt.mbs}}
		if got := l.iops(r); math.Abs(got-tt.wantIOPS) > 1e-9 {
			t.Errorf("%s: %v IOPS, want %v", tt.name, got, tt.wantIOPS)
		}
		if got := l.rate(r); math.Abs(got-tt.wantMBPerS) > 1e-9 {
			t.Errorf("%s: %v MB/s, want %v", tt.name, got, tt.wantMBPerS)
		}
	}
}

// TestSameLabelTwice: rows that share a label are matched by their order.
func TestSameLabelTwice(t *testing.T) {
	twice := func(first, second float64) *report.BenchReport {
		r := made(six(first), six(second))
		r.Rows[1].Label = r.Rows[0].Label
		return r
	}
	c := Bench(one(twice(100, 50)), one(twice(100, 60)), Options{})
	if len(c.Rows) != 8 || len(c.OneSided) != 0 {
		t.Fatalf("%d rows, one-sided %+v", len(c.Rows), c.OneSided)
	}
	if a, b := c.Rows[1], c.Rows[5]; *a.Verdict != NoChange || *b.Verdict != Worse || math.Abs(*b.ChangePercent-20) > 0.1 {
		t.Errorf("rows are %+v and %+v", a, b)
	}
}

// TestMedianNeedsAll: one run without a figure leaves none for the workload.
func TestMedianNeedsAll(t *testing.T) {
	r := made(six(100))
	l := gather(before, one(r)).loads[0]
	p99 := func(x *report.BenchResult) *float64 { return x.Latency.P99 }
	if got := l.median(p99); got == nil || math.Abs(*got-150) > 0.1 {
		t.Errorf("median is %v, want 150", got)
	}
	r.Results[3].Latency.P99 = nil
	if got := l.median(p99); got != nil {
		t.Errorf("median is %v, want none", *got)
	}
	if got := (&load{}).median(p99); got != nil {
		t.Errorf("median of nothing is %v", *got)
	}
}

// TestSamples: each side says what its runs were.
func TestSamples(t *testing.T) {
	r := find(t, Bench(one(made(steady(100, 0, 100, 200))), one(made(steady(200, 0))), Options{}), "row A", "latency_p50")
	b := r.Before
	if b.N != 3 || b.Median != 101 || b.Min != 100 || b.Max != 102 || *b.CVPercent != 0.99 || len(b.Values) != 3 {
		t.Errorf("before is %+v", b)
	}
	if a := r.After; a.N != 1 || a.Median != 200 || a.CVPercent != nil || r.NoisePercent != nil {
		t.Errorf("after is %+v", a)
	}
}
