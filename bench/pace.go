package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxPause is the longest that a thread sleeps at a time, so that it notices
	// the end of the run and shows that it is alive.
	maxPause = 50 * time.Millisecond
	// spinBefore is how long before an operation is due the thread stops
	// sleeping: it wakes up late by some 10 µs.
	spinBefore = 50 * time.Microsecond
	// pollBefore is how long before the next operation may start completions are
	// asked for without waiting: a wait for one may take as long.
	pollBefore = uringPatience
)

// pace says when a worker may start operations that do not follow each other as
// fast as the queue depth allows. The zero value says always.
type pace struct {
	next     time.Duration // when the next operation may start
	due      []time.Duration
	think    time.Duration
	interval float64 // between the operations of this worker in ns, 0: no rate
	offset   float64 // of the first one from the start of the part
	begun    time.Duration
	count    float64
}

// newPace returns the pace of one worker: every Workers-th operation of a rate
// is its own.
func newPace(j Job, worker int) pace {
	p := pace{think: j.ThinkTime}
	if j.Rate > 0 {
		p.due = make([]time.Duration, j.buffers())
		p.interval = float64(j.Workers) * 1e9 / j.Rate
		p.offset = float64(worker) * 1e9 / j.Rate
	}
	return p
}

// given reports whether the job gives a pace.
func (p *pace) given() bool { return p.interval > 0 || p.think > 0 }

// spin returns how long before the next start the thread stays awake.
func (p *pace) spin() time.Duration {
	if p.think > 0 {
		return 0
	}
	return spinBefore
}

// begin starts a part of the run.
func (p *pace) begin(now time.Duration) {
	if p.interval > 0 {
		p.begun, p.count = now, 0
		p.next = now + time.Duration(p.offset)
	}
}

// started notes that the operation with the given buffer starts. What is due
// does not depend on when it did.
//
//go:nosplit
func (p *pace) started(buffer int) {
	if p.interval > 0 {
		p.due[buffer] = p.next
		p.count++
		p.next = p.begun + time.Duration(p.offset+p.count*p.interval)
	}
}

// ended notes that operations ended.
//
//go:nosplit
func (p *pace) ended(now time.Duration) {
	if p.think > 0 {
		p.next = now + p.think
	}
}

// pacedLoop does what loop does, at the pace of the job. While it has to wait, it
// looks for completions if there can be any, and sleeps if not.
//
//go:nosplit
func (w *worker) pacedLoop(until time.Duration, limit int64) {
	for !w.stop.Load() {
		now := w.clock.now()
		if now >= until || w.err != nil {
			return
		}
		if err := w.fillDue(now, limit); err != nil {
			w.fail(err)
			return
		}
		if !w.idle() {
			n, err := w.engine.Reap(w.events, w.least(now, limit))
			if now = w.reaped(n, err); n > 0 {
				w.pace.ended(now)
			}
			continue
		}
		if w.issued >= limit {
			return
		}
		w.pause(until)
	}
}

// idle reports whether nothing is in flight.
//
//go:nosplit
func (w *worker) idle() bool { return len(w.free)+len(w.waiting) == w.depth }

// least returns how many completions to wait for: none if an operation may start
// soon. A worker that thinks waits for all that is in flight.
//
//go:nosplit
func (w *worker) least(now time.Duration, limit int64) int {
	if w.pace.think == 0 && len(w.free) > 0 && w.issued < limit && w.pace.next-now < pollBefore {
		return 0
	}
	return 1
}

// fillDue submits what may start and has a place in the queue.
//
//go:nosplit
func (w *worker) fillDue(now time.Duration, limit int64) error {
	if err := w.submitWaiting(); err != nil || len(w.waiting) > 0 {
		return err
	}
	if w.pace.think > 0 && !w.idle() {
		return nil
	}
	for len(w.free) > 0 && w.issued < limit && w.pace.next <= now {
		buffer := w.prepare()
		w.pace.started(buffer)
		w.wait(buffer)
		if w.batch {
			continue
		}
		if err := w.submitWaiting(); err != nil || len(w.waiting) > 0 {
			return err
		}
	}
	return w.submitWaiting()
}

// pause sleeps until an operation may start or the part ends, but not longer
// than maxPause. It returns early, without having slept, shortly before an
// operation is due. Nothing is in flight.
//
//go:nosplit
func (w *worker) pause(until time.Duration) {
	now := w.clock.now()
	if left := min(w.pace.next, until) - now - w.clock.spin(w.pace.spin()); left > 0 {
		w.clock.sleep(min(left, maxPause))
		now = w.clock.now()
	}
	w.tally.elapsed = min(now, until) - w.start
	w.completed.Store(int64(now))
	if now >= w.publish {
		w.offer(now)
	}
}

// wakeExactly lets the kernel wake the calling thread at the time asked for, not
// up to 50 µs later, and returns how to undo it.
func wakeExactly() (restore func()) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) }
}
