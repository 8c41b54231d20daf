package compare

import (
	"math"
	"strings"
	"testing"

	"qd1.example/qd1/bench/stats"
)

// rowsWith makes rows of given P; the secondary ones come last.
func rowsWith(tails int, p ...float64) []*Row {
	var rows []*Row
	for i, v := range p {
		rows = append(rows, &Row{Secondary: i >= len(p)-tails, stats: &stats.Comparison{Test: &stats.Test{P: v}}})
	}
	weigh(rows)
	return rows
}

// TestHolm: without tails, or with nothing else, it is the plain method.
func TestHolm(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005, 0.9}
	want := stats.Holm(p)
	for _, tails := range []int{0, len(p)} {
		for i, got := range holm(rowsWith(tails, p...)) {
			if math.Abs(got-want[i]) > 1e-12 {
				t.Errorf("%d tails, row %d: got %v, want %v", tails, i, got, want[i])
			}
		}
	}
}

// TestHolmWeights is worked out by hand: weights are 0.4, 0.4, 0.1 and 0.1.
func TestHolmWeights(t *testing.T) {
	tests := []struct {
		p, want [4]float64
	}{
		// 0.01/0.4, then 0.02·0.6/0.4, then the tails by their order with 0.2/0.1
		// and 0.1/0.1.
		{[4]float64{0.01, 0.02, 0.04, 0.03}, [4]float64{0.025, 0.03, 0.06, 0.06}},
		// A tail comes first where it is small enough: 0.001/0.1.
		{[4]float64{0.5, 0.6, 0.001, 0.7}, [4]float64{1, 1, 0.01, 1}},
		// None is less than the one before it: 0.02·0.9/0.4 = 0.045.
		{[4]float64{0.02, 0.02, 0.004, 1}, [4]float64{0.045, 0.045, 0.04, 1}},
	}
	for _, tt := range tests {
		for i, got := range holm(rowsWith(2, tt.p[:]...)) {
			if math.Abs(got-tt.want[i]) > 1e-12 {
				t.Errorf("%v, row %d: got %v, want %v", tt.p, i, got, tt.want[i])
			}
		}
	}
}

func TestWeightsAddUp(t *testing.T) {
	for _, tails := range []int{0, 1, 3, 6} {
		sum := 0.0
		for _, r := range rowsWith(tails, make([]float64, 6)...) {
			sum += r.weight
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%d tails: weights add up to %v", tails, sum)
		}
	}
}

// TestCapacity holds what the documentation says of five and six runs.
func TestCapacity(t *testing.T) {
	for n, workloads := range map[int]int{5: 2, 6: 9} {
		for extra, want := range []bool{true, false} {
			level := 0.05 * (1 - secondaryShare) / float64(2*(workloads+extra))
			if got := stats.LeastP(n, n) <= level; got != want {
				t.Errorf("%d runs with %d workloads: can find something is %t, want %t", n, workloads+extra, got, want)
			}
		}
	}
}

func TestReasons(t *testing.T) {
	noisy := func(us float64) []figures { return steady(us, 0, 300, -250, 180, -420, 90) }
	many := func(us float64, n int) [][]figures {
		var rows [][]figures
		for range n {
			rows = append(rows, steady(us, 0, 3, -5, 8, -2))
		}
		return rows
	}
	wide := steady(100, 0, 220, -180, 310, -90, 150)
	tests := []struct {
		name          string
		before, after [][]figures
		min           float64
		verdict       Verdict
		want          string
		needed        int
	}{
		{
			"one run", [][]figures{steady(100, 0)}, [][]figures{steady(120, 0)}, 0, NotEnoughRuns,
			"1 run before and 1 after: how much the figure differs from run to run by itself is not known; it takes at least 6 runs a side", 6,
		},
		{
			"three runs", [][]figures{steady(100, 0, 3, 5)}, [][]figures{steady(120, 0, 3, 5)}, 0, NotEnoughRuns,
			"3 runs before and 3 after: however large the difference, its p is 0.1 at least; at a noise of 0.0252 % it takes about 6 runs a side", 6,
		},
		{
			"five runs among many rows", many(100, 4), many(120, 4), 0, NotEnoughRuns,
			"5 runs before and 5 after cannot show a difference among 16 rows, however large: p is 0.00794 at least; at a noise of", 6,
		},
		{
			"noise", [][]figures{noisy(100)}, [][]figures{noisy(100)}, 0, NotEnoughRuns,
			"between -4.20 % and +4.38 %: neither a change is shown nor that it is less than 2 %; at a noise of 2.72 % it takes about 41 runs a side", 41,
		},
		{
			"far too noisy", [][]figures{noisy(100)}, [][]figures{noisy(100)}, 0.05, NotEnoughRuns,
			"at a noise of 2.72 % not even 1000 runs a side would tell", 0,
		},
		{"no change", [][]figures{six(100)}, [][]figures{six(100)}, 0, NoChange, "a change of 2 % or more is ruled out: between -0.0", 0},
		{"a small change", [][]figures{six(100)}, [][]figures{six(101)}, 0, NoChange, "a change of 2 % or more is ruled out: between +0.9", 0},
		{"a change that may be too small", [][]figures{wide}, [][]figures{steady(107, 0, 220, -180, 310, -90, 150)}, 8, Worse, "it may be less than the 8 % that matter", 0},
	}
	for _, tt := range tests {
		c := Bench(one(made(tt.before...)), one(made(tt.after...)), Options{MinEffectPercent: tt.min})
		r := find(t, c, "row A", "latency_p50")
		if *r.Verdict != tt.verdict || !strings.Contains(r.Reason, tt.want) {
			t.Errorf("%s: %s, %q, want %s, %q", tt.name, *r.Verdict, r.Reason, tt.verdict, tt.want)
		}
		got := 0
		if r.RunsNeeded != nil {
			got = *r.RunsNeeded
		}
		if got != tt.needed {
			t.Errorf("%s: %d runs needed, want %d", tt.name, got, tt.needed)
		}
	}
}

// TestOverruled: a row that stands by itself falls among many.
func TestOverruled(t *testing.T) {
	b, a := [][]figures{steady(100, 0, 30, 60, 90, 120, 150)}, [][]figures{steady(100, 100, 130, 160, 190, 220, 250)}
	alone := find(t, Bench(one(made(b...)), one(made(a...)), Options{MinEffectPercent: 0.1}), "row A", "iops")
	for range 7 {
		b, a = append(b, six(100)), append(a, six(100))
	}
	among := find(t, Bench(one(made(b...)), one(made(a...)), Options{MinEffectPercent: 0.1}), "row A", "iops")
	if *alone.Verdict != Worse {
		t.Errorf("alone it is %s, %s", *alone.Verdict, alone.Reason)
	}
	if *among.Verdict != NotEnoughRuns || !strings.Contains(among.Reason, "by itself, but 0.") || *among.P != *alone.P || among.RunsNeeded == nil {
		t.Errorf("among many it is %s, %s", *among.Verdict, among.Reason)
	}
	if *among.DetectablePercent <= *alone.DetectablePercent {
		t.Errorf("detectable are %v %% among many and %v %% alone", *among.DetectablePercent, *alone.DetectablePercent)
	}
}

// TestNotPositive: a change in percent of nothing has no meaning.
func TestNotPositive(t *testing.T) {
	b := made(six(100))
	for i := range b.Results {
		b.Results[i].Latency.P50 = new(0.0)
	}
	r := find(t, Bench(one(b), one(made(six(100))), Options{}), "row A", "latency_p50")
	if *r.Verdict != NotEnoughRuns || r.Reason != "a value is not positive, so that a change in percent has no meaning" || r.RunsNeeded != nil {
		t.Errorf("row is %+v", r)
	}
}

// TestIdentical: runs without any spread, as of a simulated drive.
func TestIdentical(t *testing.T) {
	same := steady(100, 0, 0, 0, 0, 0, 0)
	for _, tt := range []struct {
		after []figures
		want  Verdict
	}{{same, NoChange}, {steady(110, 0, 0, 0, 0, 0, 0), Worse}} {
		r := find(t, Bench(one(made(same)), one(made(tt.after)), Options{}), "row A", "latency_p50")
		if *r.Verdict != tt.want || *r.NoisePercent != 0 || r.Effect != nil {
			t.Errorf("got %s, want %s: %+v", *r.Verdict, tt.want, r)
		}
	}
}
