package chart

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// shape is one element of a drawing.
type shape struct {
	name  string
	class string
	attr  map[string]string
	text  string
}

// shapes returns the elements of the drawing in a figure, without its legend,
// and its height.
func shapes(t *testing.T, figure template.HTML) (list []shape, height float64) {
	t.Helper()
	_, text, ok := strings.Cut(string(figure), `<svg viewBox="0 0 420 `)
	if !ok {
		t.Fatalf("no drawing: %s", figure)
	}
	size, _, _ := strings.Cut(text, `"`)
	height = number(t, size)
	text, _, _ = strings.Cut(text, "</svg>")
	_, text, _ = strings.Cut(text, "</desc>")
	dec := xml.NewDecoder(strings.NewReader("<g>" + text + "</g>"))
	for {
		tok, err := dec.Token()
		if err != nil {
			return list, height
		}
		switch e := tok.(type) {
		case xml.StartElement:
			s := shape{name: e.Name.Local, attr: map[string]string{}}
			for _, a := range e.Attr {
				s.attr[a.Name.Local] = a.Value
			}
			s.class = s.attr["class"]
			list = append(list, s)
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" {
				list[len(list)-1].text = s
			}
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var corner = regexp.MustCompile(`[ML](-?[\d.]+) (-?[\d.]+)`)

// corners returns the points of a path that are given absolutely.
func corners(t *testing.T, s shape) []Point {
	t.Helper()
	var list []Point
	for _, m := range corner.FindAllStringSubmatch(strings.ReplaceAll(s.attr["d"], " L", "L"), -1) {
		list = append(list, Point{number(t, m[1]), number(t, m[2])})
	}
	return list
}

// ofClass returns the elements of a class.
func ofClass(list []shape, class string) []shape {
	var some []shape
	for _, s := range list {
		if s.class == class {
			some = append(some, s)
		}
	}
	return some
}

// inside holds that nothing of a drawing is cut at its edges.
func inside(t *testing.T, name string, figure template.HTML) {
	t.Helper()
	list, height := shapes(t, figure)
	check := func(what string, x, y float64) {
		if x < -0.5 || x > width+0.5 || y < -0.5 || y > height+0.5 {
			t.Errorf("%s: %s lies at %v, %v of 420 × %v", name, what, x, y, height)
		}
	}
	for _, s := range list {
		switch s.name {
		case "path":
			for _, p := range corners(t, s) {
				check("a "+s.class, p.X, p.Y)
			}
		case "rect":
			x, y := number(t, s.attr["x"]), number(t, s.attr["y"])
			check("a "+s.class, x, y)
			check("the end of a "+s.class, x+number(t, s.attr["width"]), y+number(t, s.attr["height"]))
		case "text":
			from, to := extent(t, s)
			check("the start of "+s.text, from, number(t, s.attr["y"]))
			check("the end of "+s.text, to, number(t, s.attr["y"]))
		}
	}
}

// extent estimates where a text begins and ends, a character 7 wide.
func extent(t *testing.T, s shape) (from, to float64) {
	t.Helper()
	x, w := number(t, s.attr["x"]), 7*float64(len([]rune(s.text)))
	switch s.attr["text-anchor"] {
	case "end":
		return x - w, x
	case "middle":
		return x - w/2, x + w/2
	}
	return x, x + w
}

func TestInside(t *testing.T) {
	for name, d := range drawings() {
		inside(t, name, d.HTML())
	}
}

// TestInsideAtRandom draws what measurements may give, from fractions of a
// microsecond to seconds and from a few values to many.
func TestInsideAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		around := math.Pow(10, r.Float64()*9-2)
		value := func() float64 { return around * math.Exp(r.NormFloat64()*0.3) }
		label := strings.Repeat("SEQ128K Q8T1 read ", 1+r.IntN(4))
		var bins []Bin
		var steps []Step
		var line, heat []Point
		var runs []float64
		for i := range 2 + r.IntN(30) {
			v := value()
			bins = append(bins, Bin{v, v * 1.01, 1 + r.Float64()*1000})
			runs = append(runs, v)
			line = append(line, Point{float64(i * i), v})
			heat = append(heat, Point{float64(i * i), 20 + r.Float64()*70})
		}
		for _, p := range []float64{50, 90, 99, 99.9, 99.99} {
			v := value()
			steps = append(steps, Step{p, v, v * 0.9, v * 1.2})
		}
		mid := runs[0]
		for name, d := range map[string]interface{ HTML() template.HTML }{
			"distribution": Distribution{Unit: "µs", Sides: []Counts{{label, bins}}, Marks: []Mark{{mid, label}}},
			"ladder":       Ladder{Unit: "µs", Sides: []Steps{{label, steps}, {label, steps}}},
			"series":       Series{Unit: "MB/s", Lines: []Line{{label, line}}, Heat: heat, Marks: []Mark{{line[1].X, label}}, FromZero: r.IntN(2) == 0, Limit: &Mark{value(), "rated"}},
			"dots":         Dots{Unit: "µs", Groups: []Group{{label, runs, &mid, &[2]float64{value() / 2, value() * 2}, 0}, {Name: label, Values: runs, Side: 1}}},
			"bars":         Bars{Rows: []Bar{{label, With(mid, "MB/s"), mid, value(), 0}, {label, "5 MB/s, 12 % of rated", value(), 0, 1}}},
			"changes":      Changes{Margin: 2, Rows: []Change{{label, "+5 %, not enough runs", r.NormFloat64() * 20, &[2]float64{-r.Float64() * 900, r.Float64() * 900}, 3}}},
		} {
			inside(t, name, d.HTML())
		}
	}
}

// TestTicksDoNotTouch holds that the numbers below an axis stand apart and that
// no two are the same.
func TestTicksDoNotTouch(t *testing.T) {
	for _, high := range []float64{12.31, 12.4, 13, 20, 120, 5000, 1234567} {
		for _, d := range []interface{ HTML() template.HTML }{
			Dots{Groups: []Group{{Name: "a", Values: []float64{12.3, high}}}},
			Distribution{Sides: []Counts{{"", []Bin{{12.3, high, 5}}}}},
		} {
			list, height := shapes(t, d.HTML())
			last, seen := math.Inf(-1), map[string]bool{}
			for _, s := range ofClass(list, "tick") {
				if number(t, s.attr["y"]) < height-bottomRoom+10 {
					continue
				}
				from, to := extent(t, s)
				if from < last || seen[s.text] {
					t.Errorf("up to %v: %q begins at %v, the one before ends at %v, seen: %t", high, s.text, from, last, seen[s.text])
				}
				last, seen[s.text] = to, true
			}
		}
	}
}

func TestBarLengths(t *testing.T) {
	list, _ := shapes(t, Bars{Rows: []Bar{{"full", "", 100, 0, 0}, {"half", "", 50, 75, 0}, {"none", "", 0, 0, 1}}}.HTML())
	var got []float64
	for _, s := range list {
		if s.name == "rect" {
			got = append(got, number(t, s.attr["width"]))
		}
	}
	if len(got) != 3 || math.Abs(got[0]-2*got[1]) > 0.2 || got[2] != 1 {
		t.Errorf("lengths %v, want one twice the other and a trace of 0", got)
	}
	promised := ofClass(list, "promise")
	if len(promised) != 1 || math.Abs(corners(t, promised[0])[0].X-got[0]*0.75) > 0.2 {
		t.Errorf("what was promised is drawn as %v, want one line at three quarters", promised)
	}
}

// TestSidesDiffer holds that two sides differ in the shape of their points and in
// the dash of their line, not in colour alone.
func TestSidesDiffer(t *testing.T) {
	shapesOf := map[string]bool{}
	for i := range sides {
		d := &drawing{}
		d.dot(side(i), 100, 100)
		_, path, _ := strings.Cut(d.String(), "100 100")
		shapesOf[path] = true
		dashed := strings.Contains(Style, fmt.Sprintf(".chart .line.s%d { stroke-dasharray:", i))
		if dashed != (i > 0) {
			t.Errorf("the line of side %d is dashed: %t", i, dashed)
		}
	}
	if len(shapesOf) != sides {
		t.Errorf("%d shapes for %d sides", len(shapesOf), sides)
	}
}

// TestLadderClimbs holds that a larger percentile lies further right and a
// larger value higher, and that an interval without width is not drawn.
func TestLadderClimbs(t *testing.T) {
	list, _ := shapes(t, Ladder{Sides: []Steps{{"", []Step{{50, 10, 10, 10}, {90, 20, 0, 0}, {99, 100, 50, 200}}}}}.HTML())
	line := corners(t, ofClass(list, "line thin s0")[0])
	for i := 1; i < len(line); i++ {
		if line[i].X <= line[i-1].X || line[i].Y >= line[i-1].Y {
			t.Errorf("point %v follows %v", line[i], line[i-1])
		}
	}
	if n := len(ofClass(list, "range s0")); n != 3 {
		t.Errorf("%d lines of intervals, want the 3 of one", n)
	}
}

// TestChangesAreCut holds that a wide interval is cut with an arrow, and a narrow
// one ends in caps.
func TestChangesAreCut(t *testing.T) {
	list, _ := shapes(t, Changes{Margin: 2, Rows: []Change{{"", "", 5, &[2]float64{-400, 9}, 0}}}.HTML())
	ends := ofClass(list, "range s0")[1:]
	left, right := corners(t, ends[0]), corners(t, ends[1])
	if left[0].X <= left[1].X {
		t.Errorf("the end that is cut is no arrow: %v", left)
	}
	if right[0].X != right[1].X {
		t.Errorf("the end that is not cut is no cap: %v", right)
	}
}

// TestSeriesMarks holds that what is pointed out stands where it happened, and
// that what lies outside does not appear.
func TestSeriesMarks(t *testing.T) {
	c := Series{Lines: []Line{{"rate", []Point{{0, 10}, {100, 20}}}}, Marks: []Mark{{50, "half"}, {500, "never"}}}
	list, _ := shapes(t, c.HTML())
	line, marks := corners(t, ofClass(list, "line s0")[0]), ofClass(list, "mark")
	if len(marks) != 1 {
		t.Fatalf("%d marks, want 1", len(marks))
	}
	if got, want := corners(t, marks[0])[0].X, (line[0].X+line[1].X)/2; math.Abs(got-want) > 0.2 {
		t.Errorf("the mark stands at %v, want %v", got, want)
	}
	if strings.Contains(string(c.HTML()), "never") {
		t.Error("a mark outside is named")
	}
}

// TestSeriesHeat holds that the temperature has an axis of its own on the right.
func TestSeriesHeat(t *testing.T) {
	with := Series{Unit: "MB/s", Lines: []Line{{"rate", []Point{{0, 1000}, {9, 2000}}}}, Heat: []Point{{0, 40}, {9, 80}}}
	list, _ := shapes(t, with.HTML())
	units := ofClass(list, "unit")
	var names []string
	for _, s := range units {
		names = append(names, s.text)
	}
	if got := strings.Join(names, " "); got != "MB/s °C s" {
		t.Errorf("units %q", got)
	}
	heat, rate := corners(t, ofClass(list, "line heat")[0]), corners(t, ofClass(list, "line s0")[0])
	if heat[0] != rate[0] || heat[1] != rate[1] {
		t.Errorf("both rise from the lowest to the highest tick, but %v is not %v", heat, rate)
	}
}
