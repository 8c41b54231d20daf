package chart

import (
	"fmt"
	"html/template"
	"strconv"
)

// Bars shows one figure of each of several rows, and beside it what was
// promised.
type Bars struct {
	Caption
	Rows []Bar
}

// Bar is one row.
type Bar struct {
	Name string
	// Text is the figure as it is written, with its unit.
	Text string
	// Value is the length.
	Value float64
	// Promised is what Value ought to be, 0 if nothing was said of it.
	Promised float64
	// Side chooses the colour: rows of one kind have the same, from 0.
	Side int
}

const (
	barRow   = 40.0 // the height of a row
	mostBars = 60   // of more rows the rest is left to the table
)

// HTML draws the bars below each other.
func (c Bars) HTML() template.HTML {
	highest, drawn := 0.0, 0
	rows, left := c.Rows, 0
	if len(rows) > mostBars {
		rows, left = rows[:mostBars], len(rows)-mostBars
	}
	for _, r := range rows {
		if finite(r.Value) && r.Value >= 0 {
			highest, drawn = max(highest, r.Value, r.promised()), drawn+1
		}
	}
	if drawn == 0 || highest == 0 {
		return c.nothing()
	}
	if left > 0 {
		c.Note = fmt.Sprintf("%s The last %s are not drawn.", c.Note, plural(left, "row", "rows"))
	}
	d := &drawing{height: barRow * float64(len(rows))}
	x := scale{high: highest, to: width - 4}
	for i, r := range rows {
		d.bar(r, x, barRow*float64(i))
	}
	return c.figure(d, c.told())
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// promised is 0 for what cannot be drawn.
func (r Bar) promised() float64 {
	if finite(r.Promised) && r.Promised > 0 {
		return r.Promised
	}
	return 0
}

// bar draws one row whose upper edge is at top: the name and the figure, and
// the bar below them. What was promised is a line across it.
func (d *drawing) bar(r Bar, x scale, top float64) {
	d.text("label", "start", 0, top+15, cut(r.Name, width-float64(len([]rune(r.Text))+1)*charWidth))
	d.text("label", "end", width, top+15, r.Text)
	if finite(r.Value) && r.Value >= 0 {
		d.rect("bar "+side(r.Side), 0, top+21, max(x.at(r.Value), 1), 12)
	}
	if p := r.promised(); p > 0 {
		d.line("promise", x.at(p), top+18, x.at(p), top+36)
	}
}
