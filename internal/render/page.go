package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"qd1.example/qd1/internal/report"
)

// page collects the lines of a text.
type page struct {
	style Style
	b     strings.Builder
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) line(s string) {
	p.b.WriteString(strings.TrimRight(strings.ReplaceAll(s, nbsp, " "), " ") + "\n")
}

func (p *page) linef(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

// labelled writes a label and a text that wraps beside it. An empty text
// writes nothing.
func (p *page) labelled(role Role, label, text string) {
	if text == "" {
		return
	}
	const column = 11
	lines := wrap(text, p.style.width()-column)
	head := fmt.Sprintf("  %-*s", column-2, label)
	p.line(p.style.paint(role, head) + lines[0])
	for _, l := range lines[1:] {
		p.line(strings.Repeat(" ", column) + l)
	}
}

// pair is a name with its value; a pair with an empty value is left out.
type pair struct{ label, value string }

func (p *page) title(s string) {
	p.line("")
	p.line(p.style.paint(Strong, s))
}

// table writes pairs, the values in one column.
func (p *page) table(pairs []pair) {
	width := 0
	for _, x := range pairs {
		width = max(width, utf8.RuneCountInString(x.label))
	}
	for _, x := range pairs {
		if x.value == "" {
			continue
		}
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(x.label))
		for i, l := range wrap(x.value, p.style.width()-width-4) {
			if i == 0 {
				p.line("  " + p.style.paint(Dim, x.label) + pad + "  " + l)
				continue
			}
			p.line(strings.Repeat(" ", width+4) + l)
		}
	}
}

// columns writes short pairs as "name value", several in a line.
func (p *page) columns(pairs []pair) {
	width := 0
	for _, x := range pairs {
		width = max(width, utf8.RuneCountInString(x.label+x.value)+1)
	}
	perLine := max((p.style.width()-2)/(width+2), 1)
	for i := 0; i < len(pairs); i += perLine {
		line := " "
		for _, x := range pairs[i:min(i+perLine, len(pairs))] {
			cell := x.label + " " + x.value
			line += " " + p.style.paint(Dim, x.label) + " " + x.value +
				strings.Repeat(" ", width-utf8.RuneCountInString(cell)+1)
		}
		p.line(line)
	}
}

func (p *page) problem(x *report.Problem) {
	p.labelled(Warn, "not read", x.Text)
	p.labelled(Dim, "hint", x.Hint)
}

// wrap breaks text at spaces into lines of at most width columns. A dot between
// two parts stays at the end of its line. It returns at least one line.
func wrap(text string, width int) []string {
	text = strings.ReplaceAll(text, " · ", nbsp+"· ")
	var lines []string
	line := ""
	for _, word := range strings.Split(text, " ") {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
