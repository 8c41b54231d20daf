package render

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
)

// Compare writes a comparison: the answer, what else changed, every figure with
// its verdict, and then what explains them.
func Compare(w io.Writer, c *compare.Comparison, style Style) error {
	p := &page{style: style.english()}
	p.banner(c.Before.Simulated || c.After.Simulated)
	word := overallPiece(c.Overall)
	p.heading(word, piece{Plain, strings.TrimLeft(strings.TrimPrefix(c.Summary, strings.ToLower(word.text)), ": ")})
	p.labelled(Dim, "before", sideText(&c.Before))
	p.labelled(Dim, "after", sideText(&c.After))
	p.differences(c)
	p.compared(c)
	p.ladders(c.Ladders)
	p.attributions(c.Attributions)
	p.doubts(c.Doubts)
	p.oneSided(c.OneSided)
	p.title("What it cost")
	p.table(costPairs(&c.Cost))
	return p.writeTo(w)
}

func overallPiece(o compare.Overall) piece {
	switch o {
	case compare.AllBetter:
		return piece{Good, "BETTER"}
	case compare.AllWorse:
		return piece{Bad, "WORSE"}
	case compare.Mixed:
		return piece{Warn, "BETTER AND WORSE"}
	case compare.Unchanged:
		return piece{Strong, "NO CHANGE"}
	case compare.Unknown:
		return piece{Warn, "NOT ENOUGH RUNS"}
	}
	return piece{Warn, "NOT COMPARABLE"}
}

// sideText says what one side is of.
func sideText(s *compare.Side) string {
	labels := ""
	if len(s.Labels) > 0 {
		labels = "“" + strings.Join(s.Labels, "”, “") + "”"
	}
	when := s.From
	if s.To != s.From {
		when = join(" to ", s.From, s.To)
	}
	target := s.Target
	if target == s.Model {
		target = ""
	}
	return join(" · ", labels, s.Model, prefixed("serial ", s.Serial), prefixed("firmware ", s.Firmware), target, resultCount(s.Results), when)
}

func resultCount(n int) string {
	if n == 1 {
		return "1" + nbsp + "result"
	}
	return strconv.Itoa(n) + nbsp + "results"
}

// differences writes what changed beside the figures, what blocks first.
func (p *page) differences(c *compare.Comparison) {
	p.title("What else changed")
	if len(c.Differences) == 0 {
		p.note("Nothing that is known.")
	}
	for i := range c.Differences {
		role, label, text := differenceText(&c.Differences[i])
		p.labelled(role, label, text)
	}
	for _, text := range c.Warnings {
		p.labelled(Warn, "warning", text)
	}
	if len(c.BlockedBy) > 0 {
		p.labelled(Strong, "next", "make both sides alike and measure again; or, if that is what was changed on purpose, say so: --changed '"+strings.Join(c.BlockedBy, ",")+"'")
	}
}

func differenceText(d *compare.Difference) (Role, string, string) {
	text := fmt.Sprintf("%s: %s, then %s", d.What, deref(d.Before, "not known"), deref(d.After, "not known"))
	if d.Within != "" {
		text = fmt.Sprintf("%s: %s and %s among the results %s", d.What, deref(d.Before, "not known"), deref(d.After, "not known"), d.Within)
	}
	switch {
	case d.Changed:
		return Strong, "changed", text + ", on purpose"
	case d.Severity == conditions.Blocks:
		return Bad, "blocks", text
	}
	return Dim, "note", text
}

// compared writes a line for each metric of each workload.
func (p *page) compared(c *compare.Comparison) {
	if len(c.Rows) == 0 {
		return
	}
	p.title("The figures, medians of the runs")
	p.note(fmt.Sprintf("A change of less than %s does not matter. p is corrected for all rows (Holm); a verdict is wrong in at most %s of such comparisons.",
		percent(c.MinEffectPercent), percent(round3(100-c.ConfidencePercent))))
	t := newChangeTable(c, p.style.width()-len(gridIndent))
	if tableWidth(t.grid.widths()) > p.style.width()-len(gridIndent) {
		p.grid(t.named())
		return
	}
	widths := t.grid.widths()
	p.cells(t.grid.columns, t.grid.heads(), widths)
	for i, r := range t.grid.rows {
		p.under(t.heads[i])
		p.cells(t.grid.columns, r.cells, widths)
		p.remarks(r.remarks)
	}
}

// under writes the heading of a part of a table: in one line if there is room.
func (p *page) under(pieces []piece) {
	line, used := gridIndent, len(gridIndent)
	for i, x := range pieces {
		gap := ""
		switch n := displayWidth(x.text); {
		case i == 0:
		case used+len(gridIndent)+n > p.style.width():
			p.line(line)
			line, used = gridIndent, len(gridIndent)
		default:
			gap = gridIndent
		}
		parts := wrap(x.text, p.style.width()-len(gridIndent))
		for _, part := range parts[:len(parts)-1] {
			p.line(line + gap + p.paint(x.role, part))
			line, used, gap = gridIndent, len(gridIndent), ""
		}
		last := parts[len(parts)-1]
		line, used = line+gap+p.paint(x.role, last), used+len(gap)+displayWidth(last)
	}
	if len(pieces) > 0 {
		p.line(line)
	}
}

// changeTable is the table of all rows. heads has the heading of each row that
// is the first of its workload, nil for the others.
type changeTable struct {
	grid  *grid
	heads [][]piece
}

// How the verdict of a row is written: in a column of its own, there unless it
// is long, or in a line below.
const (
	verdictWhole = iota
	verdictShort
	verdictBelow
)

// newChangeTable gives the verdict as much room as there is.
func newChangeTable(c *compare.Comparison, room int) *changeTable {
	var t *changeTable
	for _, form := range []int{verdictWhole, verdictShort, verdictBelow} {
		t = buildChanges(c, form)
		if form != verdictWhole {
			t.grid.dropSpare(room)
		}
		if tableWidth(t.grid.widths()) <= room {
			break
		}
	}
	return t
}

func buildChanges(c *compare.Comparison, form int) *changeTable {
	t := &changeTable{grid: &grid{columns: []column{
		{"", true, 0}, {"before", false, 0}, {"after", false, 0}, {"change", false, 0}, {percent(c.ConfidencePercent) + " interval", false, 0}, {"p", false, 0}, {"noise", false, 1},
	}}}
	if form != verdictBelow {
		t.grid.columns = append(t.grid.columns, column{"verdict", true, 0})
	}
	said := map[string]bool{}
	for i := range c.Rows {
		r := &c.Rows[i]
		row := changeRow(r, form)
		if text := reasonText(r, c.MinEffectPercent); text != "" && !said[text] {
			said[text] = true
			row.remarks = append(row.remarks, piece{Dim, text})
		}
		t.grid.rows = append(t.grid.rows, row)
		t.heads = append(t.heads, changeHead(c.Rows, i))
	}
	return t
}

func changeRow(r *compare.Row, form int) gridRow {
	row := gridRow{cells: changeCells(r)}
	whole := verdictPiece(r)
	switch {
	case form == verdictBelow:
		row.remarks = []piece{whole}
	case form == verdictShort && strings.Contains(whole.text, ":"):
		row.cells = append(row.cells, piece{Plain, ""})
		row.remarks = []piece{whole}
	default:
		row.cells = append(row.cells, whole)
	}
	return row
}

// named is the table with the workload in the first column, for a width that
// leaves no room for lines between.
func (t *changeTable) named() *grid {
	workload := ""
	for i := range t.grid.rows {
		if h := t.heads[i]; h != nil {
			workload = h[0].text
		}
		first := &t.grid.rows[i].cells[0]
		first.text = join(" ", workload, strings.TrimSpace(first.text))
	}
	return t.grid
}

// changeHead is the heading of the workload that row i is the first of.
func changeHead(rows []compare.Row, i int) []piece {
	r := &rows[i]
	if i > 0 && rows[i-1].Label == r.Label && !isRate(r) {
		return nil
	}
	head := []piece{{Strong, r.Label}, {Dim, fmt.Sprintf("%s before, %d after", runCount(r.Before.N), r.After.N)}}
	if r.Doubtful {
		head = append(head, piece{Warn, "DOUBTFUL, see below"})
	}
	return head
}

func isRate(r *compare.Row) bool { return r.Metric == "iops" || r.Metric == "mb_per_s" }

func runCount(n int) string {
	if n == 1 {
		return "1" + nbsp + "run"
	}
	return strconv.Itoa(n) + nbsp + "runs"
}

func changeCells(r *compare.Row) []piece {
	return plainCells(gridIndent+metricText(r), median(r.Before.Median), median(r.After.Median), orAbsent(r.ChangePercent, change), intervalCell(r.CI95Percent), orAbsent(r.PHolm, probability), orAbsent(r.NoisePercent, noiseCell))
}

// metricText is a metric with its unit.
func metricText(r *compare.Row) string {
	switch name, ok := strings.CutPrefix(r.Metric, "latency_"); {
	case ok:
		return percentileName(name) + nbsp + r.Unit
	case isRate(r):
		return r.Unit
	}
	return r.Metric + nbsp + r.Unit
}

// percentileName writes a key such as "p999" as people do.
func percentileName(key string) string {
	if len(key) > 3 && key[0] == 'p' {
		return key[:3] + "." + key[3:]
	}
	return key
}

// median keeps four significant digits, so that small changes can be seen.
func median(v float64) string {
	decimals := 0
	for limit := 1000.0; math.Abs(v) < limit && decimals < 3; limit /= 10 {
		decimals++
	}
	if decimals == 0 {
		return count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// change writes a change in percent with its sign.
func change(v float64) string { return changeNumber(v) + nbsp + "%" }

func changeNumber(v float64) string {
	decimals := 2
	if math.Abs(v) >= 9.995 { // It would be rounded to 10.00.
		decimals = 1
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	switch {
	case strings.Trim(text, "-0.") == "":
		return strings.TrimPrefix(text, "-")
	case v > 0:
		return "+" + text
	}
	return text
}

func intervalCell(ci *[2]float64) string {
	if ci == nil {
		return absent
	}
	return changeNumber(ci[0]) + nbsp + "to" + nbsp + changeNumber(ci[1])
}

func probability(p float64) string {
	if p < 0.0001 {
		return "<" + nbsp + "0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

func noiseCell(v float64) string { return percent(round3(v)) }

func orAbsent(v *float64, write func(float64) string) string {
	if v == nil {
		return absent
	}
	return write(*v)
}

// verdictPiece says what came of a row.
func verdictPiece(r *compare.Row) piece {
	if r.Verdict == nil {
		return piece{Warn, "not comparable"}
	}
	switch *r.Verdict {
	case compare.Better:
		return piece{Good, "better"}
	case compare.Worse:
		return piece{Bad, "worse"}
	case compare.NoChange:
		return piece{Plain, "no change ≥" + nbsp + ruledOut(r.CI95Percent)}
	}
	text := fmt.Sprintf("not enough runs: %d and %d", r.Before.N, r.After.N)
	if r.RunsNeeded != nil {
		text += fmt.Sprintf(", %d needed", *r.RunsNeeded)
	}
	return piece{Warn, text}
}

// ruledOut is the smallest change that an interval leaves out on both sides,
// rounded up.
func ruledOut(ci *[2]float64) string {
	if ci == nil {
		return "?"
	}
	most := max(math.Abs(ci[0]), math.Abs(ci[1]))
	step := 10.0
	if most < 1 {
		step = 100
	}
	return percent(max(math.Ceil(most*step-1e-9), 1) / step)
}

// reasonText is why a row has no verdict, or what speaks against one, without
// what stands in the row anyway: the noise, the interval, the runs that it takes.
func reasonText(r *compare.Row, least float64) string {
	small := r.ChangePercent != nil && math.Abs(*r.ChangePercent) < least
	switch {
	case r.Verdict == nil:
		return r.Reason
	case *r.Verdict == compare.NotEnoughRuns, small && *r.Verdict != compare.NoChange:
		text, _, _ := strings.Cut(r.Reason, "; ")
		if _, after, ok := strings.Cut(text, " %: "); ok && strings.HasPrefix(text, "between ") {
			return after
		}
		return text
	}
	return ""
}
