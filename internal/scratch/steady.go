package scratch

import "math"

// The rule and the limit of the Performance Test Specification (SNIA, Solid
// State Storage Performance Test Specification 2.0, "Steady State").
const (
	steadyWindow = 5
	steadyRange  = 20.0 // percent of the average
	steadySlope  = 10.0 // percent of the average
	steadyRounds = 25
)

// SteadyRule says when a series of rounds is steady. A zero field has the value
// of the Performance Test Specification.
type SteadyRule struct {
	// Window is the number of rounds that are looked at. 0: 5. At least 2.
	Window int `json:"window"`
	// RangePercent limits the difference of the largest and the smallest value in
	// the window, SlopePercent how much the least-squares line rises or falls
	// over the window, both as a share of the average. 0: 20 and 10.
	RangePercent float64 `json:"range_percent"`
	SlopePercent float64 `json:"slope_percent"`
	// Rounds that are made at most. 0: 25.
	Rounds int `json:"rounds"`
}

// complete fills in the defaults.
func (r SteadyRule) complete() SteadyRule {
	if r.Window < 2 {
		r.Window = steadyWindow
	}
	if r.RangePercent <= 0 {
		r.RangePercent = steadyRange
	}
	if r.SlopePercent <= 0 {
		r.SlopePercent = steadySlope
	}
	if r.Rounds <= 0 {
		r.Rounds = steadyRounds
	}
	return r
}

// Steady looks at the values of rounds as they come. The zero value uses the
// default rule.
type Steady struct {
	Rule   SteadyRule
	values []float64
}

// Window is what the last rounds look like.
type Window struct {
	// Round is the number of rounds so far.
	Round   int     `json:"round"`
	Average float64 `json:"average"`
	// RangePercent and SlopePercent as in [SteadyRule], never negative.
	RangePercent float64 `json:"range_percent"`
	SlopePercent float64 `json:"slope_percent"`
	// Full: there were enough rounds to judge. Steady: both limits are kept.
	Full   bool `json:"full"`
	Steady bool `json:"steady"`
	// Over: no more rounds are to be made, because it is steady or there were as
	// many as allowed.
	Over bool `json:"over"`
}

// Add takes the value of one more round, such as its IOPS, and judges the window
// that ends with it.
func (s *Steady) Add(value float64) Window {
	rule := s.Rule.complete()
	s.values = append(s.values, value)
	w := Window{Round: len(s.values)}
	last := s.values[max(len(s.values)-rule.Window, 0):]
	w.Full = len(last) == rule.Window
	w.measure(last)
	w.Steady = w.Full && w.Average > 0 && w.RangePercent <= rule.RangePercent && w.SlopePercent <= rule.SlopePercent
	w.Over = w.Steady || w.Round >= rule.Rounds
	return w
}

// measure fills in the figures of the values in the window.
func (w *Window) measure(values []float64) {
	n := float64(len(values))
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		w.Average += v / n
		low, high = min(low, v), max(high, v)
	}
	if w.Average <= 0 || n < 2 {
		return
	}
	w.RangePercent = 100 * (high - low) / w.Average
	w.SlopePercent = 100 * math.Abs(slope(values)) * (n - 1) / w.Average
}

// slope returns the rise a round of the least-squares line through values.
func slope(values []float64) float64 {
	middle := float64(len(values)-1) / 2
	var product, square float64
	for i, v := range values {
		x := float64(i) - middle
		product += x * v
		square += x * x
	}
	return product / square
}
