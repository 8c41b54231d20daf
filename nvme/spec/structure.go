package spec

// Kind is how the bytes of a field, or some of its bits, are read and shown.
type Kind uint8

// The kinds. All but Text, Hex and OUI are numbers, little-endian.
const (
	// Unsigned is a number of at most 16 bytes.
	Unsigned Kind = iota
	// Signed is a number in two's complement of at most 8 bytes.
	Signed
	// Text is ASCII, padded with blanks or zero bytes.
	Text
	// Hex is bytes as they are stored: identifiers and vendor specific bytes. All
	// zero is nothing.
	Hex
	// ZeroBased is one more than the number that is stored.
	ZeroBased
	// PowerOfTwo is two to the power of the number that is stored.
	PowerOfTwo
	// Flags is a number that is shown in hexadecimal, mostly with Bits.
	Flags
	// OUI is bytes in hexadecimal that are stored the other way round, least
	// significant first.
	OUI
)

// number reports whether the bytes are a number.
func (k Kind) number() bool { return k != Text && k != Hex && k != OUI }

// Bits are some bits of a field.
type Bits struct {
	// High and Low are the first and the last bit. High is 0 for a single one.
	High, Low uint8
	// Name is the abbreviation of the specification, or a short one of our own
	// where it gives none. Title is its words.
	Name, Title string
	// Kind is Unsigned, ZeroBased, PowerOfTwo or Flags.
	Kind Kind
	// Unit is as in Field.
	Unit string
	// Scale is as in Field.
	Scale uint64
	// Values are the meanings of the values. Without them a single bit is a flag
	// (yes or no), and several are a number.
	Values map[uint64]string
	// Aside says that the bits only tell how another field is read, so that texts of
	// one line do without them.
	Aside bool
}

// Field is a field of a structure.
type Field struct {
	// Name is the abbreviation of the specification, Title its words.
	Name, Title string
	// At is the first byte, Len the number of bytes.
	At, Len int
	// Kind is how the bytes are read.
	Kind Kind
	// Unit is the unit of the value: bytes, ms, us, ns, s, minutes, kelvin,
	// percent, blocks, … "" for a pure number.
	Unit string
	// Scale is what one of the stored number is in the unit. 0 means 1.
	Scale uint64
	// Zero and Ones say what a stored number of all zeroes or all ones means if it
	// is not a value, such as "not reported". "" means that it is one.
	Zero, Ones string
	// Values are the meanings of stored numbers.
	Values map[uint64]string
	// Bits are the parts of the field, if it has some: at most 8 bytes.
	Bits []Bits
	// Note says what the value means together with the rest of the structure,
	// whose bytes it gets: "18 W", "format 2". Nil or "" for nothing to add.
	Note func(structure []byte) string
	// Since is the revision that brought the field, "" for 1.0 to 1.4.
	Since string
}

// List is a part of a structure that repeats.
type List struct {
	// Name is what one entry is called, such as "LBAF"; Title is the words for all
	// of them.
	Name, Title string
	// At is the first byte. Start is it where it depends on the page; nil: At.
	At    int
	Start func(page []byte) int
	// Entry is the structure of one entry.
	Entry *Structure
	// Stride is the distance between entries. 0 means the bytes of the entry.
	Stride int
	// Count is the number of entries that the page says it has; nil: to the end.
	Count func(page []byte) int
	// Size is the length of the entry at the start of rest, for entries of
	// different lengths; nil: Stride.
	Size func(rest []byte) int
	// Until reports that the list ends before this entry; nil: it does not.
	Until func(entry []byte) bool
	// Skip reports that an entry says nothing; nil: none does.
	Skip func(entry []byte) bool
	// Index is the JSON key of the number of an entry where it has a meaning, such
	// as "lbaf" or "opcode"; "" where it has none.
	Index string
	// Label is what an entry is called in text, such as "LBAF 2, in use"; nil: Name
	// and number.
	Label func(page []byte, i int) string
}

// Structure is a data structure of the specification.
type Structure struct {
	// Name and Title are what it is called, short and in the specification's words.
	Name, Title string
	// Source is the document, its revision and the title of the section.
	Source string
	// Bytes is the least that there must be.
	Bytes int
	// Fields and Lists are its parts. They do not overlap.
	Fields []Field
	Lists  []List
	// Variant is the structure of what follows after Bytes, by a field of b; nil
	// for nothing. A Variant that returns nil leaves what follows as reserved
	// bytes.
	Variant func(b []byte) *Structure
}

// mask returns the bits as a mask of the field.
func (b Bits) mask() uint64 {
	high := max(b.High, b.Low)
	return ^uint64(0) >> (63 - (high - b.Low)) << b.Low
}

// flag reports whether the bits are a single one that is yes or no.
func (b Bits) flag() bool {
	if b.High > b.Low {
		return false
	}
	switch b.Values[1] {
	case "", "yes", "supported", "enabled":
		return true
	}
	return false
}

// scalar reports whether entries of this structure are one plain value each.
func (s *Structure) scalar() bool {
	return len(s.Fields) == 1 && len(s.Lists) == 0 && s.Variant == nil && len(s.Fields[0].Bits) == 0 && s.Fields[0].Len == s.Bytes
}
