package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"

	"qd1.example/qd1/internal/surface"
)

// Scan writes what the reading of a surface found. Like all pages of a technical
// kind it is English only.
func Scan(w io.Writer, r *surface.Report, style Style) error {
	p := &page{style: style.english()}
	p.banner(r.Simulated)
	p.heading(scanPiece(r), piece{Strong, r.Target.Name}, piece{Plain, r.Target.Detail})
	if s := r.Scan; s != nil {
		p.note(s.Text)
		p.table(scanPairs(s))
		p.surfaceMap(s)
		p.scanRanges(s)
	}
	if l := r.Relook; l != nil {
		p.note(l.Text)
		p.spots(l)
	}
	return p.writeTo(w)
}

// scanPiece is what was found, in a word.
func scanPiece(r *surface.Report) piece {
	s, l := r.Scan, r.Relook
	switch {
	case s != nil && s.UnreadableBlocks > 0, l != nil && l.StillBad() > 0:
		return piece{Bad, "UNREADABLE"}
	case s != nil && len(s.NoAnswer) > 0:
		return piece{Bad, "NO ANSWER"}
	case s != nil && !s.Complete:
		return piece{Warn, "NOT COMPLETE"}
	case s != nil && len(s.Slow) > 0:
		return piece{Warn, "SLOW"}
	case l != nil && len(l.Spots) == 0:
		return piece{Good, "NOTHING TO READ"}
	}
	return piece{Good, "READABLE"}
}

func scanPairs(s *surface.Result) []pair {
	rows := []pair{{"read", fmt.Sprintf("%s of %s in %s%ss, %s%sMB/s", scanBytes(s.DoneBytes), scanBytes(s.Part.Bytes), decimal(s.Seconds), nbsp, decimal(s.MBPerS), nbsp)}}
	if s.Part.Offset > 0 {
		rows = append(rows, pair{"from", fmt.Sprintf("byte %d on", s.Part.Offset)})
	}
	if s.Median != nil {
		rows = append(rows, pair{"latency", fmt.Sprintf("of %s: median %s, longest %s; above %s is slow",
			strings.ReplaceAll(humanize.IBytes(uint64(s.ChunkBytes)), " ", nbsp), scanMicros(*s.Median), scanMicros(*s.Max), scanMicros(*s.SlowLimit))})
	}
	if s.SlowOnce > 0 {
		rows = append(rows, pair{"slow once", with(s.SlowOnce, "parts") + " were slow at first, and not each time"})
	}
	if s.Recovered > 0 {
		rows = append(rows, pair{"recovered", with(int(s.Recovered), "parts") + " failed as a whole, and could then be read in pieces"})
	}
	if s.Sittings > 1 {
		rows = append(rows, pair{"sittings", fmt.Sprint(s.Sittings)})
	}
	return rows
}

// scanBytes is a size as the makers of drives count.
func scanBytes(n int64) string {
	return strings.ReplaceAll(humanize.Bytes(uint64(n)), " ", nbsp)
}

func scanMicros(us float64) string {
	if us >= 1000 {
		return decimal(us/1000) + nbsp + "ms"
	}
	return decimal(us) + nbsp + "µs"
}

// mapWidth is how many regions stand in a line of the map.
const mapWidth = 64

// surfaceMap draws the regions as characters.
func (p *page) surfaceMap(s *surface.Result) {
	p.line("")
	for i := 0; i < len(s.Regions); i += mapWidth {
		line := ""
		for _, g := range s.Regions[i:min(i+mapWidth, len(s.Regions))] {
			line += string(regionRune(&g, s))
		}
		p.line(fmt.Sprintf("  %9s  %s", strings.ReplaceAll(scanBytes(s.Regions[i].Offset), nbsp, " "), line))
	}
	p.line(fmt.Sprintf("  %9s  . about the median  : up to twice it  + more  S slow  X unreadable", ""))
	p.line(fmt.Sprintf("  %9s  ? no answer  - not read", ""))
}

// regionRune is the worst of a region.
func regionRune(g *surface.Region, s *surface.Result) rune {
	switch {
	case g.Unreadable > 0:
		return 'X'
	case g.NoAnswer > 0:
		return '?'
	case g.Slow > 0:
		return 'S'
	case g.Median == nil:
		return '-'
	case *g.Median > 2**s.Median:
		return '+'
	case *g.Median > 1.1**s.Median:
		return ':'
	}
	return '.'
}

// mostRanges is how many ranges of a kind are shown.
const mostRanges = 20

// scanRanges lists what cannot be read and what is slow.
func (p *page) scanRanges(s *surface.Result) {
	p.rangeList("Unreadable", s.Unreadable)
	p.rangeList("No answer", s.NoAnswer)
	if len(s.Slow) == 0 {
		return
	}
	p.title("Slow")
	g := &grid{columns: []column{{head: "first LBA"}, {head: "blocks"}, {head: "median"}, {head: "longest"}, {head: "read again"}}}
	for _, r := range s.Slow[:min(len(s.Slow), mostRanges)] {
		again := "not tried"
		if r.Again > 0 {
			again = scanMicros(r.Again)
		}
		g.rows = append(g.rows, gridRow{cells: plainCells(fmt.Sprint(r.LBA), fmt.Sprint(r.Blocks), scanMicros(r.Median), scanMicros(r.Max), again)})
	}
	p.grid(g)
	p.more(len(s.Slow))
}

func (p *page) rangeList(title string, list []surface.Range) {
	if len(list) == 0 {
		return
	}
	p.title(title)
	g := &grid{columns: []column{{head: "first LBA"}, {head: "blocks"}, {head: "error", left: true}}}
	for _, r := range list[:min(len(list), mostRanges)] {
		text := r.Error
		if r.Whole {
			text += "; not every block was tried"
		}
		g.rows = append(g.rows, gridRow{cells: plainCells(fmt.Sprint(r.LBA), fmt.Sprint(r.Blocks), text)})
	}
	p.grid(g)
	p.more(len(list))
}

// more says that a list goes on.
func (p *page) more(n int) {
	if n > mostRanges {
		p.line(fmt.Sprintf("  … and %d more: --format json has all", n-mostRanges))
	}
}

// spots lists the blocks of the error log.
func (p *page) spots(l *surface.Looked) {
	var rows []pair
	for i := range l.Spots {
		s := &l.Spots[i]
		name := fmt.Sprintf("LBA%s%d", nbsp, s.LBA)
		if s.NSID != 1 {
			name += fmt.Sprintf(" of namespace%s%d", nbsp, s.NSID)
		}
		rows = append(rows, pair{name, fmt.Sprintf("%s (%d entries of the log: %s)", s.Text(), s.Entries, s.Status)})
	}
	p.table(rows)
}
