package protocol

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"qd1.example/qd1/bench/stats"
)

const (
	// alpha is the chance of a false alarm among all rows of a comparison.
	alpha = 0.05
	// power is how often a change is to be found.
	power = 0.8
	// primaryShare is the share of the level that a comparison gives to the rate
	// and the median latency of all workloads together; tails have the rest.
	primaryShare = 0.8
	// mostRuns bounds the search for a number of runs.
	mostRuns = 1000
	// wantedPercent is the change for which a number of runs is given.
	wantedPercent = 1
)

// Level returns the level at which a comparison of so many workloads judges each
// of its two primary figures, a share.
func Level(workloads int) float64 {
	return alpha * primaryShare / float64(2*max(workloads, 1))
}

// Noise is how much a figure differs from run to run, and which change so many
// runs a side can show.
type Noise struct {
	// Metric is "p50", the median latency, or "mb_per_s".
	Metric string `json:"metric"`
	// Runs is how many runs it is known from.
	Runs int `json:"runs"`
	// CVPercent is the coefficient of variation, in percent. It is not below what
	// the step between two figures that can be told apart makes by itself.
	CVPercent float64 `json:"cv_percent"`
	// StepPercent is that step, of the median of the runs. 0: any difference
	// shows.
	StepPercent float64 `json:"step_percent"`
	// PlannedRuns are those of a side of the comparison, DetectablePercent the
	// smallest change that they find in 8 of 10 cases; nil: none, however large.
	PlannedRuns       int      `json:"planned_runs"`
	DetectablePercent *float64 `json:"detectable_percent"`
	// RunsFor1Percent is how many a change of 1 % takes, nil: more than 1000, or
	// the step is larger.
	RunsFor1Percent *int `json:"runs_for_1_percent"`
}

// NoiseOf returns what the values of runs say of their noise, for a comparison of
// so many workloads with so many runs a side. step is the smallest difference that
// two values can have, in their unit, 0 for any: values that are rounded look
// quieter than they are, so that the noise is at least that of rounding, step/√12,
// and no change below step is promised. It is nil for fewer than 2 values, or for
// values that have no coefficient of variation.
func NoiseOf(metric string, values []float64, step float64, planned, workloads int) *Noise {
	middle := math.Abs(stats.Median(values))
	cv := 100 * max(stats.CV(values), step/math.Sqrt(12)/middle)
	if math.IsNaN(cv) || math.IsInf(cv, 0) || len(values) < 2 {
		return nil
	}
	least := 100 * step / middle
	n := &Noise{Metric: metric, Runs: len(values), CVPercent: round(cv), StepPercent: round(least), PlannedRuns: planned}
	level := Level(workloads)
	if least <= wantedPercent {
		n.RunsFor1Percent = runsFor(wantedPercent, cv, level)
	}
	if d := stats.Detectable(planned, cv, level, power); d != nil {
		n.DetectablePercent = new(round(max(*d, least)))
	}
	return n
}

// runsFor returns how many runs a side find a change, nil if 1000 do not. It is
// the answer of [stats.RunsFor] but for the steps of small numbers, in a fraction
// of the time.
func runsFor(change, cv, level float64) *int {
	enough := func(runs int) bool {
		d := stats.Detectable(runs, cv, level, power)
		return d != nil && *d <= change
	}
	least := 2
	for least < mostRuns && stats.LeastP(least, least) > level {
		least++
	}
	most := least
	for !enough(most) {
		if most == mostRuns {
			return nil
		}
		most = min(2*most, mostRuns)
	}
	return new(least + sort.Search(most-least, func(i int) bool { return enough(least + i) }))
}

// String says it in a sentence without a full stop.
func (n *Noise) String() string {
	text := fmt.Sprintf("with %d runs no change can be shown, however large", n.PlannedRuns)
	if d := n.DetectablePercent; d != nil {
		text = fmt.Sprintf("with %d runs a change of %s %% or more will be found in 80 %% of cases", n.PlannedRuns, short(*d))
		if *d <= wantedPercent {
			return text
		}
	}
	switch need := n.RunsFor1Percent; {
	case n.StepPercent > wantedPercent:
		return text + fmt.Sprintf("; the histogram tells medians apart by %s %%", short(n.StepPercent))
	case need == nil:
		return text + fmt.Sprintf("; 1 %% needs more than %d runs", mostRuns)
	default:
		return text + fmt.Sprintf("; 1 %% needs %d runs", *need)
	}
}

// short writes a percentage with 2 digits or as a whole number.
func short(v float64) string {
	if v >= 10 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// round keeps 3 decimals.
func round(v float64) float64 { return math.Round(v*1000) / 1000 }
