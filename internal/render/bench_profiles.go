package render

import (
	"io"
	"slices"
	"strings"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/lang"
)

// shownRows is how many rows of a profile a list names; of more it names the
// ends.
const shownRows = 8

// Profiles writes the list of profiles, the variants of each below it.
func Profiles(w io.Writer, all []*profile.Profile, style Style) error {
	p := &page{style: style}
	t := p.lang()
	for i, x := range all {
		if x.Variant != "" {
			p.variant(x)
			continue
		}
		if i > 0 {
			p.line("")
		}
		p.heading(piece{Strong, x.ID()}, piece{Plain, t.Sentence(x.Title)})
		p.remarks([]piece{{Plain, t.Sentence(x.Description)}, {Dim, rowsText(t, x)}})
	}
	p.line("")
	p.heading(piece{Strong, "copy"}, piece{Plain, t.Text("files copied within a directory")})
	return p.writeTo(w)
}

// variant writes one variant in a line or two.
func (p *page) variant(x *profile.Profile) {
	const widest = len("cdm8:nvme+peak+mix")
	lines := wrap(p.lang().Sentence(x.Description), p.style.width()-widest-4)
	for i, l := range lines {
		name := ""
		if i == 0 {
			name = x.ID()
		}
		p.line(gridIndent + p.paint(Strong, name) + pad(name, widest) + "  " + l)
	}
}

// rowsText names the rows, each once, with what is done and how often.
func rowsText(t lang.Tag, x *profile.Profile) string {
	var names, ops []string
	pick := profile.PickBest
	for _, r := range x.Rows {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
		if op := t.Text(string(r.Job.Op)); !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
		pick = r.Pick
	}
	if n := len(names); n > shownRows {
		names = []string{t.Textf("%d rows, %s … %s", n, names[0], names[n-1])}
	}
	runs := counted(t, x.Runs, "run", "runs")
	if x.Runs > 1 {
		runs = t.Textf("%s of %d", t.Text(string(pick)), x.Runs)
	}
	return join(" · ", append(names, strings.Join(ops, comma(t)), runs, sizeOf(t, x))...)
}

// sizeOf is what a profile is measured on.
func sizeOf(t lang.Tag, x *profile.Profile) string {
	if x.SizeBytes == 0 {
		return t.Text("all of the target")
	}
	return t.Textf("over %s", blockSize(t, int(x.SizeBytes)))
}
