package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCriticalValues holds the exact distribution against the table of critical
// values of U that textbooks print (two-sided): the largest U that is
// significant, -1 where none is.
func TestCriticalValues(t *testing.T) {
	tests := []struct{ n, m, at05, at01 int }{
		{3, 3, -1, -1}, {3, 5, 0, -1}, {4, 4, 0, -1}, {4, 10, 5, 2}, {5, 5, 2, 0}, {5, 8, 6, 2}, {6, 6, 5, 2}, {6, 10, 11, 6},
		{7, 7, 8, 4}, {7, 9, 12, 7}, {8, 8, 13, 7}, {8, 10, 17, 11}, {9, 9, 17, 11}, {10, 10, 23, 16}, {12, 12, 37, 27},
		{15, 15, 64, 51}, {20, 20, 127, 105},
	}
	for _, tt := range tests {
		for alpha, want := range map[float64]int{0.05: tt.at05, 0.01: tt.at01} {
			k, _ := shiftRank(tt.n, tt.m, 1-alpha)
			if got := k - 1; got != want {
				t.Errorf("%d and %d at %v: U = %d, want %d", tt.n, tt.m, alpha, got, want)
			}
		}
	}
}

// Permeability constants of a membrane at two ages: the example of Hollander
// and Wolfe, table 4.1, which is also that of R's wilcox.test.
var (
	term  = []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	early = []float64{1.15, 0.88, 0.90, 0.74, 1.21}
)

func TestMannWhitneyPublished(t *testing.T) {
	// R: wilcox.test(term, early, alternative = "g") gives W = 35, p = 0.1272.
	got := MannWhitney(early, term)
	if got == nil || got.U != 35 || !near(got.P/2, 0.1272, 5e-5) || !got.Exact {
		t.Errorf("MannWhitney = %+v, want U 35, P 2 × 0.1272", got)
	}
	if back := MannWhitney(term, early); back.U != 50-35 || !near(back.P, got.P, 1e-12) {
		t.Errorf("the other way round: %+v", back)
	}
	if s := Shift(early, term); !near(s, 0.305, 1e-9) {
		t.Errorf("Shift = %v, want 0.305", s)
	}
}

// enumerate is MannWhitney by its definition: all ways of dealing out.
func enumerate(a, b []float64) float64 {
	all := append(append([]float64{}, a...), b...)
	n := len(all)
	observed, below, above, total := wins(a, b), 0, 0, 0
	for mask := range 1 << n {
		var x, y []float64
		for i, v := range all {
			if mask>>i&1 == 1 {
				y = append(y, v)
			} else {
				x = append(x, v)
			}
		}
		if len(y) != len(b) {
			continue
		}
		total++
		if u := wins(x, y); u <= observed {
			below++
		}
		if u := wins(x, y); u >= observed {
			above++
		}
	}
	return min(1, 2*float64(min(below, above))/float64(total))
}

func wins(a, b []float64) float64 {
	u := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case y > x:
				u++
			case y == x:
				u += 0.5
			}
		}
	}
	return u
}

func TestMannWhitneyTies(t *testing.T) {
	lots := rand.New(rand.NewPCG(7, 7))
	for range 60 {
		a, b := make([]float64, 1+lots.IntN(5)), make([]float64, 1+lots.IntN(5))
		for _, x := range [][]float64{a, b} {
			for i := range x {
				x[i] = float64(lots.IntN(4))
			}
		}
		got := MannWhitney(a, b)
		if want := enumerate(a, b); !near(got.P, want, 1e-12) || got.U != wins(a, b) {
			t.Errorf("%v and %v: %+v, want U %v, P %v", a, b, got, wins(a, b), want)
		}
	}
}

func TestMannWhitneyLimits(t *testing.T) {
	if got := MannWhitney(nil, []float64{1}); got != nil {
		t.Errorf("an empty sample: %+v, want nil", got)
	}
	same := []float64{3, 3, 3}
	if got := MannWhitney(same, same); got.P != 1 {
		t.Errorf("equal values: %+v, want P 1", got)
	}
	many := make([]float64, 60)
	if got := MannWhitney(many, many); got.P != 1 || got.Exact {
		t.Errorf("60 equal values: %+v, want P 1, not exact", got)
	}
}

// TestNormalApproximation holds P above 50 values against the exact one at 50.
func TestNormalApproximation(t *testing.T) {
	lots := rand.New(rand.NewPCG(3, 1))
	for _, shift := range []float64{0, 0.3, 0.5} {
		a, b := make([]float64, 50), make([]float64, 50)
		for i := range a {
			a[i], b[i] = math.Round(4*lots.NormFloat64())/4, math.Round(4*(lots.NormFloat64()+shift))/4
		}
		exact := MannWhitney(a, b)
		r := rank(a, b)
		if got := normalP(exact.U, 50, 50, r.ties); !near(got, exact.P, 0.002) {
			t.Errorf("shift %v: %v by the normal distribution, %v exactly", shift, got, exact.P)
		}
	}
}

func TestLeastP(t *testing.T) {
	tests := []struct {
		n, m int
		want float64
	}{{0, 5, 1}, {1, 1, 1}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {5, 5, 2.0 / 252}, {6, 6, 2.0 / 924}, {2, 10, 2.0 / 66}}
	for _, tt := range tests {
		if got := LeastP(tt.n, tt.m); !near(got, tt.want, 1e-12) {
			t.Errorf("LeastP(%d, %d) = %v, want %v", tt.n, tt.m, got, tt.want)
		}
	}
	if got := MannWhitney(upTo(5), []float64{6, 7, 8, 9, 10}); !near(got.P, LeastP(5, 5), 1e-12) {
		t.Errorf("apart altogether: P %v, want LeastP %v", got.P, LeastP(5, 5))
	}
}

func TestHolm(t *testing.T) {
	// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") = 0.03 0.06 0.06 0.02.
	tests := []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{0.2}, []float64{0.2}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.9, 0.6}, []float64{1, 1, 1}},
		{[]float64{0.02, 0.02}, []float64{0.04, 0.04}},
	}
	for _, tt := range tests {
		got := Holm(tt.p)
		for i, want := range tt.want {
			if !near(got[i], want, 1e-12) {
				t.Errorf("Holm(%v) = %v, want %v", tt.p, got, tt.want)
				break
			}
		}
	}
}

// TestUntied holds the two ways of counting against each other.
func TestUntied(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 7}, {5, 5}, {12, 9}, {50, 50}, {1, 50}} {
		n, m := size[0], size[1]
		var ranks []int
		for i := range n + m {
			ranks = append(ranks, 2*(i+1))
		}
		sums := rankSums(ranks, m)
		for u, got := range untied(n, m) {
			if want := sums[m*(m+1)+2*u]; !near(got/want, 1, 1e-9) {
				t.Fatalf("%d and %d values: U %d has probability %v, want %v", n, m, u, got, want)
			}
		}
	}
}
