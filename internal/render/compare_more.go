package render

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/compare"
)

// ladders writes the percentiles of each workload.
func (p *page) ladders(all []compare.Ladder) {
	if len(all) == 0 {
		return
	}
	p.title("Latency of all operations, µs")
	for i := range all {
		l := &all[i]
		p.under([]piece{{Strong, l.Label}, {Dim, fmt.Sprintf("%s operations before, %s after", count(l.BeforeOperations), count(l.AfterOperations))}})
		g := &grid{columns: []column{{"", true, 0}, {"before", false, 0}, {"95" + nbsp + "%", false, 1}, {"after", false, 0}, {"95" + nbsp + "%", false, 1}, {"change", false, 0}}}
		for _, r := range l.Rungs {
			g.rows = append(g.rows, gridRow{cells: plainCells(gridIndent+percentileName(r.Percentile), stepCell(&r.Before), rangeOf(r.Before.CI95US), stepCell(&r.After), rangeOf(r.After.CI95US), orAbsent(r.ChangePercent, change))})
		}
		p.grid(g)
	}
}

func stepCell(s *compare.Step) string { return orAbsent(s.US, median) }

func rangeOf(ci *[2]float64) string {
	if ci == nil {
		return absent
	}
	return between(*ci)
}

// attributions writes of each workload that changed whose doing it is.
func (p *page) attributions(all []compare.Attribution) {
	if len(all) == 0 {
		return
	}
	p.title("The host or the drive")
	for _, a := range all {
		p.note(a.Label + ": " + a.Text + ".")
		for _, fact := range a.Facts {
			p.remarks([]piece{{Dim, strings.ReplaceAll(fact, " µs", nbsp+"µs")}})
		}
	}
}

// doubts writes which figures cannot be those of the drive.
func (p *page) doubts(all []compare.Doubt) {
	if len(all) == 0 {
		return
	}
	p.title("Doubtful figures")
	for i := range all {
		d := &all[i]
		if i == 0 || all[i-1].Label != d.Label || all[i-1].Side != d.Side {
			p.line(gridIndent + p.paint(Warn, d.Label) + ", " + d.Side)
		}
		p.remarks([]piece{{Plain, d.Text}})
	}
}

func (p *page) oneSided(all []compare.OneSided) {
	if len(all) == 0 {
		return
	}
	p.title("Not compared")
	for _, x := range all {
		p.note(fmt.Sprintf("%s, only %s: %s.", x.Label, x.Side, x.Reason))
	}
}

// costPairs is what the measurements took out of the drive.
func costPairs(c *compare.Cost) []pair {
	b, a := &c.Before, &c.After
	pairs := []pair{
		{"written", bothSizes(b.BytesWritten, a.BytesWritten)},
		{"read", bothSizes(b.BytesRead, a.BytesRead)},
		{"prepared", ""},
		{"drive counted written", bothCounted(b.DriveBytesWritten, a.DriveBytesWritten)},
		{"drive counted read", bothCounted(b.DriveBytesRead, a.DriveBytesRead)},
		{"between", betweenText(c)},
	}
	if b.PreparedBytes+a.PreparedBytes > 0 {
		pairs[2].value = bothSizes(b.PreparedBytes, a.PreparedBytes) + " written before the runs"
	}
	return pairs
}

func bothSizes(before, after int64) string {
	return fmt.Sprintf("%s before, %s after", size(uint64(max(before, 0))), size(uint64(max(after, 0))))
}

func bothCounted(before, after *uint64) string {
	if before == nil || after == nil {
		return ""
	}
	return fmt.Sprintf("%s before, %s after", size(*before), size(*after))
}

// betweenText is what the drive went through between the sides.
func betweenText(c *compare.Cost) string {
	x := c.Between
	if x == nil {
		return ""
	}
	hours, written, facts := "", "", ""
	if c.PowerOnHours != nil {
		hours = count(*c.PowerOnHours) + nbsp + "power-on hours"
	}
	if x.BytesWritten != nil {
		written = size(*x.BytesWritten) + " written"
	}
	facts = join(" · ", x.Facts...)
	return join(" · ", hours, written, facts)
}
