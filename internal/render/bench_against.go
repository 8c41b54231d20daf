package render

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// against writes the figures of others beside those of the rows.
func (p *page) against(b *report.BenchReport) {
	a := b.Against
	if a == nil {
		return
	}
	t := p.lang()
	p.line("")
	p.line(p.paint(Strong, t.Textf("Beside %s", a.Name)))
	if a.Simulated {
		p.labelled(Warn, "warning", t.Text("the figures beside are those of a simulated drive"))
	}
	g := &grid{columns: []column{
		{"", true, 0}, {t.Text("here"), false, 0}, {t.Text("there"), false, 0}, {"", true, 0}, {t.Text("as fast"), false, 0}, {t.Text("drive"), true, 1}, {t.Text("under"), true, 2},
	}}
	told := map[piece]bool{}
	for i := range b.Rows {
		for k := range b.Rows[i].Against {
			row := besideRow(t, b.Rows[i].Label, &b.Rows[i].Against[k])
			row.remarks = slices.DeleteFunc(row.remarks, func(x piece) bool { return told[x] })
			for _, x := range row.remarks {
				told[x] = true
			}
			g.rows = append(g.rows, row)
		}
	}
	if len(g.rows) == 0 {
		p.remarks([]piece{{Plain, t.Text("nothing that was measured here is known of it")}})
		return
	}
	p.grid(g)
}

// besideRow is a figure beside that of a row, with its source.
func besideRow(t lang.Tag, label string, x *report.Beside) gridRow {
	there := decimal(x.Other)
	if x.Indicative {
		there = t.Textf("about %s", there)
	}
	row := gridRow{cells: plainCells(label, decimal(x.Measured), there, besideMetric(t, x), "×"+decimal(x.Speed), x.Name, softwareText(t, x.Software))}
	row.remarks = append(row.remarks, piece{Dim, join(" · ", ratedWord(t, x.Rated), x.Source, x.Date, x.Conditions)})
	if !x.SameSoftware && !x.Rated {
		row.remarks = append(row.remarks, piece{Dim, t.Text("measured with other software, whose own part of each operation differs")})
	}
	if x.Doubtful != "" {
		row.remarks = append(row.remarks, piece{Warn, t.Textf("doubtful: %s", t.Sentence(x.Doubtful))})
	}
	return row
}

// besideMetric is the unit, and what is compared if it is a latency.
func besideMetric(t lang.Tag, x *report.Beside) string {
	if x.Metric == reference.MBPerS {
		return x.Unit
	}
	here, there := metricWord(t, x.Metric), metricWord(t, x.OtherMetric)
	if here == there {
		return x.Unit + " " + here
	}
	return t.Textf("%s %s, there %s", x.Unit, here, there)
}

func metricWord(t lang.Tag, m reference.Metric) string {
	switch m {
	case reference.MeanLatency:
		return t.Text("mean")
	case reference.P50Latency:
		return t.Text("median")
	}
	return string(m)
}

// softwareText is what lies between program and drive, nothing for a rating.
func softwareText(t lang.Tag, s reference.Software) string {
	if s == reference.LinuxPolled {
		return t.Text("Linux, polled")
	}
	return string(s)
}

func ratedWord(t lang.Tag, rated bool) string {
	if rated {
		return t.Text("stated by the maker")
	}
	return ""
}

// placeText is where the latency of a report stands among published ones.
func placeText(t lang.Tag, p *report.Placement) string {
	if p == nil {
		return ""
	}
	where := ""
	switch {
	case p.Faster == nil && p.Slower == nil:
		return ""
	case p.Faster == nil:
		where = t.Textf("%s: faster than all known figures, the next is %s", micros(p.Value), neighbour(t, p.Slower))
	case p.Slower == nil:
		where = t.Textf("%s: slower than all known figures, the next is %s", micros(p.Value), neighbour(t, p.Faster))
	default:
		where = t.Textf("%s: between %s and %s", micros(p.Value), neighbour(t, p.Faster), neighbour(t, p.Slower))
	}
	if p.Simulated {
		where += semicolon(t) + t.Text("this drive's figure is simulated")
	}
	return where
}

// neighbour is a drive with its figure, and what else was between it and the
// program.
func neighbour(t lang.Tag, n *reference.Neighbour) string {
	figure := micros(n.Value)
	if n.Indicative {
		figure = t.Textf("about %s", figure)
	}
	other := ""
	if !n.SameSoftware {
		other = t.Textf("under %s", softwareText(t, n.Software))
	}
	return shortModel(n.Model) + " (" + commas(t, figure, other) + ")"
}

// shortModel leaves out the maker where the family says it, and the capacity.
func shortModel(model string) string {
	words := strings.Fields(model)
	if n := len(words); n > 3 && (words[n-1] == "GB" || words[n-1] == "TB") {
		words = words[:n-2]
	}
	if len(words) > 2 && words[1] == "Optane" {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// References writes the published figures, those of a drive together.
func References(w io.Writer, figures []reference.Figure, style Style) error {
	p := &page{style: style}
	t := p.lang()
	for i, model := range reference.Models() {
		if i > 0 {
			p.line("")
		}
		p.line(p.paint(Strong, model))
		g := &grid{columns: []column{{"", true, 0}, {"", false, 0}, {"", true, 0}, {"", true, 0}, {"", true, 1}}}
		told := ""
		for i := range figures {
			if f := &figures[i]; f.Model == model {
				row := referenceRow(t, f)
				if row.remarks[0].text == told {
					row.remarks = row.remarks[1:]
				} else {
					told = row.remarks[0].text
				}
				g.rows = append(g.rows, row)
			}
		}
		p.grid(g)
	}
	p.line("")
	p.line(t.Text("A name after --against may be a part of these. A record, a label or a file may be named too."))
	return p.writeTo(w)
}

// referenceRow is a figure with its workload and its source.
func referenceRow(t lang.Tag, f *reference.Figure) gridRow {
	value := decimal(f.Value)
	if f.Indicative {
		value = t.Textf("about %s", value)
	}
	unit := f.Metric.Unit()
	if word := metricWord(t, f.Metric); unit == "µs" {
		unit += " " + word
	}
	row := gridRow{cells: plainCells(workloadName(t, f), value, unit, softwareText(t, f.Software), f.Date)}
	row.remarks = append(row.remarks, piece{Dim, join(" · ", ratedWord(t, f.Rated), f.Source, f.Conditions)})
	if f.Doubtful != "" {
		row.remarks = append(row.remarks, piece{Warn, t.Textf("doubtful: %s", t.Sentence(f.Doubtful))})
	}
	return row
}

// workloadName is the shape of a workload, or what was done.
func workloadName(t lang.Tag, f *reference.Figure) string {
	if f.Test != "" {
		return f.Test
	}
	depth := ""
	if f.QueueDepth > 0 {
		depth = " Q" + strconv.Itoa(f.QueueDepth)
	}
	if f.Workers > 0 {
		depth += "T" + strconv.Itoa(f.Workers)
	}
	return t.Textf("%s %s of %s", t.Text(f.Pattern), t.Text(f.Op), blockSize(t, f.BlockBytes)) + depth
}
