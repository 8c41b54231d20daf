package conditions

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tree reads the attributes of a computer, paths relative to "/".
type tree struct{ fs.FS }

// text returns an attribute without padding, nil where there is none or it is
// empty.
func (t tree) text(name ...string) *string {
	b, err := fs.ReadFile(t.FS, path.Join(name...))
	if err != nil {
		return nil
	}
	s := clean(string(b))
	if s == "" {
		return nil
	}
	return &s
}

// number returns an attribute that is a decimal number, which may be negative.
func (t tree) number(name ...string) *int {
	s := t.text(name...)
	if s == nil {
		return nil
	}
	n, err := strconv.Atoi(*s)
	if err != nil {
		return nil
	}
	return &n
}

// flag returns an attribute that is a switch.
func (t tree) flag(name ...string) *bool { return switched(t.text(name...)) }

// switched reads the words that the kernel has for on and off.
func switched(s *string) *bool {
	if s == nil {
		return nil
	}
	switch *s {
	case "1", "Y", "y", "on":
		return new(true)
	case "0", "N", "n", "off":
		return new(false)
	}
	return nil
}

// chosen returns the word in brackets of an attribute such as
// "[none] mq-deadline", or all of one that has no brackets.
func (t tree) chosen(name ...string) *string {
	s := t.text(name...)
	if s == nil {
		return nil
	}
	word := bracketed(*s)
	return &word
}

// bracketed returns the word in brackets, or s where there is none.
func bracketed(s string) string {
	_, after, _ := strings.Cut(s, "[")
	word, _, ok := strings.Cut(after, "]")
	if !ok || word == "" {
		return s
	}
	return word
}

// names returns the names in a directory, none if it cannot be read.
func (t tree) names(dir ...string) []string {
	entries, _ := fs.ReadDir(t.FS, path.Join(dir...))
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = e.Name()
	}
	return list
}

// exists reports whether there is such a file or directory.
func (t tree) exists(name ...string) bool {
	_, err := fs.Stat(t.FS, path.Join(name...))
	return err == nil
}

// clean cuts padding and puts U+FFFD for what is not printable text: some of it
// comes from devices and ends on a terminal.
func clean(s string) string {
	s = strings.Trim(s, " \t\r\n\x00")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
