// Package lazyregexp has regular expressions that are compiled when they are
// first used, if ever: a start of the program needs few of those that it has.
package lazyregexp

import (
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression as package regexp has it. Its methods may be
// called from any goroutine.
type Regexp struct {
	// prefix is what every match begins with, at the start of the text.
	prefix  string
	compile func() *regexp.Regexp
}

// New returns a regular expression. The first use panics if it is none, so that
// each must be used in a test.
func New(expression string) *Regexp {
	return &Regexp{Prefix(expression), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString is that of [regexp.Regexp]. A text that does not begin as every
// match does needs no compiled expression.
func (r *Regexp) MatchString(s string) bool {
	return strings.HasPrefix(s, r.prefix) && r.compile().MatchString(s)
}

// FindString is that of [regexp.Regexp].
func (r *Regexp) FindString(s string) string { return r.compile().FindString(s) }

// FindStringSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindStringSubmatch(s string) []string {
	if !strings.HasPrefix(s, r.prefix) {
		return nil
	}
	return r.compile().FindStringSubmatch(s)
}

// FindAllStringIndex is that of [regexp.Regexp].
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compile().FindAllStringIndex(s, n)
}

// ReplaceAllString is that of [regexp.Regexp].
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compile().ReplaceAllString(s, with)
}

// Split is that of [regexp.Regexp].
func (r *Regexp) Split(s string, n int) []string { return r.compile().Split(s, n) }

// Prefix returns the text that each match of an expression that begins with ^
// begins with, as far as it is plain to see; "" for others.
func Prefix(expression string) string {
	text, anchored := strings.CutPrefix(expression, "^")
	i := strings.IndexAny(text, `\.+*?()|[]{}^$`)
	switch {
	case !anchored || hasAlternatives(expression):
		return ""
	case i < 0:
		return text
	case i > 0 && strings.IndexByte("*?{", text[i]) >= 0:
		return withoutLast(text[:i]) // It may be missing.
	}
	return text[:i]
}

// withoutLast cuts the last character.
func withoutLast(s string) string {
	runes := []rune(s)
	return string(runes[:len(runes)-1])
}

// hasAlternatives reports whether an expression is several, apart from what
// stands in groups. Quoted text (\Q) may be.
func hasAlternatives(expression string) bool {
	depth := 0
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			if i++; i < len(expression) && expression[i] == 'Q' {
				return true
			}
		case '[':
			i = classEnd(expression, i)
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

// classEnd returns the index of the bracket that ends the class at i.
func classEnd(expression string, i int) int {
	if i++; i < len(expression) && expression[i] == '^' {
		i++
	}
	if i < len(expression) && expression[i] == ']' {
		i++ // The first one is a character.
	}
	for ; i < len(expression) && expression[i] != ']'; i++ {
		switch {
		case expression[i] == '\\':
			i++
		case strings.HasPrefix(expression[i:], "[:"):
			if end := strings.Index(expression[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
	}
	return i
}
