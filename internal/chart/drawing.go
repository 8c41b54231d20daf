package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode"
)

const (
	width     = 420 // of every drawing, in its own unit, which is about a pixel of a telephone
	rowHeight = 17  // of a line of text
	charWidth = 8   // of a digit at most
)

// drawing collects the elements of an SVG image.
type drawing struct {
	strings.Builder
	height float64
}

// side returns the class of the i-th of several sides.
func side(i int) string { return "s" + strconv.Itoa(i%sides) }

const sides = 4

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(d, "<path class=\"%s\" d=\"M%s %sL%s %s\"/>\n", class, coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2))
}

// text writes s; anchor is "start", "middle" or "end".
func (d *drawing) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(d, "<text class=\"%s\" text-anchor=\"%s\" x=\"%s\" y=\"%s\">%s</text>\n", class, anchor, coordinate(x), coordinate(y), escape(s))
}

func (d *drawing) rect(class string, x, y, w, h float64) {
	fmt.Fprintf(d, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n", class, coordinate(x), coordinate(y), coordinate(max(w, 0)), coordinate(max(h, 0)))
}

// dot draws a point in the shape of its side: a disc, a square, a triangle or a
// diamond.
func (d *drawing) dot(class string, x, y float64) {
	shape := ""
	switch class {
	case "s1":
		shape = "m-3.5 -3.5h7v7h-7z"
	case "s2":
		shape = "m0 -4.5l4.5 8h-9z"
	case "s3":
		shape = "m0 -5l5 5l-5 5l-5 -5z"
	default:
		shape = "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"
	}
	fmt.Fprintf(d, "<path class=\"dot %s\" d=\"M%s %s%s\"/>\n", class, coordinate(x), coordinate(y), shape)
}

// path draws a line through points in the drawing's own unit.
func (d *drawing) path(class string, points []Point) {
	if len(points) == 0 {
		return
	}
	var b strings.Builder
	for i, p := range points {
		b.WriteByte(" L"[min(i, 1)])
		b.WriteString(coordinate(p.X) + " " + coordinate(p.Y))
	}
	fmt.Fprintf(d, "<path class=\"%s\" d=\"M%s\"/>\n", class, strings.TrimSpace(b.String()))
}

// Point is a value Y at X, in the units of the chart's axes.
type Point struct{ X, Y float64 }

// coordinate writes a place with one decimal.
func coordinate(v float64) string {
	v = min(max(v, -10*width), 10*width)
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// escape makes any text safe in an element and in an attribute. Characters that
// XML does not allow become U+FFFD.
func escape(s string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(clean)
}

// cut shortens s to what fits in w.
func cut(s string, w float64) string {
	runes, most := []rune(s), max(int(w/charWidth), 2)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// farthest is beyond anything that is measured, and leaves room to reckon with.
const farthest = 1e100

// finite reports whether v can be drawn.
func finite(v float64) bool { return math.Abs(v) <= farthest }

// positive reports whether v can be drawn on a logarithmic axis.
func positive(v float64) bool { return finite(v) && v >= 1/farthest }

// drawable leaves out points that cannot be drawn.
func drawable(points []Point) []Point {
	var list []Point
	for _, p := range points {
		if finite(p.X) && finite(p.Y) {
			list = append(list, p)
		}
	}
	return list
}
