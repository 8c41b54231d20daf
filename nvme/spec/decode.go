package spec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"qd1.example/qd1/nvme"
)

// Value is a decoded structure.
type Value struct {
	// Structure is the table.
	Structure *Structure
	// At is where the structure lies in the bytes that were decoded.
	At int
	// Rows are the fields in the order of their bytes, and reserved bytes that are
	// not zero.
	Rows []Row
	// Lists are the lists in the order of the table.
	Lists []ListValue
	// Rest is what follows by Structure.Variant, nil for nothing.
	Rest *Value
}

// Row is a decoded field.
type Row struct {
	// Field is the entry of the table. That of reserved bytes has no name.
	Field *Field
	// Stored is the number as it is stored, 0 for bytes that are none.
	Stored nvme.Uint128
	// Raw are the bytes.
	Raw []byte
	// Bits are the parts of the field.
	Bits []BitRow
	// Unknown are set bits of a field with Bits that are none of them.
	Unknown uint64
	// Reserved says that the table does not name these bytes.
	Reserved bool
	// Note is what Field.Note says.
	Note string
}

// BitRow is a decoded part of a field.
type BitRow struct {
	// Bits is the entry of the table.
	Bits *Bits
	// Stored is the number as it is stored.
	Stored uint64
}

// ListValue is a decoded list.
type ListValue struct {
	// List is the table.
	List *List
	// Entries are the entries that say something.
	Entries []Entry
	// Declared is how many entries the page says it has, -1 if it does not. Where
	// there are fewer, the page was too short for them.
	Declared int
	// Read is how many entries there were, with those that say nothing.
	Read int
}

// Entry is a decoded entry of a list.
type Entry struct {
	// Index is the number of the entry in the list, from 0.
	Index int
	// Label is what it is called in text.
	Label string
	*Value
}

// Decode applies the table to b. It is an error if b is shorter than
// Structure.Bytes; what is longer belongs to lists and variants, or is reserved.
func (s *Structure) Decode(b []byte) (*Value, error) {
	if len(b) < s.Bytes {
		return nil, fmt.Errorf("%s: %w: %d bytes, want %d", s.Name, nvme.ErrShort, len(b), s.Bytes)
	}
	return s.decode(bytes.Clone(b), 0), nil
}

// decode is Decode for bytes that are long enough and stay as they are; at is
// where they lie in the whole.
func (s *Structure) decode(b []byte, at int) *Value {
	v := &Value{Structure: s, At: at}
	seen := make([]bool, len(b))
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.At+f.Len <= len(b) {
			v.Rows = append(v.Rows, newRow(f, b))
			mark(seen[f.At : f.At+f.Len])
		}
	}
	for i := range s.Lists {
		l, start, end := s.Lists[i].decode(b, at)
		v.Lists = append(v.Lists, l)
		mark(seen[start:end])
	}
	if s.Variant != nil && len(b) > s.Bytes {
		if rest := s.Variant(b); rest != nil && len(b) >= s.Bytes+rest.Bytes {
			v.Rest = rest.decode(b[s.Bytes:], at+s.Bytes)
			mark(seen[s.Bytes:])
		}
	}
	v.Rows = append(v.Rows, reserved(b, seen)...)
	slices.SortStableFunc(v.Rows, func(x, y Row) int { return x.Field.At - y.Field.At })
	return v
}

func mark(seen []bool) {
	for i := range seen {
		seen[i] = true
	}
}

// reserved returns the bytes that are not seen, run by run, from the first to the
// last that is not zero.
func reserved(b []byte, seen []bool) []Row {
	var rows []Row
	for i := 0; i < len(b); i++ {
		if seen[i] || b[i] == 0 {
			continue
		}
		first, last := i, i
		for ; i < len(b) && !seen[i]; i++ {
			if b[i] != 0 {
				last = i
			}
		}
		raw := b[first : last+1]
		rows = append(rows, Row{Field: &Field{Title: "reserved", At: first, Len: len(raw), Kind: Hex}, Raw: raw, Reserved: true})
	}
	return rows
}

// newRow decodes a field of the structure b.
func newRow(f *Field, b []byte) Row {
	r := Row{Field: f, Raw: b[f.At : f.At+f.Len]}
	if f.Note != nil {
		r.Note = f.Note(b)
	}
	if !f.Kind.number() {
		return r
	}
	r.Stored = number(r.Raw)
	if len(f.Bits) == 0 {
		return r
	}
	r.Unknown = r.Stored.Lo
	for i := range f.Bits {
		part := &f.Bits[i]
		r.Bits = append(r.Bits, BitRow{part, r.Stored.Lo & part.mask() >> part.Low})
		r.Unknown &^= part.mask()
	}
	return r
}

// number reads a little-endian number of at most 16 bytes.
func number(b []byte) nvme.Uint128 {
	var wide [16]byte
	copy(wide[:], b)
	return nvme.Uint128{Lo: binary.LittleEndian.Uint64(wide[:]), Hi: binary.LittleEndian.Uint64(wide[8:])}
}

// decode reads the entries, and returns where they begin and end.
func (l *List) decode(b []byte, at int) (v ListValue, start, end int) {
	v = ListValue{List: l, Declared: -1}
	start = l.At
	if l.Start != nil {
		start = l.Start(b)
	}
	start = min(max(start, 0), len(b))
	if l.Count != nil {
		v.Declared = l.Count(b)
	}
	end = start
	for ; l.Count == nil || v.Read < v.Declared; v.Read++ {
		size := l.size(b[end:])
		if size == 0 {
			break
		}
		entry := b[end : end+size : end+size]
		if l.Until != nil && l.Until(entry) {
			break
		}
		if l.Skip == nil || !l.Skip(entry) {
			v.Entries = append(v.Entries, Entry{v.Read, l.label(b, v.Read), l.Entry.decode(entry, at+end)})
		}
		end += size
	}
	return v, start, end
}

// size returns the length of the entry at the start of rest, 0 if there is no
// whole one.
func (l *List) size(rest []byte) int {
	n := max(l.Stride, l.Entry.Bytes)
	if l.Size != nil && len(rest) >= l.Entry.Bytes {
		n = l.Size(rest)
	}
	if n < l.Entry.Bytes || n > len(rest) {
		return 0
	}
	return n
}

func (l *List) label(page []byte, i int) string {
	if l.Label != nil {
		return l.Label(page, i)
	}
	return fmt.Sprintf("%s %d", l.Name, i)
}
