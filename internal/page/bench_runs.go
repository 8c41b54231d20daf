package page

import (
	"fmt"
	"html/template"

	"qd1.example/qd1/bench/stats"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/report"
)

// runsPart shows every run, so that their spread is seen.
func runsPart(b *report.BenchReport) part {
	p := part{Title: "The runs", Findings: controlFinding(b), Facts: spreadFacts(b)}
	if len(b.Rows) == 1 {
		p.Charts = runsOfOne(b)
		p.Tables = runsTable(b)
		return p
	}
	c := chart.Dots{Caption: chart.Caption{Title: "Each run beside the median of its row", Note: "In IOPS. A row whose points lie apart needs more runs before a difference means anything."}, Unit: "% of the median"}
	for i := range b.Rows {
		values := runValues(b, i, func(r *report.BenchResult) *float64 { return &r.IOPS })
		if m := stats.Median(values); len(values) > 1 && m > 0 {
			for k := range values {
				values[k] *= 100 / m
			}
			c.Groups = append(c.Groups, group(b.Rows[i].Label, values, colour(b.Rows[i].Job.Op)))
		}
	}
	if len(c.Groups) > 0 && len(c.Groups) <= mostGroups {
		p.Charts = []template.HTML{c.HTML()}
	}
	return p
}

// mostGroups is how many rows the picture of the runs has room for.
const mostGroups = 24

func runValues(b *report.BenchReport, index int, value func(*report.BenchResult) *float64) []float64 {
	var list []float64
	for i := range b.Results {
		if r := &b.Results[i]; r.Row == index {
			if v := value(r); v != nil {
				list = append(list, *v)
			}
		}
	}
	return list
}

// group is a set of runs with its median and the interval of that.
func group(name string, values []float64, side int) chart.Group {
	g := chart.Group{Name: name, Values: values, Side: side}
	if s := stats.Summarize(values); s != nil {
		g.Median = &s.Median
		if ci := s.MedianCI95; ci != nil {
			g.Interval = &[2]float64{ci.Low, ci.High}
		}
	}
	return g
}

func runsOfOne(b *report.BenchReport) []template.HTML {
	if len(b.Results) < 2 {
		return nil
	}
	note := "The line is the median, the grey band its 95\u00a0% interval."
	if len(b.Results) < 6 {
		note = "The line is the median. Its 95\u00a0% interval takes 6 runs."
	}
	rate := runValues(b, 0, func(r *report.BenchResult) *float64 { return &r.IOPS })
	p50 := runValues(b, 0, func(r *report.BenchResult) *float64 { return r.Latency.P50 })
	p99 := runValues(b, 0, func(r *report.BenchResult) *float64 { return r.Latency.P99 })
	return []template.HTML{
		chart.Dots{Caption: chart.Caption{Title: "Rate of each run", Note: note}, Unit: "IOPS", Groups: []chart.Group{group("IOPS", rate, 0)}}.HTML(),
		chart.Dots{Caption: chart.Caption{Title: "Median latency of each run", Note: note, Empty: "Too few operations for a median."}, Unit: "µs", Groups: []chart.Group{group("p50", p50, 0)}}.HTML(),
		chart.Dots{Caption: chart.Caption{Title: "p99 of each run", Note: note, Empty: "Too few operations for a p99."}, Unit: "µs", Groups: []chart.Group{group("p99", p99, 0)}}.HTML(),
	}
}

// mostRuns is how many runs a table lists.
const mostRuns = 60

func runsTable(b *report.BenchReport) []table {
	t := table{Head: []string{"", "MB/s", "IOPS", "p50 µs", "p99 µs", "p99.9 µs", "max µs", "CPU µs"}, Words: 1}
	for i := range b.Results[:min(len(b.Results), mostRuns)] {
		r := &b.Results[i]
		l := &r.Latency
		t.Rows = append(t.Rows, row{[]string{fmt.Sprintf("run %d", r.Run), chart.Number(r.MBPerS), chart.Number(r.IOPS), or(l.P50, chart.Number), or(l.P99, chart.Number), or(l.P999, chart.Number),
			or(l.Max, chart.Number), or(r.CPUPerOp, chart.Number)}, runRemarks(r)})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if n := len(b.Results) - mostRuns; n > 0 {
		t.Caption = fmt.Sprintf("The first %d of %d runs", mostRuns, len(b.Results))
	}
	return []table{t}
}

// runRemarks are what is unusual about a run.
func runRemarks(r *report.BenchResult) []string {
	var list []string
	if r.Partial {
		list = append(list, "PARTIAL, ended early: "+r.Ended)
	}
	if r.Errors > 0 {
		list = append(list, counted(r.Errors, "failed request", "failed requests"))
	}
	if r.BlankPercent != nil && *r.BlankPercent > 1 {
		list = append(list, percent(*r.BlankPercent)+" of the blocks were never written, which may not touch the medium")
	}
	if o := r.OtherIO; o != nil && o.Known && o.Disturbed {
		list = append(list, "DISTURBED: others used the device meanwhile")
	}
	return list
}
