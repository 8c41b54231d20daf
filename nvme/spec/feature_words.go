package spec

import (
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Flat is a dword whose JSON has the parts of a dword beside each other, without
// the dword itself: {"ps": 1, "wh": 0} in place of {"dw0": 1, "dw0_bits": {…}}.
// Reserved bits that are set are "reserved_bits".
type Flat struct{ *Value }

// MarshalJSON writes the object.
func (f Flat) MarshalJSON() ([]byte, error) {
	o := object{}
	for _, r := range f.Rows {
		switch {
		case r.Reserved:
			o = append(o, member{"reserved_bytes", hex.EncodeToString(r.Raw)})
		case len(r.Field.Bits) == 0:
			o = append(o, r.members()...)
		default:
			o = append(o, r.flat()...)
		}
	}
	return json.Marshal(o)
}

// flat are the parts of a dword.
func (r Row) flat() object {
	o := object{}
	for _, m := range r.bits() {
		if m.key == "reserved" {
			m.key = "reserved_bits"
		}
		o = append(o, m)
	}
	return o
}

// Words returns a structure in one sentence, such as "PS 1, WH no workload". Flags
// that are not set are left out where there are others.
func (v *Value) Words() string {
	var all []string
	for _, r := range v.Rows {
		all = append(all, r.words()...)
	}
	return strings.Join(all, ", ")
}

func (r Row) words() []string {
	switch {
	case r.Reserved:
		return []string{"reserved bytes " + hex.EncodeToString(r.Raw)}
	case len(r.Bits) == 0:
		return []string{join(" ", r.Field.Name, r.plain())}
	}
	var all []string
	for _, b := range r.Bits {
		switch f := b.figure(); {
		case b.Bits.flag() && len(r.Bits) == 1:
			all = append(all, join(" ", b.Bits.Name, firstOf(f.meaning(), yesNo(b.Stored))))
		case b.Bits.flag() && b.Stored == 1:
			all = append(all, b.Bits.Name)
		case !b.Bits.flag():
			all = append(all, join(" ", b.Bits.Name, known(f)))
		}
	}
	if all = append(all, r.unknown()...); all == nil {
		return []string{"none"}
	}
	return all
}

// plain is a field without parts.
func (r Row) plain() string {
	if text := firstOf(r.meaning(), r.value(LineOptions{})); text != "" {
		return text
	}
	return firstOf(r.Field.Zero, "empty")
}

func yesNo(stored uint64) string { return YesNo[stored] }

// known is the meaning of a number, or the number where the table has no meaning
// for it.
func known(f figure) string {
	if m := f.meaning(); m != "" && m != "reserved value" {
		return m
	}
	return f.text()
}
