package render

import (
	"fmt"
	"io"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme/vendor"
)

// LogPage writes a log page. Like all pages of a technical kind it is English
// only.
func LogPage(w io.Writer, d Part, l *report.LogPage, style Style) error {
	v := l.Vendor
	if v == nil || v.Rows == nil {
		if v != nil {
			l.Text = join("; ", l.Text, v.Name+": "+v.Problem)
		}
		return SpecPage(w, d, l.SpecPage, style)
	}
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	p.heading(piece{Strong, v.Name}, piece{Plain, askedFor(l.Parameters)})
	p.note(v.Why)
	p.table(vendorPairs(v.Rows))
	return p.writeTo(w)
}

func vendorPairs(rows []vendor.Row) []pair {
	var pairs []pair
	for _, row := range rows {
		pairs = append(pairs, pair{row.Name, rowText(lang.English, row)})
	}
	return pairs
}

// LogList writes which log pages a drive has, and why the others are not asked
// for.
func LogList(w io.Writer, d Part, list []report.LogListing, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	var has, other []pair
	for _, l := range list {
		name := fmt.Sprintf("%02Xh %s", uint8(l.LID), l.Name)
		if l.Listed {
			has = append(has, pair{name, l.Title})
		} else {
			other = append(other, pair{name, l.Title + ": " + l.Why})
		}
	}
	p.line("")
	p.heading(piece{Strong, "Log pages of this drive"})
	p.table(has)
	p.line("")
	p.heading(piece{Strong, "Not asked for"})
	p.table(other)
	return p.writeTo(w)
}
