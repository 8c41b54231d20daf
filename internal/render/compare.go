package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
)

// Compare writes a comparison: the answer, what else changed, every figure with
// its verdict, and then what explains them.
func Compare(w io.Writer, c *compare.Comparison, style Style) error {
	p := &page{style: style.english()}
	p.banner(c.Before.Simulated || c.After.Simulated)
	word := overallPiece(c.Overall)
	p.heading(word, piece{Plain, strings.TrimLeft(strings.TrimPrefix(c.Summary, strings.ToLower(word.text)), ": ")})
	p.labelled(Dim, "before", sideText(&c.Before))
	p.labelled(Dim, "after", sideText(&c.After))
	p.differences(c)
	p.compared(c)
	p.ladders(c.Ladders)
	p.attributions(c.Attributions)
	p.doubts(c.Doubts)
	p.oneSided(c.OneSided)
	p.title("What it cost")
	p.table(costPairs(&c.Cost))
	return p.writeTo(w)
}

func overallPiece(o compare.Overall) piece {
	switch o {
	case compare.AllBetter:
		return piece{Good, "BETTER"}
	case compare.AllWorse:
		return piece{Bad, "WORSE"}
	case compare.Mixed:
		return piece{Warn, "BETTER AND WORSE"}
	case compare.Unchanged:
		return piece{Strong, "NO CHANGE"}
	case compare.Unknown:
		return piece{Warn, "NOT ENOUGH RUNS"}
	}
	return piece{Warn, "NOT COMPARABLE"}
}

// sideText says what one side is of.
func sideText(s *compare.Side) string {
	labels := ""
	if len(s.Labels) > 0 {
		labels = "“" + strings.Join(s.Labels, "”, “") + "”"
	}
	when := toSecond(s.From)
	if to := toSecond(s.To); to != when {
		when = join(" to ", when, to)
	}
	target := s.Target
	if target == s.Model {
		target = ""
	}
	return join(" · ", labels, s.Model, prefixed("serial ", s.Serial), prefixed("firmware ", s.Firmware), target, resultCount(s.Results), when)
}

// toSecond leaves out the fraction of a second.
func toSecond(moment string) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return moment
	}
	return t.Format(time.RFC3339)
}

func resultCount(n int) string {
	if n == 1 {
		return "1" + nbsp + "result"
	}
	return strconv.Itoa(n) + nbsp + "results"
}

// differences writes what changed beside the figures, what blocks first.
func (p *page) differences(c *compare.Comparison) {
	p.title("What else changed")
	if len(c.Differences) == 0 {
		p.note("Nothing that is known.")
	}
	for i := range c.Differences {
		role, label, text := differenceText(&c.Differences[i])
		p.labelled(role, label, text)
	}
	for _, text := range c.Warnings {
		p.labelled(Warn, "warning", text)
	}
	if len(c.BlockedBy) > 0 {
		p.labelled(Strong, "next", "make both sides alike and measure again; or, if that is what was changed on purpose, say so: --changed '"+strings.Join(c.BlockedBy, ",")+"'")
	}
}

func differenceText(d *compare.Difference) (Role, string, string) {
	text := fmt.Sprintf("%s: %s, then %s", d.What, deref(d.Before, "not known"), deref(d.After, "not known"))
	if d.Within != "" {
		text = fmt.Sprintf("%s: %s and %s among the results %s", d.What, deref(d.Before, "not known"), deref(d.After, "not known"), d.Within)
	}
	switch {
	case d.Changed:
		return Strong, "changed", text + ", on purpose"
	case d.Severity == conditions.Blocks:
		return Bad, "blocks", text
	}
	return Dim, "note", text
}
