package page

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/report"
)

// Bench writes the outcome of the bench command as an HTML page: what makes the
// figures doubtful, the figures, their pictures, and the conditions.
func Bench(w io.Writer, b *report.BenchReport) error {
	d := benchDocument(b)
	return d.write(w)
}

func benchDocument(b *report.BenchReport) *document {
	d := &document{
		Title: "Benchmark of " + driveName(b), Kind: "Benchmark", Heading: driveName(b), Tone: plain, Simulated: b.Simulated,
		Lead:     headline(b),
		Warnings: benchWarnings(b),
		Made:     join(" · ", made(b.Tool, momentOf(b.Time)), prefixed("record ", b.Record)),
	}
	d.add(part{Title: "Figures", Notes: figureNotes(b), Charts: figureBars(b), Tables: figureTable(b)})
	d.add(besidePart(b))
	d.add(sustainedPart(b))
	d.add(latencyPart(b))
	d.add(runsPart(b))
	d.add(layersPart(b))
	d.add(copyPart(b))
	d.add(part{Title: "Conditions", Facts: conditionFacts(b)})
	return d
}

// made says which program made a page of what was found when.
func made(t report.Tool, when string) string {
	return join(" · ", join(" ", t.Name, t.Version), when)
}

// driveName is the name of the drive, or of what was measured.
func driveName(b *report.BenchReport) string {
	switch {
	case b.Drive == nil && b.Target.Name == "":
		return "unknown target"
	case b.Drive == nil:
		return b.Target.Name
	case b.Drive.MarketingName != nil && *b.Drive.MarketingName != "":
		return *b.Drive.MarketingName
	case b.Drive.Model != "":
		return b.Drive.Model
	}
	return "drive of unknown model"
}

// headline names the drive, and of a single workload has its figures.
func headline(b *report.BenchReport) []string {
	list := []string{benchLead(b)}
	if len(b.Rows) != 1 || b.Rows[0].Figure == nil {
		return list
	}
	f, latency := b.Rows[0].Figure, ""
	if f.LatencyUS != nil {
		latency = join(" ", f.LatencyIs, micros(*f.LatencyUS))
	}
	return append(list, join(" · ", b.Rows[0].Label, latency, chart.With(f.IOPS, "IOPS"), chart.With(f.MBPerS, "MB/s")))
}

// benchLead names the drive and what was done with it.
func benchLead(b *report.BenchReport) string {
	label, what, model := "", "", ""
	if b.Label != nil && *b.Label != "" {
		label = "“" + *b.Label + "”"
	}
	if b.Profile != nil {
		what = join(", ", b.Profile.Name, b.Profile.Title)
	}
	if d := b.Drive; d != nil {
		model = d.Model
		if model == driveName(b) {
			model = ""
		}
		return join(" · ", label, model, "serial "+d.Serial, "firmware "+d.Firmware, what)
	}
	return join(" · ", label, b.Target.Detail, what)
}

// benchWarnings are all sentences that stand before the figures, each once.
func benchWarnings(b *report.BenchReport) []string {
	all := append(cutShort(b), b.Warnings...)
	for i := range b.Copy {
		all = append(all, b.Copy[i].Warnings...)
	}
	var list []string
	for _, text := range all {
		if text = sentence(text); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func figureNotes(b *report.BenchReport) []string {
	if len(b.Rows) == 0 && len(b.Copy) == 0 {
		return []string{"Nothing was measured."}
	}
	if b.Profile == nil {
		return nil
	}
	var reasons, list []string
	labels := map[string][]string{}
	for _, s := range b.Profile.Skipped {
		reasons = once(reasons, s.Reason)
		labels[s.Reason] = append(labels[s.Reason], s.Label)
	}
	for _, reason := range reasons {
		list = append(list, fmt.Sprintf("Left out (%s): %s.", reason, strings.Join(labels[reason], ", ")))
	}
	return list
}

// latencyHead says whether the latencies are means or medians, if all are the
// same.
func latencyHead(b *report.BenchReport) string {
	var kinds []string
	for i := range b.Rows {
		if f := b.Rows[i].Figure; f != nil {
			kinds = once(kinds, f.LatencyIs)
		}
	}
	if len(kinds) == 1 {
		return join(" ", kinds[0], "latency µs")
	}
	return "latency µs"
}

// colour gives reads, writes and mixes one each.
func colour(op bench.Op) int {
	switch op {
	case bench.OpRead:
		return 0
	case bench.OpWrite:
		return 1
	}
	return 2
}

// figureBars is the picture of the rows, nil for a single one.
func figureBars(b *report.BenchReport) []template.HTML {
	c := chart.Bars{Caption: chart.Caption{Title: "MB/s of each row", Empty: "No row has a figure."}}
	rated := false
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.Figure == nil {
			continue
		}
		bar := chart.Bar{Name: r.Label, Value: r.Figure.MBPerS, Text: chart.With(r.Figure.MBPerS, "MB/s"), Side: colour(r.Job.Op)}
		if p := r.Rated; p != nil && p.Percent > 0 {
			bar.Promised, rated = r.Figure.MBPerS*100/p.Percent, true
			bar.Text += ", " + percent(p.Percent) + " of rated"
		}
		c.Rows = append(c.Rows, bar)
	}
	if len(b.Rows) < 2 {
		return nil
	}
	if rated {
		c.Note = "The line across a bar is what the maker states, of a latency as the rate that it allows."
	}
	return []template.HTML{c.HTML()}
}

// figureTable has MB/s, IOPS and µs of each row together.
func figureTable(b *report.BenchReport) []table {
	t := table{Head: []string{"row", "MB/s", "IOPS", latencyHead(b), "p99 µs", "p99.9 µs", "% of rated", "runs"}, Words: 1}
	for i := range b.Rows {
		r := &b.Rows[i]
		if f := r.Figure; f != nil {
			t.Rows = append(t.Rows, row{figureCells(r, f), figureRemarks(r, f)})
			continue
		}
		t.Rows = append(t.Rows, row{Cells: []string{r.Label, absent, absent, absent, absent, absent, absent, "0"}, Remarks: []string{"nothing was measured"}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []table{t}
}

func figureCells(r *report.BenchRow, f *profile.Figure) []string {
	rated := absent
	if r.Rated != nil {
		rated = percent(r.Rated.Percent)
	}
	return []string{r.Label, chart.Number(f.MBPerS), chart.Number(f.IOPS), or(f.LatencyUS, chart.Number), or(f.P99US, chart.Number), or(f.P999US, chart.Number),
		rated, fmt.Sprint(f.Runs)}
}

// figureRemarks say how a figure came about where that is not plain.
func figureRemarks(r *report.BenchRow, f *profile.Figure) []string {
	var list []string
	if f.Partial {
		list = append(list, "PARTIAL: every run was cut short")
	}
	if r.Rated != nil && r.Rated.Plausibility != profile.Plausible {
		list = append(list, string(r.Rated.Plausibility)+": this cannot be a figure of the drive alone")
	}
	if c := r.FileSystemCost; c != nil {
		list = append(list, join(", ", "the file system costs "+signed(c.RatePercent)+" of the rate", textf("%.3g"+nbsp+"µs an operation", c.LatencyUS)))
	}
	return list
}

// layersPart says what each part of the way to the drive costs.
func layersPart(b *report.BenchReport) part {
	if len(b.Layers) == 0 {
		return part{}
	}
	t := table{Head: []string{"part of the way", "measured by", "median µs"}, Words: 2}
	for _, l := range b.Layers {
		from := l.Engine
		if l.Without != "" {
			from += " less " + l.Without
		}
		t.Rows = append(t.Rows, row{Cells: []string{l.Layer, from, chart.Number(l.MedianUS)}})
	}
	return part{Title: "Where the time goes", Tables: []table{t}}
}

// copyPart has the runs of copying files.
func copyPart(b *report.BenchReport) part {
	p := part{Title: "Copying files"}
	for i := range b.Copy {
		c := &b.Copy[i]
		t := table{Caption: join(", ", counted(c.Files, "file", "files"), size(float64(c.Bytes)), string(c.Preset)), Head: []string{"", "MB/s", "files/s", "seconds", "of it sync, s", "p50 of a file, µs", "p99 of a file, µs"}, Words: 1}
		for k := range c.Runs {
			r := &c.Runs[k]
			var remarks []string
			if r.Partial {
				remarks = []string{"PARTIAL: not all files were copied"}
			}
			t.Rows = append(t.Rows, row{[]string{fmt.Sprintf("run %d", k+1), chart.Number(r.MBPerS), chart.Number(r.FilesPerS), chart.Number(r.Seconds), chart.Number(r.SyncSeconds),
				or(r.Latency.P50, chart.Number), or(r.Latency.P99, chart.Number)}, remarks})
		}
		p.Tables = append(p.Tables, t)
	}
	return p
}
