package chart

import (
	"html/template"
	"math"
)

// Changes shows by how much several figures changed, each with the interval
// that the change lies in, beside no change at all.
type Changes struct {
	Caption
	Rows []Change
	// Margin in percent is the change that does not matter, 0 for none.
	Margin float64
}

// Change is one figure in percent.
type Change struct {
	Name string
	// Text is the verdict as it is written.
	Text    string
	Percent float64
	// Interval is nil if it is not known.
	Interval *[2]float64
	// Side chooses colour and shape, from 0.
	Side int
}

const (
	changeRow   = 44.0
	mostChanges = 60
)

// HTML draws the changes below each other. Intervals that are much wider than
// any change are cut at the ends of the axis, with an arrow.
func (c Changes) HTML() template.HTML {
	if !finite(c.Margin) || c.Margin < 0 {
		c.Margin = 0
	}
	var rows []Change
	furthest := c.Margin * 1.5
	for _, r := range c.Rows {
		if finite(r.Percent) && len(rows) < mostChanges {
			rows, furthest = append(rows, r), max(furthest, math.Abs(r.Percent)*2)
		}
	}
	if len(rows) == 0 {
		return c.nothing()
	}
	low, high := extremes(rows, c.Margin)
	low, high, step := spread(max(low, -furthest), min(high, furthest), 6)
	d := &drawing{height: changeRow*float64(len(rows)) + bottomRoom}
	p := &plot{drawing: d, x: scale{low: low, high: high, from: sideRoom, to: width - sideRoom}}
	p.y.from, p.y.to = d.height-bottomRoom, 0
	ticks := numberTicks(linearTicks(low, high, step))
	p.bottomAxis(ticks, "% of change")
	for i, r := range rows {
		top := changeRow * float64(i)
		if c.Margin > 0 {
			p.rect("band", p.x.at(-c.Margin), top+20, p.x.at(c.Margin)-p.x.at(-c.Margin), changeRow-20)
		}
		p.upright(ticks, top+20, top+changeRow)
		p.line("axis", p.x.at(0), top+20, p.x.at(0), top+changeRow)
		p.change(r, top)
	}
	return c.figure(d, c.told())
}

// extremes returns the ends of all changes and intervals, with no change and
// the margin in between.
func extremes(rows []Change, margin float64) (low, high float64) {
	all := []float64{0, -margin, margin}
	for _, r := range rows {
		all = append(all, r.Percent)
		if r.Interval != nil {
			all = append(all, r.Interval[0], r.Interval[1])
		}
	}
	low, high, _ = limits(all...)
	return low, high
}

func (p *plot) change(r Change, top float64) {
	y, class := top+32, side(r.Side)
	p.text("label", "start", 0, top+15, cut(r.Name, width-float64(len([]rune(r.Text))+1)*charWidth))
	p.text("label", "end", width, top+15, r.Text)
	if i := r.Interval; i != nil && finite(i[0]) && finite(i[1]) {
		from, to := max(p.x.at(i[0]), p.x.from), min(p.x.at(i[1]), p.x.to)
		p.line("range "+class, from, y, to, y)
		p.end(class, from, y, 6, i[0] < p.x.low)
		p.end(class, to, y, -6, i[1] > p.x.high)
	}
	p.dot(class, p.x.at(r.Percent), y)
}

// end draws the end of an interval: a cap, or an arrow where it goes on.
// inwards is the direction to the middle.
func (p *plot) end(class string, x, y, inwards float64, goesOn bool) {
	if !goesOn {
		inwards = 0
	}
	p.path("range "+class, []Point{{x + inwards, y - 4}, {x, y}, {x + inwards, y + 4}})
}
