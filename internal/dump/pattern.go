package dump

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: most
// starts of the program read no dump.
type pattern func() *regexp.Regexp

func lazily(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// MatchString is that of [regexp.Regexp].
func (p pattern) MatchString(s string) bool { return p().MatchString(s) }

// FindString is that of [regexp.Regexp].
func (p pattern) FindString(s string) string { return p().FindString(s) }

// FindStringSubmatch is that of [regexp.Regexp].
func (p pattern) FindStringSubmatch(s string) []string { return p().FindStringSubmatch(s) }

// FindAllStringIndex is that of [regexp.Regexp].
func (p pattern) FindAllStringIndex(s string, n int) [][]int { return p().FindAllStringIndex(s, n) }
