package stats

import (
	"math"
	"slices"
)

// Interval is a confidence interval, in the unit of the sample.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Coverage is the confidence that the interval has, a share: at least the
	// one that was asked for where ranks leave a choice of few.
	Coverage float64 `json:"coverage"`
}

// Contains reports whether v lies in the interval, its ends included.
func (i Interval) Contains(v float64) bool { return i.Low <= v && v <= i.High }

// Within reports whether the whole interval lies between low and high.
func (i Interval) Within(low, high float64) bool { return low <= i.Low && i.High <= high }

// Rounded returns the interval with ends of so many decimals and a coverage of
// 4, nil for nil.
func (i *Interval) Rounded(decimals int) *Interval {
	if i == nil {
		return nil
	}
	return &Interval{Low: rounded(i.Low, decimals), High: rounded(i.High, decimals), Coverage: rounded(i.Coverage, 4)}
}

// rounded rounds v to so many decimals.
func rounded(v float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	if r := math.Round(v*scale) / scale; !math.IsInf(r, 0) {
		return r
	}
	return v
}

// Summary describes one sample. Its unit is that of the sample, and the key
// that holds it names it.
type Summary struct {
	N      int     `json:"n"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Median float64 `json:"median"`
	// MedianCI95 is nil below 6 values.
	MedianCI95 *Interval `json:"median_ci95"`
	Mean       float64   `json:"mean"`
	// MeanCI95 assumes a normal distribution. Nil below 2 values.
	MeanCI95 *Interval `json:"mean_ci95"`
	// StdDev is nil below 2 values, CVPercent also if the mean is 0.
	StdDev    *float64 `json:"standard_deviation"`
	CVPercent *float64 `json:"cv_percent"`
}

// Summarize describes x, nil if it is empty.
func Summarize(x []float64) *Summary {
	if len(x) == 0 {
		return nil
	}
	s := &Summary{
		N:          len(x),
		Min:        slices.Min(x),
		Max:        slices.Max(x),
		Median:     Median(x),
		MedianCI95: MedianInterval(x, 0.95),
		Mean:       Mean(x),
		MeanCI95:   MeanInterval(x, 0.95),
	}
	if len(x) > 1 {
		s.StdDev = new(StdDev(x))
	}
	if cv := CV(x); !math.IsNaN(cv) && !math.IsInf(cv, 0) {
		s.CVPercent = new(100 * cv)
	}
	return s
}

// Rounded returns the summary with figures of so many decimals, for output. The
// coefficient of variation gets 3.
func (s Summary) Rounded(decimals int) Summary {
	for _, v := range []*float64{&s.Min, &s.Max, &s.Median, &s.Mean} {
		*v = rounded(*v, decimals)
	}
	s.MedianCI95, s.MeanCI95 = s.MedianCI95.Rounded(decimals), s.MeanCI95.Rounded(decimals)
	if s.StdDev != nil {
		s.StdDev = new(rounded(*s.StdDev, decimals))
	}
	if s.CVPercent != nil {
		s.CVPercent = new(rounded(*s.CVPercent, 3))
	}
	return s
}

// Median returns the middle value, or the mean of the two middle ones. It is
// NaN for an empty sample.
func Median(x []float64) float64 { return medianSorted(slices.Sorted(slices.Values(x))) }

func medianSorted(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	return x[(n-1)/2]/2 + x[n/2]/2
}

// Mean returns the arithmetic mean, NaN for an empty sample.
func Mean(x []float64) float64 { return sum(x) / float64(len(x)) }

// StdDev returns the standard deviation of the sample, with n-1 in the
// denominator. It is NaN below 2 values.
func StdDev(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	mean, squares := Mean(x), 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(x)-1))
}

// CV returns the coefficient of variation, the standard deviation as a share
// of the mean's size. It is NaN below 2 values and not finite for a mean of 0.
func CV(x []float64) float64 { return StdDev(x) / math.Abs(Mean(x)) }

// MeanInterval returns Student's interval of the mean: mean ± t·s/√n with n-1
// degrees of freedom. It assumes that the values are about normally
// distributed. It is nil below 2 values.
func MeanInterval(x []float64, confidence float64) *Interval {
	if len(x) < 2 || !isShare(confidence) {
		return nil
	}
	n := float64(len(x))
	half := StudentQuantile((1+confidence)/2, n-1) * StdDev(x) / math.Sqrt(n)
	mean := Mean(x)
	return &Interval{Low: mean - half, High: mean + half, Coverage: confidence}
}

// MedianInterval returns the interval of the median between two values of the
// sample, the k-th from below and from above. It holds the median of the
// distribution unless fewer than k values fall on one side of it, which is a
// matter of coin tosses, whatever the distribution: the coverage is
// 1 - 2·P(Binomial(n, ½) < k), of which the smallest that is at least
// confidence is chosen. It is nil if even the smallest and the largest value
// are too close: below 6 values at 95 %.
//
// Source: Hollander, Wolfe and Chicken, section 3.6.
func MedianInterval(x []float64, confidence float64) *Interval {
	k, coverage := medianRank(len(x), confidence)
	if k == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(x))
	return &Interval{Low: sorted[k-1], High: sorted[len(x)-k], Coverage: coverage}
}

// medianRank returns the largest k of MedianInterval and its coverage, 0 if
// there is none.
func medianRank(n int, confidence float64) (k int, coverage float64) {
	if !isShare(confidence) {
		return 0, 0
	}
	below := 0.0 // P(Binomial(n, ½) < k)
	for next := 1; 2*next <= n; next++ {
		below += halfBinomial(n, next-1)
		if 1-2*below < confidence {
			break
		}
		k, coverage = next, 1-2*below
	}
	return k, coverage
}

// halfBinomial returns the probability of exactly k heads in n tosses.
func halfBinomial(n, k int) float64 {
	lgamma := func(i int) float64 { v, _ := math.Lgamma(float64(i + 1)); return v }
	return math.Exp(lgamma(n) - lgamma(k) - lgamma(n-k) - float64(n)*math.Ln2)
}

func isShare(v float64) bool { return v > 0 && v < 1 }
