package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBootstrapShift(t *testing.T) {
	a, b := []float64{10, 11, 12, 13, 14}, []float64{15, 16, 17, 18, 20}
	got := BootstrapShift(a, b, 0.95, 2000, 1)
	if got == nil || !got.Contains(Shift(a, b)) || got.Low <= 0 || got.High > 10 || got.Coverage != 0.95 {
		t.Errorf("BootstrapShift = %+v", got)
	}
	if again := BootstrapShift(a, b, 0.95, 2000, 1); *again != *got {
		t.Errorf("the same seed gives %+v and %+v", got, again)
	}
	if few := BootstrapShift(a, b, 0.95, 0, 1); few == nil || !few.Contains(Shift(a, b)) {
		t.Errorf("0 resamples: %+v, want as with 1000", few)
	}
	for name, none := range map[string]*Interval{
		"3 values":     BootstrapShift(a[:3], b, 0.95, 1000, 1),
		"no values":    BootstrapShift(a, nil, 0.95, 1000, 1),
		"confidence 1": BootstrapShift(a, b, 1, 1000, 1),
	} {
		if none != nil {
			t.Errorf("%s: %+v, want none", name, none)
		}
	}
}

func TestExpandedTail(t *testing.T) {
	// Φ(-t(0.975, 8)·√(5/4)) = Φ(-2.578); with many values the plain 0.025.
	if got := expandedTail(5, 5, 0.95); !near(got, 0.00497, 0.0001) {
		t.Errorf("5 and 5 values: %v, want 0.005", got)
	}
	if got := expandedTail(1e6, 1e6, 0.95); !near(got, 0.025, 1e-5) {
		t.Errorf("many values: %v, want 0.025", got)
	}
}

// TestMedianPair holds the short way against drawing values and sorting.
func TestMedianPair(t *testing.T) {
	lots := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		a, b := make([]float64, 4+lots.IntN(4)), make([]float64, 4+lots.IntN(4))
		for _, x := range [][]float64{a, b} {
			for i := range x {
				x[i] = float64(lots.IntN(20))
			}
		}
		timesA, timesB := make([]int, len(a)), make([]int, len(b))
		draw(lots, timesA)
		draw(lots, timesB)
		got := medianPair(pairsOf(a, b), timesA, timesB)
		if want := Shift(repeat(a, timesA), repeat(b, timesB)); !near(got, want, 1e-12) {
			t.Errorf("%v × %v, %v × %v: %v, want %v", a, timesA, b, timesB, got, want)
		}
	}
}

func repeat(x []float64, times []int) []float64 {
	var out []float64
	for i, v := range x {
		out = append(out, slices.Repeat([]float64{v}, times[i])...)
	}
	return out
}

// lists are stretches of a run as lists of values.
type lists [][]float64

func (l lists) Len() int { return len(l) }

func (l lists) Quantile(times []int, q float64) float64 {
	var all []float64
	for i, n := range times {
		all = append(all, slices.Repeat(l[i], n)...)
	}
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}

// TestBlockBootstrap: seconds that differ make a quantile less sure than the
// number of operations says.
func TestBlockBootstrap(t *testing.T) {
	lots := rand.New(rand.NewPCG(1, 9))
	run := func(drift float64) lists {
		var l lists
		for range 30 {
			level := 100 + drift*lots.NormFloat64()
			l = append(l, sample(lots, 50, func(r *rand.Rand) float64 { return level + r.NormFloat64() }, 0))
		}
		return l
	}
	even, uneven := BlockBootstrap(run(0), 0.5, 0.95, 1000, 4), BlockBootstrap(run(5), 0.5, 0.95, 1000, 4)
	if even == nil || !even.Contains(100) || even.High-even.Low > 0.3 {
		t.Errorf("even seconds: %+v, want a narrow interval around 100", even)
	}
	if uneven == nil || uneven.High-uneven.Low < 5*(even.High-even.Low) {
		t.Errorf("uneven seconds: %+v, want one much wider than %+v", uneven, even)
	}
	if got := BlockBootstrap(run(0)[:9], 0.5, 0.95, 1000, 4); got != nil {
		t.Errorf("9 stretches: %+v, want none", got)
	}
	if got := BlockBootstrap(run(0), 0.5, math.NaN(), 1000, 4); got != nil {
		t.Errorf("no confidence: %+v, want none", got)
	}
}

// TestBlockBootstrapDraws: every draw has as many stretches as the run.
func TestBlockBootstrapDraws(t *testing.T) {
	counted := &counter{n: 12}
	BlockBootstrap(counted, 0.5, 0.95, 1500, 8)
	if counted.calls != 1500 || counted.wrong != 0 {
		t.Errorf("%d draws, %d of them not of 12 stretches, want 1500 and none", counted.calls, counted.wrong)
	}
}

type counter struct{ n, calls, wrong int }

func (c *counter) Len() int { return c.n }

func (c *counter) Quantile(times []int, _ float64) float64 {
	sum := 0
	for _, n := range times {
		sum += n
	}
	c.calls++
	if sum != c.n || len(times) != c.n {
		c.wrong++
	}
	return 0
}
