package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"qd1.example/qd1/internal/report"
)

// List writes one line for each drive, or a few where the width is too small
// for a table.
func List(w io.Writer, l *report.List, style Style) error {
	p := &page{style: style}
	rows := [][]string{{"DRIVE", "SERIAL", "MODEL", "SIZE", "FIRMWARE", "LINK", "TEMP", "USED", "DEVICES", "IN USE"}}
	for i := range l.Drives {
		rows = append(rows, listCells(&l.Drives[i], len(l.Unchecked) > 0))
	}
	switch widths := columnWidths(rows); {
	case len(l.Drives) == 0:
	case tableWidth(widths) <= style.width():
		p.rows(rows, widths, l.Drives)
	default:
		p.blocks(rows, l.Drives)
	}
	for _, text := range l.Unchecked {
		p.labelled(Warn, "not seen", text)
	}
	return p.writeTo(w)
}

func (p *page) rows(rows [][]string, widths []int, drives []report.Row) {
	for i, cells := range rows {
		role, line := Plain, ""
		if i == 0 {
			role = Dim
		}
		for c, cell := range cells {
			line += p.paint(role, cell) + pad(cell, widths[c]+2)
		}
		p.line(line)
		if i > 0 {
			p.rowProblem(&drives[i-1])
		}
	}
}

// blocks writes each drive in lines of its own.
func (p *page) blocks(rows [][]string, drives []report.Row) {
	for i := range drives {
		r, c := &drives[i], rows[i+1]
		p.heading(piece{Strong, c[0]}, piece{Plain, c[2]}, piece{Plain, "serial " + c[1]})
		p.note(join(" · ", known(c[3]), "firmware "+c[4], prefixed("PCIe ", known(c[5])), known(c[6]), prefixed("used ", known(c[7])), known(c[8]), prefixed("in"+nbsp+"use:"+nbsp, known(c[9]))))
		p.rowProblem(r)
	}
}

func (p *page) rowProblem(r *report.Row) {
	if x := r.Problem; x != nil {
		p.labelled(Warn, "not read", join(" · ", x.Text, x.Hint))
	}
}

// absent stands in a cell for what is not known.
const absent = "–"

func known(cell string) string {
	if cell == absent {
		return ""
	}
	return cell
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

func tableWidth(widths []int) int {
	sum := 2 * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// listCells are the cells of a drive. partly says that not all uses could be
// seen.
func listCells(r *report.Row, partly bool) []string {
	name := r.Controller
	if r.Simulated {
		name += " SIMULATED"
	}
	return []string{name, orUnknown(r.Serial), orUnknown(r.Model), rowSize(r), orUnknown(r.Firmware),
		rowLink(r.Link), rowTemperature(r), rowUsed(r), rowDevices(r), rowInUse(r, partly)}
}

func rowSize(r *report.Row) string {
	if r.SizeBytes == nil {
		return absent
	}
	return size(*r.SizeBytes)
}

func rowLink(l *report.Link) string {
	if l == nil || l.SpeedGTs == nil || l.Width == nil {
		return absent
	}
	return link(l.SpeedGTs, l.Width)
}

func rowTemperature(r *report.Row) string {
	if r.CompositeTemperatureCelsius == nil {
		return absent
	}
	return celsius(r.CompositeTemperatureCelsius)
}

func rowUsed(r *report.Row) string {
	if r.PercentageUsedPercent == nil {
		return absent
	}
	return with(*r.PercentageUsedPercent, "%")
}

// rowDevices names the block devices, and the namespaces that have none.
func rowDevices(r *report.Row) string {
	var parts []string
	for _, n := range r.Namespaces {
		parts = append(parts, deref(n.BlockDevice, fmt.Sprintf("(namespace"+nbsp+"%d)", n.NSID)))
	}
	if len(parts) == 0 {
		return absent
	}
	return strings.Join(parts, " ")
}
