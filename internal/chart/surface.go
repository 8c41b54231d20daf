package chart

import (
	"fmt"
	"html/template"
)

// Surface shows the parts of a medium in rows from left to right: how long each
// took by the strength of its colour, and what is wrong with it by another one.
type Surface struct {
	Caption
	Cells []Cell
	// From and To say where the medium begins and ends.
	From, To string
}

// Cell is one part.
type Cell struct {
	// Level is how long it took, from 0 for the shortest to 1.
	Level float64
	// State is what it is: Fine, or what is wrong with it.
	State CellState
}

// CellState is what a cell is.
type CellState uint8

// The states.
const (
	Fine CellState = iota
	Slow
	Unreadable
	Silent
	// Unknown was not read.
	Unknown
)

const (
	surfaceColumns = 32
	mostCells      = surfaceColumns * 64
)

// HTML draws the cells, at most 2048 of them.
func (c Surface) HTML() template.HTML {
	cells := c.Cells[:min(len(c.Cells), mostCells)]
	if len(cells) == 0 {
		return c.nothing()
	}
	const step, size = float64(width) / surfaceColumns, float64(width)/surfaceColumns - 1.5
	rows := (len(cells) + surfaceColumns - 1) / surfaceColumns
	d := &drawing{height: 2*rowHeight + step*float64(rows) + 4}
	d.text("tick", "start", 0, rowHeight-4, c.From)
	d.text("tick", "end", width, d.height-2, c.To)
	for i, cell := range cells {
		x, y := step*float64(i%surfaceColumns), rowHeight+step*float64(i/surfaceColumns)
		d.cell(cell, x, y, size)
	}
	return c.figure(d, c.told(cells), key{"s0", "the stronger, the longer", true}, key{"s1", "unreadable", true}, key{"s2", "no answer", true}, key{"s3", "slow", true})
}

// cell draws one part. What is wrong has its shape too.
func (d *drawing) cell(c Cell, x, y, size float64) {
	class := map[CellState]string{Unreadable: "s1", Silent: "s2", Slow: "s3"}[c.State]
	switch {
	case c.State >= Unknown:
		fmt.Fprintf(d, "<rect class=\"grid\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n", coordinate(x), coordinate(y), coordinate(size), coordinate(size))
		return
	case class == "":
		level := c.Level
		if !finite(level) {
			level = 0
		}
		fmt.Fprintf(d, "<rect class=\"bar s0\" fill-opacity=\"%.2f\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n",
			0.15+0.75*min(max(level, 0), 1), coordinate(x), coordinate(y), coordinate(size), coordinate(size))
		return
	}
	d.rect("band", x, y, size, size)
	d.dot(class, x+size/2, y+size/2)
}

// told counts the states in words.
func (c Surface) told(cells []Cell) []string {
	var n [Unknown + 1]int
	for _, cell := range cells {
		n[min(cell.State, Unknown)]++
	}
	list := []string{fmt.Sprintf("%d parts from %s to %s", len(cells), c.From, c.To)}
	for state, name := range []string{Slow: "slow", Unreadable: "unreadable", Silent: "without an answer", Unknown: "not read"} {
		if n[state] > 0 && name != "" {
			list = append(list, fmt.Sprintf("%d %s", n[state], name))
		}
	}
	return list
}
