package render

import (
	"fmt"
	"io"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart"
)

// Report writes a report as text: the verdict and what it rests on first, in
// at most 25 lines of 100 columns, then every detail.
func Report(w io.Writer, r *report.Report, style Style) error {
	p := &page{style: style}
	p.banner(r.Simulated)
	p.verdict(r)
	p.fold(summary(p.lang(), r))
	p.details(r)
	return p.writeTo(w)
}

// Brief writes the lines of Report that come first.
func Brief(w io.Writer, r *report.Report, style Style) error {
	p := &page{style: style}
	p.banner(r.Simulated)
	p.verdict(r)
	p.fold(summary(p.lang(), r))
	return p.writeTo(w)
}

func (p *page) banner(simulated bool) {
	if simulated {
		p.heading(piece{Warn, p.lang().Text("SIMULATED: no real drive stands behind these figures")})
	}
}

func (p *page) verdict(r *report.Report) {
	p.heading(append([]piece{verdictWord(p.lang(), r.Verdict.Level)}, driveHeading(p.lang(), &r.Drive)...)...)
}

func verdictWord(t lang.Tag, l smart.Level) piece {
	switch l {
	case smart.Keep:
		return piece{Good, t.Text("KEEP")}
	case smart.Note:
		return piece{Warn, t.Text("KEEP, WITH A NOTE")}
	case smart.Return:
		return piece{Bad, t.Text("RETURN")}
	case smart.Unknown:
		return piece{Warn, t.Text("UNKNOWN")}
	}
	return piece{Warn, string(l)}
}

// driveHeading names the drive.
func driveHeading(t lang.Tag, d *report.Identity) []piece {
	return []piece{{Strong, driveName(t, d)}, {Plain, t.Textf("serial %s", orUnknown(t, d.Serial))}}
}

func driveName(t lang.Tag, d *report.Identity) string {
	if d.MarketingName == nil {
		return orUnknown(t, d.Model)
	}
	return fmt.Sprintf("%s (%s)", *d.MarketingName, d.Model)
}

func severityRole(s smart.Severity) Role {
	switch s {
	case smart.SeverityReturn:
		return Bad
	case smart.SeverityNote:
		return Warn
	case smart.SeverityOK:
		return Good
	}
	return Dim
}

// entry is a labelled text of the summary.
type entry struct {
	role        Role
	label, text string
	// spare is how well the reader can do without it, as the details have it
	// too: 0 always stays, the greatest goes first.
	spare int
}

const (
	foldLines = 25
	mostSpare = 10
)

// fold writes the summary, and no more of it than fits above the fold.
func (p *page) fold(all []entry) {
	room := foldLines * max(100/p.style.width(), 1)
	for spare := mostSpare; ; spare-- {
		trial := &page{style: p.style}
		for _, e := range all {
			if e.spare <= spare {
				trial.labelled(e.role, e.label, e.text)
			}
		}
		if lines(p)+lines(trial) <= room || spare == 0 {
			p.b.WriteString(trial.b.String())
			return
		}
	}
}
