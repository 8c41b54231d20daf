package spec

import (
	"encoding/hex"
	"fmt"
	"strings"

	"qd1.example/qd1/nvme"
)

// LineOptions say how much of a structure the text has.
type LineOptions struct {
	// Full is every field and every part of it in a line of its own, with its
	// title. Otherwise fields that are zero or not reported are named together at
	// the end, and each entry of a list is one line.
	Full bool
	// Vendor is all of the bytes of long fields, such as the vendor specific ones.
	Vendor bool
}

// Line is one line of text about a structure, or a paragraph if it is too long.
type Line struct {
	// Depth is how far it is indented, 0 for the fields of the structure itself.
	Depth int
	// Heading says that what follows with a greater Depth belongs to it.
	Heading bool
	// Name is the name of a field, or what an entry is called.
	Name string
	// Value is the number with its unit, or the text.
	Value string
	// Text says what it is and what it means.
	Text string
	// Details are paragraphs below the line: the parts of a field.
	Details []string
}

// Lines returns the structure as text.
func (v *Value) Lines(o LineOptions) []Line { return v.lines(o, 0) }

func (v *Value) lines(o LineOptions, depth int) []Line {
	var lines []Line
	var folded fold
	for _, r := range v.Rows {
		if !o.Full && r.empty() {
			folded.add(r)
			continue
		}
		lines = append(lines, r.line(o, depth))
	}
	lines = append(lines, folded.lines(depth)...)
	for _, l := range v.Lists {
		lines = append(lines, l.lines(o, depth)...)
	}
	if v.Rest != nil {
		lines = append(lines, v.Rest.lines(o, depth)...)
	}
	return lines
}

// empty reports whether a row says no more than that there is nothing.
func (r Row) empty() bool {
	f := r.Field
	switch {
	case !zero(r.Raw) || f.Values[0] != "" || r.Note != "":
		return false
	case f.Zero != "":
		return true
	case f.Values != nil || f.Kind == ZeroBased || f.Kind == PowerOfTwo:
		return false
	}
	for _, b := range r.Bits {
		if !b.Bits.flag() && b.Bits.Values[0] != "" {
			return false
		}
	}
	return true
}

// fold gathers rows that are empty by what zero means.
type fold struct {
	order []string
	names map[string][]string
}

func (f *fold) add(r Row) {
	what := r.Field.Zero
	switch {
	case what != "":
	case !r.Field.Kind.number():
		what = "empty"
	default:
		what = "0"
	}
	if f.names == nil {
		f.names = map[string][]string{}
	}
	if f.names[what] == nil {
		f.order = append(f.order, what)
	}
	f.names[what] = append(f.names[what], r.Field.Name)
}

func (f *fold) lines(depth int) []Line {
	var lines []Line
	for _, what := range f.order {
		lines = append(lines, Line{Depth: depth, Text: what + ": " + strings.Join(f.names[what], ", ")})
	}
	return lines
}

// line is the line of a field.
func (r Row) line(o LineOptions, depth int) Line {
	f := r.Field
	l := Line{Depth: depth, Name: f.Name, Value: r.value(o), Text: f.Title}
	if r.Reserved {
		l.Name, l.Text = fmt.Sprintf("%d:%d", f.At+f.Len-1, f.At), "reserved bytes that are not zero"
	}
	if long(r) && o.Vendor {
		l.Details = dump(r.Raw, f.At)
	}
	if text := join(", ", r.meaning(), r.Note); text != "" {
		l.Text += ": " + text
	}
	switch {
	case r.Field.Zero != "" && zero(r.Raw):
	case o.Full:
		l.Details = append(l.Details, r.eachBit()...)
	default:
		l.Details = append(l.Details, r.bitsInWords()...)
	}
	return l
}

// longBytes is how many bytes are shown in a line.
const longBytes = 32

func long(r Row) bool { return r.Field.Kind == Hex && len(r.Raw) > longBytes && !zero(r.Raw) }

// value is the value of a row as text, "" where there is none.
func (r Row) value(o LineOptions) string {
	switch r.Field.Kind {
	case Text:
		return nvme.CleanASCII(r.Raw)
	case Hex, OUI:
		switch {
		case zero(r.Raw):
			return ""
		case !long(r):
			return identifier(r.Field, r.Raw)
		}
		return fmt.Sprintf("%d bytes", len(r.Raw))
	}
	return r.figure().text()
}

func (r Row) meaning() string {
	switch {
	case r.Field.Kind.number():
		return r.figure().meaning()
	case long(r):
		return "not zero"
	}
	return ""
}

// dump writes bytes with their offsets, 16 in a line.
func dump(b []byte, at int) []string {
	const perLine = 16
	var lines []string
	for i := 0; i < len(b); i += perLine {
		part := b[i:min(i+perLine, len(b))]
		if !zero(part) {
			lines = append(lines, fmt.Sprintf("%04x  % x", at+i, part))
		}
	}
	return lines
}

// bitsInWords are the parts of a field in a few paragraphs: numbers, flags that
// are set, flags that are not.
func (r Row) bitsInWords() []string {
	var numbers, set, clear []string
	for _, b := range r.Bits {
		switch {
		case !b.Bits.flag():
			numbers = append(numbers, b.words()+": "+b.value())
		case b.Stored == 1:
			set = append(set, b.words())
		default:
			clear = append(clear, b.words())
		}
	}
	var all []string
	add := func(head string, list []string) {
		if len(list) > 0 {
			all = append(all, head+strings.Join(list, ", "))
		}
	}
	add("", numbers)
	add("yes: ", set)
	add("no: ", clear)
	return append(all, r.unknown()...)
}

// eachBit is one line for each part of a field.
func (r Row) eachBit() []string {
	var all []string
	for _, b := range r.Bits {
		place := fmt.Sprintf("[%d]", b.Bits.Low)
		if b.Bits.High > b.Bits.Low {
			place = fmt.Sprintf("[%d:%d]", b.Bits.High, b.Bits.Low)
		}
		all = append(all, place+" "+b.text())
	}
	return append(all, r.unknown()...)
}

func (r Row) unknown() []string {
	if r.Unknown == 0 {
		return nil
	}
	return []string{fmt.Sprintf("reserved bits are set: 0x%x", r.Unknown)}
}

// text is the name, the value and the meaning of a part.
func (b BitRow) text() string {
	if b.Bits.flag() {
		word := b.Bits.Values[b.Stored]
		if word == "" {
			word = [...]string{"no", "yes"}[b.Stored]
		}
		return join(" ", b.Bits.Name, b.Bits.Title) + ": " + word
	}
	return join(" ", b.Bits.Name, b.Bits.Title) + ": " + b.value()
}

// value is the value of a part that is no flag: its meaning, or the number.
func (b BitRow) value() string {
	f := b.figure()
	text := f.meaning()
	if f.values == nil || text == reservedValue {
		text = join(", ", f.text(), text)
	}
	return text
}

// words are the title of a part, or its name where it has none.
func (b BitRow) words() string {
	if b.Bits.Title == "" {
		return b.Bits.Name
	}
	return b.Bits.Title
}

// lines are the lines of a list.
func (l ListValue) lines(o LineOptions, depth int) []Line {
	if len(l.Entries) == 0 && l.Declared <= l.Read {
		return []Line{{Depth: depth, Heading: true, Text: l.List.Title + ": none"}}
	}
	head := Line{Depth: depth, Heading: true, Text: fmt.Sprintf("%s: %d", l.List.Title, len(l.Entries))}
	if l.Declared > l.Read {
		head.Text += fmt.Sprintf(" of the %d that the page counts, as it is too short for them", l.Declared)
	}
	lines := []Line{head}
	if l.List.Entry.scalar() && l.List.Label == nil && l.List.Index == "" {
		return append(lines, Line{Depth: depth + 1, Name: l.List.Name, Text: l.plain(o)})
	}
	for _, e := range l.Entries {
		if o.Full {
			lines = append(lines, Line{Depth: depth + 1, Heading: true, Name: e.Label})
			lines = append(lines, e.lines(o, depth+2)...)
			continue
		}
		lines = append(lines, Line{Depth: depth + 1, Name: e.Label, Text: e.sentence(o)})
		for v := e.Value; v != nil; v = v.Rest {
			for _, inner := range v.Lists {
				lines = append(lines, inner.lines(o, depth+2)...)
			}
		}
	}
	return lines
}

// silent reports whether a row is left out of a sentence: it is not reported, or
// empty.
func (r Row) silent() bool { return r.empty() && (r.Field.Zero != "" || !r.Field.Kind.number()) }

// plain are the entries of a list of plain values.
func (l ListValue) plain(o LineOptions) string {
	var all []string
	for _, e := range l.Entries {
		all = append(all, e.Rows[0].short(o))
	}
	return strings.Join(all, ", ")
}

// sentence is all fields of an entry that say something.
func (v *Value) sentence(o LineOptions) string {
	var all []string
	for _, r := range v.Rows {
		switch {
		case r.Reserved:
			all = append(all, fmt.Sprintf("reserved byte %d: %s", r.Field.At, hex.EncodeToString(r.Raw)))
		case r.silent():
		case len(r.Field.Bits) > 0:
			all = append(all, r.parts())
		default:
			all = append(all, join(" ", r.Field.Name, r.short(o)))
		}
	}
	if v.Rest != nil {
		all = append(all, v.Rest.sentence(o))
	}
	return join(", ", all...)
}

// short is a value as short as it can be: what it means, or the number.
func (r Row) short(o LineOptions) string {
	return firstOf(r.Note, firstOf(r.meaning(), r.value(o)))
}

// parts are the parts of a field that say something, without those that tell how
// another field is read.
func (r Row) parts() string {
	var list []string
	for _, b := range r.Bits {
		switch {
		case b.Bits.Aside:
		case !b.Bits.flag():
			list = append(list, b.Bits.Name+" "+b.value())
		case b.Stored == 1:
			list = append(list, b.words())
		}
	}
	return join(", ", append(list, r.unknown()...)...)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, sep)
}
