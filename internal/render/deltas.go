package render

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/internal/compare"
)

// Deltas writes what became different between two reports of one drive: what
// went backwards first, then what is important, then every counter.
func Deltas(w io.Writer, d *compare.Deltas, style Style) error {
	p := &page{style: style.english()}
	p.banner(d.Simulated)
	p.heading(deltasPiece(d), piece{Strong, d.Model}, piece{Plain, prefixed("serial ", d.Serial)})
	p.labelled(Dim, "time", spanText(d))
	if d.Refused != nil {
		p.labelled(Warn, "why", *d.Refused)
		return p.writeTo(w)
	}
	p.list(Bad, "fell", backwards(d))
	p.list(Warn, "changed", forwards(d))
	p.counters(d)
	if pairs := ratePairs(&d.Rates); len(pairs) > 0 {
		p.title("Rates")
		p.table(pairs)
	}
	if q := d.QD1; q != nil {
		p.title("One read of 4 KiB at a time")
		p.note(join(" · ", fmt.Sprintf("p50 %s, then %s", micros(q.BeforeUS), micros(q.AfterUS)), orEmpty(q.ChangePercent, change), q.Note))
	}
	return p.writeTo(w)
}

func deltasPiece(d *compare.Deltas) piece {
	switch {
	case d.Refused != nil:
		return piece{Warn, "NOT COMPARED"}
	case len(d.WentBackwards) > 0:
		return piece{Bad, "WENT BACKWARDS"}
	case len(d.Facts) > 0:
		return piece{Warn, "CHANGED"}
	}
	return piece{Strong, "NOTHING UNUSUAL"}
}

// spanText is when the reports were made.
func spanText(d *compare.Deltas) string {
	if d.BeforeTime.IsZero() || d.AfterTime.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s to %s, %s"+nbsp+"h apart", d.BeforeTime.Format(time.RFC3339), d.AfterTime.Format(time.RFC3339), decimal(d.Hours))
}

// wentBackwards tells the facts on counters that fell from the others.
func wentBackwards(d *compare.Deltas, fact string) bool {
	return slices.ContainsFunc(d.Counters, func(c compare.Counter) bool {
		return slices.Contains(d.WentBackwards, c.Key) && strings.HasPrefix(fact, c.Name+" went backwards")
	})
}

func backwards(d *compare.Deltas) []string {
	return slices.DeleteFunc(slices.Clone(d.Facts), func(fact string) bool { return !wentBackwards(d, fact) })
}

func forwards(d *compare.Deltas) []string {
	return slices.DeleteFunc(slices.Clone(d.Facts), func(fact string) bool { return wentBackwards(d, fact) })
}

// counters writes what counted on, and names what stood still.
func (p *page) counters(d *compare.Deltas) {
	p.title("Counters")
	g := &grid{columns: []column{{"", true, 0}, {"before", false, 0}, {"after", false, 0}, {"change", false, 0}, {"a day", false, 1}}}
	var still []string
	for i := range d.Counters {
		c := &d.Counters[i]
		if c.Change.Sign() == 0 {
			still = append(still, c.Name+" "+amount(c.After, c.Unit))
			continue
		}
		role := Plain
		if c.Change.Sign() < 0 {
			role = Bad
		}
		cells := plainCells(c.Name, amount(c.Before, c.Unit), amount(c.After, c.Unit), "", orAbsent(c.PerDay, func(v float64) string { return rate(v, c.Unit) }))
		cells[3] = piece{role, signedAmount(c.Change, c.Unit)}
		g.rows = append(g.rows, gridRow{cells: cells})
	}
	for _, l := range d.Levels {
		if l.Change == 0 {
			still = append(still, l.Name+" "+with(l.After, l.Unit))
			continue
		}
		g.rows = append(g.rows, gridRow{cells: plainCells(l.Name, with(l.Before, l.Unit), with(l.After, l.Unit), signedAmount(big.NewInt(int64(l.Change)), l.Unit), absent)})
	}
	p.grid(g)
	if len(still) > 0 {
		p.labelled(Dim, "same", join(" · ", still...))
	}
}

// amount writes a counter with its unit.
func amount(n *big.Int, unit string) string {
	if unit == "B" {
		return sizeBig(n)
	}
	return join(nbsp, group(n), unit)
}

func signedAmount(n *big.Int, unit string) string {
	if n.Sign() > 0 {
		return "+" + amount(n, unit)
	}
	return amount(n, unit)
}

func rate(v float64, unit string) string {
	if unit == "B" {
		return si(v)
	}
	return join(nbsp, decimal(v), unit)
}

// ratePairs is what the changes mean for a day and a year.
func ratePairs(r *compare.Rates) []pair {
	used := ""
	if u := r.UsedPercentPerYear; u != nil {
		used = between(*u) + nbsp + "% of the life by the drive's own count, a year"
	}
	pairs := []pair{
		{"written", orEmpty(r.BytesWrittenPerDay, func(v float64) string { return si(v) + " a day" })},
		{"read", orEmpty(r.BytesReadPerDay, func(v float64) string { return si(v) + " a day" })},
		{"powered on", orEmpty(r.PoweredPercent, func(v float64) string { return percent(round3(v)) + " of the time" })},
		{"power cycles", orEmpty(r.PowerCyclesPerDay, func(v float64) string { return decimal(v) + " a day" })},
		{"wear", join(" · ", orEmpty(r.RatedPercentPerYear, func(v float64) string { return percent(round3(v)) + " of the rated endurance a year" }), used)},
		{"assumes", r.Assumption},
	}
	return slices.DeleteFunc(pairs, func(x pair) bool { return x.value == "" })
}

func orEmpty(v *float64, write func(float64) string) string {
	if v == nil {
		return ""
	}
	return write(*v)
}
