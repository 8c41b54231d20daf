package chart

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumber(t *testing.T) {
	tests := []struct {
		v    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {12.345, "12.3"}, {0.0123456, "0.0123"}, {999.4, "999"}, {99.96, "100"},
		{2604, "2\u00a0604"}, {1234567, "1\u00a0234\u00a0567"}, {-1234.5, "−1\u00a0235"}, {-0.001, "−0.001"}, {math.NaN(), "–"}, {math.Inf(1), "–"},
	}
	for _, tt := range tests {
		if got := Number(tt.v); got != tt.want {
			t.Errorf("Number(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
	if got := With(5, "µs") + With(5, ""); got != "5\u00a0µs5" {
		t.Errorf("With = %q", got)
	}
}

func TestTicks(t *testing.T) {
	tests := []struct {
		name      string
		low, high float64
		want      []float64
	}{
		{"decades", 1, 1e6, []float64{1, 10, 100, 1000, 10000, 100000, 1000000}},
		{"many decades", 1, 1e12, []float64{1, 100, 1e4, 1e6, 1e8, 1e10, 1e12}},
		{"two decades", 10, 1000, []float64{10, 20, 50, 100, 200, 500, 1000}},
		{"within an octave", 11, 13, []float64{11, 11.5, 12, 12.5, 13}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, logTicks(tt.low, tt.high, 7), near()); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
	low, high, step := spread(3, 47, 5)
	if diff := cmp.Diff([]float64{0, 10, 20, 30, 40, 50}, linearTicks(low, high, step), near()); diff != "" {
		t.Errorf("linear: -want +got\n%s", diff)
	}
	if got := linearTicks(5e16, 5e16+64, 1); len(got) > mostTicks {
		t.Errorf("%d ticks where a step is lost in rounding", len(got))
	}
}

func near() cmp.Option {
	return cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), 1) })
}

func TestScale(t *testing.T) {
	tests := []struct {
		s    scale
		v    float64
		want float64
	}{
		{scale{low: 0, high: 10, from: 100, to: 200}, 5, 150},
		{scale{low: 1, high: 100, from: 0, to: 200, log: true}, 10, 100},
		{scale{low: 0, high: 1, from: 300, to: 100}, 0.25, 250},
		{scale{low: 5, high: 5, from: 0, to: 100}, 5, 50},
	}
	for _, tt := range tests {
		if got := tt.s.at(tt.v); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%+v at %v = %v, want %v", tt.s, tt.v, got, tt.want)
		}
	}
}

func TestDateTicks(t *testing.T) {
	const start = 1767225600 // 2026-01-01
	tests := []struct {
		name      string
		low, high float64
		want      []string
	}{
		{"days", start, start + 30*86400, []string{"2026-01-01", "2026-01-11", "2026-01-21", "2026-01-31"}},
		{"hours", start, start + 6*3600, []string{"01-01 00:00", "01-01 02:00", "01-01 04:00", "01-01 06:00"}},
		{"a moment", start, start + 2, []string{"01-01 00:00"}},
	}
	for _, tt := range tests {
		var got []string
		for _, x := range dateTicks(tt.low, tt.high) {
			got = append(got, x.text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

func TestTimeUnit(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		want    string
	}{{60, "s"}, {299, "s"}, {300, "min"}, {10799, "min"}, {10800, "h"}} {
		if got, _ := timeUnit(tt.seconds); got != tt.want {
			t.Errorf("timeUnit(%v) = %s, want %s", tt.seconds, got, tt.want)
		}
	}
}

// TestColumns holds that counts are dealt out whole, and that what lies outside
// of the axis is counted but not drawn.
func TestColumns(t *testing.T) {
	axis := scale{low: 10, high: 1000, log: true}
	sum := func(c Counts) float64 {
		total := 0.0
		for _, v := range c.columns(axis) {
			total += v
		}
		return total
	}
	tests := []struct {
		name string
		bins []Bin
		want float64
	}{
		{"inside", []Bin{{10, 11, 3}, {50, 500, 7}}, 1},
		{"a tenth beyond", []Bin{{20, 30, 9}, {2000, 3000, 1}}, 0.9},
		{"a fifth below", []Bin{{1, 2, 2}, {20, 30, 8}}, 0.8},
		{"none", nil, 0},
	}
	for _, tt := range tests {
		if got := sum(Counts{Bins: tt.bins}); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: columns hold %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestThinned(t *testing.T) {
	var points []Point
	for i := range 5000 {
		points = append(points, Point{float64(i), 10})
	}
	points[1234].Y, points[4321].Y = 99, 1
	got := thinned(points)
	if len(got) > mostPoints+2 {
		t.Errorf("%d points are left, want about %d", len(got), mostPoints)
	}
	high, low := false, false
	last := -1.0
	for _, p := range got {
		high, low = high || p.Y == 99, low || p.Y == 1
		if p.X < last {
			t.Errorf("point %v comes after %v", p.X, last)
		}
		last = p.X
	}
	if !high || !low {
		t.Errorf("peak kept: %t, dip kept: %t", high, low)
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s    string
		w    float64
		want string
	}{{"short", 400, "short"}, {"abcdefghij", 5 * charWidth, "abcd…"}, {"äöüäöü", 3 * charWidth, "äö…"}, {"abc", 0, "a…"}} {
		if got := cut(tt.s, tt.w); got != tt.want {
			t.Errorf("cut(%q, %v) = %q, want %q", tt.s, tt.w, got, tt.want)
		}
	}
}

// TestStyleNamesColours holds that each of the sides has a colour in light, in
// dark and on paper.
func TestStyleNamesColours(t *testing.T) {
	for i := range sides {
		for _, want := range []string{"--" + side(i) + ":"} {
			if n := count(Style, want); n != 3 {
				t.Errorf("%s is set %d times, want for light, dark and paper", want, n)
			}
		}
	}
}

func count(s, part string) int {
	n := 0
	for i := 0; i+len(part) <= len(s); i++ {
		if s[i:i+len(part)] == part {
			n++
		}
	}
	return n
}
