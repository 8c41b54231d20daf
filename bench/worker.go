package bench

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// publishEvery is how far the published totals may lag behind.
const publishEvery = 100 * time.Millisecond

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
	device    bool // the target is a block device
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

// fail keeps the first failure and ends the run for all workers.
func (w *worker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
	w.stop.Store(true)
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
