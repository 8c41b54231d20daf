package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// smallGrid is a grid of three columns, the last two of which may go.
func smallGrid() *grid {
	return &grid{
		columns: []column{{"", true, 0}, {"MB/s", false, 0}, {"p99", false, 1}, {"p99.9", false, 2}, {"never", false, 3}, {"words", true, 0}},
		rows: []gridRow{
			{plainCells("a long name of a row", "1 234", "5", absent, absent, "less"), []piece{{Warn, "a remark that is longer than the page is wide, by far"}}},
			{plainCells("b", "9", absent, "77.7", absent, "more of them"), nil},
		},
	}
}

// A grid loses what says nothing, then what is spare, and at last its shape.
func TestGrid(t *testing.T) {
	for width, want := range map[int]string{
		70: `                         MB/s  p99  p99.9  words
  a long name of a row  1 234    5      –  less
    a remark that is longer than the page is wide, by far
  b                         9    –   77.7  more of them
`,
		54: `                         MB/s  p99  words
  a long name of a row  1 234    5  less
    a remark that is longer than the page is wide, by
    far
  b                         9    –  more of them
`,
		45: `                         MB/s  words
  a long name of a row  1 234  less
    a remark that is longer than the page is
    wide, by far
  b                         9  more of them
`,
		40: `   MB/s  words
  a long name of a row
  1 234  less
    a remark that is longer than the
    page is wide, by far
  b
      9  more of them
`,
	} {
		p := &page{style: Style{Width: width}}
		p.grid(smallGrid())
		if diff := cmp.Diff(want, p.b.String()); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", width, diff)
		}
	}
	p := &page{}
	p.grid(&grid{columns: []column{{"head", true, 0}}})
	if p.b.Len() > 0 {
		t.Errorf("a grid without rows is %q", p.b.String())
	}
}

// What does not fit in columns at all names its values.
func TestGridOfWords(t *testing.T) {
	g := &grid{
		columns: []column{{"", true, 0}, {"MB/s", false, 0}, {"words", true, 0}, {"more", false, 0}},
		rows:    []gridRow{{plainCells("row", "1", "a text that is wider than forty columns all by itself", absent), nil}, {plainCells("b", "2", "x", "3"), nil}},
	}
	p := &page{style: Style{Width: 40}}
	p.grid(g)
	want := "  row\n    MB/s 1 · words a text that is wider\n    than forty columns all by itself\n  b\n    MB/s 2 · words x · more 3\n"
	if got := p.b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A grid takes the widths of Japanese, and leaves its caller's columns alone.
func TestGridWide(t *testing.T) {
	g := smallGrid()
	before := g.columns
	g.rows[1].cells[0].text = "予備領域の行の名前です"
	p := &page{style: Style{Width: 60}}
	p.grid(g)
	for _, line := range strings.Split(p.b.String(), "\n") {
		if displayWidth(line) > 60 {
			t.Errorf("%d columns: %s", displayWidth(line), line)
		}
	}
	if len(before) != 6 || before[4].head != "never" {
		t.Errorf("the columns were changed: %v", before)
	}
}
