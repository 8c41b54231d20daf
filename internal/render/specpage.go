package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme/spec"
)

// SpecPage writes a data structure of the specification. Like all pages of a
// technical kind it is English only.
func SpecPage(w io.Writer, d Part, s *report.SpecPage, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	p.heading(piece{Strong, firstText(s.Title, s.Name)}, piece{Plain, askedFor(s.Parameters)})
	if s.Text != "" {
		p.note(s.Text)
	}
	if s.Fields == nil {
		p.hexDump(s.Raw)
		return p.writeTo(w)
	}
	p.specLines(s.Fields.Lines(s.Options))
	return p.writeTo(w)
}

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// hexParameters are shown as the specification writes them.
var hexParameters = []string{"cns", "lid", "fid", "csi", "lsp"}

// askedFor is what the drive was asked for: "CNS 03h, NSID 1".
func askedFor(parameters map[string]uint64) string {
	var parts []string
	add := func(name string) {
		v, ok := parameters[name]
		switch {
		case !ok:
		case name == "after_nsid":
			parts = append(parts, fmt.Sprintf("NSIDs%sabove%s%d", nbsp, nbsp, v))
		case slices.Contains(hexParameters, name):
			parts = append(parts, fmt.Sprintf("%s%s%02Xh", strings.ToUpper(name), nbsp, v))
		default:
			parts = append(parts, fmt.Sprintf("%s%s%d", strings.ToUpper(strings.ReplaceAll(name, "_", nbsp)), nbsp, v))
		}
	}
	first := []string{"cns", "lid", "fid"}
	for _, name := range first {
		add(name)
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.Contains(first, name) {
			add(name)
		}
	}
	return strings.Join(parts, ", ")
}

// specColumns are the widths of names and values in one depth.
type specColumns struct{ name, value int }

// The widest columns; what is wider pushes the text to the right.
const (
	specName  = 16
	specValue = 18
	// leastText is the room that text needs to stand beside a column.
	leastText = 30
)

// specLines writes the lines of a structure. Names and values of one depth stand
// in columns.
func (p *page) specLines(lines []spec.Line) {
	widths := map[int]specColumns{}
	for _, l := range lines {
		c := widths[l.Depth]
		if l.Value != "" {
			c.value = max(c.value, min(displayWidth(l.Value), specValue))
		}
		if !l.Heading && (l.Value != "" || l.Text != "") {
			c.name = max(c.name, min(displayWidth(l.Name), specName))
		}
		widths[l.Depth] = c
	}
	for _, l := range lines {
		p.specLine(l, widths[l.Depth])
	}
}

func (p *page) specLine(l spec.Line, c specColumns) {
	indent := strings.Repeat(" ", 2+2*l.Depth)
	switch {
	case l.Heading:
		for _, part := range wrap(join(" ", l.Name, l.Text), p.style.width()-len(indent)) {
			p.line(indent + p.paint(Strong, part))
		}
	case l.Name == "" && l.Value == "":
		p.paragraph(indent, indent+"  ", l.Text)
	default:
		head := indent + p.paint(Dim, l.Name) + pad(l.Name, c.name) + "  "
		under := strings.Repeat(" ", len(indent)+c.name+2)
		text := l.Text
		if c.value > 0 {
			value := strings.ReplaceAll(l.Value, " ", nbsp)
			text = value + strings.Repeat(nbsp, max(c.value-displayWidth(value), 0)+2) + strings.TrimSpace(text)
			if p.style.width()-len(under)-c.value >= leastText {
				under += strings.Repeat(" ", c.value+2)
			}
		}
		used := displayWidth(indent+l.Name) + len(pad(l.Name, c.name)) + 2
		p.hanging(head, used, under, text)
	}
	under := strings.Repeat(" ", len(indent)+c.name+2)
	for _, d := range l.Details {
		p.paragraph(under, under+"  ", d)
	}
}

// paragraph writes text that wraps, with one indent for its first line and another
// for the others.
func (p *page) paragraph(first, others, text string) { p.hanging(first, len(first), others, text) }

// hanging writes text that wraps behind a head of used columns, and below others.
func (p *page) hanging(head string, used int, others, text string) {
	room := max(p.style.width()-used, 10)
	lines := wrap(text, room)
	p.line(head + lines[0])
	if len(lines) == 1 {
		return
	}
	rest := strings.Join(lines[1:], " ")
	for _, l := range wrap(rest, max(p.style.width()-len(others), 10)) {
		p.line(others + l)
	}
}

// hexDump writes bytes, 16 in a line, without the lines of zeroes in between.
func (p *page) hexDump(b []byte) {
	const perLine = 16
	zeroes := 0
	for i := 0; i < len(b); i += perLine {
		part := b[i:min(i+perLine, len(b))]
		if slices.Max(part) == 0 {
			zeroes++
			continue
		}
		if zeroes > 0 {
			p.line("  …")
			zeroes = 0
		}
		p.line(fmt.Sprintf("  %04x  %-47s  %s", i, fmt.Sprintf("% x", part), printable(part)))
	}
	if zeroes > 0 {
		p.line(fmt.Sprintf("  %04x  the end; what is not shown is zero", len(b)))
	}
}

func printable(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7E {
			return '.'
		}
		return r
	}, string(b))
}
