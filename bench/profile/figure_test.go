package profile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

// run makes the result of one run of 4 KiB blocks.
func run(mbPerS, mean, median float64) *bench.Result {
	r := &bench.Result{Operations: 1000, MBPerS: mbPerS, IOPS: mbPerS * 1e6 / 4096}
	r.Latency.Mean, r.Latency.P50 = &mean, &median
	r.Latency.P99 = new(2 * median)
	return r
}

// cut makes it one that was cut short.
func cut(r *bench.Result) *bench.Result {
	r.Partial = true
	return r
}

var fourK = shape{"RND4K Q1T1", bench.Random, 4096, 1, 1}

func TestFigure(t *testing.T) {
	three := []*bench.Result{run(100, 41, 40), run(409.6, 44, 38), run(200, 39, 42)}
	for _, tt := range []struct {
		name    string
		pick    Pick
		results []*bench.Result
		want    Figure
	}{
		{"the best rate and the lowest mean are of different runs", PickBest, three, Figure{
			Runs: 3, MBPerS: 409.6, IOPS: 100000, RateRun: 2, LatencyUS: new(39.0), LatencyIs: "mean", LatencyRun: 3,
			MBPerSRange: [2]float64{100, 409.6}, P99US: new(80.0),
		}},
		{"the median", PickMedian, three, Figure{
			Runs: 3, MBPerS: 200, IOPS: 48828.125, RateRun: 3, LatencyUS: new(40.0), LatencyIs: "median", LatencyRun: 1,
			MBPerSRange: [2]float64{100, 409.6}, P99US: new(80.0),
		}},
		{"the median of two lies between them", PickMedian, three[:2], Figure{
			Runs: 2, MBPerS: 254.8, IOPS: 62207.031, LatencyUS: new(39.0), LatencyIs: "median",
			MBPerSRange: [2]float64{100, 409.6}, P99US: new(78.0),
		}},
		{"the mean", PickMean, three, Figure{
			Runs: 3, MBPerS: 236.533, IOPS: 57747.314, LatencyUS: new(41.333), LatencyIs: "mean",
			MBPerSRange: [2]float64{100, 409.6}, P99US: new(80.0),
		}},
		{"of equals the first", PickBest, []*bench.Result{run(100, 40, 40), run(100, 40, 40)}, Figure{
			Runs: 2, MBPerS: 100, IOPS: 24414.063, RateRun: 1, LatencyUS: new(40.0), LatencyIs: "mean", LatencyRun: 1,
			MBPerSRange: [2]float64{100, 100}, P99US: new(80.0),
		}},
		{"failed and partial runs do not count", PickBest, []*bench.Result{nil, cut(run(999, 1, 1)), run(100, 40, 40), {}}, Figure{
			Runs: 1, MBPerS: 100, IOPS: 24414.063, RateRun: 3, LatencyUS: new(40.0), LatencyIs: "mean", LatencyRun: 3,
			MBPerSRange: [2]float64{100, 100}, P99US: new(80.0),
		}},
		{"a partial run is better than none", PickMean, []*bench.Result{cut(run(100, 40, 40))}, Figure{
			Runs: 1, MBPerS: 100, IOPS: 24414.063, RateRun: 1, LatencyUS: new(40.0), LatencyIs: "mean", LatencyRun: 1,
			MBPerSRange: [2]float64{100, 100}, P99US: new(80.0), Partial: true,
		}},
		{"too few operations for a median", PickMedian, []*bench.Result{{Operations: 5, MBPerS: 1}}, Figure{
			Runs: 1, MBPerS: 1, IOPS: 244.141, RateRun: 1, LatencyIs: "median", MBPerSRange: [2]float64{1, 1},
		}},
	} {
		tt.want.Row, tt.want.Op, tt.want.Pick = "RND4K Q1T1 read", bench.OpRead, tt.pick
		got := fourK.row(bench.OpRead, time.Second, tt.pick).Figure(tt.results)
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestFigureOfNothing(t *testing.T) {
	row := fourK.row(bench.OpRead, time.Second, PickBest)
	for _, results := range [][]*bench.Result{nil, {nil}, {{}}, {{Partial: true}}} {
		if got := row.Figure(results); got != nil {
			t.Errorf("of %v: %+v, want none", results, got)
		}
	}
}

func TestFigureIntervals(t *testing.T) {
	var results []*bench.Result
	for i := range 6 {
		results = append(results, run(float64(100+i), 10, float64(50-i)))
	}
	row := fourK.row(bench.OpRead, time.Second, PickMedian)
	got := row.Figure(results)
	if diff := cmp.Diff(&[2]float64{100, 105}, got.MBPerSCI95); diff != "" {
		t.Errorf("rate (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&[2]float64{45, 50}, got.LatencyCI95); diff != "" {
		t.Errorf("latency (-want +got):\n%s", diff)
	}
	if got := row.Figure(results[:5]); got.MBPerSCI95 != nil || got.LatencyCI95 != nil {
		t.Error("five runs cannot give 95 %")
	}
	row.Pick = PickBest
	if got := row.Figure(results); got.MBPerSCI95 != nil || got.LatencyCI95 != nil {
		t.Error("the best of the runs has no confidence interval of a median")
	}
}

// TestInterval95 compares the ranks with the published table (Conover, table
// A3 and the binomial distribution with p = 1/2).
func TestInterval95(t *testing.T) {
	for _, tt := range []struct{ n, low int }{
		{0, 0}, {1, 0}, {5, 0}, {6, 1}, {7, 1}, {8, 1}, {9, 2}, {10, 2}, {11, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}, {30, 10}, {100, 40},
	} {
		var values []float64
		for i := range tt.n {
			values = append(values, float64(tt.n-i))
		}
		got := interval95(values)
		if tt.low == 0 {
			if got != nil {
				t.Errorf("%d values: %v, want none", tt.n, *got)
			}
			continue
		}
		if want := [2]float64{float64(tt.low), float64(tt.n + 1 - tt.low)}; got == nil || *got != want {
			t.Errorf("%d values: %v, want ranks %v", tt.n, got, want)
		}
	}
}

// TestInterval95Covers draws from a skewed distribution of known median.
func TestInterval95Covers(t *testing.T) {
	const draws = 4000
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 10, 20} {
		hits := 0
		for range draws {
			values := make([]float64, n)
			for i := range values {
				values[i] = r.ExpFloat64()
			}
			if i := interval95(values); i[0] <= math.Ln2 && math.Ln2 <= i[1] {
				hits++
			}
		}
		if share := float64(hits) / draws; share < 0.945 {
			t.Errorf("%d values: the interval has the median in %g of the cases", n, share)
		}
	}
}

func TestCostOf(t *testing.T) {
	raw := &Figure{MBPerS: 400, LatencyUS: new(10.0)}
	file := &Figure{MBPerS: 380, LatencyUS: new(11.25)}
	if diff := cmp.Diff(&Cost{LatencyUS: new(1.25), RatePercent: -5}, CostOf(raw, file)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := CostOf(raw, &Figure{MBPerS: 400}); got == nil || got.LatencyUS != nil || got.RatePercent != 0 {
		t.Errorf("without a latency: %+v", got)
	}
	for _, pair := range [][2]*Figure{{nil, file}, {raw, nil}, {{}, file}} {
		if got := CostOf(pair[0], pair[1]); got != nil {
			t.Errorf("of %v: %+v, want none", pair, got)
		}
	}
}

func TestFigureIsIndependentOfTheOrderOfEqualWork(t *testing.T) {
	results := []*bench.Result{run(3, 1, 1), run(1, 2, 2), run(2, 3, 3)}
	row := fourK.row(bench.OpRead, time.Second, PickMedian)
	want := row.Figure(results)
	slices.Reverse(results)
	got := row.Figure(results)
	if got.MBPerS != want.MBPerS || *got.LatencyUS != *want.LatencyUS || got.RateRun != 4-want.RateRun {
		t.Errorf("reversed: %+v, want %+v", got, want)
	}
}
