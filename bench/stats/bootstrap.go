package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// leastResamples keeps the ends of an interval from resting on a few draws.
const leastResamples = 1000

// BootstrapShift returns the interval of [Shift] by drawing both samples again,
// resamples times (at least 1000), with replacement. It is nil below 4 values a
// side.
//
// The interval is the expanded percentile interval: draws from n values spread
// by √((n-1)/n) too little, and their percentiles are those of a normal
// distribution rather than of Student's, so that more extreme percentiles are
// taken, which at 5 values a side are the 0.5 and 99.5 % ones instead of the
// 2.5 and 97.5 % ones. The coverage that it states is the nominal one; for
// normal and lognormal values it is 94 to 97 % from 5 values a side on. Prefer
// [ShiftInterval], which is exact, where the shift is all that is asked.
//
// Source: T. Hesterberg, What Teachers Should Know About the Bootstrap,
// The American Statistician 69 (2015), section 4.
func BootstrapShift(a, b []float64, confidence float64, resamples int, seed uint64) *Interval {
	if min(len(a), len(b)) < 4 || !isShare(confidence) {
		return nil
	}
	lots := rand.New(rand.NewPCG(seed, 0))
	pairs := pairsOf(a, b)
	timesA, timesB := make([]int, len(a)), make([]int, len(b))
	shifts := make([]float64, max(resamples, leastResamples))
	for i := range shifts {
		draw(lots, timesA)
		draw(lots, timesB)
		shifts[i] = medianPair(pairs, timesA, timesB)
	}
	return percentiles(shifts, expandedTail(len(a), len(b), confidence), confidence)
}

// pair is the difference of two values and which they are.
type pair struct {
	difference float64
	a, b       int
}

// pairsOf returns all pairs by their difference.
func pairsOf(a, b []float64) []pair {
	var pairs []pair
	for i, x := range a {
		for j, y := range b {
			pairs = append(pairs, pair{y - x, i, j})
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int { return cmp.Compare(p.difference, q.difference) })
	return pairs
}

// medianPair returns the median difference if each value counts as often as
// was drawn, which is [Shift] of the draw without sorting it.
func medianPair(pairs []pair, timesA, timesB []int) float64 {
	all, seen := len(pairs), 0
	lower := math.NaN()
	for _, p := range pairs {
		seen += timesA[p.a] * timesB[p.b]
		if math.IsNaN(lower) && seen > (all-1)/2 {
			lower = p.difference
		}
		if seen > all/2 {
			return lower/2 + p.difference/2
		}
	}
	return lower
}

// expandedTail returns the share to cut off on each side.
func expandedTail(n, m int, confidence float64) float64 {
	small := float64(min(n, m))
	t := StudentQuantile((1+confidence)/2, float64(n+m-2))
	return NormalCDF(-t * math.Sqrt(small/(small-1)))
}

// draw counts how often each of len(times) values is drawn in as many draws.
func draw(lots *rand.Rand, times []int) {
	clear(times)
	for range times {
		times[lots.IntN(len(times))]++
	}
}

// percentiles returns the interval that leaves the share tail of the values on
// each side.
func percentiles(values []float64, tail, confidence float64) *Interval {
	slices.Sort(values)
	k := int(tail * float64(len(values)))
	return &Interval{Low: values[k], High: values[len(values)-1-k], Coverage: confidence}
}

// Blocks are the stretches of one run, such as its seconds, each with its own
// distribution. Operations close together are alike, so that a run is worth
// less than their number suggests; stretches drawn as wholes keep that.
type Blocks interface {
	// Len returns the number of stretches.
	Len() int
	// Quantile returns the quantile q of all stretches merged, the i-th of them
	// as often as times[i] says. It must not keep times.
	Quantile(times []int, q float64) float64
}

// BlockBootstrap returns the interval of the quantile q of a run by drawing its
// stretches again, resamples times (at least 1000), with replacement. Its ends
// are plain percentiles of the draws. It is nil below 10 stretches, which say
// too little of how they differ.
//
// Source: E. Carlstein, The Use of Subseries Values for Estimating the Variance
// of a General Statistic from a Stationary Sequence, Annals of Statistics 14
// (1986).
func BlockBootstrap(b Blocks, q, confidence float64, resamples int, seed uint64) *Interval {
	n := b.Len()
	if n < 10 || !isShare(confidence) {
		return nil
	}
	lots := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, max(resamples, leastResamples))
	times := make([]int, n)
	for i := range values {
		draw(lots, times)
		values[i] = b.Quantile(times, q)
	}
	return percentiles(values, (1-confidence)/2, confidence)
}
