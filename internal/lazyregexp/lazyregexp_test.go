package lazyregexp

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrefix(t *testing.T) {
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
		`^é?x$`:                     "",
		`abc`:                       "",
		`^0]|`:                      "",
		`^0[(]|1`:                   "",
		`^0[^])]|1`:                 "",
		`^0[[:alpha:])]|1`:          "",
		`^0\Q(\E|1`:                 "",
		`^0([]|)]|1)`:               "0",
	} {
		if got := Prefix(pattern); got != want {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// examples are expressions and texts that they match, or do not.
var examples = [][2]string{
	{`^INTEL SSDPE21(D|K)960GA$`, "INTEL SSDPE21D960GA"}, {`^INTEL SSDPE21(D|K)960GA$`, "INTEL"},
	{`^a[0-9]+(b)?`, "a12b"}, {`b+`, "abba bb"}, {`^A|B`, "xB"}, {`^A[|]|B`, "xB"}, {`^ab*c`, "ac"}, {`^(?i)intel`, "INTEL"}, {`^[^]|]x|y`, "y"},
}

// TestSame holds that all methods do what those of package regexp do.
func TestSame(t *testing.T) {
	for _, x := range examples {
		want, got := regexp.MustCompile(x[0]), New(x[0])
		if got.MatchString(x[1]) != want.MatchString(x[1]) || got.FindString(x[1]) != want.FindString(x[1]) {
			t.Errorf("%s in %q: matches %t, finds %q", x[0], x[1], got.MatchString(x[1]), got.FindString(x[1]))
		}
		if diff := cmp.Diff(want.FindStringSubmatch(x[1]), got.FindStringSubmatch(x[1])); diff != "" {
			t.Errorf("%s in %q: submatches (-want +got):\n%s", x[0], x[1], diff)
		}
		if diff := cmp.Diff(want.FindAllStringIndex(x[1], -1), got.FindAllStringIndex(x[1], -1)); diff != "" {
			t.Errorf("%s in %q: indices (-want +got):\n%s", x[0], x[1], diff)
		}
		if diff := cmp.Diff(want.Split(x[1], -1), got.Split(x[1], -1)); diff != "" || want.ReplaceAllString(x[1], "<$0>") != got.ReplaceAllString(x[1], "<$0>") {
			t.Errorf("%s in %q: replaced %q, parts (-want +got):\n%s", x[0], x[1], got.ReplaceAllString(x[1], "<$0>"), diff)
		}
	}
}

func TestCompiledWhenUsed(t *testing.T) {
	r := New(`^abc(`)
	if r.MatchString("xyz") {
		t.Error("xyz matches")
	}
	defer func() {
		if recover() == nil {
			t.Error("an expression that is none does not panic")
		}
	}()
	r.MatchString("abc")
}

// FuzzPrefix: what an expression matches begins with its prefix.
func FuzzPrefix(f *testing.F) {
	for _, x := range examples {
		f.Add(x[0], x[1])
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		re, err := regexp.Compile(expression)
		if err != nil || !re.MatchString(text) {
			return
		}
		if prefix := Prefix(expression); !strings.HasPrefix(text, prefix) {
			t.Errorf("%q matches %q, which does not begin with %q", expression, text, prefix)
		}
	})
}
