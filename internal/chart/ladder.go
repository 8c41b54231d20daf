package chart

import (
	"html/template"
	"math"
	"strconv"
)

// Ladder shows percentiles, each step of the axis a tenth of what is left: p90,
// p99, p99.9. The values are on a logarithmic axis.
type Ladder struct {
	Caption
	// Unit of the values, such as "µs".
	Unit  string
	Sides []Steps
}

// Steps are the percentiles of one side.
type Steps struct {
	Name string
	List []Step
}

// Step is one percentile, such as 99.9, with the interval that it lies in; 0 and
// 0 if that is not known.
type Step struct{ Percentile, Value, Low, High float64 }

func (s Step) valid() bool {
	return positive(s.Value) && s.Percentile > 0 && s.Percentile < 100
}

// hasInterval reports whether there is one that can be drawn.
func (s Step) hasInterval() bool {
	return positive(s.Low) && finite(s.High) && s.High >= s.Low && (s.Low != s.Value || s.High != s.Value)
}

// place is where a percentile stands: 0.3 for the median, 1 for p90, 2 for p99.
func (s Step) place() float64 { return -math.Log10(1 - s.Percentile/100) }

// HTML draws the ladder.
func (c Ladder) HTML() template.HTML {
	var values, places []float64
	for _, s := range c.Sides {
		for _, step := range s.List {
			if !step.valid() {
				continue
			}
			values, places = append(values, step.Value), append(places, step.place())
			if step.hasInterval() {
				values = append(values, step.Low, step.High)
			}
		}
	}
	low, high, ok := limits(values...)
	if !ok {
		return c.nothing()
	}
	low, high = low/1.15, high*1.15
	left := numberTicks(logTicks(low, high, 7))
	p := newPlot(250, left, nil)
	p.y.low, p.y.high, p.y.log = low, high, true
	p.x.low, p.x.high, _ = limits(append(places, 0)...)
	p.x.high += 0.2
	p.leftAxis(left, c.Unit+", logarithmic")
	p.bottomAxis(c.ticks(), "percentile")
	var keys []key
	for i, s := range c.Sides {
		p.steps(side(i), s, shift(i, len(c.Sides)))
		keys = append(keys, key{side(i), s.Name, true})
	}
	if len(keys) < 2 {
		keys = nil
	}
	return c.figure(p.drawing, c.told(), keys...)
}

// shift parts the sides a little, so that their intervals do not cover each
// other.
func shift(i, n int) float64 { return (float64(i) - float64(n-1)/2) * 9 }

// ticks are the percentiles that any side has.
func (c Ladder) ticks() []tick {
	var list []tick
	seen := map[float64]bool{}
	for _, s := range c.Sides {
		for _, step := range s.List {
			if step.valid() && !seen[step.Percentile] {
				seen[step.Percentile] = true
				list = append(list, tick{step.place(), "p" + strconv.FormatFloat(step.Percentile, 'f', -1, 64)})
			}
		}
	}
	return list
}

// steps draws one side: its points, the line through them and the intervals.
func (p *plot) steps(class string, s Steps, aside float64) {
	var points []Point
	for _, step := range s.List {
		if !step.valid() {
			continue
		}
		x := p.x.at(step.place()) + aside
		points = append(points, Point{x, p.y.at(step.Value)})
		if step.hasInterval() {
			p.whisker(class, x, p.y.at(step.Low), p.y.at(step.High))
		}
	}
	p.path("line thin "+class, points)
	for _, at := range points {
		p.dot(class, at.X, at.Y)
	}
}

// whisker draws an interval with caps.
func (p *plot) whisker(class string, x, low, high float64) {
	p.line("range "+class, x, low, x, high)
	p.line("range "+class, x-4, low, x+4, low)
	p.line("range "+class, x-4, high, x+4, high)
}
