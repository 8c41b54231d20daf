package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rounds is the number of simulated comparisons. The standard error of a share
// of 0.05 of them is 0.005.
const rounds = 2000

// share returns how often f is true.
func share(seed uint64, f func(*rand.Rand) bool) float64 {
	r, n := rand.New(rand.NewPCG(seed, 8)), 0
	for range rounds {
		if f(r) {
			n++
		}
	}
	return float64(n) / rounds
}

// independent are runs whose figures have nothing to do with each other, which is
// the worst case for many rows. Tails are noisier.
func independent(r *rand.Rand, n int) []figures {
	var list []figures
	for range n {
		z := func(percent float64) float64 { return 1 + percent/100*r.NormFloat64() }
		list = append(list, figures{10000 * z(1), 100 * z(1), 150 * z(4), 300 * z(10)})
	}
	return list
}

func alarm(c *Comparison) bool {
	for _, v := range verdicts(c) {
		if v == Better || v == Worse {
			return true
		}
	}
	return false
}

// TestFalseAlarms: with no real change, at most 5 % of the comparisons have any
// row that is better or worse, even if the smallest change matters.
func TestFalseAlarms(t *testing.T) {
	for _, tt := range []struct {
		name            string
		runs, workloads int
		from            func(*rand.Rand, int) []figures
	}{
		{"independent rows", 6, 1, independent},
		{"many independent rows", 7, 2, independent},
		{"rows that move together", 6, 2, func(r *rand.Rand, n int) []figures { return runs(r, n, 100, 1) }},
	} {
		many := func(r *rand.Rand) [][]figures {
			var rows [][]figures
			for range tt.workloads {
				rows = append(rows, tt.from(r, tt.runs))
			}
			return rows
		}
		got := share(1, func(r *rand.Rand) bool {
			return alarm(Bench(one(made(many(r)...)), one(made(many(r)...)), Options{MinEffectPercent: 1e-6}))
		})
		if got > 0.05 {
			t.Errorf("%s: %.4f of the comparisons see a change, want at most 0.05", tt.name, got)
		}
	}
}

// bare are runs of one figure alone: a single row.
func bare(r *rand.Rand, n int, us, noisePercent float64) []figures {
	list := runs(r, n, us, noisePercent)
	for i := range list {
		list[i] = figures{iops: list[i].iops}
	}
	return list
}

// TestThreePercent: a change of 3 % at a noise of 1 % is found with five runs a
// side, and with six where the median and the tails are looked at too.
func TestThreePercent(t *testing.T) {
	got := share(2, func(r *rand.Rand) bool {
		c := Bench(one(made(bare(r, 5, 100, 1))), one(made(bare(r, 5, 103, 1))), Options{})
		return *c.Rows[0].Verdict == Worse
	})
	if got < 0.8 {
		t.Errorf("a single row of 5 runs: found in %.4f, want 0.8 or more", got)
	}
	got = share(3, func(r *rand.Rand) bool {
		c := Bench(one(made(runs(r, 6, 100, 1))), one(made(runs(r, 6, 97, 1))), Options{})
		return *c.Rows[0].Verdict == Better && *c.Rows[1].Verdict == Better
	})
	if got < 0.8 {
		t.Errorf("a workload of 6 runs: found in %.4f, want 0.8 or more", got)
	}
}

// TestCoverage: the interval of the change holds the real one in 93 to 97 of 100
// cases. Five runs have no interval nearer to 95 % than one of 96.8 %.
func TestCoverage(t *testing.T) {
	for n, high := range map[int]float64{5: 0.98, 6: 0.97, 8: 0.97, 10: 0.97} {
		stated := 0.0
		got := share(uint64(n), func(r *rand.Rand) bool {
			row := Bench(one(made(bare(r, n, 100, 1))), one(made(bare(r, n, 105, 1))), Options{}).Rows[0]
			const real = 100 * (100.0/105 - 1)
			stated = *row.CoveragePercent / 100
			return row.CI95Percent[0] <= real && real <= row.CI95Percent[1]
		})
		if got < 0.93 || got > high || math.Abs(got-stated) > 0.0125 {
			t.Errorf("%d runs: %.4f of the intervals hold the change, want 0.93 to %v, stated %.4f", n, got, high, stated)
		}
	}
}

// TestNoChangeIsSeen: enough runs show that nothing changed, and a change of the
// size that matters is hardly ever called none.
func TestNoChangeIsSeen(t *testing.T) {
	verdict := func(r *rand.Rand, us float64) Verdict {
		return *Bench(one(made(bare(r, 10, 100, 1))), one(made(bare(r, 10, us, 1))), Options{}).Rows[0].Verdict
	}
	if got := share(4, func(r *rand.Rand) bool { return verdict(r, 100) == NoChange }); got < 0.9 {
		t.Errorf("no change is seen in %.4f, want 0.9 or more", got)
	}
	if got := share(5, func(r *rand.Rand) bool { return verdict(r, 102.1) == NoChange }); got > 0.035 {
		t.Errorf("a change of 2 %% is called none in %.4f, want at most 0.025", got)
	}
}

// TestDetectable: the change that is said to be found is found in 8 of 10 cases.
func TestDetectable(t *testing.T) {
	d := *Bench(one(made(steadyNoise())), one(made(steadyNoise())), Options{}).Rows[0].DetectablePercent
	got := share(6, func(r *rand.Rand) bool {
		// The noise of steadyNoise is 1 %.
		c := Bench(one(made(runs(r, 8, 100, 1))), one(made(runs(r, 8, 100+d, 1))), Options{})
		return *c.Rows[0].PHolm <= 0.05
	})
	if got < 0.75 || got > 0.92 {
		t.Errorf("a change of %v %% is found in %.4f, want about 0.8", d, got)
	}
}

// steadyNoise are 8 runs with a coefficient of variation of 1 %.
func steadyNoise() []figures { return steady(100, -146, -98, -60, -22, 22, 60, 98, 146) }
