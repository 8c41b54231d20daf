package vendor

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"

	"qd1.example/qd1/nvme"
)

// Row is one value of a page for people: what it is, how much, in which unit.
type Row struct {
	// Name is the name of the field in the words of its source.
	Name string `json:"name"`
	// Value is a uint64, int64, float64, [nvme.Uint128], bool or string.
	Value any `json:"value"`
	// Unit is bytes, percent, celsius, us, ms, minutes, count and so on; empty for
	// text and flags.
	Unit string `json:"unit"`
}

// Value is a decoded page.
type Value interface {
	// Rows returns the values that the page has, in its order.
	Rows() []Row
}

// Uint48 and Uint56 are counters of 6 and 7 bytes, little-endian.
type (
	Uint48 [6]byte
	Uint56 [7]byte
)

// Uint64 returns the value.
func (u Uint48) Uint64() uint64 { return little(u[:]) }

// Uint64 returns the value.
func (u Uint56) Uint64() uint64 { return little(u[:]) }

// MarshalJSON writes the exact decimal integer.
func (u Uint48) MarshalJSON() ([]byte, error) { return strconv.AppendUint(nil, u.Uint64(), 10), nil }

// MarshalJSON writes the exact decimal integer.
func (u Uint56) MarshalJSON() ([]byte, error) { return strconv.AppendUint(nil, u.Uint64(), 10), nil }

// little returns the little-endian number of at most 8 bytes.
func little(b []byte) uint64 {
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

// decode reads the little-endian structure v from the start of b. Longer input
// is accepted, because pages grow; shorter input is an error.
func decode(name string, v any, b []byte) error {
	if n := binary.Size(v); len(b) < n {
		return fmt.Errorf("%s: %w: %d bytes, want %d", name, nvme.ErrShort, len(b), n)
	}
	_, err := binary.Decode(b, binary.LittleEndian, v)
	return err
}

// fieldRows makes rows of the fields of the structure v that have a tag row,
// which is the name. The tag unit is the unit.
func fieldRows(v any) []Row {
	s := reflect.Indirect(reflect.ValueOf(v))
	var rows []Row
	for i := range s.NumField() {
		tag := s.Type().Field(i).Tag
		if name := tag.Get("row"); name != "" {
			rows = append(rows, Row{Name: name, Value: plain(s.Field(i)), Unit: tag.Get("unit")})
		}
	}
	return rows
}

// plain returns the value of a field as one of the types of [Row.Value].
func plain(f reflect.Value) any {
	switch v := f.Interface().(type) {
	case nvme.Uint128:
		return v
	case interface{ Uint64() uint64 }:
		return v.Uint64()
	case fmt.Stringer:
		return v.String()
	}
	return f.Uint()
}
