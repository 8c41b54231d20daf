package protocol

import (
	"math"
	"slices"

	"qd1.example/qd1/bench/stats"
)

// leastDrift is the fewest runs of which a trend can be told from chance: with 4,
// P is 0.083 at least.
const leastDrift = 5

// exactTrend is the most runs for which the distribution of the test is counted
// out.
const exactTrend = 50

// Drift is a trend over the runs of a row.
type Drift struct {
	Runs int `json:"runs"`
	// ChangePercent is by how much the figure grew from the first run to the last,
	// of its median: the slope of Theil and Sen over the time.
	ChangePercent float64 `json:"change_percent"`
	// P is that of Mann and Kendall's test: how often runs without any trend look
	// like this one or more so. Found says that it is at most 0.05.
	P     float64 `json:"p"`
	Found bool    `json:"found"`
}

// DriftOf returns the trend of values at times, in seconds and in ascending order.
// It is nil below 5 values, and where the median or the time is 0.
//
// Source: Hollander, Wolfe and Chicken, sections 8.1 and 9.3; H. B. Mann,
// Nonparametric Tests Against Trend, Econometrica 13 (1945).
func DriftOf(seconds, values []float64) *Drift {
	n := len(values)
	if n < leastDrift || len(seconds) != n {
		return nil
	}
	middle, span := stats.Median(values), seconds[n-1]-seconds[0]
	if middle == 0 || span <= 0 {
		return nil
	}
	var slopes []float64
	for i := range values {
		for j := i + 1; j < n; j++ {
			if dt := seconds[j] - seconds[i]; dt > 0 {
				slopes = append(slopes, (values[j]-values[i])/dt)
			}
		}
	}
	p := trendP(values)
	return &Drift{Runs: n, ChangePercent: round(100 * stats.Median(slopes) * span / math.Abs(middle)), P: math.Round(p*1e6) / 1e6, Found: p <= alpha}
}

// trendP returns the two-sided P of Mann and Kendall's test: exact without ties up
// to 50 values, else by the normal distribution with corrections for ties and
// continuity.
func trendP(values []float64) float64 {
	n, s := len(values), 0
	for i := range values {
		for j := i + 1; j < n; j++ {
			switch {
			case values[j] > values[i]:
				s++
			case values[j] < values[i]:
				s--
			}
		}
	}
	ties := tieSizes(values)
	if len(ties) == n && n <= exactTrend {
		pairs := n * (n - 1) / 2
		return min(1, 2*inversionsAtMost(n, (pairs-abs(s))/2))
	}
	variance := float64(n*(n-1)*(2*n+5)) / 18
	for _, t := range ties {
		variance -= float64(t*(t-1)*(2*t+5)) / 18
	}
	if variance <= 0 || s == 0 {
		return 1
	}
	return min(1, 2*stats.NormalCDF(-(math.Abs(float64(s))-1)/math.Sqrt(variance)))
}

// tieSizes returns the sizes of the groups of equal values.
func tieSizes(values []float64) []int {
	sorted := slices.Sorted(slices.Values(values))
	var sizes []int
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			sizes = append(sizes, 0)
		}
		sizes[len(sizes)-1]++
	}
	return sizes
}

// inversionsAtMost returns the share of the orders of n values that have at most
// so many pairs in the wrong order. The shares by number are the coefficients of
// the product of (1 + q + … + q^(i-1)) / i for i up to n.
func inversionsAtMost(n, most int) float64 {
	share := make([]float64, most+1)
	share[0] = 1
	for i := 2; i <= n; i++ {
		next := make([]float64, most+1)
		window := 0.0
		for k := range next {
			window += share[k]
			if k >= i {
				window -= share[k-i]
			}
			next[k] = window / float64(i)
		}
		share = next
	}
	sum := 0.0
	for _, v := range share {
		sum += v
	}
	return sum
}

func abs(n int) int { return max(n, -n) }
