package drivedb

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestIndex holds that the files of this package are found entry by entry.
func TestIndex(t *testing.T) {
	for name, file := range map[string][]byte{"intel_optane.json": byHand, "drives.json": generated} {
		want, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want.Entries(), (&DB{index(file)}).Entries()); diff != "" || len(want.items) < 10 {
			t.Errorf("%s: %d entries (-want +got):\n%s", name, len(want.items), diff)
		}
	}
}

func TestLiteralPrefix(t *testing.T) {
	for pattern, want := range map[string]string{
		`^INTEL SSDPE21D960GA$`:     "INTEL SSDPE21D960GA",
		`^INTEL SSDPE21D\w+$`:       "INTEL SSDPE21D",
		`^INTEL SSDPE21(D|K)960GA$`: "INTEL SSDPE21",
		`^(?i)samsung ssd$`:         "",
		`^SAMSUNG (A|B)$|^X$`:       "",
		`^A[|]B$`:                   "A",
		`^A\|B$`:                    "A",
		`^ABC?D$`:                   "AB",
		`^ABC*$`:                    "AB",
		`^ABC{0,2}$`:                "AB",
		`^ABC+$`:                    "ABC",
		`^?$`:                       "",
		`^`:                         "",
	} {
		if got := literalPrefix(pattern); got != want {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// FuzzLiteralPrefix: what a pattern matches begins with its prefix.
func FuzzLiteralPrefix(f *testing.F) {
	for _, e := range Builtin().Entries() {
		f.Add(e.Pattern, e.Example)
	}
	f.Fuzz(func(t *testing.T, pattern, model string) {
		re, err := compile(pattern)
		if err != nil || !re.MatchString(model) {
			return
		}
		if prefix := literalPrefix(pattern); !strings.HasPrefix(model, prefix) {
			t.Errorf("%q matches %q, which does not begin with %q", pattern, model, prefix)
		}
	})
}
