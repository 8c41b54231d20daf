package page

import (
	"fmt"
	"html/template"
	"slices"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/report"
)

// besidePart sets the figures of others beside those of the rows.
func besidePart(b *report.BenchReport) part {
	a := b.Against
	if a == nil {
		return part{}
	}
	p := part{Title: "Beside " + a.Name}
	if a.Simulated {
		p.Notes = append(p.Notes, "The figures beside are those of a simulated drive.")
	}
	t := table{Head: []string{"row", "drive", "here", "there", "times as fast"}, Words: 2}
	for i := range b.Rows {
		r := &b.Rows[i]
		if len(r.Against) > 0 && len(p.Charts) < mostPictured {
			p.Charts = append(p.Charts, besideBars(r))
		}
		for k := range r.Against {
			x := &r.Against[k]
			t.Rows = append(t.Rows, row{[]string{r.Label + ", " + metricWord(string(x.Metric)), x.Name, chart.With(x.Measured, x.Unit), besideText(x), chart.Number(x.Speed)}, besideRemarks(x)})
		}
	}
	if len(t.Rows) == 0 {
		p.Notes = append(p.Notes, "Nothing that was measured here is known of it.")
		return p
	}
	p.Tables = []table{t}
	return p
}

// besideBars draws the figure of a row and those beside it.
func besideBars(r *report.BenchRow) template.HTML {
	first := &r.Against[0]
	note := "Shorter is better."
	if first.Metric == "mb_per_s" {
		note = "Longer is better."
	}
	c := chart.Bars{Caption: chart.Caption{Title: join(", ", r.Label, metricWord(string(first.Metric))), Note: note + " It is no test: no verdict follows from it."}}
	c.Rows = append(c.Rows, chart.Bar{Name: "here", Text: chart.With(first.Measured, first.Unit), Value: first.Measured})
	for i := range r.Against {
		if x := &r.Against[i]; x.Metric == first.Metric {
			c.Rows = append(c.Rows, chart.Bar{Name: x.Name, Text: besideText(x), Value: x.Other, Side: 1})
		}
	}
	return c.HTML()
}

func besideText(x *report.Beside) string {
	text := chart.With(x.Other, x.Unit)
	if x.Indicative {
		text = "about " + text
	}
	if x.OtherMetric != x.Metric {
		text = join(" ", text, bracketed(metricWord(string(x.OtherMetric))))
	}
	return text
}

// metricWord is what a figure of a row is.
func metricWord(metric string) string {
	switch metric {
	case "p50":
		return "median"
	case "mb_per_s":
		return "MB/s"
	}
	return metric
}

// besideRemarks are where a figure is from, and what makes it another one than it
// looks.
func besideRemarks(x *report.Beside) []string {
	var list []string
	if source := join(", ", x.Source, x.Date, x.Conditions); source != "" {
		list = append(list, source)
	}
	if x.Rated {
		list = append(list, "stated by the maker")
	}
	if !x.SameSoftware && !x.Rated {
		list = append(list, join(": ", "measured with other software, whose own part of each operation differs", string(x.Software)))
	}
	if x.Doubtful != "" {
		list = append(list, "DOUBTFUL: "+x.Doubtful)
	}
	return list
}

// spreadFacts say of each row how much its runs differ, and whether they drift.
func spreadFacts(b *report.BenchReport) []fact {
	var list []fact
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.Noise == nil {
			continue
		}
		name, n := "noise", r.Noise
		if len(b.Rows) > 1 {
			name = "noise of " + r.Label
		}
		found := counted(n.PlannedRuns, "run", "runs") + " show no change, however large"
		if d := n.DetectablePercent; d != nil {
			found = fmt.Sprintf("%s a side find a change of %s in 8 of 10 cases", counted(n.PlannedRuns, "run", "runs"), percent(*d))
		}
		drift := ""
		if d := r.Drift; d != nil && d.Found {
			drift = fmt.Sprintf("DRIFTS by %s from the first run to the last", signed(d.ChangePercent))
		}
		list = append(list, fact{name, join(", ", percent(n.CVPercent)+" from run to run", found, drift)})
	}
	return list
}

// controlFinding is what a row that was measured twice shows.
func controlFinding(b *report.BenchReport) []finding {
	c := b.Control
	if c == nil || c.Row < 0 || c.Row >= len(b.Rows) || c.Of < 0 || c.Of >= len(b.Rows) {
		return nil
	}
	f := finding{plain, "CONTROL", fmt.Sprintf("%s was measured twice: %s.", b.Rows[c.Of].Label, c.Verdict), ""}
	if c.Verdict == "differs" {
		f.Tone, f.Text = bad, fmt.Sprintf("%s was measured twice and DIFFERS, which is not the drive's doing.", b.Rows[c.Of].Label)
	}
	if c.ChangePercent != nil {
		f.More = join(", ", "change "+signed(*c.ChangePercent), prefixed("interval ", unless(c.CI95Percent == nil, intervalText(c.CI95Percent))))
	}
	return []finding{f}
}

func unless(not bool, s string) string {
	if not {
		return ""
	}
	return s
}

// cutShort says why not all runs went to their end.
func cutShort(b *report.BenchReport) []string {
	if !b.Partial {
		return nil
	}
	return []string{"PARTIAL: " + sentence(join(": ", "not all runs went to their end", b.Ended))}
}

// placeBarsOf draws a latency between those of the nearest drives that others
// have measured.
func placeBarsOf(p *report.Placement) []template.HTML {
	if p == nil || p.Faster == nil && p.Slower == nil {
		return nil
	}
	c := chart.Bars{Caption: chart.Caption{Title: "Among drives that others measured", Note: sentence(p.Text) + " Shorter is better."}}
	here := chart.Bar{Name: "here", Text: chart.With(p.Value, p.Unit), Value: p.Value}
	if n := p.Faster; n != nil {
		c.Rows = append(c.Rows, chart.Bar{Name: n.Model, Text: chart.With(n.Value, p.Unit), Value: n.Value, Side: 1})
	}
	c.Rows = append(c.Rows, here)
	if n := p.Slower; n != nil {
		c.Rows = append(c.Rows, chart.Bar{Name: n.Model, Text: chart.With(n.Value, p.Unit), Value: n.Value, Side: 1})
	}
	return []template.HTML{c.HTML()}
}

// placeSources are where the figures of the neighbours are from.
func placeSources(p *report.Placement) []fact {
	if p == nil {
		return nil
	}
	var list []string
	if n := p.Faster; n != nil {
		list = append(list, n.Model+": "+n.Source)
	}
	if n := p.Slower; n != nil {
		list = append(list, n.Model+": "+n.Source)
	}
	return facts(fact{"sources", join("; ", slices.Compact(list)...)})
}
