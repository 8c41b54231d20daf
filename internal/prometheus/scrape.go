package prometheus

import (
	"io"
	"time"

	"qd1.example/qd1/internal/report"
)

// Scrape is one look at the drives.
type Scrape struct {
	// Tool is the program that looked.
	Tool report.Tool
	// Time is when it began.
	Time time.Time
	// Drives are those that the host has, each controller once.
	Drives []Drive
	// Absent are drives that should be there and are not.
	Absent []Known
}

// Drive is one controller.
type Drive struct {
	// Device is the name of the controller, such as "nvme0", and the label
	// device of its samples.
	Device string
	// Report is what was read, nil if the drive could not be opened.
	Report *report.Report
	// Known is who it is, as far as the host tells; the report knows better.
	Known Known
	// Problem says why there is no report, nil if there is one.
	Problem *report.Problem
	// Took is how long it took to read the drive.
	Took time.Duration
}

// Known is a drive by its own name, which stays when the controller gets
// another number.
type Known struct {
	Serial, Model string
}

// who returns the name of the drive by what is known best.
func (d *Drive) who() Known {
	if d.Report != nil && d.Report.Drive.Serial != "" {
		return Known{d.Report.Drive.Serial, d.Report.Drive.Model}
	}
	return d.Known
}

// readable reports whether the health of the drive was read.
func (d *Drive) readable() bool { return d.Report != nil && d.Report.SMART.Data != nil }

// Write writes the scrape.
func Write(w io.Writer, s *Scrape) error {
	p := &page{}
	all := p.with()
	all.add(gauge, "qd1_build_info", "The program that read the drives; always 1.", "1", "version", s.Tool.Version)
	all.add(gauge, "qd1_scrape_timestamp_seconds", "When the drives were read, in seconds since 1970-01-01 UTC.", integer(s.Time.Unix()))
	s.presence(all)
	for i := range s.Drives {
		d := &s.Drives[i]
		p.with("device", d.Device).drive(d)
	}
	return p.write(w)
}

// presence enters which drives are there. A drive with two controllers is
// there once.
func (s *Scrape) presence(all *section) {
	seen := map[Known]bool{}
	enter := func(k Known, there bool) {
		if seen[k] || k == (Known{}) {
			return
		}
		seen[k] = true
		all.add(gauge, presentName, "Whether the host has the drive: 0 is one that was there before, or was named, and is not.",
			boolean(there), "serial", k.Serial, "model", k.Model)
	}
	for i := range s.Drives {
		enter(s.Drives[i].who(), true)
	}
	for _, k := range s.Absent {
		enter(k, false)
	}
}

// drive enters all samples of a drive. One that did not answer has none of its
// former values, but says that it did not answer.
func (s *section) drive(d *Drive) {
	s.add(gauge, "qd1_scrape_success", "Whether the SMART log of the drive could be read.", boolean(d.readable()))
	s.add(gauge, "qd1_scrape_duration_seconds", "How long it took to read the drive.", float(d.Took.Seconds()))
	s.problems(d)
	if d.Report == nil {
		return
	}
	s.identity(d.Report)
	if d.Report.SMART.Data != nil {
		s.smart(d.Report.SMART.Data)
		s.thermal(d.Report.SMART.Data)
	}
	s.sizes(d.Report)
	s.verdict(d.Report)
	s.endurance(d.Report.Endurance)
	s.errorLog(d.Report)
	s.link(d.Report.Link.Data)
}

func (s *section) problems(d *Drive) {
	const name, help = "qd1_scrape_problem", "A part of the drive that could not be read, with the kind of failure; always 1."
	if d.Problem != nil {
		s.add(gauge, name, help, "1", "section", "drive", "kind", string(d.Problem.Kind))
	}
	if d.Report == nil {
		return
	}
	for _, p := range d.Report.Problems() {
		s.add(gauge, name, help, "1", "section", p.Section, "kind", string(p.Kind))
	}
}
