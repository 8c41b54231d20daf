package chart

import (
	"html/template"
	"math"
	"strings"
)

// Distribution shows how often which value occurred, the values on a
// logarithmic axis: one side, or several overlaid. Each side is drawn as a share
// of its own, so that sides of different size compare.
type Distribution struct {
	Caption
	// Unit of the values, such as "µs".
	Unit string
	// Low and High are the ends of the axis, 0 for those of the values. What lies
	// outside is not drawn, and the note should say how much that is.
	Low, High float64
	Sides     []Counts
	Marks     []Mark
}

// Counts are the values of one side, counted in bins.
type Counts struct {
	Name string
	Bins []Bin
}

// Bin is how many values were from Low to below High.
type Bin struct{ Low, High, Count float64 }

// Mark is a value on the axis that is pointed out.
type Mark struct {
	At   float64
	Text string
}

// columns is in how many steps the axis is divided. A step is wider than what
// the clock of a host resolves, so that no comb appears.
const columns = 110

// HTML draws the distribution.
func (c Distribution) HTML() template.HTML {
	low, high, ok := c.ends()
	if !ok {
		return c.nothing()
	}
	axis := scale{low: low, high: high, log: true}
	var shares [][columns]float64
	highest := 0.0
	for _, s := range c.Sides {
		column := s.columns(axis)
		for _, v := range column {
			highest = max(highest, v)
		}
		shares = append(shares, column)
	}
	if highest == 0 {
		return c.nothing()
	}
	bottom, top, step := spread(0, highest*100, 4)
	left := numberTicks(linearTicks(bottom, top, step))
	p := newPlot(250, left, nil)
	p.x.low, p.x.high, p.x.log = low, high, true
	p.y.low, p.y.high = bottom, top
	p.leftAxis(left, "% of the operations, for each step of the axis")
	p.bottomAxis(numberTicks(logTicks(low, high, 7)), c.Unit+", logarithmic")
	for i, column := range shares {
		p.outline(side(i), column)
	}
	for i, m := range c.Marks {
		if m.At >= low && m.At <= high {
			p.mark(m.At, m.Text, i)
		}
	}
	return c.figure(p.drawing, c.told(axis, shares), c.keys()...)
}

func (c Distribution) keys() []key {
	if len(c.Sides) < 2 {
		return nil
	}
	var list []key
	for i, s := range c.Sides {
		list = append(list, key{side(i), s.Name, false})
	}
	return list
}

// ends returns the ends of the axis.
func (c Distribution) ends() (low, high float64, ok bool) {
	var all []float64
	for _, s := range c.Sides {
		for _, b := range s.Bins {
			if b.valid() {
				all = append(all, b.Low, b.High)
			}
		}
	}
	low, high, ok = limits(all...)
	if positive(c.Low) {
		low = c.Low
	}
	if finite(c.High) && c.High > low {
		high = c.High
	}
	if high <= low*1.05 {
		low, high = low/1.05, low*1.05
	}
	return low, high, ok
}

// valid reports whether a bin can be drawn on a logarithmic axis.
func (b Bin) valid() bool {
	return positive(b.Low) && finite(b.High) && finite(b.Count) && b.High > b.Low && b.Count > 0
}

// columns deals the counts out to the steps of the axis, as shares of all.
func (s Counts) columns(axis scale) [columns]float64 {
	var list [columns]float64
	axis.from, axis.to = 0, columns
	total := 0.0
	for _, b := range s.Bins {
		if !b.valid() {
			continue
		}
		total += b.Count
		from, to := axis.at(b.Low), axis.at(b.High)
		for i := max(int(from), 0); i < columns && float64(i) < to; i++ {
			inside := min(to, float64(i+1)) - max(from, float64(i))
			list[i] += b.Count * max(inside, 0) / (to - from)
		}
	}
	for i := range list {
		list[i] /= math.Max(total, 1)
	}
	return list
}

// outline draws the area below a side and its edge in steps.
func (p *plot) outline(class string, column [columns]float64) {
	var points []Point
	step := (p.x.to - p.x.from) / columns
	for i, v := range column {
		x, y := p.x.from+float64(i)*step, p.y.at(v*100)
		points = append(points, Point{x, y}, Point{x + step, y})
	}
	points = straight(points)
	area := append([]Point{{p.x.from, p.y.from}}, points...)
	p.path(strings.Join([]string{"area", class}, " "), append(area, Point{p.x.to, p.y.from}))
	p.path("line thin "+class, points)
}

// straight leaves out the points in the middle of level stretches.
func straight(points []Point) []Point {
	var list []Point
	for i, p := range points {
		if i > 0 && i < len(points)-1 && points[i-1].Y == p.Y && points[i+1].Y == p.Y {
			continue
		}
		list = append(list, p)
	}
	return list
}
