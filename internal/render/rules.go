package render

import (
	"io"
	"strings"

	"qd1.example/qd1/smart"
)

// Rules writes the rules of the verdict.
func Rules(w io.Writer, rules []smart.Rule, style Style) error {
	p := &page{style: style}
	for _, r := range rules {
		r = p.lang().Rule(r)
		p.line(p.style.paint(Strong, r.ID))
		p.labelled(severityRole(r.Severity), string(r.Severity), r.Text)
		p.labelled(Dim, "fields", strings.Join(r.Fields, ", "))
		p.labelled(Dim, "source", r.Source)
	}
	return p.writeTo(w)
}
