package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/stats"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
)

// startTemperature is the name that package conditions gives to the one
// condition that is a number with a tolerance.
const startTemperature = "composite temperature at the start in °C"

// Difference is one thing in which the sides differ beside the figures.
type Difference struct {
	conditions.Difference
	// Within names the side whose own results differ: before and after are then
	// two of its values. "": the sides differ from each other.
	Within string `json:"within,omitempty"`
	// Changed says that it was changed on purpose and does not block.
	Changed bool `json:"changed,omitempty"`
}

// differences lists what differs between the sides and within each, what blocks
// first.
func differences(b, a *side, changed []string) []Difference {
	list := []Difference{}
	if len(b.reports) > 0 && len(a.reports) > 0 {
		for _, d := range between(b, a) {
			list = append(list, Difference{Difference: d})
		}
	}
	list = append(list, b.within()...)
	list = append(list, a.within()...)
	for i := range list {
		list[i].Changed = slices.Contains(changed, list[i].What)
	}
	slices.SortStableFunc(list, func(x, y Difference) int { return cmp.Compare(rank(x), rank(y)) })
	return list
}

func rank(d Difference) int {
	switch {
	case d.blocks():
		return 0
	case d.Changed:
		return 1
	}
	return 2
}

func (d Difference) blocks() bool { return d.Severity == conditions.Blocks && !d.Changed }

// blocking names what blocks, each thing once.
func blocking(list []Difference) []string {
	names := []string{}
	for _, d := range list {
		if d.blocks() {
			names = appendOnce(names, d.What)
		}
	}
	return names
}

// between compares the first result of each side, with the temperature at the
// start as the median of the side.
func between(b, a *side) []conditions.Difference {
	was, is := b.reports[0], a.reports[0]
	list := own(was, is)
	return append(list, conditions.Differences(b.typical(), a.typical())...)
}

// own compares what is no condition of the host or of the drive. What is known
// on one side only is a note.
func own(was, is *report.BenchReport) []conditions.Difference {
	list := []conditions.Difference{}
	add := func(what, x, y string, s conditions.Severity) {
		if x == "" || y == "" {
			s = conditions.Notes
		}
		if x != y {
			list = append(list, conditions.Difference{What: what, Before: notEmpty(x), After: notEmpty(y), Severity: s})
		}
	}
	add("simulated", yes(was.Simulated), yes(is.Simulated), conditions.Blocks)
	add("model", model(was), model(is), conditions.Blocks)
	add("target", was.Target.Name, is.Target.Name, conditions.Notes)
	add("length of a run", runLength(was), runLength(is), conditions.Notes)
	add("version of qd1", was.Tool.Version, is.Tool.Version, conditions.Notes)
	return list
}

// runLength is what ends the first run of a result.
func runLength(r *report.BenchReport) string {
	if len(r.Rows) == 0 {
		return ""
	}
	var limits []string
	job := r.Rows[0].Job
	if job.Duration > 0 {
		limits = append(limits, number(job.Duration.Seconds())+" s")
	}
	if job.Operations > 0 {
		limits = append(limits, fmt.Sprintf("%d operations", job.Operations))
	}
	if job.TotalBytes > 0 {
		limits = append(limits, fmt.Sprintf("%d bytes", job.TotalBytes))
	}
	return strings.Join(limits, " or ")
}

func model(r *report.BenchReport) string {
	if r.Drive == nil {
		return ""
	}
	return r.Drive.Model
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func notEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// typical are the conditions of the first result with the median temperature.
func (s *side) typical() conditions.Conditions {
	c := s.reports[0].Conditions.Conditions
	var celsius []float64
	for _, r := range s.reports {
		if t := started(r); t != nil {
			celsius = append(celsius, float64(*t))
		}
	}
	if len(celsius) == 0 || started(s.reports[0]) == nil {
		return c
	}
	state, health := *c.Before, *c.Before.Health
	health.Celsius = new(int(stats.Median(celsius) + 0.5))
	state.Health = &health
	c.Before = &state
	return c
}

// started returns the temperature at the start, nil if it is not known.
func started(r *report.BenchReport) *int {
	if d := r.Conditions.Before; d != nil && d.Health != nil {
		return d.Health.Celsius
	}
	return nil
}

// within lists in what the results of one side differ from its first. A spread
// of the temperature is noise, which the runs show by themselves.
func (s *side) within() []Difference {
	var list []Difference
	seen := map[string]bool{}
	for _, r := range s.reports[min(1, len(s.reports)):] {
		first := s.reports[0]
		for _, d := range append(own(first, r), conditions.Differences(first.Conditions.Conditions, r.Conditions.Conditions)...) {
			if seen[d.What] {
				continue
			}
			seen[d.What] = true
			if d.What == startTemperature {
				d.Severity = conditions.Notes
			}
			list = append(list, Difference{Difference: d, Within: s.name})
		}
	}
	return list
}

// jobDifferences names in what two workloads are not the same. How long they run
// and where their random numbers begin is no part of it.
func jobDifferences(a, b bench.Job) []string {
	var list []string
	add := func(what string, x, y any) {
		if x != y {
			list = append(list, fmt.Sprintf("%s (%v, %v)", what, x, y))
		}
	}
	add("operation", a.Op, b.Op)
	add("pattern", a.Pattern, b.Pattern)
	add("block size in bytes", a.BlockBytes, b.BlockBytes)
	add("queue depth", a.QueueDepth, b.QueueDepth)
	add("workers", a.Workers, b.Workers)
	add("engine", a.Engine, b.Engine)
	add("share of reads", a.ReadPercent, b.ReadPercent)
	add("content", a.Content, b.Content)
	add("rate", a.Rate, b.Rate)
	add("pause", a.ThinkTime, b.ThinkTime)
	add("batch", a.Batch, b.Batch)
	add("polling", [2]bool{a.IOPoll, a.SQPoll}, [2]bool{b.IOPoll, b.SQPoll})
	add("first byte", a.Start, b.Start)
	add("span in bytes", a.Span, b.Span)
	return list
}
