package drivedb

import (
	"bytes"
	"fmt"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestIndex holds that index.tsv is the index of the files, the one kept by hand
// first, and that it leads to all their entries.
func TestIndex(t *testing.T) {
	byHand, generated := file(t, "intel_optane.json"), file(t, "drives.json")
	want := indexOf(t, "intel_optane.json", byHand) + indexOf(t, "drives.json", generated)
	if *update {
		if err := os.WriteFile("index.tsv", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, index); diff != "" {
		t.Fatalf("index.tsv is not the index of the files (run go generate) (-want +got):\n%s", diff)
	}
	var entries []Entry
	for _, f := range [][]byte{byHand, generated} {
		db, err := Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, db.Entries()...)
	}
	if diff := gocmp.Diff(entries, Builtin().Entries()); diff != "" || len(entries) < 300 {
		t.Errorf("%d entries (-want +got):\n%s", len(entries), diff)
	}
}

// file reads a file of this package as it is now: -update may have written it.
func file(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// indexOf makes the lines of a file.
func indexOf(t *testing.T, name string, b []byte) string {
	t.Helper()
	db, offsets, err := parse(b)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	end := int64(bytes.LastIndexByte(b, ']'))
	for i, from := range offsets {
		to := end
		if i+1 < len(offsets) {
			to = offsets[i+1]
		}
		object := bytes.TrimRight(b[from:to], ", \n")
		fmt.Fprintf(&text, "%s %d %d", name, from, int(from)+len(object))
		for _, start := range startsOf(t, db.items[i].read().entry.Pattern) {
			text.WriteString("\t" + start)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// mostStarts bounds the starts of a pattern: more of them would be no faster.
const mostStarts = 8

// startsOf returns what matches of a pattern can begin with.
func startsOf(t *testing.T, pattern string) []string {
	t.Helper()
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := starts(re)
	slices.Sort(list)
	var short []string
	for _, s := range list {
		if len(short) == 0 || !strings.HasPrefix(s, short[len(short)-1]) {
			short = append(short, s)
		}
	}
	return short
}

// starts returns what matches begin with, and whether that is all of each match.
func starts(re *syntax.Regexp) (list []string, whole bool) {
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}, true
		}
	case syntax.OpCharClass:
		return startsOfClass(re.Rune)
	case syntax.OpCapture:
		return starts(re.Sub[0])
	case syntax.OpPlus:
		list, _ = starts(re.Sub[0])
		return list, false
	case syntax.OpQuest:
		list, whole = starts(re.Sub[0])
		return append(list, ""), whole
	case syntax.OpAlternate:
		return startsOfAny(re.Sub)
	case syntax.OpConcat:
		return startsOfAll(re.Sub)
	}
	return []string{""}, false
}

// startsOfClass is starts of a class of characters, given by its ranges. A tab
// and a line end would break the index.
func startsOfClass(ranges []rune) (list []string, whole bool) {
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if list = append(list, string(r)); r < ' ' || len(list) > mostStarts {
				return []string{""}, false
			}
		}
	}
	return list, true
}

// startsOfAny is starts of alternatives.
func startsOfAny(alternatives []*syntax.Regexp) (list []string, whole bool) {
	whole = true
	for _, re := range alternatives {
		some, all := starts(re)
		list, whole = append(list, some...), whole && all
	}
	return list, whole
}

// startsOfAll is starts of parts that follow one another.
func startsOfAll(parts []*syntax.Regexp) (list []string, whole bool) {
	list = []string{""}
	for _, re := range parts {
		next, all := starts(re)
		if len(list) > 1 && len(list)*len(next) > mostStarts {
			return list, false
		}
		var longer []string
		for _, a := range list {
			for _, b := range next {
				longer = append(longer, a+b)
			}
		}
		if list = longer; !all {
			return list, false
		}
	}
	return list, true
}

func TestStarts(t *testing.T) {
	for pattern, want := range map[string][]string{
		`^INTEL SSD\w*$`:             {"INTEL SSD"},
		`^(INTEL |)SSD(A|B)\w+$`:     {"INTEL SSDA", "INTEL SSDB", "SSDA", "SSDB"},
		`^A\.B(x)? \d$`:              {"A.B ", "A.Bx "},
		`^A$|^BC*$`:                  {"A", "B"},
		`^AB+$`:                      {"AB"},
		`^A(B|C|D)(E|F|G)$`:          {"AB", "AC", "AD"},
		`^(?i)intel$`:                {""},
		`^[AB]x$`:                    {"Ax", "Bx"},
		`^[A-Z]x$`:                   {""},
		`^A\s+x$`:                    {"A"},
		`^(INTEL|INTEL SSD) x(y|z)$`: {"INTEL SSD xy", "INTEL SSD xz", "INTEL xy", "INTEL xz"},
	} {
		if diff := gocmp.Diff(want, startsOf(t, pattern)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

// TestLookupReadsFewEntries holds that a look-up reads, and compiles, few entries
// that do not match, and none for a model that nobody knows.
func TestLookupReadsFewEntries(t *testing.T) {
	const most = 20
	for line := range strings.Lines(string(file(t, "testdata/models.tsv"))) {
		model, _, _ := strings.Cut(line, "\t")
		n := 0
		for _, it := range Builtin().items {
			if it.mayMatch(model) {
				n++
			}
		}
		if n > most {
			t.Errorf("%s: %d entries may match, want at most %d", model, n, most)
		}
	}
	for _, it := range Builtin().items {
		if it.mayMatch("QEMU NVMe Ctrl") {
			t.Errorf("%q may match, by one of %q", "QEMU NVMe Ctrl", it.starts)
		}
	}
}
