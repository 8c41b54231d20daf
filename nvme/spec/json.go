package spec

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"qd1.example/qd1/nvme"
)

// MarshalJSON writes the structure as an object: the names of the fields in small
// letters with their units, numbers exactly, and null for what is not reported.
// Beside the number of key "x" stand "x_text", what it means, "x_bits", its parts,
// and "x_s", its decimal digits where it is too great for a reader with
// floating-point numbers. Reserved bytes that are not zero are in "reserved".
func (v *Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.object()) }

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", m.key, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (v *Value) object() object {
	o := object{}
	var rest []object
	for _, r := range v.Rows {
		if r.Reserved {
			rest = append(rest, object{{"byte", r.Field.At}, {"hex", hex.EncodeToString(r.Raw)}})
			continue
		}
		o = append(o, r.members()...)
	}
	for _, l := range v.Lists {
		o = append(o, member{key(l.List.Name, ""), l.array()})
	}
	if v.Rest != nil {
		o = append(o, member{"data", v.Rest})
	}
	if rest != nil {
		o = append(o, member{"reserved", rest})
	}
	return o
}

// array is a list: of values where the entries are no more than that, or of
// objects.
func (l ListValue) array() []any {
	list := make([]any, 0, len(l.Entries))
	for _, e := range l.Entries {
		if l.List.Entry.scalar() && l.List.Index == "" {
			list = append(list, e.Rows[0].members()[0].value)
			continue
		}
		o := e.object()
		if l.List.Index != "" {
			o = append(object{{l.List.Index, e.Index}}, o...)
		}
		list = append(list, o)
	}
	return list
}

// members are the value of a field and what is said of it.
func (r Row) members() object {
	f := r.Field
	name := key(f.Name, f.Unit)
	switch f.Kind {
	case Text:
		o := object{{name, nvme.CleanASCII(r.Raw)}}
		if raw := nvme.RawHex(r.Raw); raw != "" {
			o = append(o, member{name + "_hex", raw})
		}
		return o
	case Hex, OUI:
		if zero(r.Raw) {
			return object{{name, nil}}
		}
		return object{{name, identifier(f, r.Raw)}}
	}
	o := r.figure().members(f.Name, r.Note)
	if len(r.Bits) > 0 && !(f.Zero != "" && zero(r.Raw)) {
		o = append(o, member{key(f.Name, "bits"), r.bits()})
	}
	return o
}

// members are a number and what the table says of it.
func (f figure) members(name, note string) object {
	const exact = 53 // Bits that every reader keeps.
	n := f.value()
	o := object{{key(name, f.unit), n}}
	if n != nil && n.BitLen() > exact {
		o = append(o, member{key(name, f.unit) + "_s", n.String()})
	}
	if text := join(", ", f.meaning(), note); text != "" {
		o = append(o, member{key(name, "text"), text})
	}
	return o
}

// bits are the parts of a field; a flag is true or false.
func (r Row) bits() object {
	o := object{}
	for _, b := range r.Bits {
		if b.Bits.flag() {
			o = append(o, member{key(b.Bits.Name, ""), b.Stored == 1})
			continue
		}
		o = append(o, b.figure().members(b.Bits.Name, "")...)
	}
	if r.Unknown != 0 {
		o = append(o, member{"reserved", new(big.Int).SetUint64(r.Unknown)})
	}
	return o
}

// key is a name of the specification as a JSON key, with a unit or another word
// behind.
func key(name, suffix string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return '_'
	}, name)
	if suffix != "" {
		name += "_" + suffix
	}
	return name
}
