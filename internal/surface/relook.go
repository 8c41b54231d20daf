package surface

import (
	"context"
	"fmt"
	"time"

	"qd1.example/qd1/bench"
)

// Spot is a block of the error log that is read again.
type Spot struct {
	// LBA is the block, NSID its namespace.
	LBA  uint64 `json:"lba"`
	NSID uint32 `json:"nsid"`
	// Entries is how many entries of the log name it, Status what the newest of
	// them says.
	Entries int    `json:"entries"`
	Status  string `json:"status"`
	// Readable is what it is now, nil where it could not be tried. Error is what
	// reading it failed with.
	Readable *bool  `json:"readable"`
	Error    string `json:"error,omitempty"`
	// Microseconds is how long it took, 0 for one that cannot be read.
	Microseconds float64 `json:"us,omitempty"`
}

// Text is what the block is now.
func (s *Spot) Text() string {
	switch {
	case s.Readable == nil:
		return "not tried: " + s.Error
	case *s.Readable:
		return "readable now"
	}
	return "still bad: " + s.Error
}

// Relook reads the blocks of spots of one namespace again. Spots beyond the end of
// the target are not tried.
func Relook(ctx context.Context, t bench.Target, spots []Spot, run Runner) error {
	unit := int64(unitOf(t))
	job := Job{Target: t, ChunkBytes: int(unit)}
	places := map[int64]*Spot{}
	for i := range spots {
		s := &spots[i]
		if s.LBA >= uint64(t.Bytes/unit) {
			s.Error = fmt.Sprintf("the namespace has %d blocks", t.Bytes/unit)
			continue
		}
		at := int64(s.LBA) * unit
		if places[at] == nil {
			job.Extents = append(job.Extents, Extent{at, unit})
		}
		places[at] = s
		s.Error = "the reading ended before"
	}
	if len(job.Extents) == 0 {
		return nil
	}
	return run(ctx, job, func(l *Line) error {
		s := places[l.Offset]
		if s == nil {
			return fmt.Errorf("%w: it read byte %d, which it was not told to", bench.ErrWorker, l.Offset)
		}
		readable := len(l.Bad) == 0
		s.Readable, s.Error, s.Microseconds = &readable, "", float64(l.Nanoseconds)/float64(time.Microsecond)
		if !readable {
			s.Error = l.Bad[0].Error
		}
		return nil
	})
}

// Report is the result of a command.
type Report struct {
	Schema string `json:"schema"`
	// Simulated says that no real drive was read.
	Simulated bool      `json:"simulated"`
	Time      time.Time `json:"time"`
	Target    Target    `json:"target"`
	// Scan is nil where only blocks of the error log were read, Relook where they
	// were not.
	Scan   *Result `json:"scan"`
	Relook *Looked `json:"relook"`
}

// Looked is what became of the blocks of the error log.
type Looked struct {
	Text string `json:"text"`
	// Spots are the blocks, in order.
	Spots []Spot `json:"spots"`
}

// Target is what was read.
type Target struct {
	// Name is a model or a path, Detail what it is.
	Name   string `json:"name"`
	Detail string `json:"detail"`
	// Model, Serial and Firmware are of the drive, "" where it is not known.
	Model    string `json:"model"`
	Serial   string `json:"serial"`
	Firmware string `json:"firmware"`
	// Path is what was opened, Bytes its size.
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// Look makes what is said of spots.
func Look(spots []Spot) *Looked {
	l := &Looked{Spots: spots}
	bad, good, open := 0, 0, 0
	for i := range spots {
		switch s := &spots[i]; {
		case s.Readable == nil:
			open++
		case *s.Readable:
			good++
		default:
			bad++
		}
	}
	switch {
	case len(spots) == 0:
		l.Text, l.Spots = "the error log names no block that could not be read", []Spot{}
	default:
		l.Text = fmt.Sprintf("of %d blocks of the error log %d are still bad, %d are readable now", len(spots), bad, good)
		if open > 0 {
			l.Text += fmt.Sprintf(", %d were not tried", open)
		}
	}
	return l
}

// StillBad is how many blocks cannot be read.
func (l *Looked) StillBad() int {
	n := 0
	for i := range l.Spots {
		if r := l.Spots[i].Readable; r != nil && !*r {
			n++
		}
	}
	return n
}
