package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// Subject is what a record is about.
type Subject struct {
	// Serial is the drive's serial number, "" for a target without one, which is
	// then known by Path and Bytes.
	Serial string `json:"serial,omitempty"`
	Model  string `json:"model,omitempty"`
	Path   string `json:"path,omitempty"`
	// Bytes is the size, 0 if it is not known.
	Bytes int64 `json:"bytes,omitempty"`
	// Simulated drives are kept apart: they may have the serial of a real one.
	Simulated bool `json:"simulated,omitempty"`
}

// How keys begin, other than that of a real drive with a serial.
const (
	simulatedPrefix = "sim-"
	pathPrefix      = "path-"
)

// maxSerialBytes and maxBaseBytes bound the readable part of a key.
const (
	maxSerialBytes = 40
	maxBaseBytes   = 24
)

// empty reports whether it names nothing.
func (s Subject) empty() bool { return s.serial() == "" && s.Path == "" }

// serial is Serial without the spaces that a drive pads it with.
func (s Subject) serial() string { return strings.TrimSpace(s.Serial) }

// Key is the name of the folder of a subject, the same for all records of it:
// its serial as far as it can be a file name, or the end of its path, with a
// hash where that is not all. No two subjects have the same.
func (s Subject) Key() string {
	key := s.pathKey()
	if serial := s.serial(); serial != "" {
		key = serialKey(serial)
	}
	if s.Simulated {
		return simulatedPrefix + key
	}
	return key
}

// serialKey has a dot only where it has a hash.
func serialKey(serial string) string {
	key := clean(serial, maxSerialBytes)
	if key != serial || strings.HasPrefix(key, simulatedPrefix) || strings.HasPrefix(key, pathPrefix) {
		key += "." + hash(serial, 8)
	}
	return key
}

// pathKey has a longer hash than that of a serial.
func (s Subject) pathKey() string {
	return pathPrefix + clean(filepath.Base(s.Path), maxBaseBytes) + "." + hash(fmt.Sprintf("%s\x00%d", s.Path, s.Bytes), 12)
}

// clean leaves letters, digits, "_" and "-", and at most so many bytes.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, text)
	return text[:min(len(text), most)]
}

// hash returns the first hexadecimal digits of the SHA-256 of a text.
func hash(text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digits]
}

// String names a subject to people: serial and model, or path and size.
func (s Subject) String() string {
	name := printable(s.serial())
	switch {
	case name != "" && s.Model != "":
		name += " (" + printable(s.Model) + ")"
	case name == "" && s.Bytes > 0:
		name = fmt.Sprintf("%s (%d bytes)", printable(s.Path), s.Bytes)
	case name == "":
		name = printable(s.Path)
	}
	if s.Simulated {
		return "simulated " + name
	}
	return name
}

// is reports how a word names a subject: exact by key, serial or path; loose
// by the end of its serial, of at least 4 letters, or by the last part of its
// path.
func (s Subject) is(word string) (exact, loose bool) {
	if word == "" {
		return false, false
	}
	exact = word == s.Key() || word == s.serial() || word == s.Path && s.serial() == ""
	if s.serial() == "" {
		return exact, tail(s.Path, word)
	}
	return exact, len(word) >= 4 && strings.HasSuffix(s.serial(), word)
}

// printable replaces what a terminal may take for a command.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
