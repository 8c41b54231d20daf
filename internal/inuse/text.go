package inuse

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean puts U+FFFD for what is not printable: names of files, volumes and
// processes are chosen by others and end on a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// count says a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// who names a process in a sentence.
func who(comm string, pid int) string { return fmt.Sprintf("%s (process %d)", comm, pid) }

// natural compares names so that the numbers in them count as numbers:
// nvme0n1p2 is before nvme0n1p10.
func natural(a, b string) int {
	for a != "" && b != "" {
		ca, restA := chunk(a)
		cb, restB := chunk(b)
		if c := compareChunks(ca, cb); c != 0 {
			return c
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// chunk cuts off the leading digits, or the leading part without any.
func chunk(s string) (head, rest string) {
	i := 1
	for i < len(s) && digit(s[i]) == digit(s[0]) {
		i++
	}
	return s[:i], s[i:]
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// compareChunks compares numbers by value, of any length, and other text by
// its bytes.
func compareChunks(a, b string) int {
	if digit(a[0]) && digit(b[0]) {
		na, nb := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(na), len(nb)), cmp.Compare(na, nb), cmp.Compare(len(a), len(b)))
	}
	return cmp.Compare(a, b)
}

// unescape replaces the octal escapes, such as \040, of the kernel's tables.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c, ok := octal(s[i:]); ok {
			b.WriteByte(c)
			i += 3
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// octal reads an escape at the start of s.
func octal(s string) (byte, bool) {
	if len(s) < 4 || s[0] != '\\' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:4], 8, 8)
	return byte(n), err == nil
}
