package chart

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCoordinate(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		want string
	}{{0, "0"}, {1.25, "1.3"}, {1.04, "1"}, {-3.17, "-3.2"}, {1e9, "4200"}, {-1e9, "-4200"}, {420, "420"}} {
		if got := coordinate(tt.v); got != tt.want {
			t.Errorf("coordinate(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

// TestEscape holds that any text can stand in an element and in an attribute,
// and comes out of a parser as it went in but for what XML has no place for.
func TestEscape(t *testing.T) {
	for _, tt := range []struct{ s, want string }{
		{"plain µs", "plain µs"}, {`a<b>&"c'`, `a<b>&"c'`}, {"a\x00b\x1bc\nd", "a�b�c�d"}, {"\xff\xfe", "�"}, {"a\uFFFEb\uFFFF", "a�b�"}, {"😀", "😀"},
	} {
		text := fmt.Sprintf(`<e a="%s">%s</e>`, escape(tt.s), escape(tt.s))
		var got struct {
			A    string `xml:"a,attr"`
			Text string `xml:",chardata"`
		}
		if err := xml.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%q: %v in %s", tt.s, err, text)
			continue
		}
		if got.A != tt.want || got.Text != tt.want {
			t.Errorf("%q comes out as %q and %q, want %q", tt.s, got.A, got.Text, tt.want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, s string) { sound(t, "text", "<e a=\""+escape(s)+"\">"+escape(s)+"</e>") })
}

func TestPath(t *testing.T) {
	d := &drawing{}
	d.path("line", nil)
	if d.String() != "" {
		t.Errorf("a path of nothing is %q", d.String())
	}
	d.path("line", []Point{{1, 2}, {3, 4}, {5, 6}})
	if want := "<path class=\"line\" d=\"M1 2L3 4L5 6\"/>\n"; d.String() != want {
		t.Errorf("got %q, want %q", d.String(), want)
	}
}

func TestRectIsNeverNegative(t *testing.T) {
	d := &drawing{}
	d.rect("band", 5, 5, -3, -1)
	if want := `width="0" height="0"`; !strings.Contains(d.String(), want) {
		t.Errorf("got %q, want %s", d.String(), want)
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows"} {
		if got := plural(n, "row", "rows"); got != want {
			t.Errorf("plural(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestStraight(t *testing.T) {
	got := straight([]Point{{0, 5}, {1, 5}, {2, 5}, {3, 5}, {3, 7}, {4, 7}, {5, 7}})
	if diff := cmp.Diff([]Point{{0, 5}, {3, 5}, {3, 7}, {5, 7}}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDistributionEnds(t *testing.T) {
	bins := []Counts{{Bins: []Bin{{10, 12, 3}, {50, 60, 1}, {0, 5, 9}, {70, 60, 4}}}}
	tests := []struct {
		name      string
		c         Distribution
		low, high float64
	}{
		{"those of the values", Distribution{Sides: bins}, 10, 60},
		{"those that were chosen", Distribution{Low: 5, High: 200, Sides: bins}, 5, 200},
		{"a lower end alone", Distribution{Low: 11, Sides: bins}, 11, 60},
		{"an upper end below the lower one", Distribution{Low: 50, High: 40, Sides: bins}, 50, 60},
		{"a single value", Distribution{Low: 10, High: 10.1, Sides: []Counts{{Bins: []Bin{{10, 10.1, 1}}}}}, 10 / 1.05, 10.5},
	}
	for _, tt := range tests {
		low, high, ok := tt.c.ends()
		if !ok || math.Abs(low-tt.low) > 1e-9 || math.Abs(high-tt.high) > 1e-9 {
			t.Errorf("%s: from %v to %v, %t; want %v to %v", tt.name, low, high, ok, tt.low, tt.high)
		}
	}
}

// TestDistributionArea holds that the area of a side stands on the axis, and that
// two sides are drawn as shares of their own.
func TestDistributionArea(t *testing.T) {
	bins := func(n float64) []Bin { return []Bin{{10, 11, n}, {20, 22, n}} }
	list, height := shapes(t, Distribution{Unit: "µs", Sides: []Counts{{"few", bins(10)}, {"many", bins(1e6)}}}.HTML())
	var outlines [][]Point
	for _, class := range []string{"area s0", "area s1"} {
		points := corners(t, ofClass(list, class)[0])
		if first, last := points[0], points[len(points)-1]; first.Y != height-bottomRoom || last.Y != height-bottomRoom {
			t.Errorf("%s begins at %v and ends at %v, not on the axis", class, first, last)
		}
		outlines = append(outlines, points)
	}
	if diff := cmp.Diff(outlines[0], outlines[1]); diff != "" {
		t.Errorf("the same shares look different:\n%s", diff)
	}
}

// TestLegend holds that a choice is explained, and that there is no legend
// without one.
func TestLegend(t *testing.T) {
	line := []Point{{0, 1}, {1, 2}}
	tests := []struct {
		name string
		c    Series
		want []string
	}{
		{"one line", Series{Lines: []Line{{"rate", line}}}, nil},
		{"two lines", Series{Lines: []Line{{"run 1", line}, {"run 2", line}}}, []string{"run 1", "run 2"}},
		{"a temperature", Series{Lines: []Line{{"rate", line}}, Heat: line}, []string{"rate", "temperature"}},
		{"a forecast", Series{Lines: []Line{{"written", line}}, Forecast: line}, []string{"written", "forecast"}},
		{"a temperature that is none", Series{Lines: []Line{{"rate", line}}, Heat: []Point{{0, math.NaN()}}}, nil},
	}
	for _, tt := range tests {
		var got []string
		for _, part := range strings.Split(string(tt.c.HTML()), "<li>")[1:] {
			_, name, _ := strings.Cut(part, "</svg>")
			name, _, _ = strings.Cut(name, "</li>")
			got = append(got, name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

// TestDotsLieInTheirRow holds that each run has a point at its value and none
// leaves the strip of its group.
func TestDotsLieInTheirRow(t *testing.T) {
	values := []float64{10, 11, 12, 13, 14, 15, 20}
	list, _ := shapes(t, Dots{Unit: "µs", Groups: []Group{{Name: "a", Values: values}, {Name: "b", Values: values, Side: 1}}}.HTML())
	for i, class := range []string{"dot s0", "dot s1"} {
		dots := ofClass(list, class)
		if len(dots) != len(values) {
			t.Fatalf("%d points for %d runs", len(dots), len(values))
		}
		last := math.Inf(-1)
		for _, s := range dots {
			at := corners(t, s)[0]
			if top := float64(i) * strip; at.Y < top+20 || at.Y > top+strip || at.X <= last {
				t.Errorf("a point of group %d lies at %v, after %v", i, at, last)
			}
			last = at.X
		}
	}
}

// TestBandIsInterval holds that the interval of a group is as wide as its ends
// are apart.
func TestBandIsInterval(t *testing.T) {
	median := 15.0
	list, _ := shapes(t, Dots{Groups: []Group{{Values: []float64{10, 20}, Median: &median, Interval: &[2]float64{12, 18}}}}.HTML())
	band, dots, line := ofClass(list, "band")[0], ofClass(list, "dot s0"), ofClass(list, "median s0")
	whole := corners(t, dots[1])[0].X - corners(t, dots[0])[0].X
	if got := number(t, band.attr["width"]); math.Abs(got-whole*0.6) > 0.3 {
		t.Errorf("the band is %v wide, want 0.6 of %v", got, whole)
	}
	middle := number(t, band.attr["x"]) + number(t, band.attr["width"])/2
	if got := corners(t, line[0])[0].X; math.Abs(got-middle) > 0.3 {
		t.Errorf("the median lies at %v, the middle of the band at %v", got, middle)
	}
}

// TestNothingIsCaption holds that the sentence for a drawing of nothing has its
// title and no drawing.
func TestNothingIsCaption(t *testing.T) {
	got := string(Caption{Title: "a < b"}.nothing())
	for _, want := range []string{"<figcaption>a &lt; b</figcaption>", "There is nothing to draw.", `class="none"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
}
