package lang

import (
	"fmt"
	"strings"
)

// nbsp is a space at which no line is broken. The tables have plain spaces.
const nbsp = "\u00a0"

// Knows reports whether there is a text for this English one, so that tests
// find what was forgotten.
func (t Tag) Knows(english string) bool {
	_, ok := japanese().exact[strings.ReplaceAll(english, nbsp, " ")]
	return ok || t != Japanese
}

// Text returns a fixed text, such as a label.
func (t Tag) Text(english string) string {
	if t != Japanese {
		return english
	}
	if text, ok := japanese().exact[strings.ReplaceAll(english, nbsp, " ")]; ok {
		return text
	}
	return english
}

// Textf formats values by a format of package fmt.
func (t Tag) Textf(format string, values ...any) string {
	return fmt.Sprintf(t.Text(format), values...)
}

// Sentence returns a sentence that a package below has made, values included.
// What it does not know stays as it is: a sentence of the host or of a drive.
func (t Tag) Sentence(english string) string {
	if t != Japanese || english == "" {
		return english
	}
	c := japanese()
	if text, ok := c.exact[english]; ok {
		return text
	}
	for _, p := range c.patterns {
		found := p.form.FindStringSubmatch(english)
		if found == nil {
			continue
		}
		var pairs []string
		for i, name := range p.names {
			pairs = append(pairs, name, t.value(name, found[i+1]))
		}
		return fill(p.japanese, pairs)
	}
	return english
}

// value returns a value of a sentence. Only those that are texts themselves are
// looked up: what a drive says of itself stays as it is.
func (t Tag) value(name, english string) string {
	switch name {
	case "{text}", "{cure}", "{why}", "{unchecked}", "{percent}", "{firmware}", "{share}", "{verb}", "{kind}", "{bridge}", "{though}", "{unrated}", "{where}", "{blocks}":
		return t.Sentence(english)
	case "{signs}":
		return t.clauses(english)
	case "{sections}":
		return t.list(english)
	}
	return english
}

// list returns names that commas part.
func (t Tag) list(english string) string {
	names := strings.Split(english, ", ")
	for i, name := range names {
		names[i] = t.Sentence(name)
	}
	return strings.Join(names, "、")
}

// clauses returns clauses that semicolons part, the last with how many were left
// out.
func (t Tag) clauses(english string) string {
	english, more, left := strings.Cut(english, " (and ")
	list := strings.Split(english, "; ")
	for i, clause := range list {
		list[i] = t.Sentence(clause)
	}
	text := strings.Join(list, "；")
	if left {
		text += t.Sentence("(and " + more)
	}
	return text
}
