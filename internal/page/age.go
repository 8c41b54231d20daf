package page

import (
	"html/template"
	"io"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/compare"
)

// Aging is what a page of an aged drive shows beside the comparison of before
// and after.
type Aging struct {
	// Treatment says in a sentence what was done between, such as "3 hours of
	// mixed writes".
	Treatment string
	// Ended says why the treatment was cut short, "" if it was not.
	Ended string
	// BytesRead and BytesWritten are those of the treatment alone.
	BytesRead, BytesWritten int64
	// Interruptions are what the treatment was resumed after, in sentences.
	Interruptions []string
	Probes        []Probe
	// Comparison is nil if there is no side after the treatment yet.
	Comparison *compare.Comparison
}

// Probe is the latency of one read at a time during the treatment. nil is what
// was not measured.
type Probe struct {
	// Seconds since the start of the treatment.
	Seconds      float64
	P50US, P99US *float64
	Celsius      *float64
}

// Age writes the aging of a drive as an HTML page: the comparison with the
// treatment and its probes before it.
func Age(w io.Writer, a *Aging) error {
	d := &document{Title: "Aging", Kind: "Aging", Heading: "UNDER WAY", Tone: warn, Lead: []string{"There is nothing to compare yet."}}
	if a.Comparison != nil {
		d = compareDocument(a.Comparison)
		d.Kind = "Before and after aging"
		d.Title = d.Heading + " · aging"
	}
	if a.Ended != "" {
		d.Warnings = append(d.Warnings, "The treatment was cut short: "+sentence(a.Ended))
	}
	p := part{Title: "The treatment", Charts: probeChart(a.Probes), Findings: plainFindings(a.Interruptions),
		Facts: facts(fact{"treatment", sentence(a.Treatment)}, fact{"read", someSize(a.BytesRead)}, fact{"written", someSize(a.BytesWritten)})}
	rest := d.Parts
	d.Parts = nil
	d.add(p)
	d.Parts = append(d.Parts, rest...)
	return d.write(w)
}

// probeChart draws the probes over the hours.
func probeChart(probes []Probe) []template.HTML {
	if len(probes) == 0 {
		return nil
	}
	line := func(name string, value func(*Probe) *float64) chart.Line {
		l := chart.Line{Name: name}
		for i := range probes {
			if v := value(&probes[i]); v != nil {
				l.Points = append(l.Points, chart.Point{X: probes[i].Seconds, Y: *v})
			}
		}
		return l
	}
	heat := line("", func(p *Probe) *float64 { return p.Celsius }).Points
	draw := func(title string, l chart.Line) template.HTML {
		return chart.Series{Caption: chart.Caption{Title: title, Empty: "No probe has this figure."}, Unit: "µs", Lines: []chart.Line{l}, Heat: heat, FromZero: true, Dots: len(probes) <= fewPoints}.HTML()
	}
	return []template.HTML{
		draw("Median latency during the treatment", line("median", func(p *Probe) *float64 { return p.P50US })),
		draw("p99 during the treatment", line("p99", func(p *Probe) *float64 { return p.P99US })),
	}
}
