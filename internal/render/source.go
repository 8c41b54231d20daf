package render

import (
	"strings"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// incomplete is a structure whose source may not have all of it.
type incomplete interface {
	Has(key string) bool
	Rounded(key string) bool
}

// told is the text of a value: "" if the source does not have it, and "about"
// if it was rounded.
func told(t lang.Tag, p incomplete, key, text string) string {
	switch {
	case !p.Has(key):
		return ""
	case p.Rounded(key):
		return t.Textf("about %s", text)
	}
	return text
}

// sourceLine says that another tool printed what the report is made of.
func sourceLine(t lang.Tag, s *report.Source) string {
	if s == nil {
		return ""
	}
	guess := ""
	if s.Guessed {
		guess = t.Text("a guess by its contents")
	}
	return join(" · ", t.Textf("a dump of %s", join(" ", t.Text(s.Tool), s.Version)), guess, s.Time, prefixed(t.Text("its own opinion: "), s.Opinion))
}

// sourceSize is the capacity that the dump has beside the pages.
func sourceSize(t lang.Tag, s *report.Source) string {
	if s == nil || s.SizeBytes == nil {
		return ""
	}
	text := sizeBoth(t, uint64(*s.SizeBytes))
	if s.SizeRounded {
		return t.Textf("about %s", text)
	}
	return text
}

func (p *page) source(s *report.Source) {
	if s == nil {
		return
	}
	p.title("Where this comes from")
	p.table([]pair{
		{"tool", sourceLine(p.lang(), s)},
		{"system", s.Platform},
		{"device", s.Device},
		{"attached by", s.Interface},
		{"capacity", sourceSize(p.lang(), s)},
		{"rounded", byPage(s.Rounded)},
		{"not in it", byPage(s.Missing)},
		{"notes", sentences(p.lang(), s.Notes)},
	})
}

func sentences(t lang.Tag, list []string) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, t.Sentence(s))
	}
	return strings.Join(parts, "; ")
}

// byPage lists keys with the page that several of them are of named once.
func byPage(keys []string) string {
	var parts []string
	last := ""
	for _, key := range keys {
		page, rest, ok := strings.Cut(key, ".")
		switch {
		case ok && page == last:
			parts[len(parts)-1] += ", " + rest
		case ok:
			parts = append(parts, page+": "+rest)
		default:
			parts = append(parts, page)
		}
		last = page
	}
	return strings.Join(parts, "; ")
}
