package chart

// plot is the area between the axes.
type plot struct {
	*drawing
	x, y scale
}

const (
	topRoom    = 22.0 // above the area, for the unit
	bottomRoom = 41.0 // below it, for numbers and the unit
	rightRoom  = 14.0
)

// newPlot returns an area of the given height. left is the longest text beside
// it, right that on the other side, "" for none.
func newPlot(height float64, left, right []tick) *plot {
	p := &plot{drawing: &drawing{height: height}}
	p.x.from, p.x.to = 10+widest(left)*charWidth, width-rightRoom
	if len(right) > 0 {
		p.x.to = width - 10 - widest(right)*charWidth
	}
	p.y.from, p.y.to = height-bottomRoom, topRoom
	return p
}

func widest(ticks []tick) float64 {
	n := 1
	for _, t := range ticks {
		n = max(n, len([]rune(t.text)))
	}
	return float64(n)
}

// leftAxis draws the numbers on the left with lines across, and their unit
// above.
func (p *plot) leftAxis(ticks []tick, unit string) {
	for _, t := range ticks {
		y := p.y.at(t.value)
		p.line("grid", p.x.from, y, p.x.to, y)
		p.text("tick", "end", p.x.from-6, y+4, t.text)
	}
	p.text("unit", "start", 2, 12, unit)
}

// rightAxis draws the numbers of another scale on the right.
func (p *plot) rightAxis(s scale, ticks []tick, unit string) {
	for _, t := range ticks {
		p.text("tick", "start", p.x.to+6, s.at(t.value)+4, t.text)
	}
	p.text("unit", "end", width-2, 12, unit)
}

// bottomAxis draws the line below with its numbers, as many as there is room
// for, and their unit.
func (p *plot) bottomAxis(ticks []tick, unit string) {
	p.line("axis", p.x.from, p.y.from, p.x.to, p.y.from)
	free := 0.0
	for _, t := range ticks {
		x, half := p.x.at(t.value), float64(len([]rune(t.text)))*charWidth/2
		p.line("axis", x, p.y.from, x, p.y.from+4)
		middle := min(max(x, half), width-half)
		if middle-half < free {
			continue
		}
		p.text("tick", "middle", middle, p.y.from+rowHeight+3, t.text)
		free = middle + half + charWidth
	}
	p.text("unit", "middle", (p.x.from+p.x.to)/2, p.height-4, unit)
}

// mark draws a line from top to bottom with a text beside it, on the side where
// there is more room. level counts lines of text from the top.
func (p *plot) mark(value float64, text string, level int) {
	x := p.x.at(value)
	p.line("mark", x, p.y.to, x, p.y.from)
	y := p.y.to + 11 + float64(level)*rowHeight
	if x > (p.x.from+p.x.to)/2 {
		p.text("label", "end", x-5, y, cut(text, x-p.x.from))
		return
	}
	p.text("label", "start", x+5, y, cut(text, p.x.to-x))
}

// across draws a line from left to right with a text above it.
func (p *plot) across(value float64, text string) {
	y := p.y.at(value)
	p.line("mark", p.x.from, y, p.x.to, y)
	p.text("label", "end", p.x.to-4, y-4, cut(text, p.x.to-p.x.from))
}
