package report

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/protocol"
)

func TestRunMetric(t *testing.T) {
	deep := bench.QD1Read(1)
	deep.QueueDepth = 32
	paced, paused := deep, deep
	paced.Rate, paused.ThinkTime = 100, 1
	one := bench.QD1Read(1)
	for i, tt := range []struct {
		job  bench.Job
		want reference.Metric
	}{{one, reference.P50Latency}, {deep, reference.MBPerS}, {paced, reference.P50Latency}, {paused, reference.P50Latency}} {
		if got := RunMetric(&tt.job); got != tt.want {
			t.Errorf("%d: got %s, want %s", i, got, tt.want)
		}
	}
}

func TestRunValues(t *testing.T) {
	b := &BenchReport{Rows: make([]BenchRow, 3)}
	add := func(row, run int, at float64, r *bench.Result) {
		x := BenchResult{Row: row, Run: run, Result: *r}
		if at >= 0 {
			x.Start = &protocol.Start{AtSeconds: at}
		}
		b.Results = append(b.Results, x)
	}
	cut := qd1Result(99)
	cut.Partial = true
	deep := qd1Result(10)
	deep.QueueDepth, deep.MBPerS = 32, 2000
	none := qd1Result(10)
	none.Latency.P50 = nil
	add(0, 1, 0, qd1Result(12))
	add(1, 1, -1, deep)
	add(0, 2, 7.5, qd1Result(13))
	add(0, 3, 9, cut)
	add(2, 1, 0, none)
	for row, want := range [][2][]float64{{{0, 7.5}, {12, 13}}, {{1}, {2000}}, {}} {
		seconds, values := b.RunValues(row)
		if diff := cmp.Diff(want, [2][]float64{seconds, values}); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", row, diff)
		}
	}
	deep.MBPerS = 0
	if v := RunValue(deep); v != nil {
		t.Errorf("a run without a rate has %v", *v)
	}
}

// TestRunStep: the step is the width of the bucket in which the value lies.
func TestRunStep(t *testing.T) {
	for us, want := range map[float64]float64{8.192: 0.128, 12: 0.128, 16.383: 0.128, 16.384: 0.256, 1000: 8.192} {
		if got := RunStep(reference.P50Latency, us); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v µs: got %v, want %v", us, got, want)
		}
	}
	if RunStep(reference.MBPerS, 100) != 0 || RunStep(reference.P50Latency, 0) != 0 {
		t.Error("a rate has a step")
	}
}

func TestRunNoise(t *testing.T) {
	j := bench.QD1Read(1)
	n := RunNoise(&j, []float64{12, 12, 12}, 6, 1)
	if n == nil || n.Metric != "p50" || n.StepPercent != 1.067 || n.CVPercent < 0.3 || n.RunsFor1Percent != nil {
		t.Errorf("got %+v", n)
	}
	j.QueueDepth = 8
	if n := RunNoise(&j, []float64{99, 100, 101}, 6, 1); n == nil || n.Metric != "mb_per_s" || n.CVPercent != 1 || n.StepPercent != 0 {
		t.Errorf("rates: %+v", n)
	}
	if n := RunNoise(&j, nil, 6, 1); n != nil {
		t.Errorf("of nothing: %+v", n)
	}
}
