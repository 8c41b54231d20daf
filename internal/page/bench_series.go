package page

import (
	"fmt"
	"html/template"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/report"
)

const (
	// mostSeries is of how many rows the course is drawn, leastPoints how long it
	// has to be.
	mostSeries  = 6
	leastPoints = 4
	// mostLines is how many runs are drawn over each other.
	mostLines = 4
	// largeBlock is the size from which a rate is told in MB/s.
	largeBlock = 64 << 10
)

// sustainedPart has the rate over time, with the temperature where there is
// one, and where and why it fell.
func sustainedPart(b *report.BenchReport) part {
	p := part{Title: "Over time"}
	for i := range b.Rows {
		if c, ok := seriesOf(b, i); ok && len(p.Charts) < mostSeries {
			p.Charts = append(p.Charts, c)
		}
		p.Facts = append(p.Facts, sustainedFacts(b, i)...)
	}
	return p
}

// seriesOf draws the runs of a row.
func seriesOf(b *report.BenchReport, index int) (template.HTML, bool) {
	r := &b.Rows[index]
	unit, scale := "IOPS", 1.0
	if r.Job.BlockBytes >= largeBlock {
		unit, scale = "MB/s", float64(r.Job.BlockBytes)/1e6
	}
	c := chart.Series{Caption: chart.Caption{Title: r.Label + ": " + unit + " over time"}, Unit: unit, FromZero: true}
	for run := 1; run <= mostLines; run++ {
		if points := rates(b, index, run, scale); len(points) >= leastPoints {
			c.Lines = append(c.Lines, chart.Line{Name: fmt.Sprintf("run %d", run), Points: points})
		}
	}
	if len(c.Lines) == 0 {
		return "", false
	}
	if len(b.Results) == 1 {
		c.Lines[0].Name = unit
		c.Heat = temperatures(b)
	}
	if s := r.Sustained; s != nil && s.Onset != nil {
		c.Marks = []chart.Mark{{At: float64(s.Onset.Second), Text: fmt.Sprintf("falls after %d"+nbsp+"s", s.Onset.Second)}}
	}
	c.Note = sustainedNote(r.Sustained)
	return c.HTML(), true
}

// rates are those of the stretches between the points of a series, which count
// from the start of the run.
func rates(b *report.BenchReport, index, run int, scale float64) []chart.Point {
	var list []chart.Point
	seconds, operations := 0.0, int64(0)
	for _, p := range b.Series {
		if p.Row != index || p.Run != run {
			continue
		}
		if took := p.Seconds - seconds; took > 0.05 && p.Operations >= operations {
			list = append(list, chart.Point{X: p.Seconds, Y: float64(p.Operations-operations) / took * scale})
		}
		seconds, operations = p.Seconds, p.Operations
	}
	return list
}

// temperatures are the readings of the whole measurement.
func temperatures(b *report.BenchReport) []chart.Point {
	var list []chart.Point
	for _, t := range b.Conditions.Temperatures {
		if t.Value.Celsius != nil {
			list = append(list, chart.Point{X: t.Seconds, Y: float64(*t.Value.Celsius)})
		}
	}
	return list
}

// sustainedNote says whether the rate fell, and why.
func sustainedNote(s *profile.Sustained) string {
	switch {
	case s == nil:
		return ""
	case s.Onset == nil:
		return fmt.Sprintf("The rate did not fall for good in %d"+nbsp+"s.", s.Seconds)
	case s.Cause != nil:
		return sentence(s.Cause.Text)
	}
	return fmt.Sprintf("After %d"+nbsp+"s the rate falls by %s, from %s to %s.", s.Onset.Second, percent(s.Onset.DropPercent), chart.With(s.Onset.BeforeMBPerS, "MB/s"), chart.With(s.Onset.AfterMBPerS, "MB/s"))
}

// sustainedFacts are the figures of a row that is a series.
func sustainedFacts(b *report.BenchReport, index int) []fact {
	s := b.Rows[index].Sustained
	if s == nil {
		return nil
	}
	onset, plateau, recovery, tail := "", "", "", ""
	if o := s.Onset; o != nil {
		onset = fmt.Sprintf("after %d"+nbsp+"s, %s lower", o.Second, percent(o.DropPercent))
	}
	if p := s.Plateau; p != nil {
		plateau = fmt.Sprintf("%s from second %d on, 90"+nbsp+"%% of the seconds between %s and %s", chart.With(p.MBPerS, "MB/s"), p.Second, chart.Number(p.LowMBPerS), chart.With(p.HighMBPerS, "MB/s"))
	}
	if r := s.Recovery; r != nil {
		recovery = fmt.Sprintf("%s, for %d"+nbsp+"s together, first in second %d", counted(r.Times, "time", "times"), r.Seconds, r.Second)
	}
	if s.P99BeforeUS != nil && s.P99AfterUS != nil {
		tail = fmt.Sprintf("%s before, %s after", micros(*s.P99BeforeUS), micros(*s.P99AfterUS))
	}
	label := ""
	if len(b.Rows) > 1 {
		label = b.Rows[index].Label
	}
	return facts(fact{"row", label},
		fact{"rate", fmt.Sprintf("highest %s, mean %s, lowest %s, over %d"+nbsp+"s", chart.Number(s.MaxMBPerS), chart.Number(s.MeanMBPerS), chart.With(s.MinMBPerS, "MB/s"), s.Seconds)},
		fact{"falls", onset}, fact{"plateau", plateau}, fact{"full rate again", recovery}, fact{"p99", tail})
}
