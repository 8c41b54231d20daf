package page

import (
	"html/template"
	"io"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart"
)

// Report writes a report as an HTML page: the verdict, what it rests on, the
// key facts, and pictures where there are data.
func Report(w io.Writer, r *report.Report) error {
	name, level := reportName(&r.Drive), levelWord(r.Verdict.Level)
	d := &document{
		Title: level + " · " + name, Kind: "Report on " + name, Heading: level, Tone: levelTone(r.Verdict.Level), Simulated: r.Simulated,
		Lead: []string{sentence(r.Verdict.Summary), join(" · ", modelUnlessNamed(&r.Drive), prefixed("serial ", r.Drive.Serial), prefixed("firmware ", r.Drive.Firmware))},
		Made: join(" · ", made(r.Tool, moment(r.Time)), prefixed("kernel ", r.Host.Kernel), prefixed("record ", r.Record)),
	}
	if r.CutShort() {
		d.Warnings = []string{"PARTIAL: the benchmark ended early, so that its figures are those of a part."}
	}
	d.add(part{Title: "Findings", Findings: findings(r.Verdict.Findings)})
	d.add(part{Title: "Not read", Findings: problems(r)})
	d.add(part{Title: "Life and wear", Charts: wearBars(r), Facts: lifeFacts(r)})
	d.add(part{Title: "The drive", Facts: driveFacts(r)})
	d.add(reportLatency(r))
	d.add(part{Title: "Among others of its family", Charts: placeBars(r.Population), Notes: placeNotes(r.Population)})
	d.add(part{Title: "Is it what it claims to be", Notes: claimNotes(r.Plausibility), Findings: signs(r.Plausibility)})
	d.add(part{Title: "Error log", Tables: errorTable(r)})
	return d.write(w)
}

func reportName(d *report.Identity) string {
	switch {
	case d.MarketingName != nil && *d.MarketingName != "":
		return *d.MarketingName
	case d.Model != "":
		return d.Model
	case d.Controller != "":
		return d.Controller
	case d.Selector != "":
		return d.Selector
	}
	return "a drive of unknown model"
}

func modelUnlessNamed(d *report.Identity) string {
	if d.Model == reportName(d) {
		return ""
	}
	return d.Model
}

func levelWord(l smart.Level) string {
	switch l {
	case smart.Keep:
		return "KEEP"
	case smart.Note:
		return "KEEP, WITH A NOTE"
	case smart.Return:
		return "RETURN"
	case smart.Unknown:
		return "UNKNOWN"
	}
	return strings.ToUpper(string(l))
}

func levelTone(l smart.Level) tone {
	switch l {
	case smart.Keep:
		return good
	case smart.Return:
		return bad
	}
	return warn
}

func severityTone(s smart.Severity) tone {
	switch s {
	case smart.SeverityOK:
		return good
	case smart.SeverityNote:
		return warn
	case smart.SeverityReturn:
		return bad
	}
	return plain
}

func findings(all []smart.Finding) []finding {
	var list []finding
	for _, f := range all {
		list = append(list, finding{severityTone(f.Severity), strings.ToUpper(string(f.Severity)), f.Text, join(": ", f.Rule, f.Evidence)})
	}
	return list
}

// problems are the sections that could not be read.
func problems(r *report.Report) []finding {
	var list []finding
	for _, p := range r.Problems() {
		list = append(list, finding{warn, p.Section, sentence(p.Text), p.Hint})
	}
	return list
}

// wearBars sets the drive's own word on its wear beside the rating.
func wearBars(r *report.Report) []template.HTML {
	s := r.SMART.Data
	if s == nil {
		return nil
	}
	c := chart.Bars{Caption: chart.Caption{Title: "Share of its life that is used up", Note: "The line across a bar is 100\u00a0%: what the drive is rated for."}}
	if s.Has("percentage_used_percent") {
		v := float64(s.PercentageUsedPercent)
		c.Rows = append(c.Rows, chart.Bar{Name: "by the drive's own count", Text: percent(v), Value: v, Promised: 100})
	}
	if e := r.Endurance; e != nil && e.WrittenPercent != nil && e.NotJudged == "" {
		c.Rows = append(c.Rows, chart.Bar{Name: "written, of the rating", Text: share(*e.WrittenPercent), Value: *e.WrittenPercent, Promised: 100})
	}
	if s.Has("available_spare_percent") {
		v := 100 - float64(s.AvailableSparePercent)
		c.Rows = append(c.Rows, chart.Bar{Name: "spare blocks used", Text: percent(v), Value: max(v, 0), Promised: 100})
	}
	return []template.HTML{c.HTML()}
}

// reportLatency has the pictures of the benchmark in a report.
func reportLatency(r *report.Report) part {
	p := part{Title: "Latency of one read at a time"}
	if r.Bench.Data == nil || r.Bench.Data.QD1Read == nil {
		return part{}
	}
	q := r.Bench.Data.QD1Read
	one := &report.BenchReport{Rows: []report.BenchRow{{Label: join(" ", q.Name, string(q.Op))}}, Results: []report.BenchResult{{Run: 1, Result: *q}}}
	if q.Histogram != nil && q.Histogram.Count() > 0 {
		p.Charts = []template.HTML{distribution(one.Rows[0].Label, []side{{"", q.Histogram}}), ladder(one, 0, q.Histogram)}
	}
	place := r.Bench.Data.Placement
	p.Charts = append(p.Charts, placeBarsOf(place)...)
	p.Tables = runsTable(one)
	p.Facts = facts(fact{"workload", join(", ", string(q.Pattern)+" "+string(q.Op)+" of "+blockSize(q.BlockBytes), "queue depth 1")}, fact{"engine", q.Engine},
		fact{"operations", chart.Number(float64(q.Operations)) + " in " + chart.With(q.Seconds, "s")}, fact{"CPU wake-up", heldText(q)})
	p.Facts = append(p.Facts, placeSources(place)...)
	return p
}

func heldText(q *bench.Result) string {
	if q.CPULatencyHeld {
		return "CPU kept from deep sleep"
	}
	return "CPU free to sleep, which adds to the latency"
}

// placeBars says what share of the drives seen have less.
func placeBars(p *report.Population) []template.HTML {
	if p == nil {
		return nil
	}
	c := chart.Bars{Caption: chart.Caption{Title: "Share of the drives seen that have less", Note: "Of public reports of " + p.Family + ": " + counted(p.Drives, "drive", "drives") + ". The line at the end is 100\u00a0%."}}
	for _, x := range p.Percentiles {
		v := float64(x.BelowPercent)
		c.Rows = append(c.Rows, chart.Bar{Name: placeName(x.Metric), Text: percent(v), Value: v, Promised: 100})
	}
	return []template.HTML{c.HTML()}
}

// placeName is what a figure of the drives seen is called.
func placeName(metric string) string {
	switch metric {
	case "power_on_hours":
		return "hours powered on"
	case "terabytes_written":
		return "written by the host"
	case "celsius":
		return "temperature"
	}
	return strings.ReplaceAll(metric, "_", " ")
}

func placeNotes(p *report.Population) []string {
	if p == nil {
		return nil
	}
	var list []string
	for _, x := range p.Percentiles {
		list = append(list, sentence(x.Text))
	}
	return list
}

func claimNotes(c *smart.Credibility) []string {
	if c == nil || c.Text == "" {
		return nil
	}
	return []string{sentence(c.Text)}
}

func signs(c *smart.Credibility) []finding {
	if c == nil {
		return nil
	}
	var list []finding
	for _, s := range c.Signs {
		list = append(list, finding{plain, "", sentence(s.Text), s.Evidence})
	}
	return list
}

// mostErrors is how many groups of the error log a page lists.
const mostErrors = 20

func errorTable(r *report.Report) []table {
	if r.Errors.Data == nil || len(r.Errors.Data.Groups) == 0 {
		return nil
	}
	t := table{Head: []string{"status", "logical blocks", "entries"}, Words: 2}
	groups := r.Errors.Data.Groups
	if n := len(groups); n > mostErrors {
		groups, t.Caption = groups[:mostErrors], "The first of "+counted(n, "kind of error", "kinds of errors")
	}
	for i := range groups {
		t.Rows = append(t.Rows, row{Cells: errorCells(&groups[i])})
	}
	return []table{t}
}
