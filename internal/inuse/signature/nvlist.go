package signature

import (
	"encoding/binary"
	"fmt"
)

// Types of pairs of a name-value list (OpenZFS, include/sys/nvpair.h).
const (
	nvUint64 = 8
	nvString = 9
)

// nvlist reads the numbers and strings at the top of a packed name-value list
// in XDR encoding: uint64 and string by name. ok is false if it is none or
// does not end.
func nvlist(b []byte) (list map[string]any, ok bool) {
	const head, none = 12, 8
	list = map[string]any{}
	be := binary.BigEndian
	for at := head; at+none <= len(b); {
		size := int(be.Uint32(b[at:]))
		if size == 0 {
			return list, true
		}
		if size < 20 || size > len(b)-at {
			return nil, false
		}
		if !nvpair(list, b[at+8:at+size]) {
			return nil, false
		}
		at += size
	}
	return nil, false
}

// nvpair reads one pair behind its sizes: name, type, count and value.
func nvpair(list map[string]any, b []byte) bool {
	name, b, ok := xdrString(b)
	if !ok || len(b) < 8 {
		return false
	}
	kind := binary.BigEndian.Uint32(b)
	switch b = b[8:]; kind {
	case nvUint64:
		if len(b) < 8 {
			return false
		}
		list[name] = binary.BigEndian.Uint64(b)
	case nvString:
		text, _, ok := xdrString(b)
		if !ok {
			return false
		}
		list[name] = text
	}
	return true
}

// xdrString reads a string with its length before it and padding to four bytes
// behind it.
func xdrString(b []byte) (s string, rest []byte, ok bool) {
	if len(b) < 4 {
		return "", nil, false
	}
	n := int(binary.BigEndian.Uint32(b))
	padded := (n + 3) &^ 3
	if padded > len(b)-4 {
		return "", nil, false
	}
	return string(b[4 : 4+n]), b[4+padded:], true
}

func nvNumber(v any) string {
	if n, ok := v.(uint64); ok {
		return fmt.Sprint(n)
	}
	return ""
}

func nvText(v any) string {
	s, _ := v.(string)
	return clean([]byte(s))
}
