package lang

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// tables are both tables as they stand.
func tables(t *testing.T) []entry {
	t.Helper()
	var all []entry
	for _, table := range []string{sentenceTable, textTable} {
		list, err := parse(table)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

// isJapanese reports whether r is a letter of Japanese or one of its marks.
func isJapanese(r rune) bool {
	return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) || r >= 0x3000 && r <= 0x30FF || r >= 0xFF00 && r <= 0xFFEF
}

// sameInBoth are texts of names alone.
var sameInBoth = []string{"{text}", "SMART", "Identify Controller", "NVMe", "PCI", "EUI-64", "NGUID", "UUID", "NAND", "LVM", "DRBD", "ZFS", "VFIO",
	"cpu", "%s CPU", "%s CPUs", "QD%d %s, %s %s: "}

var verb = regexp.MustCompile(`%%|%(?:\[(\d)\])?(?:0\d+)?(?:\.\d+)?([a-z])`)

// verbs are the verbs of a format in the order of their values.
func verbs(format string) []string {
	var list []string
	for _, v := range verb.FindAllStringSubmatch(format, -1) {
		switch {
		case v[0] == "%%":
		case v[1] != "":
			at := int(v[1][0] - '1')
			for len(list) <= at {
				list = append(list, "")
			}
			list[at] = v[2]
		default:
			list = append(list, v[2])
		}
	}
	return list
}

func TestVerbs(t *testing.T) {
	for _, tt := range []struct {
		format string
		want   []string
	}{
		{"%d %% of %s", []string{"d", "s"}},
		{"%[2]s の %[1]d", []string{"d", "s"}},
		{"0x%02x, %.1f", []string{"x", "f"}},
		{"none", nil},
	} {
		if got := verbs(tt.format); !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.format, got, tt.want)
		}
	}
}

// Each sentence has the same values in both languages, is English on one side
// and Japanese on the other, and stands once.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range tables(t) {
		if seen[e.english] {
			t.Errorf("%q stands twice", e.english)
		}
		seen[e.english] = true
		// A value may be named twice in one language.
		want, got := names(e.english), names(e.japanese)
		if !slices.Equal(want, got) {
			t.Errorf("%q: the values are %q, in Japanese %q", e.english, want, got)
		}
		if want, got := verbs(e.english), verbs(e.japanese); !slices.Equal(want, got) {
			t.Errorf("%q: the verbs are %q, in Japanese %q", e.english, want, got)
		}
		if strings.ContainsFunc(e.english, isJapanese) {
			t.Errorf("%q is not English", e.english)
		}
		if !strings.ContainsFunc(e.japanese, isJapanese) && !slices.Contains(sameInBoth, e.english) {
			t.Errorf("%q is not Japanese", e.japanese)
		}
		if n := english(e); n != "" {
			t.Errorf("%q: %q is left over", e.english, n)
		}
	}
}

func names(sentence string) []string {
	var list []string
	for _, at := range placeholder.FindAllStringIndex(sentence, -1) {
		list = append(list, sentence[at[0]:at[1]])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// english is a word of the English text that the Japanese one still has, ""
// if there is none. Names begin with a capital letter or are units.
func english(e entry) string {
	if slices.Contains(sameInBoth, e.english) {
		return ""
	}
	text := verb.ReplaceAllString(placeholder.ReplaceAllString(e.japanese, ""), "")
	for _, word := range regexp.MustCompile(`[A-Za-z/0-9_-]+`).FindAllString(text, -1) {
		if regexp.MustCompile(`^[a-z]{2,}$`).MatchString(word) && !slices.Contains(keptWords, word) {
			return word
		}
	}
	return ""
}

// keptWords are names and units in small letters.
var keptWords = []string{"qd", "list", "dmesg", "timeout", "sudo", "root", "min", "null", "smartctl", "nvme", "smart", "log", "ram", "ioctl"}

func TestParseRefuses(t *testing.T) {
	for _, bad := range []string{"no tab", "\tno English", "no Japanese\t", "two\ttabs\there"} {
		if _, err := parse("# a comment\n\n" + bad + "\n"); err == nil || !strings.HasPrefix(err.Error(), "line 3 ") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}
