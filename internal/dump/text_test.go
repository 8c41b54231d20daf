package dump

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeText(t *testing.T) {
	const text = "critical_warning : 0 時間\r\n"
	units := utf16.Encode([]rune(text))
	var little, big []byte
	for _, u := range units {
		little = binary.LittleEndian.AppendUint16(little, u)
		big = binary.BigEndian.AppendUint16(big, u)
	}
	for _, tc := range []struct {
		name, in, want string
		ok             bool
	}{
		{"UTF-8", text, text, true},
		{"byte order mark", "\uFEFF" + text, text, true},
		{"UTF-16 little", "\xFF\xFE" + string(little), text, true},
		{"UTF-16 big", "\xFE\xFF" + string(big), text, true},
		{"UTF-16 without mark", string(little), text, true},
		{"Shift_JIS", "a \x8E\x9E\x8A\xD4", "a \x8E\x9E\x8A\xD4", true},
		{"binary", "abc\x00def", "abc\x00def", false},
		{"zeroes", string(make([]byte, 64)), string(make([]byte, 64)), false},
		{"empty", "", "", true},
	} {
		got, ok := decodeText([]byte(tc.in))
		if got != tc.want || ok != tc.ok {
			t.Errorf("%s: %q, %t", tc.name, got, ok)
		}
	}
}

func TestIdentity(t *testing.T) {
	for text, want := range map[string]string{
		"PHM2810300B2960CGN  ": "PHM2810300B2960CGN", "   86AS109TYUVH": "86AS109TYUVH", "--": "", "****": "", "XXXXXXXX": "",
		"REDACTED": "", "[REDACTED]": "", "<redacted>": "", "202********D8": "202********D8", "D704722058?": "D704722058?", "": "",
		"A\x01B": "A\uFFFDB", "yes": "yes",
	} {
		if got := identity(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{" a\tb\x1b[31m ": "ab[31m", "\x8E\x9E": "\uFFFD\uFFFD", "時間": "時間"} {
		if got := printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for text, want := range map[string]string{
		"\x90\xB3\x8F\xED (97 %)": "正常 (97 %)", "\x92\x8D\x88\xD3": "注意", "\x88\xD9\x8F\xED": "異常", "\x95\x73\x96\xBE": "不明",
		"正常 (97 %)": "正常 (97 %)", "Good (97 %)": "Good (97 %)",
	} {
		if got := verdict(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestDedent reads dumps that were copied from a posting.
func TestDedent(t *testing.T) {
	text := string(load(t, "smartctl/optane-P4800X-SSDPED1K375GA.txt"))
	want := smartOf(t, file(t, "smartctl/optane-P4800X-SSDPED1K375GA.txt"))
	for _, prefix := range []string{"    ", "\t", "> ", ">> "} {
		var lines []string
		for l := range strings.Lines(text) {
			lines = append(lines, strings.TrimRight(prefix+l, " \n"))
		}
		d := only(t, read(t, strings.Join(lines, "\n")))
		if diff := cmp.Diff(want, smartOf(t, d), cmp.AllowUnexported(*want)); diff != "" || !d.Has("identify_controller.psds") {
			t.Errorf("%q (-want +got):\n%s", prefix, diff)
		}
	}
	if got := dedent("  a\n b\n\n   c"); got != " a\nb\n\n  c" {
		t.Errorf("%q", got)
	}
	if got := dedent("a\n b"); got != "a\n b" {
		t.Errorf("%q", got)
	}
}
