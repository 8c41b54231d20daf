package launch

import (
	"strings"
	"testing"
)

func TestFinder(t *testing.T) {
	tests := []struct {
		text   string
		pieces []string
		want   int // the piece that brings it, -1 for none
	}{
		{"ready", []string{"it is ready\n"}, 0},
		{"ready", []string{"it is re", "ady\n"}, 1},
		{"ready", []string{"r", "e", "a", "d", "y"}, 4},
		{"ready", []string{"rea", "rea", "dy"}, 2},
		{"ready", []string{"readreadread", "", "x"}, -1},
		{"aab", []string{"aa", "ab"}, 1},
		{"x", []string{"abc", "x"}, 1},
		{"", []string{"abc"}, -1},
	}
	for _, tt := range tests {
		f, got := finder{text: []byte(tt.text)}, -1
		for i, piece := range tt.pieces {
			if f.add([]byte(piece)) {
				got = i
				break
			}
		}
		if got != tt.want {
			t.Errorf("%q in %q: piece %d, want %d", tt.text, tt.pieces, got, tt.want)
		}
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("ready", "it is ready", uint8(7))
	f.Fuzz(func(t *testing.T, text, stream string, cut uint8) {
		at := min(int(cut), len(stream))
		s := finder{text: []byte(text)}
		found := s.add([]byte(stream[:at]))
		found = s.add([]byte(stream[at:])) || found
		if want := text != "" && strings.Contains(stream, text); found != want {
			t.Errorf("%q in %q + %q: %v, want %v", text, stream[:at], stream[at:], found, want)
		}
	})
}

func TestTail(t *testing.T) {
	o := &output{stderr: &pipe{}}
	o.stderr.take([]byte(strings.Repeat("a", 3000)))
	o.stderr.take([]byte("the end\xff"))
	if got := o.tail(); len(got) != tailBytes || !strings.HasSuffix(got, "athe end?") {
		t.Errorf("tail of %d bytes ends %q", len(got), got[len(got)-9:])
	}
}
