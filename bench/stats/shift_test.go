package stats

import (
	"math"
	"testing"
)

func TestShift(t *testing.T) {
	tests := []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{11, 12, 13}, 10},
		{[]float64{5}, []float64{2}, -3},
		{[]float64{1, 2}, []float64{1, 100}, 49}, // 0, -1, 99, 98
		{nil, []float64{1}, math.NaN()},
	}
	for _, tt := range tests {
		if got := Shift(tt.a, tt.b); !near(got, tt.want, 1e-12) {
			t.Errorf("Shift(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestShiftIntervalPublished: Hollander and Wolfe, example 4.4, give -0.15 to
// 0.76 for the permeability constants.
func TestShiftIntervalPublished(t *testing.T) {
	got := ShiftInterval(early, term, 0.95)
	if got == nil || !near(got.Low, -0.15, 1e-9) || !near(got.High, 0.76, 1e-9) || !near(got.Coverage, 0.96, 0.005) {
		t.Errorf("ShiftInterval = %+v, want -0.15 to 0.76 at 96 %%", got)
	}
}

func TestShiftIntervalSizes(t *testing.T) {
	far := func(n int) []float64 {
		x := upTo(n)
		for i := range x {
			x[i] += 100.5
		}
		return x
	}
	tests := []struct {
		n, m int
		none bool
		want float64 // coverage
	}{
		{3, 3, true, 0},
		{0, 9, true, 0},
		{4, 4, false, 1 - 2.0/70},
		{5, 5, false, 1 - 2*4.0/252}, // U ≤ 2 in 1 + 1 + 2 ways
		{3, 5, false, 1 - 2.0/56},
	}
	for _, tt := range tests {
		got := ShiftInterval(upTo(tt.n), far(tt.m), 0.95)
		if (got == nil) != tt.none || got != nil && !near(got.Coverage, tt.want, 1e-12) {
			t.Errorf("%d and %d values: %+v, want coverage %v", tt.n, tt.m, got, tt.want)
		}
	}
	if got := ShiftInterval(upTo(9), upTo(9), 1); got != nil {
		t.Errorf("confidence 1: %+v, want none", got)
	}
}

// TestNormalShiftRank holds the approximation above 50 values against the exact
// rank at 50.
func TestNormalShiftRank(t *testing.T) {
	for _, confidence := range []float64{0.9, 0.95, 0.99} {
		exact, exactly := shiftRank(50, 50, confidence)
		got, nearly := normalShiftRank(50, 50, confidence)
		if got < exact-2 || got > exact+2 || !near(nearly, exactly, 0.001) {
			t.Errorf("%v: rank %d (%v), exactly %d (%v)", confidence, got, nearly, exact, exactly)
		}
	}
	if k, _ := normalShiftRank(1, 60, 0.999); k != 0 {
		t.Errorf("1 value against 60 at 99.9 %%: rank %d, want none", k)
	}
	if got := ShiftInterval(upTo(60), upTo(60), 0.95); got == nil || !got.Contains(0) || got.Coverage < 0.949 {
		t.Errorf("60 equal values: %+v", got)
	}
}

func TestRatio(t *testing.T) {
	a, b := []float64{100, 101, 102, 103, 104}, []float64{110, 111.1, 112.2, 113.3, 114.4}
	if got := Ratio(a, b); !near(got, 1.1, 1e-9) {
		t.Errorf("Ratio = %v, want 1.1", got)
	}
	if got := RatioInterval(a, b, 0.95); got == nil || !got.Contains(1.1) || got.Low < 1 {
		t.Errorf("RatioInterval = %+v, want one around 1.1 above 1", got)
	}
	bad := []float64{1, 2, 0, 4}
	if got := Ratio(bad, a); !math.IsNaN(got) {
		t.Errorf("Ratio with a 0 = %v, want NaN", got)
	}
	if got := RatioInterval(a, bad, 0.95); got != nil {
		t.Errorf("RatioInterval with a 0 = %+v, want none", got)
	}
	if got := RatioInterval(a[:2], b, 0.95); got != nil {
		t.Errorf("RatioInterval of 2 values = %+v, want none", got)
	}
}
