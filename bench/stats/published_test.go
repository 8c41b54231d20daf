package stats

import (
	"math/rand/v2"
	"testing"
)

// withU makes samples of n and m values without ties in which a value of the
// second is above one of the first u times.
func withU(n, m, u int) (a, b []float64) {
	for i := range n {
		a = append(a, float64(i+1))
	}
	for j := range m {
		wins := min(u, n)
		b = append(b, float64(wins)+0.5+float64(j)/1000)
		u -= wins
	}
	return a, b
}

// TestCriticalTable holds P against the whole table of critical values of U up to
// 10 and 10 values that textbooks print (two-sided, 5 and 1 %): P is at most that
// at the value, and more at the next. -1 stands for none.
func TestCriticalTable(t *testing.T) {
	for alpha, table := range map[float64][][]int{
		// Of n from 3 to 10 a line, with m from n to 10.
		0.05: {{-1, -1, 0, 1, 1, 2, 2, 3}, {0, 1, 2, 3, 4, 4, 5}, {2, 3, 5, 6, 7, 8}, {5, 6, 8, 10, 11}, {8, 10, 12, 14}, {13, 15, 17}, {17, 20}, {23}},
		0.01: {{-1, -1, -1, -1, -1, -1, 0, 0}, {-1, -1, 0, 0, 1, 1, 2}, {0, 1, 1, 2, 3, 4}, {2, 3, 4, 5, 6}, {4, 6, 7, 9}, {7, 9, 11}, {11, 13}, {16}},
	} {
		for i, line := range table {
			for j, u := range line {
				n, m := i+3, i+3+j
				if u >= 0 {
					if p := MannWhitney(withU(n, m, u)); !p.Exact || p.U != float64(u) || p.P > alpha {
						t.Errorf("%d and %d values, U %d: %+v, want at most %v", n, m, u, p, alpha)
					}
				}
				if p := MannWhitney(withU(n, m, u+1)); p.P <= alpha {
					t.Errorf("%d and %d values, U %d: P %v, want more than %v", n, m, u+1, p.P, alpha)
				}
			}
		}
	}
}

// TestProbabilityTable holds P against the probabilities that Mann and Whitney
// published themselves: that U is at most 0, 1, 2, … of samples of n values each.
//
// Source: H. B. Mann and D. R. Whitney, On a Test of Whether one of Two Random
// Variables is Stochastically Larger than the Other, Annals of Mathematical
// Statistics 18 (1947), table I.
func TestProbabilityTable(t *testing.T) {
	for n, table := range map[int][]float64{
		3: {0.050, 0.100, 0.200, 0.350, 0.500},
		4: {0.014, 0.029, 0.057, 0.100, 0.171, 0.243, 0.343, 0.443},
		5: {0.004, 0.008, 0.016, 0.028, 0.048, 0.075, 0.111, 0.155, 0.210, 0.274, 0.345, 0.421, 0.500},
		6: {0.001, 0.002, 0.004, 0.008, 0.013, 0.021, 0.032, 0.047, 0.066, 0.090, 0.120, 0.155, 0.197, 0.242, 0.294, 0.350, 0.409, 0.469},
		7: {0.000, 0.001, 0.001, 0.002, 0.003, 0.006, 0.009, 0.013, 0.019, 0.027, 0.036, 0.049, 0.064, 0.082, 0.104, 0.130, 0.159, 0.191, 0.228, 0.267, 0.310, 0.355, 0.402, 0.451, 0.500},
	} {
		for u, want := range table {
			if got := MannWhitney(withU(n, n, u)).P / 2; !near(got, want, 0.00051) {
				t.Errorf("%d and %d values: U is at most %d with probability %.4f, published %v", n, n, u, got, want)
			}
		}
	}
}

// TestBootstrapCoverage: of 2000 pairs of samples, the 95 % interval of the
// bootstrap holds the real shift in 93 to 97 of 100.
func TestBootstrapCoverage(t *testing.T) {
	for _, world := range []string{"normal", "lognormal"} {
		for _, n := range []int{5, 10} {
			const shift = 3
			got := share(uint64(n)+300, func(r *rand.Rand) bool {
				return BootstrapShift(sample(r, n, worlds[world], 0), sample(r, n, worlds[world], shift), 0.95, 1000, r.Uint64()).Contains(shift)
			})
			t.Logf("%s, %d runs: %.4f", world, n, got)
			if got < 0.93 || got > 0.97 {
				t.Errorf("%s, %d runs: %.4f of the intervals hold the shift, want 0.93 to 0.97", world, n, got)
			}
		}
	}
}
