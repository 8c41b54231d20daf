package page

import (
	"io"
	"strings"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/compare"
)

// MarkdownDeltas writes what became different between two reports as a table in
// Markdown.
func MarkdownDeltas(w io.Writer, x *compare.Deltas, o MarkdownOptions) error {
	m := &markdown{}
	m.simulated(x.Simulated)
	serial := ""
	if o.Serial {
		serial = prefixed("serial ", x.Serial)
	}
	m.line(join(" · ", "**"+escaped(deltasName(x))+"**", escaped(serial), escaped(join(" → ", moment(x.BeforeTime), moment(x.AfterTime))), escaped(chart.With(x.Hours, "h")+" apart")))
	if x.Refused != nil {
		reason := escaped(sentence(*x.Refused))
		if !o.Serial {
			reason = escaped(sentence(hidden(*x.Refused)))
		}
		m.line("**NOT COMPARED**: " + reason)
		return m.writeTo(w)
	}
	for _, text := range deltasWarnings(x) {
		m.line("⚠ " + escaped(text))
	}
	for _, t := range append(changedTexts(x), counterTable(x)...) {
		m.table(t)
	}
	for _, f := range rateFacts(&x.Rates) {
		m.line(escaped(f.Name) + ": " + escaped(f.Value))
	}
	m.line(escaped(join(" ", x.Tool.Name, x.Tool.Version)))
	return m.writeTo(w)
}

// hidden cuts off what a sentence quotes: serial numbers stand there.
func hidden(s string) string {
	before, _, _ := strings.Cut(s, ":")
	return before
}

// MarkdownAge writes the aging of a drive as tables in Markdown: the comparison,
// and the probes of the treatment.
func MarkdownAge(w io.Writer, r *aging.Record, o MarkdownOptions) error {
	m := &markdown{}
	m.simulated(r.Simulated)
	if r.Comparison == nil {
		m.line("**" + ageWord(r) + "**: " + escaped(sentence(r.Summary)))
		m.line(markdownDrive(agedTarget(r), o))
	} else {
		m.compare(r.Comparison, o)
	}
	m.line("Treatment: " + escaped(agingText(r)) + ".")
	for _, f := range incidents(r) {
		m.line("⚠ " + escaped(join(" ", f.Word+":", f.Text)))
	}
	for _, t := range probeTable(r.Probes) {
		m.table(t)
	}
	m.line(escaped(join(" ", r.Tool.Name, r.Tool.Version)))
	return m.writeTo(w)
}

// agingText is what was done, in a line.
func agingText(r *aging.Record) string {
	var parts []string
	for _, f := range agingFacts(r) {
		if f.Name != "job" && f.Name != "sittings" {
			parts = append(parts, f.Name+" "+f.Value)
		}
	}
	return strings.Join(parts, ", ")
}
