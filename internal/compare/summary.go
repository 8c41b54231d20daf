package compare

import (
	"fmt"
	"slices"
	"strings"
)

// Overall is the answer to the whole comparison.
type Overall string

// The answers. AllBetter and AllWorse say that rows changed in that direction and
// none in the other.
const (
	AllBetter     Overall = "better"
	AllWorse      Overall = "worse"
	Mixed         Overall = "mixed"
	Unchanged     Overall = "no-change"
	Unknown       Overall = "not-enough-runs"
	NotComparable Overall = "not-comparable"
)

// summarize gives the answer in a word and in a sentence.
func (c *Comparison) summarize() {
	better, worse := c.changed(Better), c.changed(Worse)
	switch {
	case len(c.Rows) == 0:
		c.Overall, c.Summary = NotComparable, "there is no workload that both sides have"
	case c.allBlocked():
		c.Overall = NotComparable
		blocked := c.Rows[0].BlockedBy
		c.Summary = "not comparable: " + enumerate(blocked) + " " + differ(len(blocked))
	case len(better) > 0 && len(worse) > 0:
		c.Overall = Mixed
		c.Summary = "better: " + enumerate(better) + "; worse: " + enumerate(worse)
	case len(better) > 0:
		c.Overall, c.Summary = AllBetter, "better: "+enumerate(better)
	case len(worse) > 0:
		c.Overall, c.Summary = AllWorse, "worse: "+enumerate(worse)
	case c.primary(NoChange):
		c.Overall = Unchanged
		c.Summary = fmt.Sprintf("no change of %s %% or more", number(c.MinEffectPercent))
	default:
		c.Overall, c.Summary = Unknown, c.wanting()
	}
}

func (c *Comparison) allBlocked() bool {
	return !slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Verdict != nil })
}

// changed writes the rows with a verdict.
func (c *Comparison) changed(v Verdict) []string {
	var list []string
	for _, r := range c.Rows {
		if r.Verdict != nil && *r.Verdict == v {
			list = append(list, fmt.Sprintf("%s %s %s", r.Label, metricName(r.Metric), percent(*r.ChangePercent)))
		}
	}
	return list
}

// metricName is a metric as people write it.
func metricName(metric string) string {
	switch metric {
	case "iops":
		return "IOPS"
	case "mb_per_s":
		return "MB/s"
	case "latency_p999":
		return "p99.9"
	}
	return strings.TrimPrefix(metric, "latency_")
}

// primary reports whether all rows that are judged and are no tails have a
// verdict.
func (c *Comparison) primary(v Verdict) bool {
	return !slices.ContainsFunc(c.Rows, func(r Row) bool { return !r.Secondary && r.Verdict != nil && *r.Verdict != v })
}

// wanting says how many figures are open, and what it takes.
func (c *Comparison) wanting() string {
	open, needed := 0, 0
	var example *Row
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Secondary || r.Verdict == nil || *r.Verdict != NotEnoughRuns {
			continue
		}
		open++
		if r.RunsNeeded != nil && *r.RunsNeeded > needed {
			needed, example = *r.RunsNeeded, r
		}
	}
	text := fmt.Sprintf("not enough runs to tell in %s", plural(open, "figure"))
	if example != nil {
		text += fmt.Sprintf(": %d before and %d after, and it takes about %d a side", example.Before.N, example.After.N, needed)
	}
	return text
}
