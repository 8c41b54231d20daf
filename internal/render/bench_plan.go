package render

import (
	"io"
	"strings"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/report"
)

// BenchPlan writes what a benchmark that writes would do to a drive, then every
// check.
func BenchPlan(w io.Writer, b *report.BenchPlan, style Style) error {
	p := &page{style: style.english()}
	p.banner(b.Simulated)
	word := piece{Good, "PLAN"}
	if b.Refused {
		word = piece{Bad, "REFUSED"}
	}
	p.heading(word, piece{Strong, "benchmark that writes to the raw drive"}, piece{Plain, "nothing was sent to the drive"})
	p.checks(Bad, "REFUSED", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Refuse })
	p.subject(&b.Identity, b.Radius)
	p.labelled(Dim, "writes", strings.Join(b.Workloads, " · "))
	p.labelled(Strong, "how much", join(" · ", "up to about "+size(uint64(b.WrittenBytes)), wearText(b.WearPercent), "to the first "+exactBytes(b.SpanBytes)))
	p.labelled(Strong, "time", "about "+lasting(b.Seconds))
	p.labelled(Strong, "to stop", "Ctrl-C at any time; all data of the namespace count as lost from the start on, and its first MiB is zeroed at the end")
	p.checks(Warn, "CONSENT", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Consent })
	p.checks(Warn, "warning", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && c.Warning })
	if !b.Refused {
		p.labelled(Strong, "consent", consentText(b.Phrase, &b.Identity, b.Checks))
	}
	p.checks(Good, "checked", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && !c.Warning })
	return p.writeTo(w)
}

func wearText(share *float64) string {
	if share == nil {
		return "the rated endurance is not known"
	}
	return percent(round3(*share)) + " of the rated endurance"
}
