package spec

import "strings"

// NotReported is what zero or all ones mean in many fields.
const NotReported = "not reported"

// YesNo, Supported and Enabled are meanings of a single bit. One without Values is
// YesNo.
var (
	YesNo     = map[uint64]string{0: "no", 1: "yes"}
	Supported = map[uint64]string{0: "not supported", 1: "supported"}
	Enabled   = map[uint64]string{0: "disabled", 1: "enabled"}
)

// ZeroEntry reports whether an entry is all zero: it is for [List].Until and
// [List].Skip.
func ZeroEntry(entry []byte) bool { return zero(entry) }

// CountAt returns a [List].Count that reads a number of n bytes at offset at.
func CountAt(at, n int) func([]byte) int {
	return func(page []byte) int {
		if len(page) < at+n {
			return 0
		}
		v := number(page[at : at+n])
		if v.Hi != 0 || v.Lo > 1<<31-1 {
			return 1<<31 - 1
		}
		return int(v.Lo)
	}
}

// u reads a little-endian number of n bytes at offset at, 0 if there is none.
func u(b []byte, at, n int) uint64 {
	if len(b) < at+n {
		return 0
	}
	return number(b[at : at+n]).Lo
}

// flags are single bits, from bit 0 up: "NAME words". An empty one is reserved.
func flags(titles ...string) []Bits {
	var list []Bits
	for i, t := range titles {
		if name, title, _ := strings.Cut(t, " "); t != "" {
			list = append(list, Bits{Low: uint8(i), Name: name, Title: title})
		}
	}
	return list
}
