package dump

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"qd1.example/qd1/nvme"
)

// decodeText returns b as text, in UTF-8 unless it is of an 8-bit or Shift_JIS
// code page: everything that is looked for is ASCII. It returns false for what
// is no text.
func decodeText(b []byte) (string, bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\xEF\xBB\xBF")):
		b = b[3:]
	case bytes.HasPrefix(b, []byte("\xFF\xFE")):
		return decode16(b[2:], binary.LittleEndian), true
	case bytes.HasPrefix(b, []byte("\xFE\xFF")):
		return decode16(b[2:], binary.BigEndian), true
	case zeroes(b, 1) && !zeroes(b, 0):
		return decode16(b, binary.LittleEndian), true
	}
	return string(b), bytes.IndexByte(b, 0) < 0
}

// zeroes reports whether most of the first bytes at every second place are 0.
func zeroes(b []byte, first int) bool {
	const look, most = 256, 4 // At least 1 of 4 must be text.
	n, zero := 0, 0
	for i := first; i < min(len(b), look); i += 2 {
		n++
		if b[i] == 0 {
			zero++
		}
	}
	return n >= 8 && zero*most > n*(most-1)
}

func decode16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// dedent takes away the blanks, tabs and quotation marks that all lines begin
// with, as in a dump that was copied from a posting.
func dedent(text string) string {
	const marks = " \t>"
	prefix, first := "", true
	for l := range strings.Lines(text) {
		own := l[:len(l)-len(strings.TrimLeft(l, marks))]
		switch {
		case strings.Trim(l, marks+"\r\n") == "":
		case first:
			prefix, first = own, false
		default:
			n := 0
			for n < min(len(prefix), len(own)) && prefix[n] == own[n] {
				n++
			}
			prefix = prefix[:n]
		}
	}
	if prefix == "" {
		return text
	}
	var b strings.Builder
	for l := range strings.Lines(text) {
		if strings.Trim(l, marks+"\r\n") == "" {
			l = "\n"
		}
		b.WriteString(strings.TrimPrefix(l, prefix))
	}
	return b.String()
}

// line is a line of a dump and its number.
type line struct {
	number int
	text   string
}

// cutLabel splits "label : value". The label loses blanks around it.
func cutLabel(s string) (label, value string, ok bool) {
	label, value, ok = strings.Cut(s, ":")
	return strings.TrimSpace(label), strings.TrimSpace(value), ok
}

// plainLabel makes the labels of all tools and versions alike: small letters,
// and single blanks for runs of blanks and underscores.
func plainLabel(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == ' ' || r == '\t' || r == '_'
	}), " ")
}

// printable returns s as people can read it: as UTF-8 without control
// characters, and no longer than fits on a screen.
func printable(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + " ..."
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return -1
		}
		return r
	}, s)
	return strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
}

// identity returns the text of a serial number, model or revision as printed
// without padding, "" if nothing of it can be read, as after redaction.
func identity(s string) string {
	s = nvme.CleanASCII([]byte(s))
	if strings.Trim(s, "*Xx-. ?#_[]<>") == "" || strings.EqualFold(strings.Trim(s, "[]<>() "), "redacted") {
		return ""
	}
	return s
}
