package dump

import (
	"testing"

	"qd1.example/qd1/nvme"
)

func TestParseNumber(t *testing.T) {
	const tib, none = "1600321314816", "not a number"
	for _, tc := range []struct {
		text, want string
		how        precision
	}{
		{"0", "0", exact},
		{"0x00", "0", exact},
		{"0x9", "9", exact},
		{"0x4c4b40", "5000000", exact},
		{"100%", "100", exact},
		{"12 345 Pages", "12345", exact},
		{"1,600,321,314,816 [1.60 TB]", tib, exact},
		{"1.600.321.314.816 [1,60 TB]", tib, exact},
		{"1 600 321 314 816 [1,60 TB]", tib, exact},
		{"1'600'321'314'816", tib, exact},
		{"1’600’321’314’816", tib, exact},
		{"1\u00a0600\u00a0321\u00a0314\u00a0816", tib, exact},
		{"1\u202f600\u202f321\u202f314\u202f816", tib, exact},
		{"1\xa0600\xa0321\xa0314\xa0816", tib, exact},         // A blank of an 8-bit code page.
		{"1\uFFFD600\uFFFD321\uFFFD314\uFFFD816", tib, exact}, // The same after a wrong decoding.
		{"16,00,321", "1600321", exact},                       // Indian grouping.
		{"14,073,051 (7.21 TB)", "14073051", exact},
		{"340282366920938463463374607431768211455", "340282366920938463463374607431768211455", exact},
		{"340282366920938463463374607431768211456", none, exact},
		{"[8.78 TB]", "17148437", rounded},
		{"(8,78 TB)", "17148437", rounded},
		{"[much]", none, exact},
		{"", none, exact},
		{"-", none, exact},
		{"-1", none, exact},
		{"1.5", none, exact},
		{"1,23", none, exact},
		{"1234,567", none, exact},
		{"12abc", none, exact},
		{"0xyz", none, exact},
		{"0x100000000000000000000000000000000", none, exact},
	} {
		n, err := parseNumber(tc.text)
		got := n.String()
		if err != nil {
			got = err.Error()
		}
		if got != tc.want || n.how != tc.how {
			t.Errorf("%q: %s (%d), want %s (%d)", tc.text, got, n.how, tc.want, tc.how)
		}
	}
}

func TestParseKelvin(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int // -1 for none.
	}{
		{"61 Celsius", 334},
		{"57 C", 330},
		{"-5 Celsius", 268},
		{"-273 C", 0},
		{"39 C (312 Kelvin)", 312},
		{"29°C (302 Kelvin)", 302},
		{"84 °F (302 K)", 302},
		{"35 °C (308 K)", 308},
		{"358", 358},
		{"0", 0},
		{"-", 0},
		{"- Celsius", 0},
		{"-274 C", -1},
		{"84 °F", -1},
		{"warm", -1},
		{"99999 C", -1},
	} {
		n, err := parseKelvin(tc.text)
		got := int(n.Lo)
		if err != nil {
			got = -1
		}
		if got != tc.want {
			t.Errorf("%q: %d, want %d (%v)", tc.text, got, tc.want, err)
		}
	}
}

func TestParseSize(t *testing.T) {
	for _, tc := range []struct {
		text string
		want float64 // -1 for none.
	}{
		{"1.42  TB", 1.42e12},
		{" 14.40  GB ", 14.4e9},
		{"512   B", 512},
		{"4 KiB", 4096},
		{"960,2 GB", 960.2e9},
		{"1 PiB", 1 << 50},
		{"12 EB", -1},
		{"TB", -1},
		{"12", -1},
		{"1.2.3 TB", -1},
	} {
		got, ok := parseSize(tc.text)
		if !ok {
			got = -1
		}
		if got != tc.want {
			t.Errorf("%q: %v, want %v", tc.text, got, tc.want)
		}
	}
}

func TestJSONNumber(t *testing.T) {
	for _, tc := range []struct {
		text, want string
		how        precision
	}{
		{"310", "310", exact},
		{"310.0", "310", exact},
		{"1.36157684e8", "136157684", exact},
		{"310.5", "310", rounded},
		{"9007199254740994.0", "9007199254740994", rounded},
		{"1.8446744073709552e19", "18446744073709551616", rounded},
		{"-1.0", "not a number", exact},
		{"1e99", "not a number", exact},
	} {
		n, err := jsonNumber(tc.text)
		got := n.String()
		if err != nil {
			got = err.Error()
		}
		if got != tc.want || n.how != tc.how {
			t.Errorf("%s: %s (%d), want %s (%d)", tc.text, got, n.how, tc.want, tc.how)
		}
	}
}

func TestWatts(t *testing.T) {
	for _, tc := range []struct {
		text  string
		value uint16
		scale uint8
		bad   bool
	}{
		{"18.00W", 1800, 2, false}, {"0.0450W", 450, 1, false}, {"-", 0, 0, false}, {"", 0, 0, false},
		{"1.5W", 0, 0, true}, {"W", 0, 0, true}, {"999.9999W", 0, 0, true},
	} {
		value, scale, err := watts(tc.text)
		if value != tc.value || scale != tc.scale || (err != nil) != tc.bad {
			t.Errorf("%q: %d, scale %d, %v", tc.text, value, scale, err)
		}
	}
}

func TestPageSet(t *testing.T) {
	id := new(nvme.IdentifyController)
	p := newPage(id, 1)
	for _, err := range []error{
		p.setUint("ieee", 0x5cd2e4), p.setText("subnqn", "nqn.x"), p.setText("fr", "E201"), p.setNumber("tnvmcap", number{nvme.U128(7), rounded}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if id.IEEE.String() != "5cd2e4" || id.SUBNQN[5] != 0 || id.FirmwareRevision[7] != ' ' || id.TNVMCAP.Lo != 7 {
		t.Errorf("%v %q %q %v", id.IEEE, id.SUBNQN[:6], id.FirmwareRevision, id.TNVMCAP)
	}
	if p.setUint("ieee", 1<<24) == nil || p.setUint("psds", 1) == nil || p.setText("fr", "too long a one") == nil {
		t.Error("values that do not fit were taken")
	}
	// A page that ends in the middle of a field does not have it.
	q := newPage(new(nvme.IdentifyController), 1)
	if err := q.setPrefix(make([]byte, 83)); err != nil || !q.knows("vid", "cntlid") || q.knows("ver") {
		t.Errorf("%v: %v", q.known, err)
	}
}
