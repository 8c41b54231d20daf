package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"qd1.example/qd1/internal/report"
)

// List writes one line for each drive.
func List(w io.Writer, l *report.List, style Style) error {
	p := &page{style: style}
	rows := [][]string{{"DRIVE", "SERIAL", "MODEL", "SIZE", "FIRMWARE", "LINK", "TEMP", "USED", "NAMESPACES"}}
	for i := range l.Drives {
		rows = append(rows, listCells(&l.Drives[i]))
	}
	widths := columnWidths(rows)
	for i, cells := range rows {
		p.row(i, cells, widths)
		if i > 0 && l.Drives[i-1].Problem != nil {
			x := l.Drives[i-1].Problem
			p.labelled(Warn, "", join(" · ", x.Text, x.Hint))
		}
	}
	return p.writeTo(w)
}

func (p *page) row(i int, cells []string, widths []int) {
	role := Plain
	if i == 0 {
		role = Dim
	}
	var b strings.Builder
	for c, cell := range cells {
		b.WriteString(p.style.paint(role, cell) + strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell)+2))
	}
	p.line(b.String())
}

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for c, cell := range cells {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func listCells(r *report.Row) []string {
	name := r.Controller
	if r.Simulated {
		name += " SIMULATED"
	}
	return []string{name, orUnknown(r.Serial), deref(r.MarketingName, orUnknown(r.Model)), rowSize(r), orUnknown(r.Firmware),
		rowLink(r.Link), rowTemperature(r), rowUsed(r), rowNamespaces(r)}
}

func rowSize(r *report.Row) string {
	if r.SizeBytes == nil {
		return "–"
	}
	return size(*r.SizeBytes)
}

func rowLink(l *report.Link) string {
	if l == nil {
		return "–"
	}
	return link(l.SpeedGTs, l.Width)
}

func rowTemperature(r *report.Row) string {
	if r.CompositeTemperatureCelsius == nil {
		return "–"
	}
	return fmt.Sprintf("%d °C", *r.CompositeTemperatureCelsius)
}

func rowUsed(r *report.Row) string {
	if r.PercentageUsedPercent == nil {
		return "–"
	}
	return fmt.Sprintf("%d %%", *r.PercentageUsedPercent)
}

func rowNamespaces(r *report.Row) string {
	var parts []string
	for _, n := range r.Namespaces {
		parts = append(parts, fmt.Sprintf("%d:%s", n.NSID, deref(n.BlockDevice, "no device")))
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, " ")
}
