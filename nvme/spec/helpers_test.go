package spec

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decoded decodes bytes that are long enough.
func decoded(t testing.TB, s *Structure, b []byte) *Value {
	t.Helper()
	v, err := s.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// jsonObject returns the JSON of a value with numbers as they stand.
func jsonObject(t testing.TB, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return o
}

// assemble puts the bytes of a structure together again from its value. Entries
// that a list skips are taken from b.
func assemble(v *Value, b, out []byte) {
	for _, r := range v.Rows {
		copy(out[v.At+r.Field.At:], r.Raw)
	}
	for _, l := range v.Lists {
		if l.List.Skip != nil {
			copy(out, b)
			continue
		}
		for _, e := range l.Entries {
			assemble(e.Value, b, out)
		}
	}
	if v.Rest != nil {
		assemble(v.Rest, b, out)
	}
}

// checkLossless holds that a value has every byte that it was decoded from.
func checkLossless(t testing.TB, s *Structure, b []byte) {
	t.Helper()
	v := decoded(t, s, b)
	out := make([]byte, len(b))
	assemble(v, b, out)
	if !bytes.Equal(b, out) {
		t.Errorf("%s: bytes that the value has lost (-page +value):\n%s", s.Name, cmp.Diff(b, out))
	}
}
