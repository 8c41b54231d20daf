package stats

import "math"

// efficiency is how many runs of Student's test one run of Mann and Whitney's is
// worth for normal values: 3/π (Hollander, Wolfe and Chicken, section 4.5).
const efficiency = 3 / math.Pi

// Power returns the chance that [MannWhitney] with n runs a side finds a shift
// of so many standard deviations at the level alpha, a share such as 0.05. It
// is 0 if n runs cannot reach the level at all.
//
// It assumes normal values of equal spread and approximates: the level is the
// one that U really has below alpha, and the chance is that of the noncentral t
// distribution with 3/π of the runs, by its normal approximation (Abramowitz
// and Stegun 26.7.10). Against simulation it is right within 0.04 from 4 runs
// a side on.
func Power(n int, shift, alpha float64) float64 {
	level := attained(n, alpha)
	if level == 0 {
		return 0
	}
	limit, spread := noncentral(n, level)
	return 1 - NormalCDF((limit-math.Abs(shift)*centre(n))/spread)
}

// noncentral returns the mean of the noncentral t distribution at which half of
// the tests reach the level, and its spread, with 2n-2 degrees of freedom.
func noncentral(n int, level float64) (limit, spread float64) {
	df := float64(2*n - 2)
	t := StudentQuantile(1-level/2, df)
	return t * (1 - 1/(4*df)), math.Sqrt(1 + t*t/(2*df))
}

// centre returns the mean of the noncentral t distribution for a shift of one
// standard deviation.
func centre(n int) float64 { return math.Sqrt(efficiency * float64(n) / 2) }

// attained returns the largest P of n runs a side that is at most alpha, 0 if
// there is none.
func attained(n int, alpha float64) float64 {
	if n < 2 || !isShare(alpha) {
		return 0
	}
	if n > exactRuns {
		return alpha
	}
	k, coverage := shiftRank(n, n, 1-alpha)
	if k == 0 {
		return 0
	}
	return 1 - coverage
}

// Detectable returns the smallest change that n runs a side find with the given
// power (0.8 is customary) at the level alpha (0.05), in the unit of spread: with
// a coefficient of variation in percent it is in percent. See [Power] for what
// it assumes. It is nil if n runs cannot reach the level, or alpha or power is
// not a share.
func Detectable(n int, spread, alpha, power float64) *float64 {
	level := attained(n, alpha)
	if level == 0 || !isShare(power) || math.IsNaN(spread) || spread < 0 {
		return nil
	}
	limit, wide := noncentral(n, level)
	shift := (limit + wide*NormalQuantile(power)) / centre(n)
	return new(max(shift, 0) * spread)
}

// RunsFor returns how many runs a side it takes to find the change, in the unit
// of spread, with the given power at the level alpha. It is 0 if 1000 are not
// enough.
func RunsFor(change, spread, alpha, power float64) int {
	for n := 2; n <= 1000; n++ {
		if d := Detectable(n, spread, alpha, power); d != nil && *d <= math.Abs(change) {
			return n
		}
	}
	return 0
}
