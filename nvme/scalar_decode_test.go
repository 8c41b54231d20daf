package nvme

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fixed has a field of each type with a text of its own.
type fixed struct {
	A8   ASCII8
	A20  ASCII20
	A40  ASCII40
	A256 ASCII256
	H64  Hex64
	H128 Hex128
	O    OUI
}

func TestScalarsComeBack(t *testing.T) {
	in := fixed{H64: Hex64{1, 2, 0xFE}, H128: Hex128{15: 9}, O: OUI{0xE4, 0xD2, 0x5C}}
	copy(in.A8[:], "E2010480")
	copy(in.A20[:], "  A\x01B\xC3        \x00\x00")
	copy(in.A40[:], strings.Repeat("\xFF", 40))
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out fixed
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	again, err := json.Marshal(out)
	if diff := cmp.Diff(string(text), string(again)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if out.A8 != in.A8 || out.H64 != in.H64 || out.H128 != in.H128 || out.O != in.O || out.A20 != (ASCII20{'A', 0xFF, 'B', 0xFF, ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '}) {
		t.Errorf("got %+v", out)
	}
}

// TestNullIsNone: null replaces what was there before.
func TestNullIsNone(t *testing.T) {
	h := Hex64{1}
	if err := json.Unmarshal([]byte("null"), &h); err != nil || !h.IsZero() {
		t.Errorf("got %v, %v", h, err)
	}
}

func TestScalarFaults(t *testing.T) {
	for _, text := range []string{
		`{"A8": "123456789"}`, `{"A20": "123456789012345678901"}`, `{"A8": 1}`, `{"H64": "00"}`, `{"H64": "zz00000000000000"}`, `{"H128": 1}`, `{"O": "5cd2"}`, `{"O": "gggggg"}`,
	} {
		var out fixed
		if err := json.Unmarshal([]byte(text), &out); err == nil {
			t.Errorf("%s: no error, got %+v", text, out)
		}
	}
}

func FuzzScalarText(f *testing.F) {
	for _, s := range []string{"", "E2010480", "INTEL SSDPE21D960GA", "a\xFFb", "\uFFFD\uFFFD"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var a ASCII20
		if a.UnmarshalText([]byte(s)) != nil {
			return
		}
		var b ASCII20
		if err := b.UnmarshalText([]byte(a.String())); err != nil || b.String() != a.String() {
			t.Errorf("%q became %q, then %q: %v", s, a, b, err)
		}
	})
}
