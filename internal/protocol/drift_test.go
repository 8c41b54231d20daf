package protocol

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDriftOf(t *testing.T) {
	for _, tt := range []struct {
		name    string
		seconds []float64
		values  []float64
		percent float64
		p       float64
		found   bool
	}{
		{"grows evenly", []float64{0, 10, 20, 30, 40}, []float64{100, 101, 102, 103, 104}, 3.922, 2.0 / 120, true},
		{"falls", []float64{0, 1, 2, 3, 4, 5}, []float64{60, 50, 40, 30, 20, 10}, -142.857, 2.0 / 720, true},
		{"an outlier", []float64{0, 1, 2, 3, 4}, []float64{10, 10.1, 50, 10.3, 10.4}, 3.883, 0.233333, false},
		{"no trend", []float64{0, 1, 2, 3, 4}, []float64{10, 12, 11, 13, 9}, 0, 1, false},
		{"all equal", []float64{0, 1, 2, 3, 4}, []float64{7, 7, 7, 7, 7}, 0, 1, false},
	} {
		got := DriftOf(tt.seconds, tt.values)
		if got == nil || math.Abs(got.P-tt.p) > 1e-4 || got.Found != tt.found || got.Runs != len(tt.values) {
			t.Errorf("%s: got %+v, want %v %%, p %v", tt.name, got, tt.percent, tt.p)
			continue
		}
		if tt.name != "no trend" && math.Abs(got.ChangePercent-tt.percent) > 1e-3 {
			t.Errorf("%s: got %v %%, want %v", tt.name, got.ChangePercent, tt.percent)
		}
	}
}

func TestDriftOfNothing(t *testing.T) {
	five := []float64{0, 1, 2, 3, 4}
	for _, tt := range []struct{ seconds, values []float64 }{
		{nil, nil}, {five[:4], five[:4]}, {five, five[:4]}, {five, []float64{0, 0, 0, 0, 0}}, {make([]float64, 5), five},
	} {
		if got := DriftOf(tt.seconds, tt.values); got != nil {
			t.Errorf("%v, %v: got %+v", tt.seconds, tt.values, got)
		}
	}
}

// TestTrendTable is the table of Kendall's K for 10 values: Hollander, Wolfe and
// Chicken, table A.30.
func TestTrendTable(t *testing.T) {
	for s, want := range map[int]float64{45: 0.000000276, 23: 0.023, 21: 0.036, 19: 0.054, 11: 0.190} {
		got := inversionsAtMost(10, (45-s)/2)
		if math.Abs(got-want) > 0.0005 {
			t.Errorf("K = %d: got %.4f, want %.3f", s, got, want)
		}
	}
}

// TestTrendCounted counts out all orders of 6 values.
func TestTrendCounted(t *testing.T) {
	counts := make([]int, 16)
	orders([]int{0, 1, 2, 3, 4, 5}, func(o []int) {
		inversions := 0
		for i := range o {
			for j := i + 1; j < len(o); j++ {
				if o[i] > o[j] {
					inversions++
				}
			}
		}
		counts[inversions]++
	})
	sum := 0
	for k, n := range counts {
		sum += n
		if got, want := inversionsAtMost(6, k), float64(sum)/720; math.Abs(got-want) > 1e-12 {
			t.Errorf("at most %d: got %v, want %v", k, got, want)
		}
	}
}

// orders calls f with each order of the values.
func orders(values []int, f func([]int)) {
	var next func(int)
	next = func(n int) {
		if n == len(values) {
			f(values)
			return
		}
		for i := n; i < len(values); i++ {
			values[n], values[i] = values[i], values[n]
			next(n + 1)
			values[n], values[i] = values[i], values[n]
		}
	}
	next(0)
}

// TestFalseTrends: runs without a trend show one in 5 % of cases at most, with and
// without ties, and in many runs too.
func TestFalseTrends(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, runs := range []int{5, 8, 20, 60} {
		for _, ties := range []bool{false, true} {
			found := 0
			const tries = 2000
			for range tries {
				seconds, values := make([]float64, runs), make([]float64, runs)
				for i := range values {
					seconds[i], values[i] = float64(i), 100+r.NormFloat64()
					if ties {
						values[i] = math.Round(values[i])
					}
				}
				if d := DriftOf(seconds, values); d.Found {
					found++
				}
			}
			if share := float64(found) / tries; share > 0.062 {
				t.Errorf("%d runs, ties %t: a trend in %.1f %%", runs, ties, 100*share)
			}
		}
	}
}
