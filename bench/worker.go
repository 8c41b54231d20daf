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

// tellEvery is the least time between two completions that are told to the
// goroutine that looks for a silent drive.
const tellEvery = time.Millisecond

// askGoneEvery is the least time between two questions whether a device that
// gives errors is still there.
const askGoneEvery = 500 * time.Millisecond

// worker is one measuring thread. Only the fields of the last group are seen
// by other goroutines while it runs.
type worker struct {
	engine    Engine
	offsets   offsets
	mixer     mixer
	content   content
	depth     int
	requests  []Request       // one a buffer
	submitted []time.Duration // by buffer
	free      []int           // places of the queue that have nothing in flight
	waiting   []Request       // made, but not taken by the engine yet
	events    []Event
	batch     bool
	special   bool // writes, or has a rate
	pace      pace
	clock     clock
	cpu       int // -1: not pinned
	warmup    time.Duration
	duration  time.Duration // 0: no end by time
	limit     int64
	maxErrors int

	tally   *tally
	start   time.Duration // of this part
	publish time.Duration // when the totals are due next
	tell    time.Duration // when a completion must be told next
	askGone time.Duration // when the engine may be asked next whether its device is gone
	issued  int64
	streak  int // failures in a row
	err     error

	stop      *atomic.Bool
	completed atomic.Int64 // time of the last completion, or up to tellEvery before it
	mu        sync.Mutex
	published *tally
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
	if w.pace.given() {
		defer wakeExactly()()
	}
	if w.warmup > 0 {
		w.part(w.warmup, math.MaxInt64)
	}
	if w.err == nil {
		w.measure()
	}
	w.flush()
	w.drain()
	w.flush()
}

// measure does the measured part.
func (w *worker) measure() {
	w.tally.restart()
	w.tally.began = w.clock.now()
	w.flush()
	w.start = w.clock.now()
	w.issued = int64(w.depth - len(w.free)) // these end in this part
	until := time.Duration(math.MaxInt64)
	if w.duration > 0 {
		until = w.start + w.duration
	}
	before := threadUsage()
	w.part(until, w.limit)
	w.tally.usage = threadUsage().minus(before)
}

// part does the warm-up or the measured part, from w.start on.
func (w *worker) part(until time.Duration, limit int64) {
	if !w.pace.given() {
		w.loop(until, limit)
		return
	}
	w.pace.begin(w.clock.now())
	w.pacedLoop(until, limit)
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
		if len(w.free) == w.depth {
			return
		}
		n, err := w.engine.Reap(w.events, 1)
		if now := w.reaped(n, err); now >= until || w.err != nil {
			return
		}
	}
}

// reaped counts the first n events, all of them seen now, and returns the time.
//
//go:nosplit
func (w *worker) reaped(n int, err error) time.Duration {
	now := w.clock.now()
	if err != nil {
		w.fail(fmt.Errorf("engine: %w", err))
		return now
	}
	t := w.tally
	for i := range w.events[:n] {
		e := &w.events[i]
		r := &w.requests[e.Buffer]
		w.release(e.Buffer)
		if e.Err != nil || e.Bytes != len(r.Data) {
			w.failed(e, r, now)
			continue
		}
		w.streak = 0
		d := now - w.submitted[e.Buffer]
		if w.special {
			w.count(r, d, now)
		} else {
			t.latency.Add(d)
			if isBlank(r.Data) {
				t.blank++
			}
		}
		if d > t.slowest.floor {
			t.slowest.add(slowOperation{w.submitted[e.Buffer] - w.start, d, r.Offset, r.Write})
		}
	}
	if n > 0 {
		t.elapsed = now - w.start
		if now >= w.tell {
			w.alive(now)
		}
	}
	if now >= w.publish {
		w.offer(now)
	}
	return now
}

// alive tells that completions were seen. An atomic store costs as much as the
// rest of the bookkeeping, so it is not done for each of them.
//
//go:nosplit
func (w *worker) alive(now time.Duration) {
	w.completed.Store(int64(now))
	w.tell = now + tellEvery
}

// count counts an operation that took d of a job with writes or a rate.
//
//go:nosplit
func (w *worker) count(r *Request, d, now time.Duration) {
	t := w.tally
	h := &t.latency
	switch {
	case r.Write && t.writes != nil:
		h = t.writes
	case !r.Write && isBlank(r.Data):
		t.blank++
	}
	h.Add(d)
	if t.corrected != nil {
		t.corrected.Add(now - w.pace.due[r.Buffer])
	}
}

// fill submits requests while there are buffers: one by one, because a queue
// that is refilled in batches would be answered in waves, or in a batch if the
// job asks for it.
//
//go:nosplit
func (w *worker) fill(limit int64) error {
	if w.batch || len(w.waiting) > 0 {
		return w.fillBatch(limit)
	}
	for len(w.free) > 0 && w.issued < limit {
		last := len(w.free) - 1
		buffer := w.free[last]
		if w.special {
			buffer = w.choose(buffer)
		}
		w.requests[buffer].Offset = w.offsets.take()
		w.submitted[buffer] = w.clock.now()
		n, err := w.engine.Submit(w.requests[buffer : buffer+1])
		if err != nil {
			return fmt.Errorf("engine: %w", err)
		}
		w.free = w.free[:last]
		w.issued++
		if n == 0 {
			w.wait(buffer)
			return w.full()
		}
	}
	return nil
}

// fillBatch submits all that there are buffers for in one call.
//
//go:nosplit
func (w *worker) fillBatch(limit int64) error {
	for w.batch && len(w.free) > 0 && w.issued < limit {
		w.wait(w.prepare())
	}
	return w.submitWaiting()
}

// wait puts a request behind those that the engine has not taken. It copies by
// field, which needs no ordinary function of the runtime.
//
//go:nosplit
func (w *worker) wait(buffer int) {
	last := len(w.waiting)
	w.waiting = w.waiting[:last+1]
	to, from := &w.waiting[last], &w.requests[buffer]
	to.Offset, to.Data, to.Buffer, to.Write = from.Offset, from.Data, from.Buffer, from.Write
}

// submitWaiting gives the engine what it has not taken yet.
//
//go:nosplit
func (w *worker) submitWaiting() error {
	if len(w.waiting) == 0 {
		return nil
	}
	now := w.clock.now()
	for i := range w.waiting {
		w.submitted[w.waiting[i].Buffer] = now
	}
	n, err := w.engine.Submit(w.waiting)
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	if n < len(w.waiting) {
		return w.refused(n)
	}
	w.waiting = w.waiting[:0]
	return nil
}

// refused keeps what the engine has not taken, when it has taken n requests.
func (w *worker) refused(n int) error {
	w.waiting = w.waiting[:copy(w.waiting, w.waiting[n:])]
	return w.full()
}

// prepare makes the next request and returns its buffer.
//
//go:nosplit
func (w *worker) prepare() int {
	last := len(w.free) - 1
	buffer := w.free[last]
	w.free = w.free[:last]
	w.issued++
	if w.special {
		buffer = w.choose(buffer)
	}
	w.requests[buffer].Offset = w.offsets.take()
	return buffer
}

// choose returns the buffer of the next request, which may be a write, for a
// place of the queue.
//
//go:nosplit
func (w *worker) choose(place int) int {
	buffer := place
	if w.mixer.mixes && w.mixer.write() {
		buffer += w.depth
	}
	if r := &w.requests[buffer]; r.Write {
		w.content.stamp(r.Data)
	}
	return buffer
}

// full reports an engine that takes nothing although it has nothing to do.
func (w *worker) full() error {
	if w.idle() {
		return errors.New("engine: takes no request")
	}
	return nil
}

// release makes the place of a buffer free again.
//
//go:nosplit
func (w *worker) release(buffer int) {
	if buffer >= w.depth {
		buffer -= w.depth
	}
	w.free = append(w.free, buffer)
}

// isBlank reports whether b, of 8 bytes at least, holds only zeros. It looks
// at one word of a block that holds data.
//
//go:nosplit
func isBlank(b []byte) bool {
	return binary.NativeEndian.Uint64(b) == 0 && bytes.Equal(b[8:], b[:len(b)-8])
}

// failed counts a failed request and decides whether to go on.
func (w *worker) failed(e *Event, r *Request, now time.Duration) {
	err := e.Err
	switch {
	case err != nil:
	case r.Write:
		err = io.ErrShortWrite
	default:
		err = io.ErrUnexpectedEOF
	}
	w.moved(r, e.Bytes)
	w.tally.errors.add(err, r.Offset)
	w.streak++
	tooMany := w.streak >= w.maxErrors
	switch gone := w.gone(err, now, tooMany); {
	case gone && errors.Is(err, io.ErrUnexpectedEOF):
		w.fail(&Error{
			Cause: fmt.Sprintf("the target has become shorter: nothing to read at offset %d", r.Offset),
			Hint:  "was the file cut, or the device taken away, during the run?",
			Err:   errors.Join(ErrGone, err),
		})
	case gone:
		w.fail(goneError(err, r.Offset))
	case tooMany:
		w.fail(&Error{
			Cause: fmt.Sprintf("%d errors in a row (%s at offset %d)", w.streak, errorName(err), r.Offset),
			Hint:  "look at the drive's error log and the kernel log",
			Err:   errors.Join(ErrManyErrors, err),
		})
	}
}

// gone reports whether a failure means that there is no device any more. Looking
// for the device costs more than a failure does, so that is not done for each of
// many, unless the run would end for it.
func (w *worker) gone(err error, now time.Duration, last bool) bool {
	if isAway(err) {
		return true
	}
	if now < w.askGone && !last {
		return false
	}
	w.askGone = now + askGoneEvery
	return isGone(w.engine, err)
}

// isGone reports whether a failure of e means that there is no device any more.
func isGone(e Engine, err error) bool {
	if isAway(err) {
		return true
	}
	c, ok := e.(GoneChecker)
	return ok && c.Gone()
}

// isAway reports whether an error number says by itself that there is no device.
func isAway(err error) bool { return errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO) }

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

// moved counts the bytes of a request that is not counted as an operation.
func (w *worker) moved(r *Request, bytes int) {
	if r.Write {
		w.tally.moreWritten += int64(bytes)
	} else {
		w.tally.moreRead += int64(bytes)
	}
}

// drain waits for what is in flight. Of it only the bytes count.
func (w *worker) drain() {
	for !w.idle() {
		n, err := w.engine.Reap(w.events, 1)
		if err != nil {
			w.fail(fmt.Errorf("engine: %w", err))
			return
		}
		for _, e := range w.events[:n] {
			w.release(e.Buffer)
			w.moved(&w.requests[e.Buffer], e.Bytes)
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
	w.published.set(w.tally)
	w.mu.Unlock()
	w.publish = now + publishEvery
}

// flush publishes the totals.
func (w *worker) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.published.set(w.tally)
}

// collect adds the published totals to t if they are of the same part.
func (w *worker) collect(t *tally) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.published.measuring && !t.measuring {
		t.empty()
		t.measuring = true
	}
	if w.published.measuring == t.measuring {
		t.merge(w.published)
	}
}
