package bench

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// readerAt reads one block at a time from an io.ReaderAt, and writes to it if it
// is an io.WriterAt.
type readerAt struct {
	name    string
	source  io.ReaderAt
	pending Event
	busy    bool
}

// NewReaderAt returns an engine over r, one request at a time, under the given
// name. Several workers call r.ReadAt concurrently. If r is an io.WriterAt too, a
// job may write to it.
func NewReaderAt(name string, r io.ReaderAt) Engine {
	return &readerAt{name: name, source: r}
}

// Name returns the name given to NewReaderAt.
func (e *readerAt) Name() string { return e.name }

// MaxQueueDepth returns 1.
func (e *readerAt) MaxQueueDepth() int { return 1 }

// Submit does the first request.
func (e *readerAt) Submit(requests []Request) (int, error) {
	if e.busy || len(requests) == 0 {
		return 0, nil
	}
	r := &requests[0]
	n, err := e.transfer(r)
	if err == io.EOF && n == len(r.Data) {
		err = nil
	}
	e.pending = Event{Buffer: r.Buffer, Bytes: n, Err: err}
	e.busy = true
	return 1, nil
}

// transfer reads, or writes where the source can.
func (e *readerAt) transfer(r *Request) (int, error) {
	if !r.Write {
		return e.source.ReadAt(r.Data, r.Offset)
	}
	if w, ok := e.source.(io.WriterAt); ok {
		return w.WriteAt(r.Data, r.Offset)
	}
	return 0, errors.ErrUnsupported
}

// Reap returns the completion of the request that Submit took.
func (e *readerAt) Reap(events []Event, _ int) (int, error) {
	return reapOne(events, &e.pending, &e.busy)
}

// Telemetry is that of the source, if it tells any.
func (e *readerAt) Telemetry() (Telemetry, bool) { return telemetryOf(e.source) }

// Fork returns another engine over the same source.
func (e *readerAt) Fork() (Engine, error) { return NewReaderAt(e.name, e.source), nil }

// Close does nothing; the source belongs to the caller.
func (e *readerAt) Close() error { return nil }

// reapOne hands out the one completion of a synchronous engine.
//
//go:nosplit
func reapOne(events []Event, pending *Event, busy *bool) (int, error) {
	if !*busy || len(events) == 0 {
		return 0, unix.EINVAL
	}
	events[0] = *pending
	*busy = false
	return 1, nil
}
