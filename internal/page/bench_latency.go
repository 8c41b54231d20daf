package page

import (
	"fmt"
	"html/template"
	"slices"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/report"
)

// mostPictured is of how many rows the latency is drawn, so that a profile of
// a hundred rows stays a page.
const mostPictured = 4

// bins are the latencies of a histogram in µs.
func bins(h *bench.Histogram) []chart.Bin {
	var list []chart.Bin
	if h == nil {
		return nil
	}
	for b := range h.Buckets() {
		list = append(list, chart.Bin{Low: float64(b.Low) / 1000, High: float64(b.High) / 1000, Count: float64(b.Count)})
	}
	return list
}

// window is the stretch of the axis that holds 99 % of the operations of every
// side, and some room beyond. The slowest are far away; a ladder shows them.
func window(all ...*bench.Histogram) (low, high float64) {
	for _, h := range all {
		if h == nil || h.Count() == 0 {
			continue
		}
		from, to := float64(h.Quantile(0.0005))/1000, float64(h.Quantile(0.99))/1000
		if low == 0 || from < low {
			low = from
		}
		high = max(high, to)
	}
	return low / 1.05, high * 1.25
}

// merged adds the histograms of the runs of a row; nil if there is none.
func merged(b *report.BenchReport, index int) *bench.Histogram {
	var sum *bench.Histogram
	for i := range b.Results {
		if r := &b.Results[i]; r.Row == index && r.Histogram != nil {
			if sum == nil {
				sum = &bench.Histogram{}
			}
			sum.Merge(r.Histogram)
		}
	}
	return sum
}

// pictured are the rows whose latency is drawn: those that people feel first,
// 4 KiB one at a time, then the others in order.
func pictured(b *report.BenchReport) []int {
	var first, rest []int
	for i := range b.Rows {
		switch f := profile.RatedFigureOf(b.Rows[i].Job); {
		case merged(b, i) == nil:
		case f == profile.RatedReadLatency || f == profile.RatedWriteLatency:
			first = append(first, i)
		default:
			rest = append(rest, i)
		}
	}
	list := append(first, rest...)
	return list[:min(len(list), mostPictured)]
}

// latencyPart has the distribution and the percentiles of the latency.
func latencyPart(b *report.BenchReport) part {
	p := part{Title: "Latency"}
	rows := pictured(b)
	for _, i := range rows {
		h := merged(b, i)
		p.Charts = append(p.Charts, distribution(b.Rows[i].Label, []side{{"", h}}), ladder(b, i, h))
	}
	if len(b.Rows) > len(rows) && len(rows) > 0 {
		p.Notes = []string{fmt.Sprintf("Drawn for %d of %d rows: those of 4 KiB one at a time first.", len(rows), len(b.Rows))}
	}
	return p
}

// side is a histogram with the name of its side.
type side struct {
	name string
	h    *bench.Histogram
}

// distribution draws one histogram, or several overlaid.
func distribution(title string, sides []side) template.HTML {
	c := chart.Distribution{Caption: chart.Caption{Title: title + ": how often which latency", Empty: "No latencies were kept."}, Unit: "µs"}
	var all []*bench.Histogram
	for _, s := range sides {
		all = append(all, s.h)
		c.Sides = append(c.Sides, chart.Counts{Name: s.name, Bins: bins(s.h)})
	}
	c.Low, c.High = window(all...)
	for _, s := range sides {
		if s.h == nil || s.h.Count() == 0 {
			continue
		}
		c.Note = join(" ", c.Note, distributionNote(s, c.High))
		if p50 := float64(s.h.Quantile(0.5)) / 1000; len(sides) == 1 {
			c.Marks = []chart.Mark{{At: p50, Text: "median " + micros(p50)}}
			if p99 := bench.LatencyOf(s.h).P99; p99 != nil {
				c.Marks = append(c.Marks, chart.Mark{At: *p99, Text: "p99 " + micros(*p99)})
			}
		}
	}
	return c.HTML()
}

// distributionNote says how much was counted, and what lies beyond the right
// end.
func distributionNote(s side, high float64) string {
	beyond := int64(0)
	for b := range s.h.Buckets() {
		if float64(b.Low)/1000 > high {
			beyond += b.Count
		}
	}
	text := counted(s.h.Count(), "operation", "operations")
	if s.name != "" {
		text = s.name + ": " + text
	}
	if beyond > 0 {
		text += fmt.Sprintf(", %s of them slower than drawn, up to %s", chart.Number(float64(beyond)), micros(float64(s.h.Max())/1000))
	}
	return text + "."
}

// rank is a percentile of a ladder, with where a result keeps it.
type rank struct {
	at    float64
	value func(*bench.Latency) *float64
	ci    func(*bench.LatencyIntervals) *[2]float64
}

// ranks are the percentiles of a ladder.
func ranks() []rank {
	return []rank{
		{50, func(l *bench.Latency) *float64 { return l.P50 }, func(c *bench.LatencyIntervals) *[2]float64 { return c.P50 }},
		{90, func(l *bench.Latency) *float64 { return l.P90 }, func(c *bench.LatencyIntervals) *[2]float64 { return c.P90 }},
		{99, func(l *bench.Latency) *float64 { return l.P99 }, func(c *bench.LatencyIntervals) *[2]float64 { return c.P99 }},
		{99.9, func(l *bench.Latency) *float64 { return l.P999 }, func(c *bench.LatencyIntervals) *[2]float64 { return c.P999 }},
		{99.99, func(l *bench.Latency) *float64 { return l.P9999 }, func(c *bench.LatencyIntervals) *[2]float64 { return c.P9999 }},
	}
}

// ladder draws the percentiles of a row: of all runs together, and the bars from
// the fastest run to the slowest one, or of a single run its interval.
func ladder(b *report.BenchReport, index int, h *bench.Histogram) template.HTML {
	all := bench.LatencyOf(h)
	var runs []*report.BenchResult
	for i := range b.Results {
		if b.Results[i].Row == index {
			runs = append(runs, &b.Results[i])
		}
	}
	c := chart.Ladder{Caption: chart.Caption{Title: b.Rows[index].Label + ": percentiles", Note: ladderNote(&all, len(runs)), Empty: "Too few operations for percentiles."}, Unit: "µs"}
	var steps []chart.Step
	for _, p := range ranks() {
		v := p.value(&all)
		if v == nil {
			continue
		}
		s := chart.Step{Percentile: p.at, Value: *v}
		if len(runs) == 1 {
			if ci := p.ci(&runs[0].LatencyCI95); ci != nil {
				s.Low, s.High = ci[0], ci[1]
			}
		} else {
			s.Low, s.High = between(runs, p.value)
		}
		steps = append(steps, s)
	}
	c.Sides = []chart.Steps{{Name: b.Rows[index].Label, List: steps}}
	return c.HTML()
}

// between returns the lowest and the highest value of the runs, 0 and 0 unless
// all have it.
func between(runs []*report.BenchResult, value func(*bench.Latency) *float64) (low, high float64) {
	var all []float64
	for _, r := range runs {
		v := value(&r.Latency)
		if v == nil {
			return 0, 0
		}
		all = append(all, *v)
	}
	if len(all) == 0 {
		return 0, 0
	}
	return slices.Min(all), slices.Max(all)
}

func ladderNote(l *bench.Latency, runs int) string {
	var parts []string
	for _, p := range ranks() {
		if v := p.value(l); v != nil {
			parts = append(parts, fmt.Sprintf("p%g %s", p.at, micros(*v)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	how := "The bars are 95\u00a0% intervals."
	if runs > 1 {
		how = fmt.Sprintf("All %d runs together; the bars reach from the lowest run to the highest.", runs)
	}
	return join(" · ", parts...) + ". " + how
}
