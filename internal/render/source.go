package render

import (
	"strings"

	"qd1.example/qd1/internal/report"
)

// incomplete is a structure whose source may not have all of it.
type incomplete interface {
	Has(key string) bool
	Rounded(key string) bool
}

// told is the text of a value: "" if the source does not have it, and "about"
// if it was rounded.
func told(p incomplete, key, text string) string {
	switch {
	case !p.Has(key):
		return ""
	case p.Rounded(key):
		return "about " + text
	}
	return text
}

// sourceLine says that another tool printed what the report is made of.
func sourceLine(s *report.Source) string {
	if s == nil {
		return ""
	}
	guess := ""
	if s.Guessed {
		guess = "a guess by its contents"
	}
	return join(" · ", join(" ", "a dump of", s.Tool, s.Version), guess, s.Time, prefixed("its own opinion: ", s.Opinion))
}

// sourceSize is the capacity that the dump has beside the pages.
func sourceSize(s *report.Source) string {
	if s == nil || s.SizeBytes == nil {
		return ""
	}
	about := ""
	if s.SizeRounded {
		about = "about "
	}
	return about + sizeBoth(uint64(*s.SizeBytes))
}

func (p *page) source(s *report.Source) {
	if s == nil {
		return
	}
	p.title("Where this comes from")
	p.table([]pair{
		{"tool", sourceLine(s)},
		{"system", s.Platform},
		{"device", s.Device},
		{"attached by", s.Interface},
		{"capacity", sourceSize(s)},
		{"rounded", byPage(s.Rounded)},
		{"not in it", byPage(s.Missing)},
		{"notes", strings.Join(s.Notes, "; ")},
	})
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
