package page

import (
	"fmt"
	"io"
	"math/big"
	"strings"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/compare"
)

// Deltas writes what became different between two reports as an HTML page.
func Deltas(w io.Writer, x *compare.Deltas) error {
	name := deltasName(x)
	d := &document{Title: "Two reports of " + name, Kind: "Two reports", Heading: name, Tone: plain, Simulated: x.Simulated,
		Lead: []string{join(" · ", prefixed("serial ", x.Serial), join(" → ", moment(x.BeforeTime), moment(x.AfterTime)), chart.With(x.Hours, "h")+" apart")},
		Made: made(x.Tool, "")}
	if x.Refused != nil {
		d.Tone, d.Heading = warn, "NOT COMPARED"
		d.Lead = append([]string{sentence(*x.Refused), name}, d.Lead...)
		return d.write(w)
	}
	if d.Warnings = deltasWarnings(x); len(d.Warnings) > 0 {
		d.Tone = bad
	}
	d.add(part{Title: "What changed", Findings: plainFindings(x.Facts), Tables: changedTexts(x)})
	d.add(part{Title: "Counters", Tables: counterTable(x)})
	d.add(part{Title: "Rates", Facts: rateFacts(&x.Rates)})
	d.add(part{Title: "Latency of one read at a time", Facts: qd1Facts(x.QD1)})
	return d.write(w)
}

func deltasName(x *compare.Deltas) string {
	if x.Model == "" {
		return "drive of unknown model"
	}
	return x.Model
}

// deltasWarnings are sentences on what a drive should never do.
func deltasWarnings(x *compare.Deltas) []string {
	var list []string
	if len(x.WentBackwards) > 0 {
		list = append(list, "Counters went backwards, which they never should: "+strings.Join(x.WentBackwards, ", ")+".")
	}
	if len(x.NewWarnings) > 0 {
		list = append(list, "New critical warnings: "+strings.Join(x.NewWarnings, ", ")+".")
	}
	return list
}

func plainFindings(all []string) []finding {
	var list []finding
	for _, text := range all {
		list = append(list, finding{Tone: plain, Text: sentence(text)})
	}
	return list
}

func changedTexts(x *compare.Deltas) []table {
	if len(x.Changes) == 0 {
		return nil
	}
	t := table{Head: []string{"what", "before", "after"}, Words: 3}
	for _, c := range x.Changes {
		t.Rows = append(t.Rows, row{Cells: []string{c.What, c.Before, c.After}})
	}
	return []table{t}
}

func counterTable(x *compare.Deltas) []table {
	t := table{Head: []string{"counter", "before", "after", "change", "a day"}, Words: 1}
	for _, c := range x.Counters {
		rate := or(c.PerDay, func(v float64) string { return inUnit(v, c.Unit) })
		t.Rows = append(t.Rows, row{Cells: []string{c.Name, whole(c.Before, c.Unit), whole(c.After, c.Unit), whole(c.Change, c.Unit), rate}})
	}
	for _, l := range x.Levels {
		t.Rows = append(t.Rows, row{Cells: []string{l.Name, chart.With(float64(l.Before), l.Unit), chart.With(float64(l.After), l.Unit), chart.With(float64(l.Change), l.Unit), absent}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []table{t}
}

// whole writes a counter; bytes in the unit that suits.
func whole(n *big.Int, unit string) string {
	if n == nil {
		return absent
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return inUnit(f, unit)
}

func inUnit(v float64, unit string) string {
	if unit == "B" {
		return size(v)
	}
	return chart.With(v, unit)
}

func rateFacts(r *compare.Rates) []fact {
	bytes := func(v *float64) string {
		if v == nil {
			return ""
		}
		return size(*v) + " a day"
	}
	used := ""
	if u := r.UsedPercentPerYear; u != nil {
		used = fmt.Sprintf("%s to %s a year", percent(u[0]), percent(u[1]))
	}
	rated := ""
	if r.RatedPercentPerYear != nil {
		rated = percent(*r.RatedPercentPerYear) + " of the rated endurance a year"
	}
	return facts(fact{"written", bytes(r.BytesWrittenPerDay)}, fact{"read", bytes(r.BytesReadPerDay)}, fact{"power cycles", textf("%.3g a day", r.PowerCyclesPerDay)},
		fact{"powered on", textf("%.3g"+nbsp+"%% of the time", r.PoweredPercent)}, fact{"wear", used}, fact{"wear by bytes", rated}, fact{"assumes", sentence(r.Assumption)})
}

func qd1Facts(q *compare.QD1) []fact {
	if q == nil {
		return nil
	}
	change := ""
	if q.ChangePercent != nil {
		change = signed(*q.ChangePercent)
	}
	return facts(fact{"median before", micros(q.BeforeUS)}, fact{"median after", micros(q.AfterUS)}, fact{"change", change}, fact{"note", sentence(q.Note)})
}
