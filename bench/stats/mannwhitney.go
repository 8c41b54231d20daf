package stats

import "math"

// Test is the outcome of a test of two samples.
type Test struct {
	// U is the statistic of the second sample: in how many of all pairs its
	// value is the larger, equal ones counted as a half.
	U float64 `json:"u"`
	// P is the two-sided probability of a difference at least as large if there
	// is none.
	P float64 `json:"p"`
	// Exact is false where P is approximated.
	Exact bool `json:"exact"`
}

// MannWhitney tests whether the values of b tend to be larger or smaller than
// those of a. It is nil if a sample is empty.
//
// Up to 50 values a side P is exact: the distribution of U over all ways of
// dealing the values out to the two samples, given the ties that there are. P
// is twice the smaller tail, at most 1. With more values P is that of the
// normal distribution with corrections for ties and continuity.
//
// Source: Hollander, Wolfe and Chicken, section 4.1, with comment 9 for ties.
func MannWhitney(a, b []float64) *Test {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	r := rank(a, b)
	m := len(b)
	u := float64(r.sumB-m*(m+1)) / 2
	if max(len(a), len(b)) > exactRuns {
		return &Test{U: u, P: normalP(u, len(a), len(b), r.ties)}
	}
	if len(r.ties) == len(a)+len(b) {
		return &Test{U: u, P: untied(len(a), m).twoSided(int(u)), Exact: true}
	}
	return &Test{U: u, P: rankSums(r.doubled, m).twoSided(r.sumB), Exact: true}
}

// twoSided returns twice the smaller tail that v is the end of.
func (t tally) twoSided(v int) float64 { return min(2*min(t.atMost(v), t.atLeast(v)), 1) }

// normalP approximates the two-sided P of U for samples of n and m values.
func normalP(u float64, n, m int, ties []int) float64 {
	all, product := float64(n+m), float64(n)*float64(m)
	tied := 0.0
	for _, t := range ties {
		t := float64(t)
		tied += t * t * t
		tied -= t
	}
	variance := product / 12 * (all + 1 - tied/(all*(all-1)))
	distance := max(math.Abs(u-product/2)-0.5, 0)
	if variance <= 0 {
		return 1
	}
	return min(2*NormalCDF(-distance/math.Sqrt(variance)), 1)
}

// LeastP returns the smallest P that MannWhitney can give for samples of n and
// m values without ties: 2 / C(n+m, n). It says what a number of runs can show
// at all: 3 against 3 give 0.1 at best. It is 1 if a sample is empty.
func LeastP(n, m int) float64 {
	if n <= 0 || m <= 0 {
		return 1
	}
	lgamma := func(i int) float64 { v, _ := math.Lgamma(float64(i + 1)); return v }
	return min(2*math.Exp(lgamma(n)+lgamma(m)-lgamma(n+m)), 1)
}

// Holm corrects the P values of several tests that are looked at together, so
// that the chance of any false alarm among them stays that of one test. The
// result has the order of p: the i-th smallest is multiplied by how many are
// not smaller, and none is less than the corrected one before it.
//
// Source: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure,
// Scandinavian Journal of Statistics 6 (1979).
func Holm(p []float64) []float64 {
	corrected := make([]float64, len(p))
	done := make([]bool, len(p))
	last := 0.0
	for left := len(p); left > 0; left-- {
		smallest := -1
		for i, v := range p {
			if !done[i] && (smallest < 0 || v < p[smallest]) {
				smallest = i
			}
		}
		last = max(last, min(p[smallest]*float64(left), 1))
		corrected[smallest], done[smallest] = last, true
	}
	return corrected
}
