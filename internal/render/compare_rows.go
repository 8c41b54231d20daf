package render

import (
	"fmt"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/compare"
)

// compared writes a line for each metric of each workload.
func (p *page) compared(c *compare.Comparison) {
	if len(c.Rows) == 0 {
		return
	}
	p.title("The figures, medians of the runs")
	p.note(fmt.Sprintf("A change of less than %s does not matter. p is corrected for all figures (Holm); a verdict is wrong in at most %s of such comparisons.",
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
		row := changeRow(r, stepOf(r, c.Ladders), form)
		if text := reasonText(r, c.MinEffectPercent); text != "" && !said[text] {
			said[text] = true
			row.remarks = append(row.remarks, piece{Dim, text})
		}
		t.grid.rows = append(t.grid.rows, row)
		t.heads = append(t.heads, changeHead(c.Rows, i))
	}
	return t
}

func changeRow(r *compare.Row, step float64, form int) gridRow {
	row := gridRow{cells: changeCells(r)}
	whole := verdictPiece(r, step)
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
