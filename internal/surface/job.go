package surface

import (
	"errors"
	"fmt"

	"qd1.example/qd1/bench"
)

// Extent is a part of the target, in bytes.
type Extent struct {
	Offset int64 `json:"offset"`
	Bytes  int64 `json:"bytes"`
}

// End is the first byte after the extent.
func (e Extent) End() int64 { return e.Offset + e.Bytes }

// Job is what a worker reads: the first line of the protocol.
type Job struct {
	Target bench.Target `json:"target"`
	// Extents are read in order, in chunks of ChunkBytes.
	Extents    []Extent `json:"extents"`
	ChunkBytes int      `json:"chunk_bytes"`
	// Splits is how many reads may be spent on finding the blocks of chunks that
	// cannot be read. What is left then is told as a whole.
	Splits int `json:"splits"`
}

// Line is one answer of a worker: a chunk that was read, or the end.
type Line struct {
	Extent
	// Nanoseconds is how long the chunk took as a whole, 0 if it could not be read
	// at once.
	Nanoseconds int64 `json:"ns,omitempty"`
	// Bad are the parts of it that cannot be read.
	Bad []Bad `json:"bad,omitempty"`
	// End is set on the last line. Error says why the reading ended early, Kind
	// which error of bench that is, "" for none.
	End   bool   `json:"end,omitempty"`
	Error string `json:"error,omitempty"`
	Kind  string `json:"kind,omitempty"`
}

// Bad is a part that cannot be read.
type Bad struct {
	Extent
	// Error is what reading it failed with.
	Error string `json:"error"`
	// Whole is set where not every block of it was tried.
	Whole bool `json:"whole,omitempty"`
}

// gone is the Kind of a drive that has left the system.
const gone = "gone"

// err is the error of a last line, nil for none.
func (l *Line) err() error {
	switch {
	case l.Error == "":
		return nil
	case l.Kind == gone:
		return fmt.Errorf("%w: %s", bench.ErrGone, l.Error)
	}
	return errors.New(l.Error)
}

// check refuses a job that cannot be done.
func (j *Job) check() error {
	unit := unitOf(j.Target)
	if j.ChunkBytes <= 0 || j.ChunkBytes%unit != 0 || j.ChunkBytes > mostChunk {
		return fmt.Errorf("chunks of %d bytes: a multiple of %d up to %d is possible", j.ChunkBytes, unit, mostChunk)
	}
	for _, e := range j.Extents {
		if e.Offset < 0 || e.Bytes <= 0 || e.End() > j.Target.Bytes || e.Offset%int64(unit) != 0 || e.Bytes%int64(unit) != 0 {
			return fmt.Errorf("%d bytes from byte %d are no part of %s", e.Bytes, e.Offset, j.Target.Path)
		}
	}
	return nil
}

// unitOf is the smallest part of a target that can be read.
func unitOf(t bench.Target) int {
	if t.BlockBytes > 0 {
		return t.BlockBytes
	}
	return 512
}
