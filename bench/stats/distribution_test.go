package stats

import (
	"math"
	"testing"
)

func TestNormalQuantile(t *testing.T) {
	tests := []struct{ p, want float64 }{
		{0.5, 0}, {0.8, 0.841621}, {0.9, 1.281552}, {0.95, 1.644854}, {0.975, 1.959964}, {0.995, 2.575829}, {0.9995, 3.290527},
		{0.025, -1.959964}, {1e-9, -5.997807},
		{0, math.Inf(-1)}, {1, math.Inf(1)}, {1.5, math.NaN()},
	}
	for _, tt := range tests {
		got := NormalQuantile(tt.p)
		if got != tt.want && !near(got, tt.want, 1e-6) {
			t.Errorf("NormalQuantile(%v) = %v, want %v", tt.p, got, tt.want)
		}
		if tt.p > 0 && tt.p < 1 && !near(NormalCDF(got), tt.p, 1e-12) {
			t.Errorf("NormalCDF(%v) = %v, want %v", got, NormalCDF(got), tt.p)
		}
	}
}

// TestStudentQuantile compares with the table that textbooks print, to its 3
// decimals.
func TestStudentQuantile(t *testing.T) {
	tests := []struct{ df, p95, p975, p995 float64 }{
		{1, 6.314, 12.706, 63.657},
		{2, 2.920, 4.303, 9.925},
		{3, 2.353, 3.182, 5.841},
		{4, 2.132, 2.776, 4.604},
		{5, 2.015, 2.571, 4.032},
		{8, 1.860, 2.306, 3.355},
		{10, 1.812, 2.228, 3.169},
		{20, 1.725, 2.086, 2.845},
		{30, 1.697, 2.042, 2.750},
		{60, 1.671, 2.000, 2.660},
		{120, 1.658, 1.980, 2.617},
		{1e6, 1.645, 1.960, 2.576},
	}
	for _, tt := range tests {
		for p, want := range map[float64]float64{0.95: tt.p95, 0.975: tt.p975, 0.995: tt.p995} {
			if got := StudentQuantile(p, tt.df); !near(got, want, 0.0006) {
				t.Errorf("StudentQuantile(%v, %v) = %v, want %v", p, tt.df, got, want)
			}
			if got := StudentQuantile(1-p, tt.df); !near(got, -want, 0.0006) {
				t.Errorf("StudentQuantile(%v, %v) = %v, want %v", 1-p, tt.df, got, -want)
			}
		}
	}
}

// TestStudentClosedForms holds the general method against the two degrees of
// freedom that have a formula of their own.
func TestStudentClosedForms(t *testing.T) {
	for _, p := range []float64{0.501, 0.6, 0.9, 0.99, 0.99999} {
		cauchy := math.Tan(math.Pi * (p - 0.5))
		if got := StudentQuantile(p, 1); !near(got/cauchy, 1, 1e-9) {
			t.Errorf("StudentQuantile(%v, 1) = %v, want %v", p, got, cauchy)
		}
		two := (2*p - 1) * math.Sqrt(1/(2*p*(1-p)))
		if got := StudentQuantile(p, 2); !near(got/two, 1, 1e-9) {
			t.Errorf("StudentQuantile(%v, 2) = %v, want %v", p, got, two)
		}
	}
}

func TestStudentLimits(t *testing.T) {
	tests := []struct{ got, want float64 }{
		{StudentQuantile(0, 5), math.Inf(-1)},
		{StudentQuantile(1, 5), math.Inf(1)},
		{StudentQuantile(2, 5), math.NaN()},
		{StudentQuantile(0.9, 0), math.NaN()},
		{StudentQuantile(math.NaN(), 3), math.NaN()},
		{StudentCDF(0, 7), 0.5},
		{StudentCDF(1, -1), math.NaN()},
		{StudentCDF(math.Inf(1), 3), 1},
		{StudentCDF(math.Inf(-1), 3), 0},
	}
	for i, tt := range tests {
		if tt.got != tt.want && !near(tt.got, tt.want, 1e-12) {
			t.Errorf("case %d: %v, want %v", i, tt.got, tt.want)
		}
	}
}
