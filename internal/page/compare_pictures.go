package page

import (
	"fmt"
	"html/template"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/compare"
)

// mostLadders is of how many workloads both sides are drawn over each other.
const mostLadders = 4

// ladderPart has the distribution and the percentiles of both sides, and the
// percentiles as a table.
func ladderPart(c *compare.Comparison) part {
	p := part{Title: "Latency of both sides"}
	before, after := sideLegend(&c.Before, "before"), sideLegend(&c.After, "after")
	for i := range c.Ladders {
		l := &c.Ladders[i]
		if i < mostLadders {
			if hasLatencies(l.Before) || hasLatencies(l.After) {
				p.Charts = append(p.Charts, distribution(l.Label, []side{{before, l.Before}, {after, l.After}}))
			}
			p.Charts = append(p.Charts, ladderOf(l, before, after))
		}
		p.Tables = append(p.Tables, ladderTable(l)...)
	}
	if n := len(c.Ladders); n > mostLadders {
		p.Notes = []string{fmt.Sprintf("Drawn for %d of %d workloads; the tables have all.", mostLadders, n)}
	}
	return p
}

func hasLatencies(h *bench.Histogram) bool { return h != nil && h.Count() > 0 }

func sideLegend(s *compare.Side, name string) string {
	label := strings.Join(s.Labels, ", ")
	if label == name {
		return name
	}
	return join(": ", name, label)
}

func ladderOf(l *compare.Ladder, before, after string) template.HTML {
	c := chart.Ladder{Caption: chart.Caption{Title: l.Label + ": percentiles", Note: "All runs of a side together. The bars are 95\u00a0% intervals.", Empty: "Too few operations for percentiles."}, Unit: "µs"}
	c.Sides = []chart.Steps{{Name: before}, {Name: after}}
	for _, r := range l.Rungs {
		at := percentileOf(r.Percentile)
		for i, s := range []compare.Step{r.Before, r.After} {
			if at == 0 || s.US == nil {
				continue
			}
			step := chart.Step{Percentile: at, Value: *s.US}
			if s.CI95US != nil {
				step.Low, step.High = s.CI95US[0], s.CI95US[1]
			}
			c.Sides[i].List = append(c.Sides[i].List, step)
		}
	}
	return c.HTML()
}

// percentileOf reads a key such as "p999", 0 for what is no percentile.
func percentileOf(key string) float64 {
	switch key {
	case "p50":
		return 50
	case "p90":
		return 90
	case "p99":
		return 99
	case "p999":
		return 99.9
	case "p9999":
		return 99.99
	case "p99999":
		return 99.999
	}
	return 0
}

// rungName writes a key such as "p999" as people do.
func rungName(key string) string {
	if at := percentileOf(key); at != 0 {
		return fmt.Sprintf("p%g", at)
	}
	return key
}

func ladderTable(l *compare.Ladder) []table {
	if len(l.Rungs) == 0 {
		return nil
	}
	t := table{Caption: fmt.Sprintf("%s, %s before and %s after", l.Label, chart.Number(float64(l.BeforeOperations)), counted(l.AfterOperations, "operation", "operations")),
		Head: []string{"percentile", "before", "after", "change"}, Words: 1}
	for _, r := range l.Rungs {
		if r.Before.US != nil || r.After.US != nil {
			t.Rows = append(t.Rows, row{Cells: []string{rungName(r.Percentile), stepText(&r.Before), stepText(&r.After), or(r.ChangePercent, signed)}})
		}
	}
	return []table{t}
}

func stepText(s *compare.Step) string {
	if s.US == nil {
		return absent
	}
	if s.CI95US == nil {
		return micros(*s.US)
	}
	return fmt.Sprintf("%s (%s to %s)", micros(*s.US), chart.Number(s.CI95US[0]), chart.Number(s.CI95US[1]))
}

// mostRunCharts is of how many rows the runs are drawn.
const mostRunCharts = 6

// runCharts draw each run of both sides, of the primary rows.
func runCharts(c *compare.Comparison) []template.HTML {
	var list []template.HTML
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Secondary || len(list) == mostRunCharts || len(r.Before.Values)+len(r.After.Values) == 0 {
			continue
		}
		d := chart.Dots{Caption: chart.Caption{Title: rowName(r) + " of each run", Note: "The line is the median of a side, the grey band its 95\u00a0% interval where there are 6 runs."}, Unit: r.Unit}
		d.Groups = []chart.Group{group(sideLegend(&c.Before, "before"), r.Before.Values, 0), group(sideLegend(&c.After, "after"), r.After.Values, 1)}
		list = append(list, d.HTML())
	}
	return list
}

// sideTable sets both sides beside each other.
func sideTable(c *compare.Comparison) []table {
	t := table{Head: []string{"", "before", "after"}, Words: 3}
	line := func(name, before, after string) {
		if before != "" || after != "" {
			t.Rows = append(t.Rows, row{Cells: []string{name, unlessEmpty(before), unlessEmpty(after)}})
		}
	}
	b, a := &c.Before, &c.After
	line("label", strings.Join(b.Labels, ", "), strings.Join(a.Labels, ", "))
	line("measured", momentsOf(b), momentsOf(a))
	line("results", fmt.Sprint(b.Results), fmt.Sprint(a.Results))
	line("model", b.Model, a.Model)
	line("serial", b.Serial, a.Serial)
	line("firmware", b.Firmware, a.Firmware)
	line("target", b.Target, a.Target)
	x, y := &c.Cost.Before, &c.Cost.After
	line("read by the runs", size(float64(x.BytesRead)), size(float64(y.BytesRead)))
	line("written by the runs", size(float64(x.BytesWritten)), size(float64(y.BytesWritten)))
	line("written before", someSize(x.PreparedBytes), someSize(y.PreparedBytes))
	line("the drive counted, written", sizeOf(x.DriveBytesWritten), sizeOf(y.DriveBytesWritten))
	return []table{t}
}

func unlessEmpty(s string) string {
	if s == "" {
		return absent
	}
	return s
}

func momentsOf(s *compare.Side) string {
	if s.From == s.To {
		return momentOf(s.From)
	}
	return join(" to ", momentOf(s.From), momentOf(s.To))
}

func someSize(n int64) string {
	if n == 0 {
		return ""
	}
	return size(float64(n))
}

func sizeOf(n *uint64) string {
	if n == nil {
		return ""
	}
	return size(float64(*n))
}

// treatmentFacts are what became different in the drive between the sides.
func treatmentFacts(c *compare.Comparison) []fact {
	hours, changes := "", ""
	if h := c.Cost.PowerOnHours; h != nil {
		hours = counted(*h, "power-on hour", "power-on hours")
	}
	if b := c.Cost.Between; b != nil {
		changes = strings.Join(b.Facts, "; ")
	}
	return facts(fact{"time between", hours}, fact{"the drive between", changes})
}
