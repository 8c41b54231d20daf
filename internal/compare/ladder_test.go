package compare

import (
	"math"
	"slices"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// spread makes runs of so many operations whose latencies lie evenly between two
// µs.
func spread(n int, ranges ...[2]float64) *report.BenchReport {
	r := made(make([]figures, len(ranges)))
	for i, x := range ranges {
		h := &bench.Histogram{}
		for j := range n {
			us := x[0] + (x[1]-x[0])*float64(j)/float64(n-1)
			h.Add(time.Duration(us * 1000))
		}
		r.Results[i].Histogram, r.Results[i].Latency, r.Results[i].IOPS = h, bench.LatencyOf(h), 1000
	}
	return r
}

func TestLadder(t *testing.T) {
	b, a := spread(20000, [2]float64{10, 20}, [2]float64{10, 20}), spread(20000, [2]float64{20, 40}, [2]float64{20, 40})
	c := Bench(one(b), one(a), Options{})
	if len(c.Ladders) != 1 {
		t.Fatalf("%d ladders", len(c.Ladders))
	}
	l := c.Ladders[0]
	if l.Label != "row A" || l.BeforeOperations != 40000 || l.AfterOperations != 40000 || l.Before.Count() != 40000 || l.After == nil {
		t.Errorf("ladder is %+v", l)
	}
	want := []struct {
		percentile string
		us         float64
	}{{"p50", 15}, {"p90", 19}, {"p99", 19.9}, {"p999", 19.99}, {"p9999", 0}, {"max", 20}}
	for i, w := range want {
		r := l.Rungs[i]
		if r.Percentile != w.percentile {
			t.Errorf("rung %d is %s, want %s", i, r.Percentile, w.percentile)
		}
		if w.us == 0 {
			if r.Before.US != nil || r.ChangePercent != nil || r.Before.CI95US != nil {
				t.Errorf("%s rests on too few operations: %+v", r.Percentile, r)
			}
			continue
		}
		if math.Abs(*r.Before.US/w.us-1) > 0.01 || math.Abs(*r.ChangePercent-100) > 2 {
			t.Errorf("%s: %v µs, change %v %%, want %v and 100", r.Percentile, *r.Before.US, *r.ChangePercent, w.us)
		}
		if ci := r.Before.CI95US; (ci == nil) != (r.Percentile == "max") || ci != nil && (ci[0] > w.us || ci[1] < w.us) {
			t.Errorf("%s: interval %v", r.Percentile, ci)
		}
	}
}

// TestLadderIsAsWideAsRuns: runs that differ make a wide interval, however many
// operations there are.
func TestLadderIsAsWideAsRuns(t *testing.T) {
	b := spread(20000, [2]float64{10, 20}, [2]float64{14, 24}, [2]float64{12, 22})
	ci := Bench(one(b), one(b), Options{}).Ladders[0].Rungs[0].Before.CI95US
	if math.Abs(ci[0]-15) > 0.2 || math.Abs(ci[1]-19) > 0.2 {
		t.Errorf("interval %v, want 15 to 19", ci)
	}
}

func TestWidened(t *testing.T) {
	tests := []struct {
		runs []float64
		want [2]float64
	}{
		{nil, [2]float64{10, 11}},
		{[]float64{5}, [2]float64{10, 11}},
		{[]float64{10.4, 10.6}, [2]float64{10, 11}},
		{[]float64{9, 10.5, 12}, [2]float64{9, 12}},
		// From 9 runs on the interval of the median leaves out the ends.
		{[]float64{1, 9, 9.5, 10, 10, 10, 12, 13, 99}, [2]float64{9, 13}},
	}
	for _, tt := range tests {
		if got := widened([2]float64{10, 11}, tt.runs); *got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.runs, *got, tt.want)
		}
	}
}

// TestNoLadder: without all histograms there is none.
func TestNoLadder(t *testing.T) {
	b, a := spread(100, [2]float64{10, 20}, [2]float64{10, 20}), spread(100, [2]float64{10, 20})
	b.Results[1].Histogram = nil
	if c := Bench(one(b), one(a), Options{}); len(c.Ladders) != 0 {
		t.Errorf("ladders %+v", c.Ladders)
	}
	b.Results[1].Histogram = &bench.Histogram{}
	b.Results = slices.Delete(b.Results, 0, 1)
	if c := Bench(one(b), one(a), Options{}); len(c.Ladders) != 0 {
		t.Errorf("ladders of nothing %+v", c.Ladders)
	}
}
