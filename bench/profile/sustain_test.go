package profile

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

// level returns n seconds of one rate.
func level(n int, mbPerS float64) []float64 { return slices.Repeat([]float64{mbPerS}, n) }

// toggling returns n seconds that change between two rates every few seconds.
func toggling(n, every int, a, b float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		if s[i] = a; i/every%2 == 1 {
			s[i] = b
		}
	}
	return s
}

// falling returns n seconds from one rate to another in a straight line.
func falling(n int, from, to float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = from + (to-from)*float64(i+1)/float64(n)
	}
	return s
}

// noisy adds noise of a share of each value, from a fixed seed.
func noisy(s []float64, share float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := slices.Clone(s)
	for i := range out {
		out[i] *= 1 + share*r.NormFloat64()
	}
	return out
}

func TestFindOnset(t *testing.T) {
	drop := slices.Concat(level(120, 2500), level(80, 1200))
	for _, tt := range []struct {
		name   string
		series []float64
		want   int // -1: none
		within int
	}{
		{"nothing", nil, -1, 0},
		{"short", level(8, 3000), -1, 0},
		{"steady", level(200, 3000), -1, 0},
		{"steady with noise", noisy(level(200, 3000), 0.05, 1), -1, 0},
		{"one drop", drop, 120, 0},
		{"one drop with noise", noisy(drop, 0.05, 2), 120, 1},
		{"early drop", slices.Concat(level(38, 1500), level(162, 300)), 38, 0},
		{"two drops", slices.Concat(level(40, 3000), level(60, 2000), level(100, 500)), 40, 0},
		{"two drops with noise", noisy(slices.Concat(level(40, 3000), level(60, 2000), level(100, 500)), 0.03, 3), 40, 1},
		{"slow first second", slices.Concat(level(1, 100), level(120, 2500), level(79, 1200)), 121, 0},
		{"slow start, then a drop", slices.Concat(level(20, 1500), level(100, 2500), level(80, 1000)), 120, 0},
		{"one stall", slices.Concat(level(100, 2500), level(3, 0), level(97, 2500)), -1, 0},
		{"long dip that recovers", slices.Concat(level(60, 2500), level(50, 1000), level(90, 2500)), -1, 0},
		{"to and fro under the throttle", slices.Concat(level(100, 2500), toggling(100, 5, 1000, 2500)), 100, 0},
		{"a drop of 5 %", slices.Concat(level(100, 2500), level(100, 2375)), -1, 0},
		{"a drop of 15 %", slices.Concat(level(100, 2500), level(100, 2125)), 100, 0},
		{"it only rises", slices.Concat(level(100, 1000), level(100, 2500)), -1, 0},
		{"in the last 4 s", slices.Concat(level(196, 2500), level(4, 100)), -1, 0},
		{"noise before a drop", noisy(slices.Concat(level(100, 2500), level(300, 1900)), 0.10, 11), 100, 3},
		{"a little, then a lot", slices.Concat(level(40, 2500), level(60, 2350), level(100, 1000)), 100, 0},
		{"slope down from 60 s on", slices.Concat(level(60, 2500), falling(140, 2500, 800)), 70, 20},
		{"stopped", slices.Concat(level(100, 2500), level(100, 0)), 100, 0},
	} {
		got := -1
		if o := FindOnset(tt.series); o != nil {
			got = o.Second
		}
		if (got < 0) != (tt.want < 0) || got < tt.want-tt.within || got > tt.want+tt.within {
			t.Errorf("%s: onset at %d, want %d ± %d", tt.name, got, tt.want, tt.within)
		}
	}
}

// TestFindOnsetInNoise counts the false alarms and the misses over many series.
func TestFindOnsetInNoise(t *testing.T) {
	const series = 500
	for _, share := range []float64{0.01, 0.03, 0.05, 0.10} {
		alarms, misses := 0, 0
		for seed := range uint64(series) {
			if FindOnset(noisy(level(200, 2500), share, seed)) != nil {
				alarms++
			}
			o := FindOnset(noisy(slices.Concat(level(120, 2500), level(80, 1700)), share, seed+series))
			if o == nil || o.Second < 117 || o.Second > 123 {
				misses++
			}
		}
		if alarms > series/100 || misses > series/20 {
			t.Errorf("noise of %g: %d false alarms and %d misses in %d series", share, alarms, misses, series)
		}
	}
}

func TestSustain(t *testing.T) {
	got := Sustain(slices.Concat(level(10, 2000), level(10, 1000)))
	want := Sustained{
		MaxMBPerS: 2000, MeanMBPerS: 1500, MinMBPerS: 1000, Seconds: 20,
		Onset:   &Onset{Second: 10, BeforeMBPerS: 2000, AfterMBPerS: 1000, DropPercent: 50},
		Plateau: &Plateau{Second: 10, Seconds: 10, MBPerS: 1000, LowMBPerS: 1000, HighMBPerS: 1000, SpreadPercent: new(0.0)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Sustain(nil); got != (Sustained{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestRateOf(t *testing.T) {
	var h bench.Histogram
	for range 1000 {
		h.Add(time.Millisecond)
	}
	for _, tt := range []struct {
		name string
		p    bench.Progress
		want float64
		ok   bool
	}{
		{"an interval", bench.Progress{IntervalSeconds: 0.5, Interval: &h}, 262.144, true},
		{"warm-up", bench.Progress{WarmingUp: true, IntervalSeconds: 0.5, Interval: &h}, 0, false},
		{"nothing new", bench.Progress{IntervalSeconds: 0.5}, 0, false},
		{"no time", bench.Progress{Interval: &h}, 0, false},
	} {
		if got, ok := RateOf(tt.p, 131072); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %g, %v; want %g, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

// FuzzFindOnset takes each byte as a rate.
func FuzzFindOnset(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte(slices.Concat(slices.Repeat([]byte{250}, 20), slices.Repeat([]byte{100}, 20))))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, rates []byte) {
		var series []float64
		for _, r := range rates {
			series = append(series, float64(r))
		}
		o := FindOnset(series)
		if o == nil {
			return
		}
		if o.Second < 6 || o.Second >= len(series)-5 || o.DropPercent < 9.99 || o.DropPercent > 100 || o.AfterMBPerS >= o.BeforeMBPerS {
			t.Errorf("%+v in %d seconds", o, len(series))
		}
	})
}
