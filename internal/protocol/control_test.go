package protocol

import (
	"testing"
)

func TestControlOf(t *testing.T) {
	runs := []float64{100, 101, 99, 100.5, 99.5, 100.2}
	for _, tt := range []struct {
		name          string
		runs, control []float64
		verdict       string
		low, high     float64
	}{
		{"alike", runs, []float64{100.1, 100.9, 99.2, 100.4, 99.6, 100.3}, Alike, -2, 2},
		{"slower", runs, []float64{105, 106, 104, 105.5, 104.5, 105.2}, Differs, 3, 7},
		{"faster", runs, []float64{95, 96, 94, 95.5, 94.5, 95.2}, Differs, -7, -3},
		{"too few", runs[:3], []float64{200, 201, 202}, NotEnoughRuns, 90, 110},
	} {
		c := ControlOf("latency_p50", tt.runs, tt.control)
		if c == nil || c.Verdict != tt.verdict || c.ChangePercent == nil || *c.ChangePercent < tt.low || *c.ChangePercent > tt.high {
			t.Errorf("%s: got %+v, want %s", tt.name, c, tt.verdict)
			continue
		}
		if c.Runs != len(tt.control) || c.Metric != "latency_p50" || c.P == nil {
			t.Errorf("%s: got %+v", tt.name, c)
		}
		if few := tt.verdict == NotEnoughRuns; few != (c.CI95Percent == nil) {
			t.Errorf("%s: the interval is %v", tt.name, c.CI95Percent)
		}
	}
	if c := ControlOf("", runs, nil); c != nil {
		t.Errorf("without runs: %+v", c)
	}
	if c := ControlOf("", []float64{0, 1, 2, 3}, runs); c == nil || c.ChangePercent != nil {
		t.Errorf("a value of 0: %+v", c)
	}
}
