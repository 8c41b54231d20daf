package render

import (
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/lang"
)

func TestUnits(t *testing.T) {
	eight, four := 8.0, 4
	huge, _ := new(big.Int).SetString("340282366920938463463374607431768211455", 10)
	for _, test := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(1000), "1 000"}, {count(-12345), "-12 345"}, {count(^uint64(0)), "18 446 744 073 709 551 615"},
		{counted(lang.English, 1, "read", "reads"), "1 read"}, {counted(lang.English, 0, "read", "reads"), "0 reads"}, {counted(lang.English, 2000, "read", "reads"), "2 000 reads"},
		{decimal(0), "0"}, {decimal(0.31), "0.31"}, {decimal(12.345), "12.3"}, {decimal(99.96), "100"}, {decimal(999.6), "1 000"}, {decimal(1303.04), "1 303"},
		{decimal(-1.234), "-1.23"}, {decimal(-123.4), "-123"}, {decimal(1e20), "100000000000000000000"},
		{size(0), "0 B"}, {size(960197124096), "960 GB"}, {size(8782512128000), "8.78 TB"}, {sizeBig(huge), "340 282 367 QB"},
		{sizeBoth(lang.English, 512), "512 bytes"}, {sizeBoth(lang.English, 4096), "4 096 bytes (4.1 kB)"},
		{blockSize(lang.English, 512), "512 bytes"}, {blockSize(lang.English, 4096), "4 KiB"}, {blockSize(lang.English, 1<<20), "1 MiB"}, {blockSize(lang.English, 1536), "1 536 bytes"},
		{terabytes(17.52e15), "17 520 TB"}, {terabytes(1.5e12), "1.5 TB"}, {terabytes(500e6), "0.0005 TB"},
		{percent(0.00000286), "0.00000286 %"}, {percent(100), "100 %"},
		{celsius(lang.English, nil), "not reported by this drive"}, {celsius(lang.English, new(-3)), "-3 °C"}, {micros(11.9), "11.9 µs"},
		{link(lang.English, &eight, &four), "8 GT/s x4"}, {link(lang.English, nil, nil), "not shown by this host"},
		{link(lang.English, nil, &four), "x4 at a speed that this host does not show"}, {link(lang.English, &eight, nil), "8 GT/s on a width that this host does not show"},
		{linkOf(lang.English, &eight, &four, &eight, &four), "8 GT/s x4, its maximum"}, {linkOf(lang.English, &eight, new(2), &eight, &four), "8 GT/s x2 of at most 8 GT/s x4"},
		{linkOf(lang.English, &eight, &four, nil, nil), "8 GT/s x4"},
		{years(lang.English, 3.14159), "3.14 years"}, {years(lang.English, 1234), "more than 100 years"}, {usedPercent(lang.English, 255), "255 % or more"},
		{join(", ", "", "a", "", "b"), "a, b"},
	} {
		if got := strings.ReplaceAll(test.got, nbsp, " "); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"a · b · c", 5, []string{"a" + nbsp + "·", "b" + nbsp + "· c"}},
		{"LBA 1 875 384, at 12 %.", 10, []string{"LBA", "1" + nbsp + "875" + nbsp + "384,", "at 12" + nbsp + "%."}},
		{"12" + nbsp + "µs and more", 6, []string{"12" + nbsp + "µs", "and", "more"}},
		{"abcdefgh ij", 3, []string{"abc", "def", "gh", "ij"}},
		{"a\nb\tc", 9, []string{"a b c"}},
		{"a\x1b[2Jb\u009b", 20, []string{"a\ufffd[2Jb\ufffd"}},
	} {
		if diff := cmp.Diff(test.want, wrap(test.text, test.width)); diff != "" {
			t.Errorf("%q at %d (-want +got):\n%s", test.text, test.width, diff)
		}
	}
}

func TestStyle(t *testing.T) {
	for width, want := range map[int]int{0: 100, 1: 40, 60: 60, 160: 160} {
		if got := (Style{Width: width}).width(); got != want {
			t.Errorf("width %d gives %d, want %d", width, got, want)
		}
	}
	s := Style{Paint: colours}
	if got := s.paint(Plain, "x") + s.paint(Bad, ""); got != "x" {
		t.Errorf("plain or no text is painted: %q", got)
	}
}
