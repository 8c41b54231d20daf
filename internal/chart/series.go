package chart

import (
	"html/template"
	"slices"
)

// Series shows values over time, with a second axis on the right where there is
// a temperature.
type Series struct {
	Caption
	// Unit of the lines, such as "MB/s".
	Unit  string
	Lines []Line
	// Heat is in °C, empty if it is not known.
	Heat []Point
	// Dates says that X is a time in seconds since 1970, else it is seconds since
	// the start, where the axis then begins.
	Dates bool
	// Forecast continues the first line, empty for none.
	Forecast []Point
	// Limit is a value on the axis of the lines that is pointed out.
	Limit *Mark
	// Marks are moments that are pointed out.
	Marks []Mark
	// FromZero says that the axis of the lines begins at 0.
	FromZero bool
	// Dots says that each point of the lines is drawn, for few points.
	Dots bool
}

// Line is one line of a series, its points in the order of X.
type Line struct {
	Name   string
	Points []Point
}

// HTML draws the series.
func (c Series) HTML() template.HTML {
	x, y := c.extent()
	if len(y) == 0 {
		return c.nothing()
	}
	low, high, _ := limits(y...)
	if c.FromZero {
		low = min(low, 0)
	}
	low, high, step := spread(low, high, 5)
	left := numberTicks(linearTicks(low, high, step))
	heat, right := heatScale(c.Heat)
	p := newPlot(250, left, right)
	p.y.low, p.y.high = low, high
	p.x.low, p.x.high, _ = limits(x...)
	if !c.Dates {
		p.x.low = min(p.x.low, 0)
	}
	heat.from, heat.to = p.y.from, p.y.to
	p.leftAxis(left, c.Unit)
	if len(right) > 0 {
		p.rightAxis(heat, right, "°C")
	}
	p.timeAxis(c.Dates)
	if c.Limit != nil && finite(c.Limit.At) {
		p.across(c.Limit.At, c.Limit.Text)
	}
	for i, m := range c.Marks {
		if m.At >= p.x.low && m.At <= p.x.high {
			p.mark(m.At, m.Text, i)
		}
	}
	p.curve("line heat", drawable(c.Heat), heat)
	p.curve("line forecast s0", drawable(c.Forecast), p.y)
	for i, l := range c.Lines {
		p.curve("line "+side(i), drawable(l.Points), p.y)
		if c.Dots {
			p.dots(side(i), drawable(l.Points))
		}
	}
	return c.figure(p.drawing, c.told(), c.keys()...)
}

// extent returns all times, and all values on the left axis.
func (c Series) extent() (x, y []float64) {
	for _, l := range c.Lines {
		for _, p := range drawable(l.Points) {
			x, y = append(x, p.X), append(y, p.Y)
		}
	}
	if len(y) == 0 {
		return nil, nil
	}
	for _, p := range drawable(c.Forecast) {
		x, y = append(x, p.X), append(y, p.Y)
	}
	for _, p := range drawable(c.Heat) {
		x = append(x, p.X)
	}
	if c.Limit != nil && finite(c.Limit.At) {
		y = append(y, c.Limit.At)
	}
	return x, y
}

func (c Series) keys() []key {
	var list []key
	for i, l := range c.Lines {
		list = append(list, key{side(i), l.Name, false})
	}
	if len(drawable(c.Forecast)) > 0 {
		list = append(list, key{"forecast s0", "forecast", false})
	}
	if len(drawable(c.Heat)) > 0 {
		list = append(list, key{"heat", "temperature", false})
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// heatScale is the scale of temperatures, with no ticks where there are none.
func heatScale(heat []Point) (scale, []tick) {
	var all []float64
	for _, p := range drawable(heat) {
		all = append(all, p.Y)
	}
	low, high, ok := limits(all...)
	if !ok {
		return scale{}, nil
	}
	if high-low < 5 {
		low, high = low-2, high+3
	}
	low, high, step := spread(low, high, 5)
	return scale{low: low, high: high}, numberTicks(linearTicks(low, high, step))
}

// timeAxis draws the axis of dates, or of seconds in a unit that suits.
func (p *plot) timeAxis(dates bool) {
	if p.x.low == p.x.high {
		p.x.low, p.x.high = p.x.low-1, p.x.high+1
	}
	if dates {
		p.bottomAxis(dateTicks(p.x.low, p.x.high), "date, UTC")
		return
	}
	unit, length := timeUnit(p.x.high - p.x.low)
	step := niceStep((p.x.high - p.x.low) / length / 6)
	var ticks []tick
	for _, v := range linearTicks(p.x.low/length, p.x.high/length, step) {
		ticks = append(ticks, tick{v * length, Number(v)})
	}
	p.bottomAxis(ticks, unit)
}

func (p *plot) dots(class string, points []Point) {
	for _, at := range points {
		p.dot(class, p.x.at(at.X), p.y.at(at.Y))
	}
}

// curve draws a line. Of many points, each step of the drawing keeps the lowest
// and the highest, so that no peak is lost.
func (p *plot) curve(class string, points []Point, y scale) {
	var list []Point
	for _, at := range points {
		list = append(list, Point{p.x.at(at.X), y.at(at.Y)})
	}
	p.path(class, thinned(list))
}

// mostPoints is how many points of a line are drawn as they are.
const mostPoints = 400

func thinned(points []Point) []Point {
	if len(points) <= mostPoints {
		return points
	}
	var list []Point
	for part := range slices.Chunk(points, (len(points)*2+mostPoints-1)/mostPoints) {
		low := slices.MinFunc(part, byY)
		high := slices.MaxFunc(part, byY)
		if low.X > high.X {
			low, high = high, low
		}
		list = append(list, low, high)
	}
	return list
}

func byY(a, b Point) int {
	switch {
	case a.Y < b.Y:
		return -1
	case a.Y > b.Y:
		return 1
	}
	return 0
}
