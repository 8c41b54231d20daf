package page

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
)

// Records is what a page of history shows: the records of one drive and what
// follows from them.
type Records struct {
	Tool report.Tool
	// Time is when the page was made.
	Time    time.Time
	Subject record.Subject
	// Points are sorted by time, the oldest first.
	Points []record.Point
	// Trend and Forecast are nil if there is none.
	Trend    *record.Trend
	Forecast *record.Forecast
	// Backwards are the counters that went down.
	Backwards []record.Step
}

// History writes the records of a drive as an HTML page: trends, forecast, and
// a table of the newest records.
func History(w io.Writer, h *Records) error {
	d := &document{Title: "History of " + h.Subject.String(), Kind: "History", Heading: subjectName(&h.Subject), Tone: plain, Simulated: h.Subject.Simulated,
		Lead: []string{prefixed("serial ", h.Subject.Serial), historyLead(h)}, Warnings: backwards(h.Backwards), Made: made(h.Tool, moment(h.Time))}
	if len(h.Backwards) > 0 {
		d.Tone = warn
	}
	d.add(part{Title: "Wear", Charts: wearCharts(h), Facts: trendFacts(h)})
	d.add(part{Title: "Latency of one read at a time, and heat", Charts: healthCharts(h)})
	d.add(part{Title: "Records", Tables: recordTable(h)})
	return d.write(w)
}

// subjectName is the model, or what stands for it.
func subjectName(s *record.Subject) string {
	if s.Model != "" {
		return s.Model
	}
	return s.String()
}

func historyLead(h *Records) string {
	if len(h.Points) == 0 {
		return "There are no records of this drive."
	}
	return fmt.Sprintf("%s from %s to %s.", counted(len(h.Points), "record", "records"), moment(h.Points[0].Time), moment(h.Points[len(h.Points)-1].Time))
}

// backwards are sentences on counters that went down.
func backwards(steps []record.Step) []string {
	var list []string
	for i, s := range steps {
		if i == mostSteps {
			return append(list, fmt.Sprintf("… and %d more.", len(steps)-i))
		}
		list = append(list, fmt.Sprintf("%s went backwards, from %d to %d, before %s: the log was reset or exchanged, a record is of another drive, or the clock of the computer was wrong.", s.Counter, s.From, s.To, moment(s.Time)))
	}
	return list
}

const mostSteps = 8

// values are those of the points that have one, over time.
func values(h *Records, value func(*record.Point) *float64) []chart.Point {
	var list []chart.Point
	for i := range h.Points {
		if v := value(&h.Points[i]); v != nil {
			list = append(list, chart.Point{X: float64(h.Points[i].Time.Unix()), Y: *v})
		}
	}
	return list
}

// scaled makes a counter a number in another unit.
func scaled(v *uint64, by float64) *float64 {
	if v == nil {
		return nil
	}
	return new(float64(*v) / by)
}

// fewPoints is up to how many points of a line each is drawn.
const fewPoints = 20

// trendChart draws figures over the dates of the records.
func trendChart(title, unit string, lines ...chart.Line) chart.Series {
	c := chart.Series{Caption: chart.Caption{Title: title, Empty: "No record has this figure."}, Unit: unit, Dates: true}
	most := 0
	for _, l := range lines {
		if len(l.Points) > 0 {
			c.Lines = append(c.Lines, l)
		}
		most = max(most, len(l.Points))
	}
	c.Dots = most <= fewPoints
	return c
}

func wearCharts(h *Records) []template.HTML {
	written := trendChart("Written by the host", "TB", chart.Line{Name: "written", Points: values(h, func(p *record.Point) *float64 { return scaled(p.BytesWritten, 1e12) })})
	written.FromZero = true
	forecast(&written, h)
	used := trendChart("Percentage used, by the drive's own count", "%",
		chart.Line{Name: "percentage used", Points: values(h, func(p *record.Point) *float64 { return scaled(p.PercentageUsed, 1) })})
	used.FromZero = true
	hours := trendChart("Power-on hours", "h", chart.Line{Name: "power-on hours", Points: values(h, func(p *record.Point) *float64 { return scaled(p.Hours, 1) })})
	media := trendChart("Media errors and unsafe shutdowns", "count",
		chart.Line{Name: "media errors", Points: values(h, func(p *record.Point) *float64 { return scaled(p.MediaErrors, 1) })},
		chart.Line{Name: "unsafe shutdowns", Points: values(h, func(p *record.Point) *float64 { return scaled(p.UnsafeShutdowns, 1) })})
	media.FromZero = true
	return []template.HTML{written.HTML(), used.HTML(), hours.HTML(), media.HTML()}
}

// forecastYears is how far a forecast is drawn at most. Further away it is told
// in the note alone, so that the records stay visible.
const forecastYears = 30

// assumes says what a forecast rests on.
func assumes(assumption string) string { return "The forecast assumes " + stopped(assumption) }

// forecast adds the line to the rating, and says what it rests on.
func forecast(c *chart.Series, h *Records) {
	f := h.Forecast
	if f == nil || len(h.Points) == 0 {
		return
	}
	last := h.Points[len(h.Points)-1].Time
	c.Note = assumes(f.Assumption)
	switch {
	case f.Reached == nil:
		c.Note = "The rating of " + size(float64(f.Rated.Bytes)) + " is not reached within 200 years. " + assumes(f.Assumption)
	case f.Reached.Sub(last) > forecastYears*365*24*time.Hour:
		c.Note = fmt.Sprintf("The rating of %s is reached in %d. %s", size(float64(f.Rated.Bytes)), f.Reached.Year(), assumes(f.Assumption))
	default:
		c.Forecast = []chart.Point{{X: float64(last.Unix()), Y: float64(f.BytesWritten) / 1e12}, {X: float64(f.Reached.Unix()), Y: float64(f.Rated.Bytes) / 1e12}}
		c.Dots = false
		c.Limit = &chart.Mark{At: float64(f.Rated.Bytes) / 1e12, Text: "rated " + size(float64(f.Rated.Bytes))}
	}
}

func healthCharts(h *Records) []template.HTML {
	latency := trendChart("QD1 read latency", "µs",
		chart.Line{Name: "median", Points: values(h, func(p *record.Point) *float64 { return p.QD1P50US })},
		chart.Line{Name: "p99", Points: values(h, func(p *record.Point) *float64 { return p.QD1P99US })})
	latency.FromZero = true
	heat := trendChart("Temperature when the record was made", "°C", chart.Line{Name: "temperature", Points: values(h, func(p *record.Point) *float64 { return p.Temperature })})
	return []template.HTML{latency.HTML(), heat.HTML()}
}

// trendFacts are the rates, and when the rating is reached.
func trendFacts(h *Records) []fact {
	var list []fact
	bytes := func(v *float64) string {
		if v == nil {
			return ""
		}
		return size(*v) + " a day"
	}
	if t := h.Trend; t != nil {
		list = facts(fact{"rates over", fmt.Sprintf("%s, %s", chart.With(t.Days, "days"), counted(t.Records, "record", "records"))},
			fact{"powered on", textf("%.3g"+nbsp+"h a day", t.HoursPerDay)}, fact{"written", bytes(t.BytesWrittenPerDay)}, fact{"read", bytes(t.BytesReadPerDay)},
			fact{"percentage used", textf("grows by %.3g"+nbsp+"%% a year", t.PercentPerYear)})
	}
	if f := h.Forecast; f != nil {
		when := "not within 200 years"
		if f.Reached != nil {
			when = f.Reached.UTC().Format("2006-01-02")
		}
		rated := size(float64(f.Rated.Bytes))
		if f.Rated.Indicative {
			rated += " (indicative)"
		}
		list = append(list, facts(fact{"rated endurance", join(", ", rated, prefixed("source: ", f.Rated.Source))}, fact{"reached", when}, fact{"assumes", sentence(f.Assumption)})...)
	}
	return list
}

// mostRecords is how many records a page lists.
const mostRecords = 200

func recordTable(h *Records) []table {
	t := table{Head: []string{"time, UTC", "kind", "label", "firmware", "hours", "written", "used", "°C", "QD1 p50 µs"}, Words: 4}
	points := slices.Clone(h.Points)
	slices.Reverse(points)
	if n := len(points); n > mostRecords {
		points, t.Caption = points[:mostRecords], fmt.Sprintf("The newest %d of %d records", mostRecords, n)
	}
	for i := range points {
		p := &points[i]
		t.Rows = append(t.Rows, row{Cells: []string{p.Time.UTC().Format("2006-01-02" + nbsp + "15:04"), p.Kind, unlessEmpty(p.Label), textOr(p.Firmware), or(scaled(p.Hours, 1), chart.Number), unlessEmpty(sizeOf(p.BytesWritten)),
			or(scaled(p.PercentageUsed, 1), percent), or(p.Temperature, chart.Number), or(p.QD1P50US, chart.Number)}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []table{t}
}
