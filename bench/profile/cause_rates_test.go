package profile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// world is a simulated drive under sequential load, and how it is watched.
type world struct {
	writes bool
	// full is the rate of a cool drive, MB/s; noise is a share of it.
	full, noise float64
	// cacheGB at full speed, then so much slower. 0: no cache.
	cacheGB, behind float64
	// cool and hot are the temperatures in the end without load and with full
	// load, °C; constant is the time constant in seconds.
	cool, hot, constant float64
	// limits of thermal management, and the share of the rate that each leaves.
	limits [2]float64
	leaves [2]float64
	// every is the time between readings in seconds, from phase on; counts says
	// that the drive counts its throttling.
	every, phase int
	counts       bool
}

// told is what a run of a world tells, and what really happened in it.
type told struct {
	samples []Sample
	limits  Limits
	// held says in which seconds heat held the drive back; filled is when its
	// cache was full, -1: never.
	held   []bool
	filled int
}

// true reports whether a drop has the cause that is claimed, give or take a few
// seconds of noise.
func (t told) true(d Drop) bool {
	const give = 6
	switch d.Kind {
	case CauseHeat:
		return slices.Contains(t.held[max(d.Second-give, 0):min(d.Second+give, len(t.held))], true)
	case CauseCache:
		return t.filled >= 0 && t.filled > d.Second-give && t.filled < d.Second+give
	}
	return true
}

// run lets a world run for some seconds. The rate makes the heat, so a throttled
// drive cools to where it is let go, 3 °C below.
func (w world) run(n int, r *rand.Rand) told {
	out := told{
		filled: -1,
		limits: Limits{TMT1: new(int(w.limits[0])), TMT2: new(int(w.limits[1])), Warning: new(int(w.limits[1]) + 3), CapacityBytes: 4e12},
	}
	celsius, state, count, written := w.cool+(w.hot-w.cool)*0.1, 0, uint64(1840), 0.0
	for i := range n {
		rate := w.full
		if w.writes && w.cacheGB > 0 && written >= w.cacheGB*1e9 {
			rate *= w.behind
			if out.filled < 0 {
				out.filled = i
			}
		}
		if state > 0 {
			rate = min(rate, w.full*w.leaves[state-1])
		}
		out.held = append(out.held, state > 0)
		to := w.cool + (w.hot-w.cool)*rate/w.full
		celsius += (to - celsius) / w.constant
		next := 0
		for k, limit := range w.limits {
			if celsius >= limit || state > k && celsius >= limit-3 {
				next = k + 1
			}
		}
		if next > state {
			count++
		}
		state = next
		if w.writes {
			written += rate * 1e6
		}
		s := Sample{Seconds: float64(i + 1), MBPerS: max(0, rate*(1+w.noise*r.NormFloat64())), BytesWritten: int64(written)}
		if i%w.every == w.phase || i == n-1 {
			s.Celsius = new(int(math.Round(celsius)))
			if w.counts {
				s.Throttles = new(count)
			}
		}
		out.samples = append(out.samples, s)
	}
	return out
}

// between returns a random number in a range.
func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

// worldOf makes a random world. It gets too hot, or not; it has a cache that is
// filled, or not.
func worldOf(r *rand.Rand, heats, fills, writes, counts bool) world {
	w := world{
		writes: writes, full: between(r, 800, 6000), noise: []float64{0.01, 0.03, 0.05, 0.10}[r.IntN(4)],
		behind: between(r, 0.08, 0.5), cool: between(r, 30, 50), constant: between(r, 30, 120),
		limits: [2]float64{math.Round(between(r, 70, 80)), 0}, leaves: [2]float64{between(r, 0.4, 0.75), between(r, 0.15, 0.35)},
		every: []int{1, 5, 10}[r.IntN(3)], counts: counts,
	}
	w.limits[1] = w.limits[0] + math.Round(between(r, 4, 8))
	w.phase = r.IntN(w.every)
	if w.hot = w.limits[0] - between(r, 6, 20); heats {
		w.hot = w.limits[0] + between(r, 8, 40)
	}
	if fills {
		w.cacheGB = w.full * between(r, 15, 200) / 1000
	}
	return w
}

// tally counts the answers to many runs of one kind of world.
type tally struct{ right, unknown, none, wrong int }

func (a tally) String() string {
	return fmt.Sprintf("%4d right, %3d unknown, %3d without a drop, %3d wrong", a.right, a.unknown, a.none, a.wrong)
}

// count judges one answer, which is wrong if any drop has not the cause that it
// is given.
func (a *tally) count(t told, c *Cause) {
	switch {
	case c == nil:
		a.none++
	case slices.ContainsFunc(c.Drops, func(d Drop) bool { return !t.true(d) }):
		a.wrong++
	case c.Kind == CauseUnknown:
		a.unknown++
	default:
		a.right++
	}
}

// TestCauseRates states how often a cause is found, missed and made up. Where
// both act and the throttling is not counted, some caches are full just when the
// drive reaches its limit; nobody could tell.
func TestCauseRates(t *testing.T) {
	const runs, length = 1000, 400
	for i, tt := range []struct {
		name                         string
		heats, fills, writes, counts bool
		right, unknown, none, wrong  int // at least, and at most
	}{
		{"heat, reading, counted", true, false, false, true, 990, 10, 0, 2},
		{"heat, reading, not counted", true, false, false, false, 990, 10, 0, 2},
		{"heat, writing, counted", true, false, true, true, 990, 10, 0, 2},
		{"heat, writing, not counted", true, false, true, false, 990, 10, 0, 2},
		{"cache, counted", false, true, true, true, 990, 10, 0, 0},
		{"cache, not counted", false, true, true, false, 990, 10, 0, 0},
		{"heat and cache, counted", true, true, true, true, 960, 40, 0, 2},
		{"heat and cache, not counted", true, true, true, false, 890, 100, 0, 10},
		{"neither, reading", false, false, false, true, 0, 10, runs, 0},
		{"neither, writing", false, false, true, true, 0, 10, runs, 0},
	} {
		var got tally
		for seed := range uint64(runs) {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			run := worldOf(r, tt.heats, tt.fills, tt.writes, tt.counts).run(length, r)
			got.count(run, FindCause(run.samples, run.limits))
		}
		t.Logf("%-30s %v", tt.name, got)
		if got.right < tt.right || got.unknown > tt.unknown || got.none > tt.none || got.wrong > tt.wrong {
			t.Errorf("%s: %v; want at least %d right, at most %d, %d and %d", tt.name, got, tt.right, tt.unknown, tt.none, tt.wrong)
		}
	}
}
