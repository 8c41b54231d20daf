package protocol

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench/stats"
)

func TestLevel(t *testing.T) {
	for workloads, want := range map[int]float64{0: 0.02, 1: 0.02, 2: 0.01, 10: 0.002} {
		if got := Level(workloads); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d workloads: got %v, want %v", workloads, got, want)
		}
	}
}

// TestNoiseOf: the values have a standard deviation of 1 % of their mean.
func TestNoiseOf(t *testing.T) {
	values := []float64{99, 100, 101}
	got := NoiseOf("latency_p50", values, 0, 6, 1)
	want := &Noise{
		Metric: "latency_p50", Runs: 3, CVPercent: 1, PlannedRuns: 6,
		DetectablePercent: new(round(*stats.Detectable(6, 1, 0.02, 0.8))), RunsFor1Percent: new(stats.RunsFor(1, 1, 0.02, 0.8)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("noise (-want +got):\n%s", diff)
	}
	if d := *got.DetectablePercent; d < 1.5 || d > 3 {
		t.Errorf("6 runs at 1 %% find %v %%", d)
	}
	if more := NoiseOf("", values, 0, 20, 1); *more.DetectablePercent >= *got.DetectablePercent {
		t.Errorf("20 runs find %v %%, 6 find %v", *more.DetectablePercent, *got.DetectablePercent)
	}
	if more := NoiseOf("", values, 0, 6, 5); *more.DetectablePercent <= *got.DetectablePercent {
		t.Errorf("among 5 workloads %v %%, alone %v", *more.DetectablePercent, *got.DetectablePercent)
	}
}

func TestNoiseOfNothing(t *testing.T) {
	for _, values := range [][]float64{nil, {1}, {0, 0}, {-1, 1}} {
		if got := NoiseOf("", values, 0, 5, 1); got != nil {
			t.Errorf("%v: got %+v", values, got)
		}
	}
}

// TestNoiseOfRounded: values that are all the same because they are rounded are
// not without noise, and no smaller change than the step is promised.
func TestNoiseOfRounded(t *testing.T) {
	n := NoiseOf("p50", []float64{100, 100, 100}, 0.5, 50, 1)
	if want := round(50 / math.Sqrt(12) / 100); n.CVPercent != want || n.StepPercent != 0.5 || *n.DetectablePercent != 0.5 || n.RunsFor1Percent == nil {
		t.Errorf("got %+v, want a noise of %v %%", n, want)
	}
	n = NoiseOf("p50", []float64{100, 101, 102}, 1.5, 50, 1)
	if n.RunsFor1Percent != nil || *n.DetectablePercent < n.StepPercent || n.StepPercent < 1.48 {
		t.Errorf("a change below the step is promised: %+v", n)
	}
}

// TestRunsFor: the search finds what counting up finds.
func TestRunsFor(t *testing.T) {
	for _, cv := range []float64{0, 0.1, 0.5, 1, 2, 3.7} {
		for _, level := range []float64{0.02, 0.004} {
			got, want := runsFor(1, cv, level), stats.RunsFor(1, cv, level, power)
			if got == nil || *got != want {
				t.Errorf("noise %v at %v: got %v, want %d", cv, level, got, want)
			}
		}
	}
	if got := runsFor(1, 50, 0.02); got != nil {
		t.Errorf("noise of 50 %%: %d runs", *got)
	}
}

func TestNoiseString(t *testing.T) {
	for _, tt := range []struct {
		n    Noise
		want string
	}{
		{Noise{PlannedRuns: 5, DetectablePercent: new(2.345), RunsFor1Percent: new(18)}, "with 5 runs a change of 2.3 % or more will be found in 80 % of cases; 1 % needs 18 runs"},
		{Noise{PlannedRuns: 9, DetectablePercent: new(0.42), RunsFor1Percent: new(6)}, "with 9 runs a change of 0.42 % or more will be found in 80 % of cases"},
		{Noise{PlannedRuns: 2, RunsFor1Percent: new(6)}, "with 2 runs no change can be shown, however large; 1 % needs 6 runs"},
		{Noise{PlannedRuns: 6, DetectablePercent: new(123.4)}, "with 6 runs a change of 123 % or more will be found in 80 % of cases; 1 % needs more than 1000 runs"},
		{Noise{PlannedRuns: 9, StepPercent: 1.05, DetectablePercent: new(1.05)}, "with 9 runs a change of 1.1 % or more will be found in 80 % of cases; the histogram tells medians apart by 1.1 %"},
	} {
		if got := tt.n.String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
