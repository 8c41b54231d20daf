package render

import (
	"io"
	"strings"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// List writes one line for each drive, or a few where the width is too small
// for a table.
func List(w io.Writer, l *report.List, style Style) error {
	p := &page{style: style}
	rows := [][]string{listHeads(p.lang())}
	for i := range l.Drives {
		rows = append(rows, listCells(p.lang(), &l.Drives[i], len(l.Unchecked) > 0))
	}
	switch widths := columnWidths(rows); {
	case len(l.Drives) == 0:
	case tableWidth(widths) <= style.width():
		p.rows(rows, widths, l.Drives)
	default:
		p.blocks(rows, l.Drives)
	}
	for _, names := range sameDrive(l.Drives) {
		p.labelled(Plain, "note", p.lang().Textf("%s are controllers of one drive, which has one health log and is to be counted once", commas(p.lang(), names...)))
	}
	for _, text := range l.Unchecked {
		p.labelled(Warn, "not seen", p.lang().Sentence(text))
	}
	for _, h := range l.Hidden {
		p.labelled(Warn, "hidden", p.lang().Sentence(h.String()))
	}
	return p.writeTo(w)
}

// sameDrive returns the names of controllers that belong to one NVM subsystem, for
// each that has several of them.
func sameDrive(drives []report.Row) [][]string {
	var order []string
	names := map[string][]string{}
	for i := range drives {
		d := &drives[i]
		if d.Subsystem == "" || d.Simulated {
			continue
		}
		key := d.Subsystem + " " + d.Serial
		if names[key] == nil {
			order = append(order, key)
		}
		names[key] = append(names[key], d.Controller)
	}
	var all [][]string
	for _, key := range order {
		if len(names[key]) > 1 {
			all = append(all, names[key])
		}
	}
	return all
}

func listHeads(t lang.Tag) []string {
	heads := []string{"DRIVE", "SERIAL", "MODEL", "SIZE", "FIRMWARE", "LINK", "TEMP", "USED", "DEVICES", "IN USE"}
	for i := range heads {
		heads[i] = t.Text(heads[i])
	}
	return heads
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
	t := p.lang()
	for i := range drives {
		r, c := &drives[i], rows[i+1]
		p.heading(piece{Strong, c[0]}, piece{Plain, c[2]}, piece{Plain, t.Textf("serial %s", c[1])})
		p.note(join(" · ", known(c[3]), t.Textf("firmware %s", c[4]), prefixed("PCIe ", known(c[5])), known(c[6]), prefixed(t.Text("used "), known(c[7])), known(c[8]), prefixed(t.Text("in"+nbsp+"use:"+nbsp), known(c[9]))))
		p.rowProblem(r)
	}
}

func (p *page) rowProblem(r *report.Row) {
	if x := r.Problem; x != nil {
		p.labelled(Warn, "not read", join(" · ", p.lang().Sentence(x.Text), p.lang().Sentence(x.Hint)))
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
			widths[c] = max(widths[c], displayWidth(cell))
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
func listCells(t lang.Tag, r *report.Row, partly bool) []string {
	name := r.Controller
	if r.Simulated {
		name += " " + t.Text("SIMULATED")
	}
	return []string{name, orUnknown(t, r.Serial), orUnknown(t, r.Model), rowSize(r), orUnknown(t, r.Firmware),
		rowLink(t, r.Link), rowTemperature(t, r), rowUsed(r), rowDevices(t, r), rowInUse(t, r, partly)}
}

func rowSize(r *report.Row) string {
	if r.SizeBytes == nil {
		return absent
	}
	return size(*r.SizeBytes)
}

func rowLink(t lang.Tag, l *report.Link) string {
	if l == nil || l.SpeedGTs == nil || l.Width == nil {
		return absent
	}
	return link(t, l.SpeedGTs, l.Width)
}

func rowTemperature(t lang.Tag, r *report.Row) string {
	if r.CompositeTemperatureCelsius == nil {
		return absent
	}
	return celsius(t, r.CompositeTemperatureCelsius)
}

func rowUsed(r *report.Row) string {
	if r.PercentageUsedPercent == nil {
		return absent
	}
	return with(*r.PercentageUsedPercent, "%")
}

// rowDevices names the block devices, and the namespaces that have none.
func rowDevices(t lang.Tag, r *report.Row) string {
	var parts []string
	for _, n := range r.Namespaces {
		parts = append(parts, deref(n.BlockDevice, t.Textf("(namespace"+nbsp+"%d)", n.NSID)))
	}
	if len(parts) == 0 {
		return absent
	}
	return strings.Join(parts, " ")
}
