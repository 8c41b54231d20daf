package scratch

import (
	"math"
	"testing"
)

func constantly(v float64) func(int) float64 { return func(int) float64 { return v } }

// noise is a fixed sequence from -1 to 1.
func noise(i int) float64 { return float64(mix(4, uint64(i))>>11)/(1<<52) - 1 }

func TestSteady(t *testing.T) {
	tests := []struct {
		name   string
		rule   SteadyRule
		value  func(i int) float64
		rounds int
		steady bool
	}{
		{"steady", SteadyRule{}, constantly(1000), 5, true},
		{"a little noise", SteadyRule{}, func(i int) float64 { return 1000 + 20*noise(i) }, 5, true},
		{"falls, then steady", SteadyRule{}, func(i int) float64 { return 1000 + 4000*math.Exp(-float64(i)) }, 9, true},
		{"drifts for ever", SteadyRule{}, func(i int) float64 { return 1000 * math.Pow(0.95, float64(i)) }, 25, false},
		{"drifts a little", SteadyRule{}, func(i int) float64 { return 1000 * math.Pow(0.98, float64(i)) }, 5, true},
		{"noisy", SteadyRule{}, func(i int) float64 { return 1000 + 300*float64(i%2) }, 25, false},
		{"no writes", SteadyRule{}, constantly(0), 25, false},
		{"fewer rounds", SteadyRule{Rounds: 7}, func(i int) float64 { return 1000 + 300*float64(i%2) }, 7, false},
		{"narrower", SteadyRule{RangePercent: 1}, func(i int) float64 { return 1000 + 20*noise(i) }, 25, false},
		{"flatter", SteadyRule{SlopePercent: 2}, func(i int) float64 { return 1000 * math.Pow(0.98, float64(i)) }, 25, false},
		{"shorter window", SteadyRule{Window: 3}, constantly(1), 3, true},
	}
	for _, tt := range tests {
		s := Steady{Rule: tt.rule}
		var w Window
		for i := 0; !w.Over && i < 100; i++ {
			w = s.Add(tt.value(i))
		}
		if w.Round != tt.rounds || w.Steady != tt.steady {
			t.Errorf("%s: steady %t after %d rounds, want %t after %d: %+v", tt.name, w.Steady, w.Round, tt.steady, tt.rounds, w)
		}
	}
}

// TestSteadyLimits holds each limit on both sides, with the other one kept.
func TestSteadyLimits(t *testing.T) {
	tests := []struct {
		name         string
		values       []float64
		rangeP, rise float64
		steady       bool
	}{
		// Symmetric, so without slope; average 1000.
		{"range 20 %", []float64{900, 1050, 1100, 1050, 900}, 20, 0, true},
		{"range over 20 %", []float64{899, 1050, 1102, 1050, 899}, 20.3, 0, false},
		// A line through 1000 rises by 100 in four steps.
		{"slope 10 %", []float64{950, 975, 1000, 1025, 1050}, 10, 10, true},
		{"slope over 10 %", []float64{949, 974.5, 1000, 1025.5, 1051}, 10.2, 10.2, false},
		{"falls as well", []float64{1051, 1025.5, 1000, 974.5, 949}, 10.2, 10.2, false},
		{"four rounds", []float64{1, 1, 1, 1}, 0, 0, false},
		{"one round", []float64{7}, 0, 0, false},
	}
	for _, tt := range tests {
		var s Steady
		var w Window
		for _, v := range tt.values {
			w = s.Add(v)
		}
		if math.Abs(w.RangePercent-tt.rangeP) > 1e-9 || math.Abs(w.SlopePercent-tt.rise) > 1e-9 || w.Steady != tt.steady {
			t.Errorf("%s: range %.3f, slope %.3f, steady %t, want %.3f, %.3f, %t", tt.name, w.RangePercent, w.SlopePercent, w.Steady, tt.rangeP, tt.rise, tt.steady)
		}
		if w.Full != (len(tt.values) == 5) || w.Over != tt.steady {
			t.Errorf("%s: full %t, over %t", tt.name, w.Full, w.Over)
		}
	}
}
