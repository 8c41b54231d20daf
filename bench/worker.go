package bench

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// publishEvery is how far the published totals may lag behind.
const publishEvery = 100 * time.Millisecond

// worker is one measuring thread. Only the fields of the last group are seen
// by other goroutines while it runs.
type worker struct {
	engine    Engine
	offsets   offsets
	requests  []Request       // one a buffer
	submitted []time.Duration // by buffer
	free      []int           // buffers not in flight
	events    []Event
	clock     clock
	cpu       int // -1: not pinned
	warmup    time.Duration
	duration  time.Duration // 0: no end by time
	limit     int64
	maxErrors int

	tally   tally
	start   time.Duration // of this part
	publish time.Duration // when the totals are due next
	issued  int64
	streak  int // failures in a row
	err     error

	stop      *atomic.Bool
	completed atomic.Int64 // time of the last completion
	mu        sync.Mutex
	published tally
}

// run does the whole job of the worker. When it returns, the totals are
// published and no request is in flight.
func (w *worker) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if w.cpu >= 0 {
		restore, err := pin(w.cpu)
		if err != nil {
			w.fail(err)
			return
		}
		defer restore()
	}
	if w.warmup > 0 {
		w.loop(w.warmup, math.MaxInt64)
	}
	if w.err == nil {
		w.measure()
	}
	w.flush()
	w.drain()
}

// measure does the measured part.
func (w *worker) measure() {
	w.tally.restart()
	w.flush()
	w.start = w.clock.now()
	w.issued = int64(len(w.requests) - len(w.free)) // these end in this part
	until := time.Duration(math.MaxInt64)
	if w.duration > 0 {
		until = w.start + w.duration
	}
	before := threadUsage()
	w.loop(until, w.limit)
	w.tally.usage = threadUsage().minus(before)
}

// loop keeps the queue full until the time, the number of submissions or a
// failure ends it. Requests may still be in flight then, except when the
// number has ended it.
//
//go:nosplit
func (w *worker) loop(until time.Duration, limit int64) {
	for !w.stop.Load() {
		if err := w.fill(limit); err != nil {
			w.fail(err)
			return
		}
		if len(w.free) == len(w.requests) {
			return
		}
		n, err := w.engine.Reap(w.events, 1)
		now := w.clock.now()
		if err != nil {
			w.fail(fmt.Errorf("engine: %w", err))
			return
		}
		for i := range w.events[:n] {
			w.complete(&w.events[i], now)
		}
		if n > 0 {
			w.completed.Store(int64(now))
		}
		if now >= w.publish {
			w.offer(now)
		}
		if now >= until || w.err != nil {
			return
		}
	}
}

// fill submits requests one by one while there are buffers: a queue that is
// refilled in batches would be answered in waves.
//
//go:nosplit
func (w *worker) fill(limit int64) error {
	for len(w.free) > 0 && w.issued < limit {
		last := len(w.free) - 1
		buffer := w.free[last]
		w.requests[buffer].Offset = w.offsets.take()
		w.submitted[buffer] = w.clock.now()
		n, err := w.engine.Submit(w.requests[buffer : buffer+1])
		if err != nil {
			return fmt.Errorf("engine: %w", err)
		}
		if n == 0 {
			return w.full()
		}
		w.free = w.free[:last]
		w.issued++
	}
	return nil
}

// full reports an engine that takes nothing although it has nothing to do.
func (w *worker) full() error {
	if len(w.free) == len(w.requests) {
		return errors.New("engine: takes no request")
	}
	return nil
}

// complete counts one completion that was seen at now.
//
//go:nosplit
func (w *worker) complete(e *Event, now time.Duration) {
	r := &w.requests[e.Buffer]
	w.free = append(w.free, e.Buffer)
	if e.Err != nil || e.Bytes != len(r.Data) {
		w.failed(e, r.Offset)
		return
	}
	w.streak = 0
	w.tally.latency.Add(now - w.submitted[e.Buffer])
	w.tally.elapsed = now - w.start
	if isBlank(r.Data) {
		w.tally.blank++
	}
}

// isBlank reports whether b, of 8 bytes at least, holds only zeros. It looks
// at one word of a block that holds data.
//
//go:nosplit
func isBlank(b []byte) bool {
	return binary.NativeEndian.Uint64(b) == 0 && bytes.Equal(b[8:], b[:len(b)-8])
}

// failed counts a failed request and decides whether to go on.
func (w *worker) failed(e *Event, offset int64) {
	err := e.Err
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	w.tally.errors.add(err, offset)
	w.streak++
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && isGone(w.engine, err):
		w.fail(&Error{
			Cause: fmt.Sprintf("the target has become shorter: nothing to read at offset %d", offset),
			Hint:  "was the file cut, or the device taken away, during the run?",
			Err:   errors.Join(ErrGone, err),
		})
	case isGone(w.engine, err):
		w.fail(goneError(err, offset))
	case w.streak >= w.maxErrors:
		w.fail(&Error{
			Cause: fmt.Sprintf("%d errors in a row (%s at offset %d)", w.streak, errorName(err), offset),
			Hint:  "look at the drive's error log and the kernel log",
			Err:   errors.Join(ErrManyErrors, err),
		})
	}
}

// isGone reports whether a failure of e means that there is no device any more.
func isGone(e Engine, err error) bool {
	if errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO) {
		return true
	}
	c, ok := e.(GoneChecker)
	return ok && c.Gone()
}

// goneError says that the device has left the system, as err at offset shows.
func goneError(err error, offset int64) error {
	return &Error{
		Cause: fmt.Sprintf("the drive is gone (%s at offset %d)", errorName(err), offset),
		Hint:  "look at the kernel log; check the slot, the cable and the power of the drive",
		Err:   errors.Join(ErrGone, err),
	}
}

// fail keeps the first failure and ends the run for all workers.
func (w *worker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
	w.stop.Store(true)
}

// drain waits for what is in flight, without counting it.
func (w *worker) drain() {
	for len(w.free) < len(w.requests) {
		n, err := w.engine.Reap(w.events, 1)
		if err != nil {
			w.fail(fmt.Errorf("engine: %w", err))
			return
		}
		for _, e := range w.events[:n] {
			w.free = append(w.free, e.Buffer)
		}
		if n > 0 {
			w.completed.Store(int64(w.clock.now()))
		}
	}
}

// offer publishes the totals if nobody is reading the last ones.
func (w *worker) offer(now time.Duration) {
	if !w.mu.TryLock() {
		return
	}
	w.published = w.tally
	w.mu.Unlock()
	w.publish = now + publishEvery
}

// flush publishes the totals.
func (w *worker) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.published = w.tally
}

// collect adds the published totals to t if they are of the same part.
func (w *worker) collect(t *tally) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.published.measuring && !t.measuring {
		*t = tally{measuring: true}
	}
	if w.published.measuring == t.measuring {
		t.merge(&w.published)
	}
}
