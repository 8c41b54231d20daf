package chart

import "html/template"

// Dots shows each run as a point, with the median of a group and the interval
// that it lies in.
type Dots struct {
	Caption
	// Unit of the values, such as "µs".
	Unit   string
	Groups []Group
}

// Group is a set of runs.
type Group struct {
	Name   string
	Values []float64
	// Median is drawn as a line and Interval as a bar, nil if it is not known.
	Median   *float64
	Interval *[2]float64
	// Side chooses colour and shape, from 0.
	Side int
}

const (
	strip    = 62.0 // the height of a group
	sideRoom = 30.0 // on both sides, for the numbers at the ends of the axis
)

// HTML draws the groups below each other.
func (c Dots) HTML() template.HTML {
	var groups []Group
	var all []float64
	for _, g := range c.Groups {
		if _, _, ok := limits(g.Values...); ok {
			groups, all = append(groups, g), append(all, g.extent()...)
		}
	}
	low, high, ok := limits(all...)
	if !ok {
		return c.nothing()
	}
	low, high, step := spread(low, high, 6)
	d := &drawing{height: float64(len(groups))*strip + bottomRoom}
	p := &plot{drawing: d, x: scale{low: low, high: high, from: sideRoom, to: width - sideRoom}}
	p.y.from, p.y.to = d.height-bottomRoom, 0
	ticks := numberTicks(linearTicks(low, high, step))
	p.bottomAxis(ticks, c.Unit)
	for i, g := range groups {
		p.upright(ticks, float64(i)*strip+20, float64(i+1)*strip)
		p.group(side(g.Side), g, float64(i)*strip)
	}
	return c.figure(d, c.told())
}

func (g Group) extent() []float64 {
	all := append([]float64{}, g.Values...)
	if g.Median != nil {
		all = append(all, *g.Median)
	}
	if g.Interval != nil {
		all = append(all, g.Interval[0], g.Interval[1])
	}
	return all
}

// upright draws the lines of the grid in one row, below its name.
func (p *plot) upright(ticks []tick, from, to float64) {
	for _, t := range ticks {
		p.line("grid", p.x.at(t.value), from, p.x.at(t.value), to)
	}
}

// group draws one group whose upper edge is at top.
func (p *plot) group(class string, g Group, top float64) {
	middle := top + 40
	p.text("label", "start", 2, top+14, cut(g.Name, width))
	if i := g.Interval; i != nil && finite(i[0]) && finite(i[1]) {
		from, to := p.x.at(i[0]), p.x.at(i[1])
		p.rect("band", from, middle-12, to-from, 24)
	}
	for i, v := range g.Values {
		if finite(v) {
			p.dot(class, p.x.at(v), middle+float64(i%3-1)*6)
		}
	}
	if g.Median != nil && finite(*g.Median) {
		x := p.x.at(*g.Median)
		p.line("median "+class, x, middle-14, x, middle+14)
	}
}
