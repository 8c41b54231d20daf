package compare

import (
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart/drivedb"
)

// Schema is the name and version of the JSON object of a Comparison.
const Schema = "qd1.compare/1"

// AdvisedRuns is how many runs a side are worth making: the fewest with which a
// change can be found in a profile of several workloads.
const AdvisedRuns = 6

// The defaults of Options.
const (
	DefaultMinEffectPercent = 2
	DefaultConfidence       = 0.95
)

// Options are the choices of Bench.
type Options struct {
	// MinEffectPercent is the change that matters. 0: 2.
	MinEffectPercent float64
	// Confidence is a share. 0: 0.95.
	Confidence float64
	// Changed names the differences that are the point of the comparison, such as
	// "firmware": Comparison.Names has those that there are. They do not block it.
	Changed []string
	// Models is the drive database, nil for the built-in one.
	Models *drivedb.DB
}

// withDefaults fills in what is not given.
func (o Options) withDefaults() Options {
	if o.MinEffectPercent == 0 {
		o.MinEffectPercent = DefaultMinEffectPercent
	}
	if o.Confidence == 0 {
		o.Confidence = DefaultConfidence
	}
	if o.Models == nil {
		o.Models = drivedb.Builtin()
	}
	return o
}

// alpha is the level of all verdicts together.
func (o Options) alpha() float64 { return 1 - o.Confidence }

// Comparison is two sides of benchmarks beside each other.
type Comparison struct {
	Schema string      `json:"schema"`
	Tool   report.Tool `json:"tool"`
	// Time is when the comparison was made; both are for the caller.
	Time string `json:"time"`

	Before Side `json:"before"`
	After  Side `json:"after"`
	// Overall and Summary are the answer in a word and in a sentence.
	Overall Overall `json:"overall"`
	Summary string  `json:"summary"`
	// BlockedBy are the differences for which there is no verdict.
	BlockedBy   []string     `json:"blocked_by"`
	Differences []Difference `json:"differences"`
	// Warnings are sentences on what makes the figures other than they look.
	Warnings []string `json:"warnings"`

	MinEffectPercent  float64 `json:"min_effect_percent"`
	ConfidencePercent float64 `json:"confidence_percent"`
	// Rows has a row for each metric of each workload that both sides have.
	Rows []Row `json:"rows"`
	// Ladders are the percentiles of each workload.
	Ladders []Ladder `json:"ladders"`
	// OneSided are the workloads that one side alone has.
	OneSided []OneSided `json:"one_sided"`
	// Attributions say of each workload that changed whether it is the host's
	// doing or the drive's.
	Attributions []Attribution `json:"attributions"`
	// Doubts are figures that cannot be those of the drive.
	Doubts []Doubt `json:"doubts"`
	Cost   Cost    `json:"cost"`
}

// OneSided is a workload that cannot be compared.
type OneSided struct {
	Label string `json:"label"`
	// Side is the one that has it: "before" or "after".
	Side string `json:"side"`
	// Reason says what the other one has.
	Reason string `json:"reason"`
}

// The names of the sides.
const (
	before = "before"
	after  = "after"
)

// Bench compares two sets of benchmarks. Each result is a run, and workloads
// are matched by the label of their row. It never fails: what cannot be said
// stands there with its reason.
func Bench(beforeReports, afterReports []*report.BenchReport, o Options) *Comparison {
	o = o.withDefaults()
	b, a := gather(before, beforeReports), gather(after, afterReports)
	c := &Comparison{
		Schema: Schema, Before: b.describe(), After: a.describe(),
		MinEffectPercent: o.MinEffectPercent, ConfidencePercent: round(100 * o.Confidence),
		Warnings: append(b.warnings(), a.warnings()...),
	}
	if c.After.To != "" && c.After.To < c.Before.From {
		c.Warnings = append(c.Warnings, "what stands as before was measured after the other: better and worse are the other way round in time")
	}
	c.Differences = differences(b, a, o.Changed)
	c.BlockedBy = blocking(c.Differences)
	pairs, lonely := match(b, a)
	c.OneSided = lonely
	c.Doubts = append(b.doubts(o.Models), a.doubts(o.Models)...)
	c.Rows = rowsOf(pairs, c.BlockedBy, o)
	c.markDoubtful()
	c.Ladders = ladders(pairs)
	c.Attributions = attributions(pairs, c.Rows, c.Differences, selfChange(b, a))
	c.Cost = costOf(b, a)
	c.summarize()
	return c
}

// Names returns what differs, conditions first and then parameters of workloads,
// each once: what Options.Changed may name.
func (c *Comparison) Names() []string {
	names := []string{}
	for _, d := range c.Differences {
		names = appendOnce(names, d.What)
	}
	for _, r := range c.Rows {
		for _, d := range r.BlockedBy {
			names = appendOnce(names, nameOf(d))
		}
	}
	return names
}

// pair is a workload that both sides have.
type pair struct {
	before, after *load
}

// match finds the workloads of both sides, in the order of the first.
func match(b, a *side) (pairs []pair, lonely []OneSided) {
	lonely = []OneSided{}
	for _, l := range b.loads {
		other := a.load(l.key)
		if other != nil && len(l.runs) > 0 && len(other.runs) > 0 {
			pairs = append(pairs, pair{l, other})
			continue
		}
		lonely = append(lonely, alone(l, other, before, after))
	}
	for _, l := range a.loads {
		if b.load(l.key) == nil {
			lonely = append(lonely, alone(l, nil, after, before))
		}
	}
	return pairs, lonely
}

// alone says why l, which mine has, is not compared.
func alone(l, other *load, mine, theirs string) OneSided {
	switch {
	case other == nil:
		return OneSided{l.label, mine, "there is no such row " + theirs}
	case len(l.runs) > 0:
		return OneSided{l.label, mine, "no run " + theirs + " went to its end"}
	case len(other.runs) > 0:
		return OneSided{l.label, theirs, "no run " + mine + " went to its end"}
	}
	return OneSided{l.label, mine, "no run of either side went to its end"}
}
