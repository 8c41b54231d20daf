package profile

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlateau(t *testing.T) {
	for _, tt := range []struct {
		name   string
		series []float64
		second int // -1: none
		within int
		mbPerS float64 // within 5 %
	}{
		{"one step", slices.Concat(level(50, 2500), level(50, 1000)), 50, 0, 1000},
		{"one step with noise", noisy(slices.Concat(level(50, 2500), level(50, 1000)), 0.10, 1), 50, 1, 1000},
		{"two steps", slices.Concat(level(50, 2500), level(20, 1500), level(60, 700)), 70, 0, 700},
		{"two steps with noise", noisy(slices.Concat(level(50, 2500), level(20, 1500), level(60, 700)), 0.05, 2), 70, 1, 700},
		{"a deep step, then up a little", slices.Concat(level(50, 2500), level(20, 300), level(60, 700)), 70, 0, 700},
		{"to and fro", slices.Concat(level(50, 2500), toggling(100, 4, 900, 1100)), 50, 0, 1000},
		{"a short stall in it", slices.Concat(level(50, 2500), level(50, 1000), level(2, 0), level(50, 1000)), 50, 0, 1000},
		{"a slope to the end", slices.Concat(level(60, 2500), falling(140, 2500, 800)), -1, 0, 0},
		{"a slope, then level", slices.Concat(level(60, 2500), falling(20, 2500, 800), level(80, 800)), 78, 5, 800},
		{"stopped", slices.Concat(level(50, 2500), level(50, 0)), 50, 0, 0},
		{"no drop", level(100, 2500), -1, 0, 0},
	} {
		p := Sustain(tt.series).Plateau
		if p == nil {
			if tt.second >= 0 {
				t.Errorf("%s: no plateau, want one from %d on", tt.name, tt.second)
			}
			continue
		}
		if p.Second < tt.second-tt.within || p.Second > tt.second+tt.within || math.Abs(p.MBPerS-tt.mbPerS) > 0.05*tt.mbPerS || p.Second+p.Seconds != len(tt.series) {
			t.Errorf("%s: %+v, want from %d ± %d on %g MB/s", tt.name, p, tt.second, tt.within, tt.mbPerS)
		}
	}
}

func TestPlateauSpread(t *testing.T) {
	s := slices.Concat(level(50, 2500), toggling(100, 5, 800, 1200))
	p := Sustain(s).Plateau
	want := &Plateau{Second: 50, Seconds: 100, MBPerS: 1002.02, LowMBPerS: 800, HighMBPerS: 1200, SpreadPercent: new(39.919)}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p := Sustain(slices.Concat(level(50, 2500), level(50, 0))).Plateau; p.SpreadPercent != nil {
		t.Errorf("the spread of nothing is %g %%", *p.SpreadPercent)
	}
}

// TestPlateauInNoise counts how often the plateau is where it is.
func TestPlateauInNoise(t *testing.T) {
	const series = 300
	for _, share := range []float64{0.01, 0.05, 0.10} {
		missed := 0
		for seed := range uint64(series) {
			p := Sustain(noisy(slices.Concat(level(60, 2500), level(40, 1500), level(100, 700)), share, seed)).Plateau
			if p == nil || p.Second < 97 || p.Second > 103 || math.Abs(p.MBPerS-700) > 35 {
				missed++
			}
		}
		if missed > series/50 {
			t.Errorf("noise of %g: %d of %d missed", share, missed, series)
		}
	}
}

func TestRecovery(t *testing.T) {
	down := slices.Concat(level(50, 2500), level(50, 1000))
	for _, tt := range []struct {
		name   string
		series []float64
		want   *Recovery
	}{
		{"none", down, nil},
		{"once, up to the end", slices.Concat(down, level(10, 2500)), &Recovery{Second: 98, Times: 1, Seconds: 12}},
		{"twice", slices.Concat(down, level(10, 2500), level(40, 1000), level(20, 2400), level(40, 1000)), &Recovery{Second: 98, Times: 2, Seconds: 38}},
		{"not quite", slices.Concat(down, level(10, 2200), level(20, 1000)), nil},
		{"too short", slices.Concat(down, level(2, 2500), level(20, 1000)), nil},
	} {
		if diff := cmp.Diff(tt.want, Sustain(tt.series).Recovery); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
