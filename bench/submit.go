package bench

import (
	"errors"
	"fmt"
)

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

// refused keeps what the engine has not taken, when it has taken n requests. It
// moves pointers, for which the runtime needs more stack than there is for it in
// functions that are marked nosplit.
//
//go:noinline
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
