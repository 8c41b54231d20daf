package page

import (
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/report"
)

// MarkdownOptions are the choices of a table in Markdown.
type MarkdownOptions struct {
	// Serial adds the serial number, which names one single drive and, with a
	// receipt, its owner. Without it no path is shown either.
	Serial bool
}

// MarkdownBench writes a benchmark as a table in Markdown, with a line on the
// drive before it and one on the conditions after it.
func MarkdownBench(w io.Writer, b *report.BenchReport, o MarkdownOptions) error {
	m := &markdown{}
	m.simulated(b.Simulated)
	m.line(markdownDrive(b, o))
	for _, text := range benchWarnings(b) {
		m.line("⚠ " + escaped(text))
	}
	t := table{Head: []string{"row", "MB/s", "IOPS", latencyHead(b), "p99 µs", "% of rated"}, Words: 1}
	for i := range b.Rows {
		r := &b.Rows[i]
		cells := []string{r.Label, absent, absent, absent, absent, absent}
		if r.Figure != nil {
			cells = figureCells(r, r.Figure)
			cells = append(cells[:5:5], cells[6])
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	if len(t.Rows) == 0 {
		m.line("Nothing was measured.")
	} else {
		m.table(t)
	}
	m.line(markdownConditions(b))
	return m.writeTo(w)
}

// MarkdownCompare writes a comparison as a table in Markdown, the answer first.
func MarkdownCompare(w io.Writer, c *compare.Comparison, o MarkdownOptions) error {
	m := &markdown{}
	m.simulated(c.Before.Simulated || c.After.Simulated)
	m.compare(c, o)
	m.line(escaped(join(" ", c.Tool.Name, c.Tool.Version)))
	return m.writeTo(w)
}

// compare writes the answer, the sides and the rows of a comparison.
func (m *markdown) compare(c *compare.Comparison, o MarkdownOptions) {
	m.line("**" + overallWord(c.Overall) + "**: " + escaped(sentence(c.Summary)))
	m.line(escaped(markdownSide(&c.Before, "before", o)) + " → " + escaped(markdownSide(&c.After, "after", o)))
	for _, text := range c.Warnings {
		m.line("⚠ " + escaped(sentence(text)))
	}
	if len(c.Differences) > 0 {
		m.line("What else differs: " + escaped(markdownDifferences(c, o)))
	}
	t := table{Head: []string{"figure", "before", "after", "change", "95 % interval", "p (Holm)", "verdict"}, Words: 1}
	for i := range c.Rows {
		r := &c.Rows[i]
		t.Rows = append(t.Rows, row{Cells: []string{rowName(r), sampleText(&r.Before, r.Unit), sampleText(&r.After, r.Unit), or(r.ChangePercent, signed), intervalText(r.CI95Percent),
			or(r.PHolm, chart.Number), verdictWord(r.Verdict)}})
	}
	if len(t.Rows) == 0 {
		m.line("There is no row that both sides have.")
	} else {
		m.table(t)
		m.line("Medians, in brackets the number of runs.")
	}
}

// markdown collects paragraphs.
type markdown struct{ parts []string }

func (m *markdown) line(s string) {
	if s != "" {
		m.parts = append(m.parts, s)
	}
}

func (m *markdown) simulated(yes bool) {
	if yes {
		m.line("**SIMULATED: no real drive stands behind these figures.**")
	}
}

func (m *markdown) table(t table) {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|", strings.Join(t.Head, " | "))
	for i := range t.Head {
		b.WriteString(map[bool]string{true: " --- |", false: " ---: |"}[i < t.Words])
	}
	for _, r := range t.Rows {
		b.WriteString("\n|")
		for _, c := range r.Cells {
			b.WriteString(" " + escaped(c) + " |")
		}
	}
	m.line(b.String())
}

func (m *markdown) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(m.parts, "\n\n")+"\n")
	return err
}

// escaped makes any text one line that is no markup.
func escaped(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(s, nbsp, "\x00"), "\uFFFD")), " ")
	s = strings.NewReplacer("\x00", nbsp, `\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "&", "&amp;").Replace(s)
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, s)
}

// markdownDrive is the drive, its firmware and its link, and what was run.
func markdownDrive(b *report.BenchReport, o MarkdownOptions) string {
	name, model, serial, firmware := driveName(b), "", "", ""
	if d := b.Drive; d != nil {
		if d.Model != name {
			model = d.Model
		}
		firmware = prefixed("firmware ", d.Firmware)
		if o.Serial {
			serial = prefixed("serial ", d.Serial)
		}
	} else if !o.Serial {
		name = unnamedTarget(b)
	}
	profile, label := "", ""
	if b.Profile != nil {
		profile = join(", ", b.Profile.Name, b.Profile.Title)
	}
	if b.Label != nil {
		label = *b.Label
	}
	return join(" · ", "**"+escaped(name)+"**", escaped(model), escaped(serial), escaped(firmware), escaped(linkOfBlock(b.Conditions.Block)), escaped(profile), escaped(label))
}

// unnamedTarget is what a target is without its path.
func unnamedTarget(b *report.BenchReport) string {
	switch {
	case b.Target.Kind == bench.FileTarget && b.Conditions.Filesystem != nil:
		return "a file on " + b.Conditions.Filesystem.Type
	case b.Target.Kind == bench.FileTarget:
		return "a file"
	}
	return "a block device"
}

// markdownConditions are in one line what the figures depend on.
func markdownConditions(b *report.BenchReport) string {
	c := &b.Conditions
	target := ""
	if b.Target.Bytes > 0 {
		target = size(float64(b.Target.Bytes))
	}
	fs := ""
	if c.Filesystem != nil {
		fs = c.Filesystem.Type
	}
	return escaped(join(" · ", target, fs, processorText(&c.Host), kernelText(&c.Host), prefixed("engine ", enginesText(b)), temperatureText(c), wakeUpText(c), join(" ", b.Tool.Name, b.Tool.Version), momentOf(b.Time)))
}

func markdownSide(s *compare.Side, name string, o MarkdownOptions) string {
	serial := ""
	if o.Serial {
		serial = prefixed("serial ", s.Serial)
	}
	return join(": ", name, join(", ", strings.Join(s.Labels, ", "), s.Model, serial, prefixed("firmware ", s.Firmware)))
}

func markdownDifferences(c *compare.Comparison, o MarkdownOptions) string {
	var list []string
	for _, d := range c.Differences {
		if !o.Serial && d.What == "serial number" {
			list = append(list, "another drive")
			continue
		}
		list = append(list, fmt.Sprintf("%s (%s → %s)", d.What, textOr(d.Before), textOr(d.After)))
	}
	return strings.Join(list, "; ")
}
