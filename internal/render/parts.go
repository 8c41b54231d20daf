package render

import (
	"io"

	"qd1.example/qd1/internal/report"
)

// Part names the drive of a section that is shown on its own.
type Part struct {
	Simulated bool
	Drive     *report.Identity
}

// head names the drive of a part.
func (p *page) head(d Part) {
	p.banner(d.Simulated)
	p.heading(driveHeading(p.lang(), d.Drive)...)
}

// SMART writes the SMART section.
func SMART(w io.Writer, d Part, s *report.SMART, style Style) error {
	p := &page{style: style}
	p.head(d)
	p.table(smartPairs(p.lang(), s))
	return p.writeTo(w)
}

// Errors writes the error log.
func Errors(w io.Writer, d Part, e *report.Errors, style Style) error {
	p := &page{style: style}
	p.head(d)
	p.errors(&report.Section[report.Errors]{Data: e})
	return p.writeTo(w)
}

// Firmware writes the firmware slots.
func Firmware(w io.Writer, d Part, f *report.Firmware, style Style) error {
	p := &page{style: style}
	p.head(d)
	p.table(firmwarePairs(p.lang(), f))
	return p.writeTo(w)
}

// Link writes the PCI Express link.
func Link(w io.Writer, d Part, l *report.Section[report.Link], style Style) error {
	p := &page{style: style}
	p.head(d)
	p.link(l)
	return p.writeTo(w)
}
