package sysfs

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// attribute reads a text attribute, trimmed of padding. It is "" where there
// is none or it cannot be read: a dead controller refuses some of them, and
// the others still count.
func attribute(fsys fs.FS, name ...string) string {
	s, _ := readAttribute(fsys, path.Join(name...))
	return s
}

// readAttribute reads a text attribute; exists is false only where the kernel
// has no such attribute.
func readAttribute(fsys fs.FS, name string) (text string, exists bool) {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", !errors.Is(err, fs.ErrNotExist)
	}
	return clean(string(b)), true
}

// clean cuts padding and puts U+FFFD for what is not printable text: the
// strings come from the drive and end on a terminal.
func clean(s string) string {
	s = strings.Trim(s, " \t\r\n\x00")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// unsigned reads an attribute that is a number, decimal or with 0x.
func unsigned(fsys fs.FS, bits int, name ...string) (uint64, bool) {
	n, err := strconv.ParseUint(attribute(fsys, name...), 0, bits)
	return n, err == nil
}

// children returns the names in a directory, none if it cannot be read.
func children(fsys fs.FS, dir string) []string {
	entries, _ := fs.ReadDir(fsys, dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// maxLinks bounds the links that one path leads through.
const maxLinks = 40

// realPath resolves the symbolic links of a path one by one. A part that
// cannot be read as a link is taken as it stands.
func realPath(fsys fs.FS, name string) (string, error) {
	done, todo := "", strings.Split(name, "/")
	for links := 0; len(todo) > 0; {
		next := path.Join(done, todo[0])
		todo = todo[1:]
		target, err := fs.ReadLink(fsys, next)
		if err != nil {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "resolve", Path: name, Err: errors.New("too many links")}
		}
		full := path.Join(done, target)
		if !fs.ValidPath(full) {
			return "", &fs.PathError{Op: "resolve", Path: name, Err: fs.ErrInvalid}
		}
		done, todo = "", append(strings.Split(full, "/"), todo...)
	}
	return done, nil
}
