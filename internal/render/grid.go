package render

import (
	"slices"
	"strings"
)

// column is one column of a grid.
type column struct {
	head string
	// left says that its cells stand at its left side, as words do.
	left bool
	// spare is the rank by which it goes where there is no room, the highest
	// first. 0: it stays.
	spare int
}

// gridRow is a line of a grid with what is to be said of it.
type gridRow struct {
	cells   []piece
	remarks []piece
}

// grid is a table of figures.
type grid struct {
	columns []column
	rows    []gridRow
}

// gridIndent stands before each line of a grid, and twice before a remark.
const gridIndent = "  "

// grid writes a table. Columns that say nothing are left out, and spare ones
// where there is no room. If there is none even so, the first column gets lines
// of its own.
func (p *page) grid(g *grid) {
	if len(g.rows) == 0 {
		return
	}
	room := p.style.width() - len(gridIndent)
	g.dropEmpty()
	g.dropSpare(room)
	if tableWidth(g.widths()) > room {
		p.stacked(g)
		return
	}
	widths := g.widths()
	p.cells(g.columns, g.heads(), widths)
	for _, r := range g.rows {
		p.cells(g.columns, r.cells, widths)
		p.remarks(r.remarks)
	}
}

// cells writes a line of a grid.
func (p *page) cells(columns []column, cells []piece, widths []int) {
	var parts []string
	for i, c := range cells {
		space, text := pad(c.text, widths[i]), p.paint(c.role, c.text)
		if columns[i].left {
			parts = append(parts, text+space)
		} else {
			parts = append(parts, space+text)
		}
	}
	p.line(gridIndent + strings.Join(parts, "  "))
}

// remarks are indented below the line that they belong to.
func (p *page) remarks(all []piece) {
	const indent = gridIndent + gridIndent
	for _, x := range all {
		for _, l := range wrap(x.text, p.style.width()-len(indent)) {
			p.line(indent + p.paint(x.role, l))
		}
	}
}

// stacked writes the first column in lines of its own and the others below, in
// columns if they fit.
func (p *page) stacked(g *grid) {
	rest := &grid{columns: g.columns[1:]}
	for _, r := range g.rows {
		rest.rows = append(rest.rows, gridRow{cells: r.cells[1:]})
	}
	widths := rest.widths()
	aligned := tableWidth(widths) <= p.style.width()-len(gridIndent)
	if aligned {
		p.cells(rest.columns, rest.heads(), widths)
	}
	for i, r := range g.rows {
		for _, l := range wrap(r.cells[0].text, p.style.width()-len(gridIndent)) {
			p.line(gridIndent + p.paint(r.cells[0].role, l))
		}
		if aligned {
			p.cells(rest.columns, rest.rows[i].cells, widths)
		} else {
			p.remarks([]piece{{Plain, named(rest.columns, rest.rows[i].cells)}})
		}
		p.remarks(r.remarks)
	}
}

// named writes cells with the heads of their columns.
func named(columns []column, cells []piece) string {
	var parts []string
	for i, c := range cells {
		if known(c.text) != "" {
			parts = append(parts, join(nbsp, columns[i].head, c.text))
		}
	}
	return strings.Join(parts, " · ")
}

func (g *grid) heads() []piece {
	var heads []piece
	for _, c := range g.columns {
		heads = append(heads, piece{Dim, c.head})
	}
	return heads
}

// widths are those of the columns.
func (g *grid) widths() []int {
	rows := [][]string{texts(g.heads())}
	for _, r := range g.rows {
		rows = append(rows, texts(r.cells))
	}
	return columnWidths(rows)
}

func texts(cells []piece) []string {
	var list []string
	for _, c := range cells {
		list = append(list, c.text)
	}
	return list
}

// dropEmpty leaves out columns in which nothing is known of any row.
func (g *grid) dropEmpty() {
	for i := len(g.columns) - 1; i > 0; i-- {
		if !slices.ContainsFunc(g.rows, func(r gridRow) bool { return known(r.cells[i].text) != "" }) {
			g.drop(i)
		}
	}
}

// dropSpare leaves out spare columns until the table fits.
func (g *grid) dropSpare(room int) {
	for tableWidth(g.widths()) > room {
		most := 0
		for i, c := range g.columns {
			if c.spare > g.columns[most].spare {
				most = i
			}
		}
		if g.columns[most].spare == 0 {
			return
		}
		g.drop(most)
	}
}

func (g *grid) drop(column int) {
	g.columns = slices.Delete(slices.Clone(g.columns), column, column+1)
	for i := range g.rows {
		r := &g.rows[i]
		r.cells = slices.Delete(slices.Clone(r.cells), column, column+1)
	}
}
