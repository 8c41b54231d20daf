package signature

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// clean returns a text from a device as it may be shown on a terminal: up to
// its first zero byte, without padding, with U+FFFD for what is not printable.
func clean(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return printable(s)
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, strings.TrimSpace(s))
}

// cleanUTF16 is clean for UTF-16 in a byte order.
func cleanUTF16(b []byte, order binary.ByteOrder) string {
	var units []uint16
	for ; len(b) >= 2; b = b[2:] {
		u := order.Uint16(b)
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return printable(string(utf16.Decode(units)))
}

// uuid writes 16 bytes as RFC 9562 has it, "" for 16 zeros.
func uuid(b []byte) string {
	if len(b) != 16 || zero(b) {
		return ""
	}
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// guid writes 16 bytes whose first three fields are little-endian, as those of
// Microsoft and of UEFI are; "" for 16 zeros.
func guid(b []byte) string {
	if len(b) != 16 {
		return ""
	}
	return uuid([]byte{
		b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6],
		b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15],
	})
}

// serial32 writes a volume serial number as DOS has it.
func serial32(b []byte) string {
	return fmt.Sprintf("%02X%02X-%02X%02X", b[3], b[2], b[1], b[0])
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// named puts a name in quotes behind what it is the name of.
func named(what, name string) string {
	if name == "" {
		return what
	}
	return fmt.Sprintf("%s %q", what, name)
}

// memberOf says what a device is a member of: "member of the md array data".
func memberOf(what, name string) string {
	if name == "" {
		return "member of " + article(what)
	}
	return "member of the " + what + " " + name
}

// with puts details in brackets behind a text, those that there are.
func with(text string, details ...string) string {
	details = slices.DeleteFunc(details, func(s string) bool { return s == "" })
	if len(details) == 0 {
		return text
	}
	return text + " (" + strings.Join(details, ", ") + ")"
}

func lastHost(host string) string {
	if host == "" {
		return ""
	}
	return "last host " + host
}

// article puts the indefinite article before a noun; "md" is spoken as letters.
func article(what string) string {
	if strings.HasPrefix(what, "md ") || strings.ContainsRune("aeiouAEIOU", rune(what[0])) {
		return "an " + what
	}
	return "a " + what
}

func powerOfTwo(n uint64) bool { return n != 0 && n&(n-1) == 0 }
