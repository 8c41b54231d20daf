package render

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// page collects the lines of a text.
type page struct {
	style Style
	b     strings.Builder
}

// lang is the language of the page.
func (p *page) lang() lang.Tag { return p.style.Lang }

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// line ends a line. Its text has been through paint or wrap.
func (p *page) line(s string) {
	p.b.WriteString(strings.TrimRight(strings.ReplaceAll(s, nbsp, " "), " ") + "\n")
}

// paint cleans text and gives it the colour of its role.
func (p *page) paint(role Role, text string) string { return p.style.paint(role, clean(text)) }

// piece is a part of a heading.
type piece struct {
	role Role
	text string
}

// heading writes pieces beside each other; those that do not fit go to the
// next line.
func (p *page) heading(pieces ...piece) {
	const gap = "  "
	line, used := "", 0
	for _, x := range pieces {
		if x.text == "" {
			continue
		}
		for _, part := range wrap(x.text, p.style.width()-len(gap)) {
			n := displayWidth(part)
			switch {
			case used == 0:
			case used+len(gap)+n > p.style.width():
				p.line(line)
				line, used = gap, len(gap)
			default:
				line, used = line+gap, used+len(gap)
			}
			line, used = line+p.paint(x.role, part), used+n
		}
	}
	p.line(line)
}

const labelColumn = 11

// labelled writes a label, in the language of the page, and a text that wraps
// beside it. An empty text writes nothing.
func (p *page) labelled(role Role, label, text string) {
	if text == "" {
		return
	}
	label = p.lang().Text(label)
	for i, l := range wrap(text, p.style.width()-labelColumn) {
		head := ""
		if i == 0 {
			head = label
		}
		p.line("  " + p.paint(role, head) + pad(head, labelColumn-2) + l)
	}
}

// pad returns the spaces that bring text to width columns.
func pad(text string, width int) string {
	return strings.Repeat(" ", max(width-displayWidth(text), 0))
}

// pair is a name with its value; a pair with an empty value is left out.
type pair struct{ label, value string }

func (p *page) title(s string) {
	p.line("")
	p.line(p.paint(Strong, p.lang().Text(s)))
}

// table writes pairs, the labels in the language of the page and the values in
// one column.
func (p *page) table(pairs []pair) {
	pairs, width := slices.Clone(pairs), 0
	for i := range pairs {
		x := &pairs[i]
		x.label = p.lang().Text(x.label)
		if x.value != "" {
			width = max(width, displayWidth(x.label))
		}
	}
	for _, x := range pairs {
		if x.value == "" {
			continue
		}
		for i, l := range wrap(x.value, p.style.width()-width-4) {
			head := ""
			if i == 0 {
				head = x.label
			}
			p.line("  " + p.paint(Dim, head) + pad(head, width) + "  " + l)
		}
	}
}

// columns writes short pairs as "name value", several in a line.
func (p *page) columns(pairs []pair) {
	width := 0
	for _, x := range pairs {
		width = max(width, displayWidth(x.label+x.value)+1)
	}
	perLine := max((p.style.width()-2)/(width+2), 1)
	for i := 0; i < len(pairs); i += perLine {
		line := " "
		for _, x := range pairs[i:min(i+perLine, len(pairs))] {
			cell := clean(x.label + " " + x.value)
			line += " " + p.paint(Dim, x.label) + " " + clean(x.value) + pad(cell, width+1)
		}
		p.line(line)
	}
}

// note writes a sentence that stands in place of a table.
func (p *page) note(text string) {
	for _, l := range wrap(p.lang().Text(text), p.style.width()-2) {
		p.line("  " + l)
	}
}

func (p *page) problem(x *report.Problem) {
	p.labelled(Warn, "not read", p.lang().Sentence(x.Text))
	p.labelled(Dim, "hint", p.lang().Sentence(x.Hint))
}

// wrap cleans text and breaks it at spaces, and beside characters of Japanese,
// into lines of at most width columns; a longer word is cut. A dot between two parts stays at the end of
// its line. It returns at least one line.
func wrap(text string, width int) []string {
	text = glue(strings.ReplaceAll(clean(text), " · ", nbsp+"· "))
	var lines []string
	line, used := "", 0
	for _, w := range words(text, width) {
		gap, n := "", displayWidth(w.text)
		if w.spaced && line != "" {
			gap = " "
		}
		if line != "" && used+len(gap)+n > width {
			lines = append(lines, line)
			line, used, gap = "", 0, ""
		}
		line, used = line+gap+w.text, used+len(gap)+n
	}
	return append(lines, line)
}

// glue keeps the groups of a number, and a number and its unit or what it counts
// in Japanese, together.
func glue(text string) string {
	words := strings.Split(text, " ")
	var b strings.Builder
	b.WriteString(words[0])
	for i, word := range words[1:] {
		space := " "
		if isNumber(words[i]) && (isGroup(word) || isUnit(word) || beginsWide(word)) {
			space = nbsp
		}
		b.WriteString(space + word)
	}
	return b.String()
}

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r != '.' && !unicode.IsDigit(r) }) < 0
}

// isGroup reports whether s is three digits, with or without a mark behind.
func isGroup(s string) bool {
	s = strings.TrimRight(s, ".,;:)")
	return len(s) == 3 && isNumber(s)
}

func beginsWide(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return wide(r)
}

func isUnit(s string) bool {
	if i := strings.IndexFunc(s, wide); i > 0 {
		s = s[:i] // A mark or a word of Japanese follows without a space.
	}
	switch strings.TrimRight(s, ".,;:)") {
	case "%", "B", "kB", "MB", "GB", "TB", "PB", "µs", "s", "min", "h", "°C", "K", "W":
		return true
	}
	return false
}

// clean replaces what could steer a terminal. The strings of Identify come
// cleaned; those of the host are as the drive's firmware made them.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// lines counts the lines of a page.
func lines(p *page) int { return strings.Count(p.b.String(), "\n") }
