package page

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
)

// Age writes the aging of a drive as an HTML page: the comparison of before and
// after, with the treatment and its probes in front of it.
func Age(w io.Writer, r *aging.Record) error { return ageDocument(r).write(w) }

func ageDocument(r *aging.Record) *document {
	d := &document{Heading: ageWord(r), Tone: warn}
	if r.Comparison != nil {
		d = compareDocument(withLatencies(r))
	}
	target := agedTarget(r)
	d.Kind = "Before and after aging"
	d.Title = d.Heading + " · aging of " + driveName(target)
	d.Simulated = r.Simulated
	d.Lead = []string{sentence(r.Summary), join(" · ", driveName(target), benchLead(target))}
	d.Made = made(r.Tool, moment(r.Time))
	for _, text := range r.Lost {
		d.Warnings = once(d.Warnings, "LOST: "+sentence(text))
	}
	rest := d.Parts
	d.Parts = nil
	d.add(part{Title: "The treatment", Findings: incidents(r), Charts: append(treatmentChart(r), probeCharts(r.Probes)...), Facts: agingFacts(r)})
	d.add(part{Title: "The probes", Tables: probeTable(r.Probes)})
	d.Parts = append(d.Parts, rest...)
	return d
}

// withLatencies is the comparison with all latencies, for its pictures: one that
// was kept does not have them itself.
func withLatencies(r *aging.Record) *compare.Comparison {
	c := *r.Comparison
	c.Ladders = slices.Clone(c.Ladders)
	for i := range c.Ladders {
		l := &c.Ladders[i]
		if l.Before == nil && l.After == nil {
			l.Before, l.After = latenciesOf(r.Before, l.Label), latenciesOf(r.After, l.Label)
		}
	}
	return &c
}

// latenciesOf are those of all runs of a workload, nil if a run has lost its own.
func latenciesOf(set []*report.BenchReport, label string) *bench.Histogram {
	all := &bench.Histogram{}
	for _, b := range set {
		for i := range b.Results {
			x := &b.Results[i]
			if x.Row < 0 || x.Row >= len(b.Rows) || b.Rows[x.Row].Label != label {
				continue
			}
			if x.Histogram == nil {
				return nil
			}
			all.Merge(x.Histogram)
		}
	}
	return all
}

// agedTarget is what was aged, as a benchmark names it.
func agedTarget(r *aging.Record) *report.BenchReport {
	b := &report.BenchReport{Label: r.Label, Simulated: r.Simulated}
	if r.Plan != nil {
		b.Drive, b.Target = r.Plan.Drive, r.Plan.Target.Target
	}
	return b
}

// ageWord is the heading of an aging without a comparison.
func ageWord(r *aging.Record) string {
	if r.State == journal.Done {
		return "NOT COMPARED"
	}
	return "UNDER WAY"
}

// incidents are the pauses, the early ends and the interruptions.
func incidents(r *aging.Record) []finding {
	var list []finding
	for i := range r.Stops {
		s := &r.Stops[i]
		f := finding{bad, "ENDED EARLY", sentence(s.Text), join(", ", string(s.Reason), moment(s.Time))}
		if s.Ends == aging.EndsNothing {
			f.Tone, f.Word = warn, "PAUSED"
			f.More = join(", ", f.More, "for "+clock(s.Seconds))
		}
		list = append(list, f)
	}
	for i := range r.Interruptions {
		x := &r.Interruptions[i]
		list = append(list, finding{warn, "INTERRUPTED", sentence(x.Text), moment(x.From) + " to " + moment(x.To)})
	}
	return bounded(list, mostIncidents)
}

// mostIncidents is how many a page lists.
const mostIncidents = 40

// bounded says how many are left out.
func bounded(list []finding, most int) []finding {
	if len(list) <= most {
		return list
	}
	return append(list[:most:most], finding{Tone: plain, Text: fmt.Sprintf("… and %d more.", len(list)-most)})
}

// clock writes a time of some length in hours, minutes and seconds.
func clock(seconds float64) string {
	rest := int64(time.Duration(seconds*float64(time.Second)).Round(time.Second) / time.Second)
	var list []string
	for _, u := range []struct {
		seconds int64
		name    string
	}{{3600, "h"}, {60, "min"}, {1, "s"}} {
		if n := rest / u.seconds; n > 0 || u.seconds == 1 && list == nil {
			list = append(list, fmt.Sprintf("%d"+nbsp+"%s", n, u.name))
		}
		rest %= u.seconds
	}
	return strings.Join(list, " ")
}

// agingFacts are what was done and what it cost.
func agingFacts(r *aging.Record) []fact {
	read, written, planned, mode := int64(0), int64(0), "", ""
	for _, p := range r.Series {
		read, written = read+p.Value.ReadBytes, written+p.Value.WrittenBytes
	}
	if r.Plan != nil {
		mode, planned = string(r.Plan.Mode), " of "+clock(r.Plan.TreatmentSeconds)
	}
	wear := ""
	if p := r.Wear.Percent; p != nil && r.Wear.RatedBytes != nil {
		wear = share(*p) + " of the rated " + size(float64(*r.Wear.RatedBytes))
	}
	changes := ""
	if r.Changes != nil {
		changes = join("; ", r.Changes.Facts...)
	}
	return facts(fact{"treatment", mode}, fact{"lasted", clock(r.TreatedSeconds) + planned},
		fact{"read by the treatment", someSize(read)}, fact{"written by the treatment", someSize(written)},
		fact{"written by all of it", size(float64(r.Wear.WrittenBytes))}, fact{"wear", wear}, fact{"the drive counted, written", sizeOf(r.Wear.DriveWrittenBytes)},
		fact{"the drive meanwhile", changes}, fact{"sittings", counted(len(r.Sittings), "process", "processes")}, fact{"job", r.Job})
}

// treatmentChart draws what the treatment transferred, with the temperature;
// nothing if it was idle.
func treatmentChart(r *aging.Record) []template.HTML {
	read, written := chart.Line{Name: "read"}, chart.Line{Name: "written"}
	var heat []chart.Point
	moved := int64(0)
	for _, p := range r.Series {
		s := p.Value
		if s.Seconds <= 0 {
			continue
		}
		at := p.Seconds + s.Seconds
		read.Points = append(read.Points, chart.Point{X: at, Y: float64(s.ReadBytes) / s.Seconds / 1e6})
		written.Points = append(written.Points, chart.Point{X: at, Y: float64(s.WrittenBytes) / s.Seconds / 1e6})
		if s.Celsius != nil {
			heat = append(heat, chart.Point{X: at, Y: float64(*s.Celsius)})
		}
		moved += s.ReadBytes + s.WrittenBytes
	}
	c := chart.Series{Caption: chart.Caption{Title: "MB/s of the treatment"}, Unit: "MB/s", FromZero: true, Heat: heat, Lines: []chart.Line{read}}
	if r.Wear.WrittenBytes > 0 {
		c.Lines = append(c.Lines, written)
	}
	if moved == 0 {
		return nil
	}
	return []template.HTML{c.HTML()}
}

// probeCharts draw the probes over the treatment.
func probeCharts(probes []aging.Probe) []template.HTML {
	if len(probes) == 0 {
		return nil
	}
	line := func(value func(*aging.Probe) *float64) (l chart.Line) {
		for i := range probes {
			if v := value(&probes[i]); v != nil {
				l.Points = append(l.Points, chart.Point{X: probes[i].TreatedSeconds, Y: *v})
			}
		}
		return l
	}
	heat := line(func(p *aging.Probe) *float64 {
		if p.Celsius == nil {
			return nil
		}
		return new(float64(*p.Celsius))
	}).Points
	draw := func(title, name string, value func(*aging.Probe) *float64) template.HTML {
		l := line(value)
		l.Name = name
		return chart.Series{Caption: chart.Caption{Title: title, Note: "Reads one at a time, between the stretches of the treatment.", Empty: "No probe has this figure."},
			Unit: "µs", Lines: []chart.Line{l}, Heat: heat, FromZero: true, Dots: len(l.Points) <= fewPoints}.HTML()
	}
	return []template.HTML{
		draw("Median latency of the probes", "median", func(p *aging.Probe) *float64 { return p.Latency.P50 }),
		draw("p99 of the probes", "p99", func(p *aging.Probe) *float64 { return p.Latency.P99 }),
	}
}

// mostProbes is how many probes a page lists.
const mostProbes = 100

func probeTable(probes []aging.Probe) []table {
	if len(probes) == 0 {
		return nil
	}
	t := table{Head: []string{"after", "p50 µs", "p99 µs", "p99.9 µs", "IOPS", "°C", "throttled", "media errors"}, Words: 1}
	if n := len(probes); n > mostProbes {
		t.Caption = fmt.Sprintf("The last %d of %d probes", mostProbes, n)
		probes = probes[n-mostProbes:]
	}
	for i := range probes {
		p := &probes[i]
		t.Rows = append(t.Rows, row{Cells: []string{clock(p.TreatedSeconds), or(p.Latency.P50, chart.Number), or(p.Latency.P99, chart.Number), or(p.Latency.P999, chart.Number), chart.Number(p.IOPS),
			or(p.Celsius, func(c int) string { return fmt.Sprint(c) }), fmt.Sprint(p.Throttles), or(p.MediaErrors, func(n uint64) string { return fmt.Sprint(n) })}})
	}
	return []table{t}
}
