package stats

import (
	"math"
	"testing"
)

// TestPowerOfRuns holds the formula against powers that were simulated with
// another implementation of the test, at a level of 0.05.
func TestPowerOfRuns(t *testing.T) {
	tests := []struct {
		n           int
		shift, want float64 // shift in standard deviations
	}{
		{5, 2, 0.68}, {10, 2, 0.98}, {20, 1, 0.85}, {10, 1.5, 0.86}, {10, 1.25, 0.72}, {20, 1.25, 0.96}, {20, 0.75, 0.62},
	}
	for _, tt := range tests {
		if got := Power(tt.n, tt.shift, 0.05); !near(got, tt.want, 0.02) {
			t.Errorf("Power(%d, %v) = %.3f, want %v", tt.n, tt.shift, got, tt.want)
		}
		if got, back := Power(tt.n, tt.shift, 0.05), Power(tt.n, -tt.shift, 0.05); got != back {
			t.Errorf("Power(%d, ±%v) = %v and %v", tt.n, tt.shift, got, back)
		}
	}
}

func TestPowerLimits(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 2, 3} {
		if got := Power(n, 9, 0.05); got != 0 {
			t.Errorf("Power of %d runs = %v, want 0: they cannot reach the level", n, got)
		}
		if got := Detectable(n, 1, 0.05, 0.8); got != nil {
			t.Errorf("Detectable with %d runs = %v, want none", n, *got)
		}
	}
	for _, bad := range []float64{0, 1, -1, math.NaN()} {
		if got := Detectable(10, 1, bad, 0.8); got != nil {
			t.Errorf("Detectable at level %v = %v, want none", bad, *got)
		}
		if got := Detectable(10, 1, 0.05, bad); got != nil {
			t.Errorf("Detectable with power %v = %v, want none", bad, *got)
		}
	}
	if got := Detectable(10, -1, 0.05, 0.8); got != nil {
		t.Errorf("Detectable with a negative spread = %v, want none", *got)
	}
}

func TestDetectable(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{4, 5, 6, 10, 20, 50, 51, 200} {
		got := Detectable(n, 2, 0.05, 0.8)
		if got == nil || *got >= last {
			t.Fatalf("Detectable with %d runs = %v, want less than %v", n, got, last)
		}
		if p := Power(n, *got/2, 0.05); !near(p, 0.8, 1e-9) {
			t.Errorf("%d runs: power %v at the smallest detectable change, want 0.8", n, p)
		}
		last = *got
	}
	if got := Detectable(20, 1, 0.05, 0.8); !near(*got, 0.93, 0.05) {
		t.Errorf("Detectable with 20 runs = %v, want about 0.93 of the spread", *got)
	}
	if got := Detectable(20, 1, 0.05, 0.001); *got != 0 {
		t.Errorf("Detectable with a power below the level = %v, want 0", *got)
	}
}

func TestRunsFor(t *testing.T) {
	tests := []struct {
		change, spread float64
		want           int
	}{{3, 1, 4}, {-3, 1, 4}, {1, 1, 18}, {0, 1, 0}, {1, 0, 4}}
	for _, tt := range tests {
		got := RunsFor(tt.change, tt.spread, 0.05, 0.8)
		if got != tt.want {
			t.Errorf("RunsFor(%v, %v) = %d, want %d", tt.change, tt.spread, got, tt.want)
		}
	}
}
