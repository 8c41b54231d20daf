package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"testing"
)

// descriptionOf returns what is told of a drawing to those who do not see it.
func descriptionOf(t *testing.T, figure template.HTML) string {
	t.Helper()
	_, rest, ok := strings.Cut(string(figure), "<desc>")
	text, _, closed := strings.Cut(rest, "</desc>")
	if !ok || !closed {
		t.Fatalf("no description: %s", figure)
	}
	return strings.ReplaceAll(html.UnescapeString(text), nbsp, " ")
}

// TestTold holds that each drawing says in words what it shows.
func TestTold(t *testing.T) {
	want := map[string]string{
		"distribution": "Two sides. before: most often about 11.1 µs. after: most often about 12.2 µs.",
		"ladder":       "before: p50 12 µs, p99 30 µs, p99.9 200 µs. after: p50 13 µs, p99 31 µs.",
		"series":       "It falls. MB/s: from 2 500 MB/s to 905 MB/s, lowest 900 MB/s, highest 2 500 MB/s. temperature: from 40 °C to 71 °C, lowest 40 °C, highest 71 °C.",
		"trend":        "written: from 1 TB to 2 TB, lowest 1 TB, highest 2 TB. forecast: from 2 TB to 6 TB, lowest 2 TB, highest 6 TB.",
		"dots":         "before: 3 runs from 12.1 µs to 12.9 µs, median 12.5 µs. after: 1 run from 13 µs to 13 µs.",
		"bars":         "SEQ1M read: 2 600 MB/s. RND4K write: 300 MB/s.",
		"changes":      "median: +9 %, worse, interval 8 % to 10 %. p99: +1 %, not enough runs, interval −300 % to 400 %.",
	}
	for name, d := range drawings() {
		got := descriptionOf(t, d.HTML())
		if !strings.HasSuffix(got, want[name]) || want[name] == "" {
			t.Errorf("%s: told %q, want %q", name, got, want[name])
		}
	}
}

// TestToldIsBounded holds that of many rows some are told, and how many more
// there are.
func TestToldIsBounded(t *testing.T) {
	var c Bars
	for i := range 50 {
		c.Rows = append(c.Rows, Bar{Name: fmt.Sprintf("row %d", i), Text: "1 MB/s", Value: 1})
	}
	got := descriptionOf(t, c.HTML())
	if n := strings.Count(got, "1 MB/s"); n != mostTold || !strings.HasSuffix(got, "row 15: 1 MB/s. And 34 more.") {
		t.Errorf("%d rows are told: %q", n, got)
	}
	if got := told(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestToldLeavesOut holds that what is not drawn is not told.
func TestToldLeavesOut(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name string
		got  []string
		want string
	}{
		{"ladder", Ladder{Unit: "µs", Sides: []Steps{{"a", []Step{{50, nan, 0, 0}}}, {"b", []Step{{50, 5, 0, 0}, {100, 6, 0, 0}}}}}.told(), "b: p50 5 µs"},
		{"series", Series{Unit: "MB/s", Lines: []Line{{"a", []Point{{nan, 1}}}, {"b", []Point{{1, 3}, {2, nan}, {3, 2}}}}}.told(), "b: from 3 MB/s to 2 MB/s, lowest 2 MB/s, highest 3 MB/s"},
		{"dots", Dots{Unit: "µs", Groups: []Group{{Name: "a", Values: []float64{nan}}, {Name: "b", Values: []float64{7}, Median: &nan}}}.told(), "b: 1 run from 7 µs to 7 µs"},
		{"changes", Changes{Rows: []Change{{Name: "a", Text: "+1 %", Interval: &[2]float64{nan, 2}}}}.told(), "a: +1 %"},
		{"no name", Dots{Groups: []Group{{Values: []float64{7, 8}}}}.told(), "2 runs from 7 to 8"},
		{"distribution", Distribution{Unit: "µs", Sides: []Counts{{Name: "a"}}}.told(scale{low: 1, high: 10, log: true}, [][columns]float64{{}}), ""},
	}
	for _, tt := range tests {
		if got := strings.ReplaceAll(strings.Join(tt.got, ". "), nbsp, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestScaleValue holds that value is the reverse of at.
func TestScaleValue(t *testing.T) {
	for _, s := range []scale{{low: 2, high: 9, from: 40, to: 400}, {low: 2, high: 9, from: 400, to: 40}, {low: 0.5, high: 5000, from: 0, to: 110, log: true}} {
		for _, v := range []float64{2, 2.5, 7, 9} {
			if got := s.value(s.at(v)); math.Abs(got-v) > 1e-9*v {
				t.Errorf("%+v: %v comes back as %v", s, v, got)
			}
		}
	}
}
