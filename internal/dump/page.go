package dump

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// precision says how well a field is known.
type precision uint8

const (
	exact precision = iota
	rounded
)

// page is a structure of package nvme in the making: a pointer to it, and
// which of its fields the dump has. Fields are named by their JSON keys; those
// that JSON leaves out have a name in keyless.
type page struct {
	body  any
	known map[string]precision
	line  int
}

// errorPage is the body of the error log: fields of an entry are known for all
// entries alike.
type errorPage struct {
	nvme.ErrorLogEntry
	entries []nvme.ErrorLogEntry
	// kept is how many entries the drive keeps. 0 is unknown.
	kept int
}

// keyless names the fields that have no JSON key of their own.
func keyless(goName string) string {
	return map[string]string{"PSD": "psds", "LBAF": "lbafs", "VendorSpecific": "vs"}[goName]
}

func newPage(body any, line int) *page {
	return &page{body: body, known: map[string]precision{}, line: line}
}

// structure returns the structure to set fields of.
func (p *page) structure() reflect.Value {
	if log, ok := p.body.(*errorPage); ok {
		return reflect.ValueOf(&log.ErrorLogEntry).Elem()
	}
	return reflect.ValueOf(p.body).Elem()
}

// keyOf returns the name of a field, "" for reserved ones.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if key == "-" || f.Name == "_" {
		return keyless(f.Name)
	}
	return key
}

// fields returns the names of all fields, in order of the structure.
func (p *page) fields() []string {
	var list []string
	t := p.structure().Type()
	for i := range t.NumField() {
		if key := keyOf(t.Field(i)); key != "" {
			list = append(list, key)
		}
	}
	return list
}

// field returns the field with a name, the zero Value if there is none.
func (p *page) field(key string) reflect.Value {
	v := p.structure()
	for i := range v.NumField() {
		if key != "" && keyOf(v.Type().Field(i)) == key {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

// mark notes that fields are known, without changing their values.
func (p *page) mark(how precision, keys ...string) {
	for _, key := range keys {
		p.known[key] = how
	}
}

// markAbsent notes fields as known to be zero if nothing else is known of them.
func (p *page) markAbsent(keys ...string) {
	for _, key := range keys {
		if _, ok := p.known[key]; !ok {
			p.known[key] = exact
		}
	}
}

var errRange = errors.New("does not fit its field")

// setNumber sets a field that holds a number.
func (p *page) setNumber(key string, n number) error {
	f := p.field(key)
	switch f.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n.Hi != 0 || f.OverflowUint(n.Lo) {
			return fmt.Errorf("%s: %v %w", key, n, errRange)
		}
		f.SetUint(n.Lo)
	case reflect.Struct:
		f.Set(reflect.ValueOf(n.Uint128))
	case reflect.Array:
		const most = 8 // Bytes of an identifier that is printed as a number.
		if f.Len() > most || f.Type().Elem().Kind() != reflect.Uint8 {
			return fmt.Errorf("%s is not a number", key)
		}
		if n.Hi != 0 || n.Lo>>(8*f.Len()) != 0 {
			return fmt.Errorf("%s: %v %w", key, n, errRange)
		}
		for i := range f.Len() {
			f.Index(i).SetUint(n.Lo >> (8 * i) & 0xFF)
		}
	default:
		return fmt.Errorf("%s is not a number", key)
	}
	p.mark(n.how, key)
	return nil
}

// number returns a field that holds a number.
func (p *page) number(key string) number {
	n := number{how: p.known[key]}
	switch f := p.field(key); f.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n.Lo = f.Uint()
	case reflect.Struct:
		n.Uint128, _ = f.Interface().(nvme.Uint128)
	}
	return n
}

// setUint sets a field to a value that is known exactly.
func (p *page) setUint(key string, v uint64) error {
	return p.setNumber(key, number{Uint128: nvme.U128(v)})
}

// setText sets a fixed string, padded with blanks.
func (p *page) setText(key, s string) error {
	f := p.field(key)
	if len(s) > f.Len() {
		return fmt.Errorf("%s: %d characters, more than %d", key, len(s), f.Len())
	}
	pad := byte(' ')
	if key == "subnqn" {
		pad = 0
	}
	for i := range f.Len() {
		c := pad
		if i < len(s) {
			c = s[i]
		}
		f.Index(i).SetUint(uint64(c))
	}
	p.mark(exact, key)
	return nil
}

// setBytes sets an identifier in wire order.
func (p *page) setBytes(key string, b []byte) error {
	f := p.field(key)
	if len(b) != f.Len() {
		return fmt.Errorf("%s: %d bytes, not %d", key, len(b), f.Len())
	}
	reflect.Copy(f, reflect.ValueOf(b))
	p.mark(exact, key)
	return nil
}

// setPrefix takes the start of the page as the drive sent it. Fields that are
// whole in b are known.
func (p *page) setPrefix(b []byte) error {
	v := p.structure()
	whole := make([]byte, binary.Size(p.structureValue()))
	n := copy(whole, b)
	if _, err := binary.Decode(whole, binary.LittleEndian, v.Addr().Interface()); err != nil {
		return err
	}
	end := 0
	for i := range v.NumField() {
		end += binary.Size(reflect.New(v.Field(i).Type()).Elem().Interface())
		if key := keyOf(v.Type().Field(i)); key != "" && end <= n {
			p.mark(exact, key)
		}
	}
	return nil
}

func (p *page) structureValue() any { return p.structure().Addr().Interface() }

// bytes returns the page as a drive would send it.
func (p *page) bytes() ([]byte, error) {
	if log, ok := p.body.(*errorPage); ok {
		return binary.Append(nil, binary.LittleEndian, log.entries)
	}
	return binary.Append(nil, binary.LittleEndian, p.structureValue())
}

// fill takes the fields from other that p does not have.
func (p *page) fill(other *page) {
	for _, key := range other.fields() {
		how, has := other.known[key]
		mine, ok := p.known[key]
		if has && (!ok || mine == rounded && how == exact) {
			p.field(key).Set(other.field(key))
			p.mark(how, key)
		}
	}
}

// knows reports whether all of the fields are known.
func (p *page) knows(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { _, ok := p.known[key]; return !ok })
}
