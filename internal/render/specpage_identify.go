package render

import (
	"fmt"
	"io"

	"qd1.example/qd1/internal/report"
)

// IdentifyNamespace writes every field of Identify Namespace below what people ask
// first.
func IdentifyNamespace(w io.Writer, d Part, n *report.Namespace, s *report.SpecPage, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.title(fmt.Sprintf("Namespace %d", n.NSID))
	p.table(namespacePairs(p.lang(), n))
	p.line("")
	p.heading(piece{Strong, s.Title})
	p.specLines(s.Fields.Lines(s.Options))
	return p.writeTo(w)
}

// IdentifyList writes what Identify data structures there are.
func IdentifyList(w io.Writer, l *report.IdentifyList, style Style) error {
	p := &page{style: style.english()}
	if l.Drive != nil {
		p.head(Part{Simulated: l.Simulated, Drive: l.Drive})
		p.line("")
	}
	g := &grid{columns: []column{{head: "qd1 id", left: true}, {head: "CNS"}, {head: "listed", left: true}, {head: "data structure", left: true}}}
	for _, row := range l.Pages {
		r := gridRow{cells: []piece{{Strong, row.Name}, {Plain, fmt.Sprintf("%02Xh", uint8(row.CNS))}, listed(row), {Plain, row.Title}}}
		if row.Why != "" {
			r.remarks = []piece{{Dim, row.Why}}
		}
		g.rows = append(g.rows, r)
	}
	p.grid(g)
	return p.writeTo(w)
}

func listed(row report.IdentifyListRow) piece {
	switch {
	case row.Listed == nil:
		return piece{}
	case *row.Listed:
		return piece{Good, "yes"}
	}
	return piece{Dim, "no"}
}
