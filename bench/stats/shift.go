package stats

import (
	"math"
	"slices"
)

// Shift returns the estimate of Hodges and Lehmann of how much larger b is than
// a: the median of all differences of a value of b and one of a. It is NaN if a
// sample is empty.
//
// Source: Hollander, Wolfe and Chicken, section 4.2.
func Shift(a, b []float64) float64 { return medianSorted(differences(a, b)) }

// ShiftInterval returns the interval of [Shift] that belongs to [MannWhitney]:
// the shifts that the test does not refuse. Its ends are differences of values,
// the k-th from below and from above, and up to 50 values a side its coverage
// is exact for values without ties (with ties it is at least that). It is nil
// if the samples are too small: below 4 values a side at 95 %.
//
// Source: Hollander, Wolfe and Chicken, section 4.3.
func ShiftInterval(a, b []float64, confidence float64) *Interval {
	if len(a) == 0 || len(b) == 0 || !isShare(confidence) {
		return nil
	}
	k, coverage := shiftRank(len(a), len(b), confidence)
	if k == 0 {
		return nil
	}
	d := differences(a, b)
	return &Interval{Low: d[k-1], High: d[len(d)-k], Coverage: coverage}
}

// RatioInterval is [ShiftInterval] of the logarithms: by which factor b is
// larger than a. It is nil also if a value is not positive.
func RatioInterval(a, b []float64, confidence float64) *Interval {
	la, lb := logs(a), logs(b)
	if la == nil || lb == nil {
		return nil
	}
	i := ShiftInterval(la, lb, confidence)
	if i == nil {
		return nil
	}
	return &Interval{Low: math.Exp(i.Low), High: math.Exp(i.High), Coverage: i.Coverage}
}

// Ratio is the exponential of [Shift] of the logarithms: by which factor b is
// larger than a. It is NaN if a sample is empty or a value is not positive.
func Ratio(a, b []float64) float64 {
	la, lb := logs(a), logs(b)
	if la == nil || lb == nil {
		return math.NaN()
	}
	return math.Exp(Shift(la, lb))
}

// logs returns the logarithms of x, nil if one is not positive.
func logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		if v <= 0 {
			return nil
		}
		out[i] = math.Log(v)
	}
	return out
}

// shiftRank returns the largest k of ShiftInterval and its coverage, 0 if there
// is none. The k-th difference from below is beyond the shift if U is below k.
func shiftRank(n, m int, confidence float64) (k int, coverage float64) {
	if max(n, m) > exactRuns {
		return normalShiftRank(n, m, confidence)
	}
	share := untied(n, m)
	below := 0.0 // P(U < k)
	for next := 1; 2*next <= n*m; next++ {
		below += share[next-1]
		if 1-2*below < confidence {
			break
		}
		k, coverage = next, 1-2*below
	}
	return k, coverage
}

// normalShiftRank is shiftRank by the normal distribution of U, with a
// correction for continuity.
func normalShiftRank(n, m int, confidence float64) (k int, coverage float64) {
	product := float64(n) * float64(m)
	sigma := math.Sqrt(product * float64(n+m+1) / 12)
	k = int(math.Floor(product/2 + 0.5 + NormalQuantile((1-confidence)/2)*sigma))
	if k < 1 {
		return 0, 0
	}
	return k, 1 - 2*NormalCDF((float64(k)-0.5-product/2)/sigma)
}

// differences returns all of b less a, in order.
func differences(a, b []float64) []float64 {
	d := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			d = append(d, y-x)
		}
	}
	slices.Sort(d)
	return d
}
