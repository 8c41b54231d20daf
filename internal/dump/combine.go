package dump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// drive puts the parts together. A part with a SMART log is a reading of the
// drive. Of several the one that stands last is used, with all that is of its
// moment; the others only say what stays the same while a drive is in use.
func (g *group) drive() *Drive {
	slices.SortStableFunc(g.parts, func(a, b part) int { return cmp.Compare(a.line, b.line) })
	readings := g.readings()
	d := &Drive{}
	if n := len(readings); n > 0 {
		d.take(readings[n-1])
	}
	for i := range g.parts {
		if p := &g.parts[i]; p.drive.smart == nil {
			d.takeMoment(p)
		}
	}
	for i := range slices.Backward(g.parts) {
		d.takeLasting(&g.parts[i])
	}
	g.notes(d)
	return d
}

// readings returns the parts with a SMART log, in order.
func (g *group) readings() []*part {
	var list []*part
	for i := range g.parts {
		if g.parts[i].drive.smart != nil {
			list = append(list, &g.parts[i])
		}
	}
	return list
}

// take merges what p says into d.
func (d *Drive) take(p *part) {
	d.takeLasting(p)
	d.takeMoment(p)
}

// takeMoment merges what may have been otherwise at another time. Of two logs
// the one with more in it is used, the later of two equal ones.
func (d *Drive) takeMoment(p *part) {
	from := p.drive
	d.Host.fill(&from.Host)
	d.smart = d.join(d.smart, from.smart)
	d.errors = d.choose("error log", d.errors, from.errors)
	d.firmware = d.choose("firmware slot log", d.firmware, from.firmware)
	for _, text := range from.Notes {
		d.note(text)
	}
}

// takeLasting merges what does not change while a drive is in use, field by
// field.
func (d *Drive) takeLasting(p *part) {
	from := p.drive
	d.Serial, d.Model, d.Firmware = better(d.Serial, from.Serial), better(d.Model, from.Model), better(d.Firmware, from.Firmware)
	d.Host.fillPlace(&from.Host)
	d.controller = d.join(d.controller, from.controller)
	for nsid, page := range from.namespaces {
		d.namespace(nsid, d.join(d.namespaces[nsid], page))
	}
	d.allSpaces = d.allSpaces || from.allSpaces
}

// namespace sets the page of a namespace.
func (d *Drive) namespace(nsid nvme.NSID, p *page) {
	if d.namespaces == nil {
		d.namespaces = map[nvme.NSID]*page{}
	}
	d.namespaces[nsid] = p
}

// better is a, unless only b says something or a has parts left out.
func better(a, b string) string {
	if a == "" || b != "" && strings.Contains(a, "*") {
		return b
	}
	return a
}

func (d *Drive) join(a, b *page) *page {
	switch {
	case a == nil:
		return b
	case b != nil && a != b:
		a.fill(b)
	}
	return a
}

func (d *Drive) choose(name string, a, b *page) *page {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	used := b
	if len(a.known) > len(b.known) {
		used = a
	}
	d.note(fmt.Sprintf("the %s is in the dump more than once; that of line %d is used", name, used.line))
	return used
}

// fill takes what h does not say from other.
func (h *Host) fill(other *Host) {
	h.fillPlace(other)
	h.Platform, h.Time = better(h.Platform, other.Platform), better(h.Time, other.Time)
	h.Interface = better(h.Interface, other.Interface)
	h.Verdict = better(h.Verdict, other.Verdict)
	if h.Link == nil {
		h.Link = other.Link
	}
}

// fillPlace takes what is the same at all times.
func (h *Host) fillPlace(other *Host) {
	h.Device, h.Address = better(h.Device, other.Device), better(h.Address, other.Address)
	if h.VendorID == 0 {
		h.VendorID, h.SubsystemVendorID = other.VendorID, other.SubsystemVendorID
	}
	if h.SizeBytes == 0 || h.SizeRounded && other.SizeBytes != 0 && !other.SizeRounded {
		h.SizeBytes, h.SizeRounded = other.SizeBytes, other.SizeRounded
	}
}
