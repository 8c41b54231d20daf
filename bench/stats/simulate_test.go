package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rounds is the number of simulated comparisons. The standard error of a share
// of 0.05 of them is 0.005.
const rounds = 2000

// worlds are distributions that runs may have: well behaved, skewed, with two
// states of the host, and rounded to few values.
var worlds = map[string]func(*rand.Rand) float64{
	"normal":    func(r *rand.Rand) float64 { return 100 + r.NormFloat64() },
	"lognormal": func(r *rand.Rand) float64 { return 100 * math.Exp(0.5*r.NormFloat64()) },
	"bimodal":   func(r *rand.Rand) float64 { return 100 + 10*float64(r.IntN(2)) + r.NormFloat64() },
	"rounded":   func(r *rand.Rand) float64 { return math.Round(100 + r.NormFloat64()) },
}

func sample(r *rand.Rand, n int, from func(*rand.Rand) float64, shift float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = from(r) + shift
	}
	return x
}

// share returns how often f is true.
func share(seed uint64, f func(*rand.Rand) bool) float64 {
	r, n := rand.New(rand.NewPCG(seed, 2)), 0
	for range rounds {
		if f(r) {
			n++
		}
	}
	return float64(n) / rounds
}

// TestFalseAlarms: with no change there is a P of at most 0.05 in at most 5 %
// of comparisons, and a verdict of better or worse as rarely.
func TestFalseAlarms(t *testing.T) {
	for name, world := range worlds {
		for _, n := range []int{4, 10} {
			alarms := share(uint64(n), func(r *rand.Rand) bool {
				return MannWhitney(sample(r, n, world, 0), sample(r, n, world, 0)).P <= 0.05
			})
			verdicts := share(uint64(n)+100, func(r *rand.Rand) bool {
				v := Compare(sample(r, n, world, 0), sample(r, n, world, 0), Question{MarginPercent: 1}).Verdict
				return v == Better || v == Worse
			})
			if alarms > 0.065 || verdicts > 0.065 {
				t.Errorf("%s, %d runs: %.4f significant, %.4f judged better or worse, want at most 0.05", name, n, alarms, verdicts)
			}
		}
	}
}

// TestCoverage: intervals hold what they are of as often as they state, here of
// skewed values.
func TestCoverage(t *testing.T) {
	const shift = 3
	intervals := map[string]func(a, b []float64, seed uint64) *Interval{
		"shift": func(a, b []float64, _ uint64) *Interval { return ShiftInterval(a, b, 0.95) },
		"bootstrap": func(a, b []float64, seed uint64) *Interval {
			return BootstrapShift(a, b, 0.95, 1000, seed)
		},
	}
	for name, interval := range intervals {
		for _, n := range []int{5, 10} {
			stated := 0.0
			got := share(uint64(n)+200, func(r *rand.Rand) bool {
				i := interval(sample(r, n, worlds["lognormal"], 0), sample(r, n, worlds["lognormal"], shift), r.Uint64())
				stated = i.Coverage
				return i.Contains(shift)
			})
			if !near(got, stated, 0.015) || got < 0.93 || got > 0.975 {
				t.Errorf("%s, %d runs: %.4f of the intervals hold the shift, stated %.4f", name, n, got, stated)
			}
		}
	}
}

func TestMedianCoverage(t *testing.T) {
	for _, n := range []int{6, 10, 25} {
		stated := 0.0
		got := share(uint64(n), func(r *rand.Rand) bool {
			i := MedianInterval(sample(r, n, worlds["lognormal"], 0), 0.95)
			stated = i.Coverage
			return i.Contains(100)
		})
		if !near(got, stated, 0.015) {
			t.Errorf("%d runs: %.4f of the intervals hold the median, stated %.4f", n, got, stated)
		}
	}
}

func TestMeanCoverage(t *testing.T) {
	got := share(5, func(r *rand.Rand) bool {
		return MeanInterval(sample(r, 5, worlds["normal"], 0), 0.95).Contains(100)
	})
	if !near(got, 0.95, 0.015) {
		t.Errorf("%.4f of the intervals hold the mean, want 0.95", got)
	}
}

// TestPower holds the formula against what happens.
func TestPower(t *testing.T) {
	for _, n := range []int{4, 5, 10} {
		for _, power := range []float64{0.3, 0.8, 0.95} {
			d := Detectable(n, 1, 0.05, power)
			if d == nil {
				t.Fatalf("%d runs: nothing detectable", n)
			}
			got := share(uint64(n), func(r *rand.Rand) bool {
				return MannWhitney(sample(r, n, worlds["normal"], 0), sample(r, n, worlds["normal"], *d)).P <= 0.05
			})
			if !near(got, power, 0.045) {
				t.Errorf("%d runs, shift %.3f: found in %.3f, want %v", n, *d, got, power)
			}
		}
	}
}

// TestThreePercent: at a noise of 1 % five runs a side find a change of 3 %, and
// say which way it goes.
func TestThreePercent(t *testing.T) {
	for _, tt := range []struct {
		shift float64
		want  Verdict
	}{{3, Worse}, {-3, Better}} {
		got := share(9, func(r *rand.Rand) bool {
			c := Compare(sample(r, 5, worlds["normal"], 0), sample(r, 5, worlds["normal"], tt.shift), Question{MarginPercent: 1})
			return c.Verdict == tt.want
		})
		if got < 0.8 {
			t.Errorf("a change of %v %% is %s in %.3f, want 0.8 or more", tt.shift, tt.want, got)
		}
	}
}

// TestEquivalenceErrors: a change as large as the margin is called none in at
// most 2.5 % of comparisons, and no change is seen to be none with enough runs.
func TestEquivalenceErrors(t *testing.T) {
	verdict := func(r *rand.Rand, shift float64) Verdict {
		return Compare(sample(r, 10, worlds["normal"], 0), sample(r, 10, worlds["normal"], shift), Question{MarginPercent: 2}).Verdict
	}
	if got := share(1, func(r *rand.Rand) bool { return verdict(r, 2.01) == NoChange }); got > 0.035 {
		t.Errorf("a change of the margin is called none in %.4f, want at most 0.025", got)
	}
	if got := share(2, func(r *rand.Rand) bool { return verdict(r, 0) == NoChange }); got < 0.95 {
		t.Errorf("no change is seen in %.4f, want nearly all", got)
	}
}
