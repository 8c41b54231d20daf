package page

import (
	"fmt"
	"html/template"
	"io"
	"math"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/surface"
)

// Scan writes the reading of a surface as an HTML page: a picture of it, and what
// cannot be read and what is slow.
func Scan(w io.Writer, r *surface.Report) error {
	word, t := scanWord(r)
	d := &document{Title: word + " · surface of " + r.Target.Name, Kind: "Surface", Heading: word, Tone: t, Simulated: r.Simulated,
		Lead: []string{join(" · ", r.Target.Name, r.Target.Detail, prefixed("firmware ", r.Target.Firmware))}, Made: moment(r.Time)}
	if s := r.Scan; s != nil {
		d.Lead = append(d.Lead, sentence(s.Text))
		d.add(part{Title: "The surface", Charts: []template.HTML{surfaceChart(s), latencyChart(s)}, Facts: scanFacts(s)})
		d.add(part{Title: "What cannot be read", Tables: rangeTable(s.Unreadable)})
		d.add(part{Title: "Without an answer", Tables: rangeTable(s.NoAnswer)})
		d.add(part{Title: "What is slow", Tables: slowTable(s.Slow)})
	}
	if l := r.Relook; l != nil {
		d.Lead = append(d.Lead, sentence(l.Text))
		d.add(part{Title: "Blocks of the error log, read again", Tables: spotTable(l.Spots)})
	}
	return d.write(w)
}

// scanWord is what was found, in a word.
func scanWord(r *surface.Report) (string, tone) {
	s, l := r.Scan, r.Relook
	switch {
	case s != nil && s.UnreadableBlocks > 0, l != nil && l.StillBad() > 0:
		return "UNREADABLE", bad
	case s != nil && len(s.NoAnswer) > 0:
		return "NO ANSWER", bad
	case s != nil && !s.Complete:
		return "NOT COMPLETE", warn
	case s != nil && len(s.Slow) > 0:
		return "SLOW", warn
	case l != nil && len(l.Spots) == 0:
		return "NOTHING TO READ", plain
	}
	return "READABLE", good
}

// surfaceChart is the picture of the regions: the strength is by the logarithm of
// the longest read, from the median of all up.
func surfaceChart(s *surface.Result) template.HTML {
	c := chart.Surface{
		Caption: chart.Caption{Title: "Longest read of each part", Note: fmt.Sprintf("%d parts of %s, read in pieces of %s.", len(s.Regions), partSize(s), blockSize(s.ChunkBytes))},
		From:    size(float64(s.Part.Offset)), To: size(float64(s.Part.End())),
	}
	for i := range s.Regions {
		c.Cells = append(c.Cells, cellOf(&s.Regions[i], s))
	}
	return c.HTML()
}

// partSize is the size of a part.
func partSize(s *surface.Result) string {
	if len(s.Regions) == 0 {
		return "nothing"
	}
	return size(float64(s.Regions[0].Bytes))
}

func cellOf(g *surface.Region, s *surface.Result) chart.Cell {
	switch {
	case g.Unreadable > 0:
		return chart.Cell{State: chart.Unreadable}
	case g.NoAnswer > 0:
		return chart.Cell{State: chart.Silent}
	case g.Slow > 0:
		return chart.Cell{State: chart.Slow}
	case g.Max == nil:
		return chart.Cell{State: chart.Unknown}
	}
	const decades = 2 // A hundred times the median is as strong as it gets.
	return chart.Cell{Level: math.Log10(max(*g.Max / *s.Median, 1)) / decades}
}

// latencyChart is how long the parts took, as dots in eight groups from the
// beginning to the end.
func latencyChart(s *surface.Result) template.HTML {
	const groups = 8
	c := chart.Dots{Caption: chart.Caption{Title: "Median read of the parts, from the beginning to the end", Empty: "Nothing was read."}, Unit: "µs"}
	for i := range min(groups, len(s.Regions)) {
		n := min(groups, len(s.Regions))
		from, to := i*len(s.Regions)/n, (i+1)*len(s.Regions)/n
		g := chart.Group{Name: "from " + size(float64(s.Regions[from].Offset))}
		for _, r := range s.Regions[from:to] {
			if r.Median != nil {
				g.Values = append(g.Values, *r.Median)
			}
		}
		if len(g.Values) > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	return c.HTML()
}

func scanFacts(s *surface.Result) []fact {
	all := []fact{
		{"Read", fmt.Sprintf("%s of %s in %s, %s", size(float64(s.DoneBytes)), size(float64(s.Part.Bytes)), clock(s.Seconds), chart.With(s.MBPerS, "MB/s"))},
		{"Median of a read", or(s.Median, micros)}, {"Longest read", or(s.Max, micros)}, {"Slow is above", or(s.SlowLimit, micros)},
		{"Sittings", fmt.Sprint(s.Sittings)},
	}
	if s.SlowOnce > 0 {
		all = append(all, fact{"Slow once", counted(s.SlowOnce, "piece", "pieces") + ", and not each time"})
	}
	if s.Recovered > 0 {
		all = append(all, fact{"Recovered", counted(s.Recovered, "piece", "pieces") + " failed as a whole, and not in parts"})
	}
	return facts(all...)
}

// mostScanRows is how many rows a table of ranges has.
const mostScanRows = 100

func rangeTable(list []surface.Range) []table {
	t := table{Head: []string{"Error", "First LBA", "Blocks"}, Words: 1}
	for _, r := range list[:min(len(list), mostScanRows)] {
		x := row{Cells: []string{r.Error, fmt.Sprint(r.LBA), fmt.Sprint(r.Blocks)}}
		if r.Whole {
			x.Remarks = []string{"Not every block of it was tried."}
		}
		t.Rows = append(t.Rows, x)
	}
	return tablesOf(t, len(list))
}

func slowTable(list []surface.SlowRange) []table {
	t := table{Head: []string{"First LBA", "Blocks", "Median", "Longest", "Read again"}}
	for _, r := range list[:min(len(list), mostScanRows)] {
		again := "not tried"
		if r.Again > 0 {
			again = micros(r.Again)
		}
		t.Rows = append(t.Rows, row{Cells: []string{fmt.Sprint(r.LBA), fmt.Sprint(r.Blocks), micros(r.Median), micros(r.Max), again}})
	}
	return tablesOf(t, len(list))
}

func spotTable(list []surface.Spot) []table {
	t := table{Head: []string{"Now", "The log says", "Namespace", "LBA", "Entries"}, Words: 2}
	for i := range list[:min(len(list), mostScanRows)] {
		s := &list[i]
		t.Rows = append(t.Rows, row{Cells: []string{s.Text(), s.Status, fmt.Sprint(s.NSID), fmt.Sprint(s.LBA), fmt.Sprint(s.Entries)}})
	}
	return tablesOf(t, len(list))
}

// tablesOf is a table with rows, nothing for one without.
func tablesOf(t table, all int) []table {
	if len(t.Rows) == 0 {
		return nil
	}
	if all > len(t.Rows) {
		t.Caption = fmt.Sprintf("The first %d of %d.", len(t.Rows), all)
	}
	return []table{t}
}
