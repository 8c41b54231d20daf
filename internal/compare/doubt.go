package compare

import (
	"fmt"
	"slices"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart/drivedb"
)

// The rules of doubt.
const (
	// RuleRated: the figure is so far from the rated one that something else
	// than the drive was measured.
	RuleRated = "rated"
	// RuleLatency: one operation takes more than five times the rated latency.
	// The software between takes a few µs, not tens of them.
	RuleLatency = "rated-latency"
	// RuleDepth: many operations in flight are no faster than one.
	RuleDepth = "depth-without-gain"
)

const (
	// slowLatencyPercent is the share of the rated speed of one operation.
	slowLatencyPercent = 20
	// deep is how many in flight must be faster than one, and depthGain by which
	// factor at least.
	deep      = 8
	depthGain = 1.05
)

// Doubt is a figure that cannot be that of the drive.
type Doubt struct {
	Label string `json:"label"`
	// Side is "before" or "after".
	Side string `json:"side"`
	Rule string `json:"rule"`
	// Rated is the comparison with the maker's figure, nil for a rule without
	// it.
	Rated *profile.Comparison `json:"rated"`
	Text  string              `json:"text"`
}

// doubts looks at each workload of a side, and at them together.
func (s *side) doubts(models *drivedb.DB) []Doubt {
	list := []Doubt{}
	rated := s.rated(models)
	for _, l := range s.loads {
		if len(l.runs) == 0 || host(l) {
			continue
		}
		if d := l.againstRated(rated, s.name); d != nil {
			list = append(list, *d)
		}
		if d := s.withoutGain(l); d != nil {
			list = append(list, *d)
		}
	}
	return list
}

// rated is what the maker states of the drive.
func (s *side) rated(models *drivedb.DB) profile.Rated {
	if len(s.reports) == 0 {
		return profile.Rated{}
	}
	e := models.Lookup(model(s.reports[0]))
	if e == nil {
		return profile.Rated{}
	}
	return profile.Rated{
		ReadMBs: e.RatedSeqReadMBs, WriteMBs: e.RatedSeqWriteMBs, ReadIOPS: e.RatedReadIOPS, WriteIOPS: e.RatedWriteIOPS,
		ReadLatencyUS: e.RatedReadLatencyUS, WriteLatencyUS: e.RatedWriteLatencyUS,
	}
}

// figure is what the runs of a workload come to, with the time of one operation
// from the rate where only that is known.
func (l *load) figure() *profile.Figure {
	iops := *l.median(func(r *report.BenchResult) *float64 { return new(l.iops(r)) })
	f := &profile.Figure{
		Runs: len(l.runs), IOPS: iops, MBPerS: *l.median(func(r *report.BenchResult) *float64 { return new(l.rate(r)) }),
		LatencyUS: l.median(func(r *report.BenchResult) *float64 { return r.Latency.P50 }),
	}
	if f.LatencyUS == nil && l.inFlight() == 1 && iops > 0 {
		f.LatencyUS = new(round(1e6 / iops))
	}
	return f
}

// againstRated sets a workload beside what the maker states.
func (l *load) againstRated(rated profile.Rated, side string) *Doubt {
	c := rated.Compare(l.job, l.figure())
	if c == nil {
		return nil
	}
	d := &Doubt{Label: l.label, Side: side, Rule: RuleRated, Rated: c}
	latency := c.Figure == profile.RatedReadLatency || c.Figure == profile.RatedWriteLatency
	switch {
	case c.Plausibility == profile.AboveRated:
		d.Text = l.beside(c) + ": faster than the drive is by itself; a cache, or blocks that were never written, may have answered"
	case c.Plausibility == profile.HostLimited:
		d.Text = l.beside(c) + ": the set-up was measured and not the drive; look at the write cache, the driver, the file system"
	case latency && c.Percent < slowLatencyPercent:
		d.Rule = RuleLatency
		d.Text = l.beside(c) + ": software takes a few µs of that, so that something else holds the drive up"
	default:
		return nil
	}
	return d
}

// beside writes the figure and the rated one.
func (l *load) beside(c *profile.Comparison) string {
	unit := map[profile.RatedFigure]string{
		profile.RatedReadMBs: "MB/s", profile.RatedWriteMBs: "MB/s", profile.RatedReadIOPS: "IOPS", profile.RatedWriteIOPS: "IOPS",
		profile.RatedReadLatency: "µs", profile.RatedWriteLatency: "µs",
	}[c.Figure]
	return fmt.Sprintf("%s %s, %s %% of the speed of the rated %s %s", number(c.Measured), unit, number(c.Percent), number(c.Rated), unit)
}

// withoutGain compares a random workload of many in flight with the same one of
// one in flight.
func (s *side) withoutGain(l *load) *Doubt {
	if l.job.Pattern != bench.Random || l.inFlight() < deep || l.job.Rate > 0 {
		return nil
	}
	i := slices.IndexFunc(s.loads, func(o *load) bool {
		return len(o.runs) > 0 && !host(o) && o.inFlight() == 1 && o.job.ThinkTime == 0 && o.job.Rate == 0 &&
			o.job.Op == l.job.Op && o.job.Pattern == l.job.Pattern && o.job.BlockBytes == l.job.BlockBytes
	})
	if i < 0 {
		return nil
	}
	many, one := l.figure(), s.loads[i].figure()
	if many.IOPS > depthGain*one.IOPS {
		return nil
	}
	return &Doubt{Label: l.label, Side: s.name, Rule: RuleDepth, Text: fmt.Sprintf(
		"%d in flight reach %s IOPS and one alone %s: a drive works on several at a time, so that something before it does them one by one",
		l.inFlight(), number(many.IOPS), number(one.IOPS))}
}

// host reports whether a workload never reaches a drive.
func host(l *load) bool { return l.job.Engine == bench.EngineNull || l.job.Engine == bench.EngineRAM }

// markDoubtful marks the rows whose workload has a doubt.
func (c *Comparison) markDoubtful() {
	for i := range c.Rows {
		c.Rows[i].Doubtful = slices.ContainsFunc(c.Doubts, func(d Doubt) bool { return d.Label == c.Rows[i].Label })
	}
}
