package nvme

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"
	"unicode/utf8"
)

func TestUint128(t *testing.T) {
	tests := []struct {
		value Uint128
		text  string
		float float64
	}{
		{Uint128{}, "0", 0},
		{U128(1), "1", 1},
		{U128(1<<53 + 1), "9007199254740993", 9007199254740992},
		{U128(math.MaxUint64), "18446744073709551615", 0x1p64},
		{Uint128{Hi: 1}, "18446744073709551616", 0x1p64},
		{Uint128{Hi: 1, Lo: 1}, "18446744073709551617", 0x1p64},
		// The nearest value needs both halves: each alone rounds to a tie.
		{Uint128{Hi: 1<<53 + 1, Lo: 1}, "166153499473114502559719956244594689", (1<<53 + 2) * 0x1p64},
		{Uint128{Hi: math.MaxUint64, Lo: math.MaxUint64}, "340282366920938463463374607431768211455", 0x1p128},
	}
	for _, tt := range tests {
		if got := tt.value.String(); got != tt.text {
			t.Errorf("String = %s, want %s", got, tt.text)
		}
		if got := tt.value.Float64(); got != tt.float {
			t.Errorf("Float64 of %s = %v, want %v", tt.text, got, tt.float)
		}
		if v, ok := tt.value.Uint64(); v != tt.value.Lo || ok != (tt.value.Hi == 0) {
			t.Errorf("Uint64 of %s = %d, %v", tt.text, v, ok)
		}
		if got := tt.value.IsZero(); got != (tt.text == "0") {
			t.Errorf("IsZero of %s = %v", tt.text, got)
		}
		b, err := json.Marshal(tt.value)
		if err != nil || string(b) != tt.text {
			t.Errorf("JSON = %s, %v, want %s", b, err, tt.text)
		}
		got := Uint128{Lo: 5, Hi: 5}
		if err := json.Unmarshal(b, &got); err != nil || got != tt.value {
			t.Errorf("JSON of %s comes back as %v, %v", tt.text, got, err)
		}
	}
}

func TestUint128JSONFaults(t *testing.T) {
	for _, in := range []string{"-1", "1.5", "1e3", `"1"`, "true", "{}", "[]",
		"340282366920938463463374607431768211456", "1000000000000000000000000000000000000000000"} {
		var u Uint128
		err := json.Unmarshal([]byte(in), &u)
		typeErr, ok := errors.AsType[*json.UnmarshalTypeError](err)
		if !ok || typeErr.Type == nil || typeErr.Error() == "" {
			t.Errorf("%s: error %v, want a type error", in, err)
		}
		if !u.IsZero() {
			t.Errorf("%s: value %v set in spite of the error", in, u)
		}
	}
	u := U128(7)
	if err := json.Unmarshal([]byte("null"), &u); err != nil || u != U128(7) {
		t.Errorf("null: %v, %v, want no change", u, err)
	}
}

func TestKelvin(t *testing.T) {
	tests := []struct {
		k    Kelvin
		want int
		ok   bool
	}{{0, -273, false}, {263, -10, true}, {273, 0, true}, {318, 45, true}, {65535, 65262, true}}
	for _, tt := range tests {
		if got, ok := tt.k.Celsius(); got != tt.want || ok != tt.ok {
			t.Errorf("%d K = %d, %v, want %d, %v", tt.k, got, ok, tt.want, tt.ok)
		}
	}
}

func TestCleanASCII(t *testing.T) {
	const bad = "\uFFFD"
	tests := []struct{ in, want, hex string }{
		{"", "", ""},
		{"        ", "", ""},
		{"\x00\x00", "", ""},
		{"  PHM281  \x00", "PHM281", ""},
		{"INTEL SSD", "INTEL SSD", ""},
		{"\x00 \x00A\x00B\x00", "A" + bad + "B", "00200041004200"},
		{"a\nb", "a" + bad + "b", "610a62"},
		{"\x1b[31m", bad + "[31m", "1b5b33316d"},
		{"~\x7f", "~" + bad, "7e7f"},
		{"\xc3\xa9", bad + bad, "c3a9"},
		{"\xff\xff", bad + bad, "ffff"},
	}
	for _, tt := range tests {
		if got := CleanASCII([]byte(tt.in)); got != tt.want {
			t.Errorf("CleanASCII(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got := RawHex([]byte(tt.in)); got != tt.hex {
			t.Errorf("RawHex(%q) = %q, want %q", tt.in, got, tt.hex)
		}
	}
}

func TestTextTypes(t *testing.T) {
	v := struct {
		A  ASCII8
		B  ASCII20
		C  ASCII40
		D  ASCII256
		E  Hex64
		F  Hex128
		G  Hex64
		H  Hex128
		Id OUI
	}{
		A: ASCII8{' ', 'x', 0xFF}, B: ASCII20{'"', '\\'}, C: ASCII40{'m'}, D: ASCII256{'n'},
		E: Hex64{0x5c, 0xd2, 7: 0x01}, F: Hex128{15: 0xAB}, Id: OUI{0xe4, 0xd2, 0x5c},
	}
	want := `{"A":"x` + "\uFFFD" + `","B":"\"\\","C":"m","D":"n","E":"5cd2000000000001","F":"000000000000000000000000000000ab",` +
		`"G":null,"H":null,"Id":"5cd2e4"}`
	b, err := json.Marshal(v)
	if err != nil || string(b) != want {
		t.Errorf("JSON = %s, %v, want %s", b, err, want)
	}
	if v.G.String() != "" || v.H.String() != "" || !v.G.IsZero() || v.F.IsZero() {
		t.Errorf("identifiers of zero: %q, %q", v.G, v.H)
	}
}

func FuzzCleanASCII(f *testing.F) {
	for _, s := range []string{"", "  PHM281 \x00", "a\nb\x1b[31m", "\xc3\xa9\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := CleanASCII(b)
		if !utf8.ValidString(s) {
			t.Errorf("CleanASCII(%q) = %q, not UTF-8", b, s)
		}
		changed := false
		for _, r := range s {
			if r < 0x20 || r > 0x7E && r != utf8.RuneError {
				t.Errorf("CleanASCII(%q) = %q", b, s)
			}
			changed = changed || r == utf8.RuneError
		}
		if (RawHex(b) != "") != changed {
			t.Errorf("RawHex(%q) = %q for %q", b, RawHex(b), s)
		}
	})
}

func FuzzUint128JSON(f *testing.F) {
	for _, s := range []string{"0", "340282366920938463463374607431768211455", "-1", "1e9", "null", "00", "+1", "1_0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var u Uint128
		if err := u.UnmarshalJSON(b); err != nil || string(b) == "null" {
			return
		}
		want, ok := new(big.Int).SetString(string(b), 10)
		if !ok || want.Cmp(u.Big()) != 0 {
			t.Errorf("%q is read as %v", b, u)
		}
		var again Uint128
		if err := again.UnmarshalJSON([]byte(u.String())); err != nil || again != u {
			t.Errorf("%v comes back as %v, %v", u, again, err)
		}
	})
}
