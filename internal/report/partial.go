package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Partial says which parts of a structure its source does not have, or had
// rounded. The zero value has all of it exactly.
type Partial struct {
	missing, rounded []string
}

// Has reports whether the source has a value for a JSON key, such as
// "power_on_hours". Keys of a structure within follow a dot.
func (p *Partial) Has(key string) bool { return !slices.Contains(p.missing, key) }

// Rounded reports whether the source had the value of a key rounded.
func (p *Partial) Rounded(key string) bool { return slices.Contains(p.rounded, key) }

// Inexact returns the keys of a structure within that are missing or rounded;
// "" is the structure itself.
func (p *Partial) Inexact(within string) []string {
	var list []string
	for _, key := range slices.Concat(p.missing, p.rounded) {
		rest, ok := strings.CutPrefix(key, within)
		if rest = strings.TrimPrefix(rest, "."); ok && !strings.Contains(rest, ".") {
			list = append(list, rest)
		}
	}
	return list
}

// marshal is the JSON of v with null for what is missing. With something
// missing the keys are in alphabetical order.
func (p *Partial) marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil || len(p.missing) == 0 {
		return b, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // Counters are exact.
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	for _, key := range p.missing {
		setNull(tree, strings.Split(key, "."))
	}
	return json.Marshal(tree)
}

// setNull sets what a path leads to, in each element of a list on the way. A
// path that leads nowhere does nothing.
func setNull(tree any, path []string) {
	switch x := tree.(type) {
	case []any:
		for _, element := range x {
			setNull(element, path)
		}
	case map[string]any:
		value, ok := x[path[0]]
		switch {
		case !ok:
		case len(path) == 1:
			x[path[0]] = nil
		default:
			setNull(value, path[1:])
		}
	}
}

// MarshalJSON implements json.Marshaler.
func (s SMART) MarshalJSON() ([]byte, error) {
	type plain SMART
	return s.marshal(plain(s))
}

// MarshalJSON implements json.Marshaler.
func (c IdentifyController) MarshalJSON() ([]byte, error) {
	type plain IdentifyController
	return c.marshal(plain(c))
}

// MarshalJSON implements json.Marshaler.
func (n Namespace) MarshalJSON() ([]byte, error) {
	type plain Namespace
	return n.marshal(plain(n))
}

// MarshalJSON implements json.Marshaler.
func (e Errors) MarshalJSON() ([]byte, error) {
	type plain Errors
	return e.marshal(plain(e))
}

// MarshalJSON implements json.Marshaler.
func (f Firmware) MarshalJSON() ([]byte, error) {
	type plain Firmware
	return f.marshal(plain(f))
}
