package protocol

import (
	"math"

	"qd1.example/qd1/bench/stats"
)

// Control is the outcome of runs of one workload under two names (A/A).
type Control struct {
	// Row and Of are the indices of the control and of the row that it repeats.
	Row int `json:"row"`
	Of  int `json:"of"`
	// Metric is as in a [Noise], Runs the number of runs a side.
	Metric string `json:"metric"`
	Runs   int    `json:"runs"`
	// ChangePercent is by how much the control is larger, CI95Percent its
	// interval; nil for too few runs.
	ChangePercent *float64    `json:"change_percent"`
	CI95Percent   *[2]float64 `json:"ci95_percent"`
	// P is that of the test of Mann and Whitney.
	P *float64 `json:"p"`
	// Verdict is "alike", "differs" or "not enough runs".
	Verdict string `json:"verdict"`
}

// The verdicts of a control.
const (
	Alike         = "alike"
	Differs       = "differs"
	NotEnoughRuns = "not enough runs"
)

// ControlOf compares the runs of a row with those of its control, nil if one of
// them has none.
func ControlOf(metric string, runs, control []float64) *Control {
	s := stats.Compare(runs, control, stats.Question{})
	if s == nil {
		return nil
	}
	n := min(len(runs), len(control))
	c := &Control{Metric: metric, Runs: n, Verdict: Alike}
	if p := s.ChangePercent; p != nil {
		c.ChangePercent = new(round(*p))
	}
	if ci := s.ChangeCI; ci != nil {
		c.CI95Percent = &[2]float64{round(ci.Low), round(ci.High)}
	}
	c.P = new(math.Round(s.Test.P*1e6) / 1e6)
	switch {
	case stats.LeastP(len(runs), len(control)) > alpha:
		c.Verdict = NotEnoughRuns
	case s.Test.P <= alpha:
		c.Verdict = Differs
	}
	return c
}
