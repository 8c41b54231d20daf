package surface

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Result is what a map shows.
type Result struct {
	// Complete says that everything was read or tried. Text says in words how far
	// it came and what was found.
	Complete bool   `json:"complete"`
	Text     string `json:"text"`
	// Started is when it began, Sittings in how many parts it was done.
	Started  time.Time `json:"started"`
	Sittings int       `json:"sittings"`
	// Seconds is how long was read in all of them, MBPerS how fast: 0 where
	// nothing was read.
	Seconds float64 `json:"seconds"`
	MBPerS  float64 `json:"mb_per_s"`
	// Part is what was to be read, DoneBytes how much of it was read or tried.
	Part      Extent `json:"part"`
	DoneBytes int64  `json:"done_bytes"`
	// BlockBytes is a logical block, ChunkBytes what was read at once.
	BlockBytes int `json:"block_bytes"`
	ChunkBytes int `json:"chunk_bytes"`
	// Median and Max are of the chunks that were read, nil for none.
	Median *float64 `json:"median_us"`
	Max    *float64 `json:"max_us"`
	// SlowLimit is above which a chunk is slow, nil where nothing was read.
	SlowLimit *float64 `json:"slow_limit_us"`
	// Regions are equal parts, in order.
	Regions []Region `json:"regions"`
	// Unreadable are the parts that cannot be read, UnreadableBlocks how many
	// blocks they have.
	Unreadable       []Range `json:"unreadable"`
	UnreadableBlocks int64   `json:"unreadable_blocks"`
	// NoAnswer are the chunks that a drive gave no answer for.
	NoAnswer []Range `json:"no_answer"`
	// Slow are the parts that were slow each time. SlowOnce is how many chunks
	// were slow at first, and not each time.
	Slow     []SlowRange `json:"slow"`
	SlowOnce int         `json:"slow_once"`
	// Recovered is how many chunks could be read in parts, and not as a whole.
	Recovered int64 `json:"recovered"`
}

// Region is one of the equal parts of a surface.
type Region struct {
	Extent
	// Median and Max of its chunks, microseconds; nil where none was read.
	Median *float64 `json:"median_us"`
	Max    *float64 `json:"max_us"`
	// Unreadable, NoAnswer and Slow are chunks; Left those that were not read yet.
	Unreadable int `json:"unreadable_chunks"`
	NoAnswer   int `json:"no_answer_chunks"`
	Slow       int `json:"slow_chunks"`
	Left       int `json:"left_chunks"`
}

// Range is a part by its blocks.
type Range struct {
	Extent
	// LBA is the first block, of the target that was read, Blocks how many.
	LBA    int64 `json:"lba"`
	Blocks int64 `json:"blocks"`
	// Error is what reading it failed with, "" for none.
	Error string `json:"error,omitempty"`
	// Whole is set where not every block of it was tried.
	Whole bool `json:"whole,omitempty"`
}

// SlowRange is a part that is slow.
type SlowRange struct {
	Range
	// Median and Max of the first read of its chunks, Again the median of the
	// shortest of their later reads (0: not read again), microseconds.
	Median float64 `json:"median_us"`
	Max    float64 `json:"max_us"`
	Again  float64 `json:"again_us"`
}

// mostRegions is how many parts a surface is shown in.
const mostRegions = 256

// Result says what a map shows.
func (m *Map) Result() *Result {
	r := &Result{
		Started: m.Started, Sittings: m.Sittings, Seconds: m.Seconds, Part: m.Part, DoneBytes: m.Done(), BlockBytes: m.BlockBytes, ChunkBytes: m.ChunkBytes,
		Recovered: m.Recovered, Unreadable: []Range{}, NoAnswer: []Range{}, Slow: []SlowRange{},
	}
	r.Complete = r.DoneBytes == m.Part.Bytes
	if m.Seconds > 0 {
		r.MBPerS = float64(r.DoneBytes) / 1e6 / m.Seconds
	}
	for _, b := range m.Bad {
		r.Unreadable = append(r.Unreadable, m.ranged(b.Extent, b.Error, b.Whole))
		r.UnreadableBlocks += b.Bytes / int64(m.BlockBytes)
	}
	for _, e := range m.runs(func(c cell) bool { return c == noAnswer }) {
		r.NoAnswer = append(r.NoAnswer, m.ranged(e, "no answer", true))
	}
	if times := m.times(0, len(m.cells)); len(times) > 0 {
		limit := m.slowLimit()
		r.Median, r.Max, r.SlowLimit = new(times[len(times)/2]), new(times[len(times)-1]), &limit
	}
	slow := m.slow(r)
	r.Regions = m.regions(slow)
	r.Text = r.words()
	return r
}

// ranged is a part by its blocks.
func (m *Map) ranged(e Extent, err string, whole bool) Range {
	unit := int64(m.BlockBytes)
	return Range{Extent: e, LBA: e.Offset / unit, Blocks: e.Bytes / unit, Error: err, Whole: whole}
}

// times are those of the chunks of a range of cells that were read, sorted,
// microseconds.
func (m *Map) times(from, to int) []float64 {
	var list []float64
	for _, c := range m.cells[from:to] {
		if us, ok := c.read(); ok {
			list = append(list, us)
		}
	}
	slices.Sort(list)
	return list
}

// The limit of a slow chunk: so many times the median, and at least so much more.
const (
	slowTimes = 5
	slowMore  = 5000 // µs
)

// slowLimit is above which a chunk is slow, microseconds; infinite where nothing
// was read.
func (m *Map) slowLimit() float64 {
	times := m.times(0, len(m.cells))
	if len(times) == 0 {
		return math.Inf(1)
	}
	median := times[len(times)/2]
	return max(slowTimes*median, median+slowMore)
}

// slow finds the parts that were slow each time, and notes them in the result.
// It returns which chunks they are.
func (m *Map) slow(r *Result) map[int64]bool {
	found := map[int64]bool{}
	if r.SlowLimit == nil {
		return found
	}
	run := slowRun{last: -2}
	for i, c := range m.cells {
		us, ok := c.read()
		if !ok || us <= *r.SlowLimit {
			continue
		}
		second, tried := m.Again[int64(i)]
		took := float64(second) / float64(time.Microsecond)
		if tried && took <= *r.SlowLimit {
			r.SlowOnce++
			continue
		}
		found[int64(i)] = true
		if int64(i) != run.last+1 {
			r.Slow = run.close(m, r.Slow)
			run = slowRun{from: m.extent(int64(i)).Offset}
		}
		run.last, run.first = int64(i), append(run.first, us)
		if tried {
			run.again = append(run.again, took)
		}
	}
	r.Slow = run.close(m, r.Slow)
	return found
}

// slowRun are slow chunks side by side: how long they took the first time and
// the second.
type slowRun struct {
	from, last   int64
	first, again []float64
}

// close adds the run to the slow parts, if there is one.
func (s *slowRun) close(m *Map, list []SlowRange) []SlowRange {
	if len(s.first) == 0 {
		return list
	}
	e := Extent{Offset: s.from, Bytes: m.extent(s.last).End() - s.from}
	return append(list, SlowRange{Range: m.ranged(e, "", false), Median: median(s.first), Max: slices.Max(s.first), Again: median(s.again)})
}

// median of some numbers, 0 of none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// regions are equal parts of the map.
func (m *Map) regions(slow map[int64]bool) []Region {
	n := min(mostRegions, len(m.cells))
	var list []Region
	for i := range n {
		from, to := i*len(m.cells)/n, (i+1)*len(m.cells)/n
		first, last := m.extent(int64(from)), m.extent(int64(to-1))
		region := Region{Extent: Extent{first.Offset, last.End() - first.Offset}}
		if times := m.times(from, to); len(times) > 0 {
			region.Median, region.Max = new(times[len(times)/2]), new(times[len(times)-1])
		}
		for at := from; at < to; at++ {
			c := m.cells[at]
			region.count(c, c == failed && m.badIn(m.extent(int64(at))), slow[int64(at)])
		}
		list = append(list, region)
	}
	return list
}

// badIn reports whether a part of an extent cannot be read.
func (m *Map) badIn(e Extent) bool {
	for _, b := range m.Bad {
		if b.Offset < e.End() && b.End() > e.Offset {
			return true
		}
	}
	return false
}

// count counts a chunk.
func (g *Region) count(c cell, bad, slow bool) {
	switch {
	case c == unread:
		g.Left++
	case c == noAnswer:
		g.NoAnswer++
	case bad:
		g.Unreadable++
	case slow:
		g.Slow++
	}
}

// words say what was found.
func (r *Result) words() string {
	text := "everything could be read"
	if r.UnreadableBlocks > 0 {
		text = fmt.Sprintf("%d blocks in %d ranges cannot be read", r.UnreadableBlocks, len(r.Unreadable))
	}
	if len(r.NoAnswer) > 0 {
		text += fmt.Sprintf("; the drive gave no answer in %d places", len(r.NoAnswer))
	}
	if len(r.Slow) > 0 {
		text += fmt.Sprintf("; %d ranges are slow", len(r.Slow))
	}
	if !r.Complete {
		text = fmt.Sprintf("%.1f %% were read; of these %s", 100*float64(r.DoneBytes)/float64(r.Part.Bytes), text)
	}
	return text
}
