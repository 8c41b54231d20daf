package chart

import (
	"fmt"
	"math"
	"strings"
)

// mostTold is how many parts of a drawing are told to those who do not see it.
const mostTold = 16

// told makes sentences of what the parts of a drawing show, no more of them than
// one can listen to.
func told(parts []string) string {
	rest := ""
	if n := len(parts) - mostTold; n > 0 {
		parts, rest = parts[:mostTold], " And "+plural(n, "more", "more")+"."
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ". ") + "." + rest
}

// named puts the name of a side before what is told of it.
func named(name, text string) string {
	if name == "" {
		return text
	}
	return name + ": " + text
}

// told says where most of each side lies.
func (c Distribution) told(axis scale, shares [][columns]float64) []string {
	var list []string
	axis.from, axis.to = 0, columns
	for i, column := range shares {
		top := 0
		for k, v := range column {
			if v > column[top] {
				top = k
			}
		}
		if column[top] > 0 {
			list = append(list, named(c.Sides[i].Name, "most often about "+With(axis.value(float64(top)+0.5), c.Unit)))
		}
	}
	return list
}

// value is the reverse of at.
func (s scale) value(place float64) float64 {
	share := (place - s.from) / (s.to - s.from)
	if s.log {
		return s.low * math.Pow(s.high/s.low, share)
	}
	return s.low + share*(s.high-s.low)
}

// told has the percentiles of each side.
func (c Ladder) told() []string {
	var list []string
	for _, s := range c.Sides {
		var steps []string
		for _, step := range s.List {
			if step.valid() {
				steps = append(steps, fmt.Sprintf("p%g %s", step.Percentile, With(step.Value, c.Unit)))
			}
		}
		if len(steps) > 0 {
			list = append(list, named(s.Name, strings.Join(steps, ", ")))
		}
	}
	return list
}

// told has the ends and the extremes of each line.
func (c Series) told() []string {
	var list []string
	for _, l := range c.Lines {
		list = append(list, course(l.Name, l.Points, c.Unit)...)
	}
	list = append(list, course("forecast", c.Forecast, c.Unit)...)
	return append(list, course("temperature", c.Heat, "°C")...)
}

// course tells one line in a sentence, none of a line without points.
func course(name string, points []Point, unit string) []string {
	points = drawable(points)
	if len(points) == 0 {
		return nil
	}
	low, high := points[0].Y, points[0].Y
	for _, p := range points {
		low, high = min(low, p.Y), max(high, p.Y)
	}
	return []string{named(name, fmt.Sprintf("from %s to %s, lowest %s, highest %s", With(points[0].Y, unit), With(points[len(points)-1].Y, unit), With(low, unit), With(high, unit)))}
}

// told has the range and the median of each group.
func (c Dots) told() []string {
	var list []string
	for _, g := range c.Groups {
		low, high, ok := limits(g.Values...)
		if !ok {
			continue
		}
		text := fmt.Sprintf("%s from %s to %s", plural(len(g.Values), "run", "runs"), With(low, c.Unit), With(high, c.Unit))
		if g.Median != nil && finite(*g.Median) {
			text += ", median " + With(*g.Median, c.Unit)
		}
		list = append(list, named(g.Name, text))
	}
	return list
}

// told has each row as it is written.
func (c Bars) told() []string {
	var list []string
	for _, r := range c.Rows {
		list = append(list, named(r.Name, r.Text))
	}
	return list
}

// told has each change as it is written, with its interval.
func (c Changes) told() []string {
	var list []string
	for _, r := range c.Rows {
		text := r.Text
		if i := r.Interval; i != nil && finite(i[0]) && finite(i[1]) {
			text += fmt.Sprintf(", interval %s to %s", With(i[0], "%"), With(i[1], "%"))
		}
		list = append(list, named(r.Name, text))
	}
	return list
}
