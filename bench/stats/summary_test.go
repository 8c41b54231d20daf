package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// near reports whether got is want within tolerance, or both are NaN.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance || math.IsNaN(got) && math.IsNaN(want)
}

// upTo returns 1, 2, … n.
func upTo(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}

func TestMedian(t *testing.T) {
	tests := []struct {
		x    []float64
		want float64
	}{
		{nil, math.NaN()},
		{[]float64{7}, 7},
		{[]float64{9, 1}, 5},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
	}
	for _, tt := range tests {
		before := slices.Clone(tt.x)
		if got := Median(tt.x); !near(got, tt.want, 0) {
			t.Errorf("Median(%v) = %v, want %v", before, got, tt.want)
		}
		if !slices.Equal(before, tt.x) {
			t.Errorf("Median changed %v to %v", before, tt.x)
		}
	}
}

func TestMoments(t *testing.T) {
	// The example of the sample standard deviation in many textbooks:
	// Σ(x-5)² = 32 over 8 values.
	x := []float64{2, 4, 4, 4, 5, 5, 7, 9}
	if got := Mean(x); got != 5 {
		t.Errorf("Mean = %v, want 5", got)
	}
	if got, want := StdDev(x), math.Sqrt(32.0/7); !near(got, want, 1e-12) {
		t.Errorf("StdDev = %v, want %v", got, want)
	}
	if got, want := CV(x), math.Sqrt(32.0/7)/5; !near(got, want, 1e-12) {
		t.Errorf("CV = %v, want %v", got, want)
	}
	if got := CV([]float64{-1, -3}); got <= 0 {
		t.Errorf("CV of a negative sample = %v, want a positive one", got)
	}
	for name, got := range map[string]float64{"Mean": Mean(nil), "StdDev": StdDev([]float64{1}), "CV": CV([]float64{1})} {
		if !math.IsNaN(got) {
			t.Errorf("%s of too few values = %v, want NaN", name, got)
		}
	}
}

// TestMedianInterval compares the ranks with the published table of K. R. Nair,
// Table of Confidence Interval for the Median in Samples from Any Continuous
// Population, Sankhyā 4 (1940).
func TestMedianInterval(t *testing.T) {
	tests := []struct{ n, rank int }{
		{5, 0}, {6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {14, 3}, {15, 4}, {16, 4}, {17, 5}, {19, 5},
		{20, 6}, {22, 6}, {23, 7}, {25, 8}, {28, 9}, {30, 10}, {40, 14}, {50, 18},
	}
	for _, tt := range tests {
		got := MedianInterval(upTo(tt.n), 0.95)
		if tt.rank == 0 {
			if got != nil {
				t.Errorf("%d values: %v, want none", tt.n, got)
			}
			continue
		}
		if got == nil || got.Low != float64(tt.rank) || got.High != float64(tt.n+1-tt.rank) {
			t.Errorf("%d values: %v, want rank %d from both ends", tt.n, got, tt.rank)
		}
	}
}

func TestMedianIntervalCoverage(t *testing.T) {
	tests := []struct {
		n          int
		confidence float64
		want       float64 // 1 - 2·P(Binomial(n, ½) < k), counted by hand
	}{
		{6, 0.95, 1 - 2.0/64},
		{10, 0.95, 1 - 2*11.0/1024},
		{5, 0.9, 1 - 2.0/32},
		{8, 0.99, 1 - 2.0/256},
	}
	for _, tt := range tests {
		got := MedianInterval(upTo(tt.n), tt.confidence)
		if got == nil || !near(got.Coverage, tt.want, 1e-12) {
			t.Errorf("%d values at %v: %v, want coverage %v", tt.n, tt.confidence, got, tt.want)
		}
	}
	if got := MedianInterval(upTo(10001), 0.95); got == nil || !near(got.Coverage, 0.95, 0.01) || got.Coverage < 0.95 {
		t.Errorf("10001 values: %v, want a coverage just above 0.95", got)
	}
	for _, confidence := range []float64{0, 1, -1, math.NaN()} {
		if got := MedianInterval(upTo(20), confidence); got != nil {
			t.Errorf("confidence %v: %v, want none", confidence, got)
		}
	}
}

func TestMeanInterval(t *testing.T) {
	// Mean 3, s = √2.5, n = 5, t(0.975, 4) = 2.7764: 3 ± 1.9632.
	got := MeanInterval(upTo(5), 0.95)
	if got == nil || !near(got.Low, 1.0368, 1e-4) || !near(got.High, 4.9632, 1e-4) || got.Coverage != 0.95 {
		t.Errorf("MeanInterval = %v, want 1.0368 to 4.9632", got)
	}
	if got := MeanInterval([]float64{1}, 0.95); got != nil {
		t.Errorf("MeanInterval of one value = %v, want none", got)
	}
}

func TestSummarize(t *testing.T) {
	if got := Summarize(nil); got != nil {
		t.Errorf("Summarize(nil) = %v, want nil", got)
	}
	one := Summary{N: 1, Min: 3, Max: 3, Median: 3, Mean: 3}
	if diff := cmp.Diff(&one, Summarize([]float64{3})); diff != "" {
		t.Errorf("one value (-want +got):\n%s", diff)
	}
	got := Summarize([]float64{3, 1, 2, 6, 5, 4})
	if got.N != 6 || got.Min != 1 || got.Max != 6 || got.Median != 3.5 || got.Mean != 3.5 {
		t.Errorf("Summarize = %+v", got)
	}
	if got.MedianCI95 == nil || got.MeanCI95 == nil || got.StdDev == nil || got.CVPercent == nil {
		t.Fatalf("Summarize of 6 values leaves something out: %+v", got)
	}
	if !near(*got.CVPercent, 100*math.Sqrt(3.5)/3.5, 1e-9) {
		t.Errorf("CVPercent = %v", *got.CVPercent)
	}
	if s := Summarize([]float64{-1, 1}); s.CVPercent != nil {
		t.Errorf("CVPercent for a mean of 0 = %v, want none", *s.CVPercent)
	}
}

func TestRounded(t *testing.T) {
	s := Summarize([]float64{1, 2, 4, 8, 16, 32, 64.1234567})
	got := s.Rounded(2)
	want := Summary{
		N: 7, Min: 1, Max: 64.12, Median: 8, MedianCI95: &Interval{1, 64.12, 0.9844},
		Mean: 18.16, MeanCI95: &Interval{-3.09, 39.41, 0.95}, StdDev: new(22.98), CVPercent: new(126.533),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Rounded (-want +got):\n%s", diff)
	}
	if s.Max != 64.1234567 || *s.StdDev == *got.StdDev {
		t.Errorf("Rounded changed the summary: %+v", s)
	}
	if one := Summarize([]float64{1.26}).Rounded(1); one.Mean != 1.3 || one.StdDev != nil || one.MeanCI95 != nil {
		t.Errorf("one value: %+v", one)
	}
	if got := rounded(math.MaxFloat64, 3); got != math.MaxFloat64 {
		t.Errorf("the largest number becomes %v", got)
	}
}
