package stats

import (
	"cmp"
	"slices"
)

// exactRuns is the largest sample a side for which distributions are counted
// out; above, they are approximated.
const exactRuns = 50

// tally is the distribution of a whole number if the values of two samples are
// dealt out by lot: the i-th entry is the probability of i.
type tally []float64

// untied counts out the distribution of U for samples of n and m different
// values. The ways of dealing them out by U are the coefficients of the Gaussian
// binomial, the product of (1 - q^(n+i)) / (1 - q^i) for i from 1 to m. A
// coefficient rests only on those before it, so that the lower tail is exact and
// the middle of C(100, 50), about 10^29, is good to 10 digits. The upper half is
// its mirror image.
func untied(n, m int) tally {
	ways := make([]float64, n*m+1)
	ways[0] = 1
	for i := 1; i <= m; i++ {
		for u := n * m / 2; u >= n+i; u-- {
			ways[u] -= ways[u-n-i]
		}
		for u := i; u <= n*m/2; u++ {
			ways[u] += ways[u-i]
		}
	}
	for u := range ways[:(n*m+1)/2] {
		ways[n*m-u] = ways[u]
	}
	return shares(ways)
}

// rankSums counts out the distribution of the sum of doubled ranks for m values
// drawn from those with the given doubled ranks, which ascend. Doubling makes the mean ranks of ties whole numbers.
//
// It is the recursion over the values one by one: a draw that ends with the
// value i among the chosen has a draw of one fewer from the values before.
// Counts grow to C(100, 50), about 10^29, and only add up, so that a float64
// holds them to about 14 digits.
func rankSums(doubled []int, m int) tally {
	sums := make([]int, len(doubled)+1) // sums[i]: of the first i ranks, the smallest
	for i, r := range doubled {
		sums[i+1] = sums[i] + r
	}
	counts := make([][]float64, m+1)
	for i := range counts {
		counts[i] = make([]float64, sums[len(doubled)]+1)
	}
	counts[0][0] = 1
	for i, r := range doubled {
		for k := min(i+1, m); k > 0; k-- {
			most := sums[i+1] - sums[i+1-k]
			for s := most; s >= max(sums[k], r); s-- {
				counts[k][s] += counts[k-1][s-r]
			}
		}
	}
	return shares(counts[m])
}

// shares divides counts by their sum.
func shares(counts []float64) tally {
	all := sum(counts)
	t := make(tally, len(counts))
	for i, c := range counts {
		t[i] = c / all
	}
	return t
}

// atMost returns the probability of at most v.
func (t tally) atMost(v int) float64 { return sum(t[:v+1]) }

// atLeast returns the probability of at least v.
func (t tally) atLeast(v int) float64 { return sum(t[v:]) }

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// ranking is what two samples look like put together in order.
type ranking struct {
	doubled []int // ranks times 2, of all values in order; ties have their mean
	sumB    int   // of the doubled ranks of the second sample
	ties    []int // sizes of groups of equal values, those of 1 included
}

// rank puts two samples in order.
func rank(a, b []float64) ranking {
	type value struct {
		v float64
		b bool
	}
	var all []value
	for _, v := range a {
		all = append(all, value{v, false})
	}
	for _, v := range b {
		all = append(all, value{v, true})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.v, y.v) })
	var r ranking
	for first := 0; first < len(all); {
		last := first
		for last+1 < len(all) && all[last+1].v == all[first].v {
			last++
		}
		for i := first; i <= last; i++ {
			r.doubled = append(r.doubled, first+last+2)
			if all[i].b {
				r.sumB += first + last + 2
			}
		}
		r.ties = append(r.ties, last-first+1)
		first = last + 1
	}
	return r
}
