package surface

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"qd1.example/qd1/bench"
)

// Map is what is known of a surface, chunk by chunk. It is made by [NewMap] or
// from JSON.
type Map struct {
	// Subject names the drive or the device, so that a map is not continued with
	// another one.
	Subject string
	// Bytes is the size of the target, BlockBytes its unit.
	Bytes      int64
	BlockBytes int
	// Part is what is scanned of it.
	Part Extent
	// ChunkBytes is how much is read at once.
	ChunkBytes int
	// Started is when the scan began, Seconds how long it has read in all sittings.
	Started time.Time
	Seconds float64
	// Sittings is how often it was begun or continued.
	Sittings int
	// Bad are the parts that cannot be read, by place.
	Bad []Bad
	// Recovered is how many chunks failed as a whole and could then be read in
	// parts.
	Recovered int64
	// Again is the shortest of the later reads of slow chunks, by chunk, Rounds how
	// many of them were done.
	Again  map[int64]time.Duration
	Rounds int

	cells []cell
}

// cell is what is known of a chunk: 0 nothing, else how long it took on a
// logarithmic scale, or one of the values above that.
type cell uint16

const (
	unread   cell = 0
	slowest  cell = 0xFFF0
	failed   cell = 0xFFFD
	noAnswer cell = 0xFFFE
)

// steps is how many cells are a factor of two in time: 0.07 %.
const steps = 1000

// cellOf is the cell of a time.
func cellOf(d time.Duration) cell {
	us := max(float64(d)/float64(time.Microsecond), 1)
	return min(cell(math.Round(steps*math.Log2(us)))+1, slowest)
}

// read reports whether a chunk was read, and how long it took in microseconds.
func (c cell) read() (us float64, ok bool) {
	if c == unread || c > slowest {
		return 0, false
	}
	return math.Exp2(float64(c-1) / steps), true
}

// The sizes of a chunk: enough of them for a map, not too many to keep.
const (
	leastChunk = 64 << 10
	usualChunk = 1 << 20
	mostChunk  = 64 << 20
	fewChunks  = 4096
	manyChunks = 1 << 22
)

// chunkFor is how much to read at once of so many bytes.
func chunkFor(bytes int64) int {
	chunk := int64(leastChunk)
	for chunk < usualChunk && bytes/chunk > fewChunks || chunk < mostChunk && bytes/chunk > manyChunks {
		chunk *= 2
	}
	return int(chunk)
}

// ErrPart is a part of a target that cannot be scanned.
var ErrPart = errors.New("there is nothing to read")

// NewMap makes the map of a scan of a part of a target. A part of 0 bytes is all
// from its offset on. It begins at a whole block, and what is less than one at the
// end is left out.
func NewMap(subject string, t bench.Target, part Extent, started time.Time) (*Map, error) {
	unit := int64(unitOf(t))
	part.Offset -= part.Offset % unit
	if part.Bytes == 0 {
		part.Bytes = t.Bytes - part.Offset
	}
	part.Bytes = min(part.Bytes, t.Bytes-part.Offset)
	part.Bytes -= part.Bytes % unit
	if part.Offset < 0 || part.Bytes <= 0 {
		return nil, fmt.Errorf("%w: from byte %d of %s, which has %d in blocks of %d", ErrPart, part.Offset, t.Path, t.Bytes, unit)
	}
	m := &Map{Subject: subject, Bytes: t.Bytes, BlockBytes: int(unit), Part: part, ChunkBytes: chunkFor(part.Bytes), Started: started, Again: map[int64]time.Duration{}}
	m.cells = make([]cell, m.chunks())
	return m, nil
}

// chunks is the number of chunks.
func (m *Map) chunks() int64 {
	return (m.Part.Bytes + int64(m.ChunkBytes) - 1) / int64(m.ChunkBytes)
}

// extent is the place of a chunk.
func (m *Map) extent(i int64) Extent {
	at := m.Part.Offset + i*int64(m.ChunkBytes)
	return Extent{at, min(int64(m.ChunkBytes), m.Part.End()-at)}
}

// at is the chunk of a place, -1 if it is not the beginning of one.
func (m *Map) at(offset int64) int64 {
	i := offset - m.Part.Offset
	if i < 0 || i%int64(m.ChunkBytes) != 0 || offset >= m.Part.End() {
		return -1
	}
	return i / int64(m.ChunkBytes)
}

// Left is what was not read yet, in order.
func (m *Map) Left() []Extent { return m.runs(func(c cell) bool { return c == unread }) }

// runs are the extents of neighbours that fit.
func (m *Map) runs(fits func(cell) bool) []Extent {
	var list []Extent
	for i, c := range m.cells {
		if !fits(c) {
			continue
		}
		e := m.extent(int64(i))
		if n := len(list); n > 0 && list[n-1].End() == e.Offset {
			list[n-1].Bytes += e.Bytes
		} else {
			list = append(list, e)
		}
	}
	return list
}

// take notes what a worker says of a chunk.
func (m *Map) take(l *Line) error {
	i := m.at(l.Offset)
	if i < 0 || l.Extent != m.extent(i) {
		return fmt.Errorf("%w: it read %d bytes from byte %d, which is no chunk", bench.ErrWorker, l.Bytes, l.Offset)
	}
	switch {
	case l.Nanoseconds > 0:
		m.cells[i] = cellOf(time.Duration(l.Nanoseconds))
		return nil
	case len(l.Bad) == 0:
		m.Recovered++
	}
	m.cells[i] = failed
	for _, b := range l.Bad {
		m.Bad = insertBad(m.Bad, b)
	}
	return nil
}

// insertBad adds a part by its place. Parts come in order but after a resume.
func insertBad(list []Bad, b Bad) []Bad {
	i := len(list)
	for i > 0 && list[i-1].Offset > b.Offset {
		i--
	}
	tail := append([]Bad{b}, list[i:]...)
	list = list[:i:i]
	for _, x := range tail {
		list = appendBad(list, x)
	}
	return list
}

// hangs notes that the drive does not answer for the first chunk that is left of
// what a worker was told to read.
func (m *Map) hangs() {
	for i, c := range m.cells {
		if c == unread {
			m.cells[i] = noAnswer
			return
		}
	}
}

// Done is how many bytes were read or tried.
func (m *Map) Done() int64 {
	var n int64
	for i, c := range m.cells {
		if c != unread {
			n += m.extent(int64(i)).Bytes
		}
	}
	return n
}

// stored is a map in JSON.
type stored struct {
	Schema     string                  `json:"schema"`
	Subject    string                  `json:"subject"`
	Bytes      int64                   `json:"bytes"`
	BlockBytes int                     `json:"block_bytes"`
	Part       Extent                  `json:"part"`
	ChunkBytes int                     `json:"chunk_bytes"`
	Started    time.Time               `json:"started"`
	Seconds    float64                 `json:"seconds"`
	Sittings   int                     `json:"sittings"`
	Bad        []Bad                   `json:"bad"`
	Recovered  int64                   `json:"recovered"`
	Again      map[int64]time.Duration `json:"again"`
	Rounds     int                     `json:"rounds"`
	Cells      string                  `json:"cells"`
}

const storedSchema = "qd1.scan-state/1"

// MarshalJSON writes a map to be kept.
func (m *Map) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2*len(m.cells))
	for _, c := range m.cells {
		b = binary.LittleEndian.AppendUint16(b, uint16(c))
	}
	return json.Marshal(stored{storedSchema, m.Subject, m.Bytes, m.BlockBytes, m.Part, m.ChunkBytes, m.Started, m.Seconds, m.Sittings, m.Bad, m.Recovered, m.Again, m.Rounds, base64.StdEncoding.EncodeToString(b)})
}

// ErrState is a map that cannot be read.
var ErrState = errors.New("not the kept state of a scan, or damaged")

// UnmarshalJSON reads what MarshalJSON wrote. Errors wrap [ErrState].
func (m *Map) UnmarshalJSON(b []byte) error {
	var s stored
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	cells, err := base64.StdEncoding.DecodeString(s.Cells)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	n := &Map{Subject: s.Subject, Bytes: s.Bytes, BlockBytes: s.BlockBytes, Part: s.Part, ChunkBytes: s.ChunkBytes, Started: s.Started, Seconds: s.Seconds,
		Sittings: s.Sittings, Bad: s.Bad, Recovered: s.Recovered, Again: s.Again, Rounds: s.Rounds}
	if err := n.check(s.Schema, len(cells)); err != nil {
		return err
	}
	for i := range n.chunks() {
		n.cells = append(n.cells, cell(binary.LittleEndian.Uint16(cells[2*i:])))
	}
	if n.Again == nil {
		n.Again = map[int64]time.Duration{}
	}
	*m = *n
	return nil
}

// check refuses a map that no scan has made. cells is how many bytes it has.
func (m *Map) check(schema string, cells int) error {
	unit := int64(m.BlockBytes)
	switch {
	case schema != storedSchema:
		return fmt.Errorf("%w: schema %q", ErrState, schema)
	case unit < 512 || m.ChunkBytes < leastChunk || m.ChunkBytes > mostChunk || int64(m.ChunkBytes)%unit != 0:
		return fmt.Errorf("%w: chunks of %d bytes in blocks of %d", ErrState, m.ChunkBytes, unit)
	case m.Part.Offset < 0 || m.Part.Bytes <= 0 || m.Part.Bytes > m.Bytes || m.Part.Offset > m.Bytes-m.Part.Bytes || m.Part.Offset%unit != 0 || m.Part.Bytes%unit != 0:
		return fmt.Errorf("%w: %d bytes from %d of %d", ErrState, m.Part.Bytes, m.Part.Offset, m.Bytes)
	case int64(cells) != 2*m.chunks():
		return fmt.Errorf("%w: %d bytes of cells for %d chunks", ErrState, cells, m.chunks())
	}
	for _, b := range m.Bad {
		if b.Offset < 0 || b.Bytes <= 0 || b.Offset > m.Bytes-b.Bytes {
			return fmt.Errorf("%w: %d bytes from %d cannot be unreadable", ErrState, b.Bytes, b.Offset)
		}
	}
	return nil
}
