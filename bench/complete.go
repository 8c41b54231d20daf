package bench

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// tellEvery is the least time between two completions that are told to the
// goroutine that looks for a silent drive.
const tellEvery = time.Millisecond

// askGoneEvery is the least time between two questions whether a device that
// gives errors is still there.
const askGoneEvery = 500 * time.Millisecond

// leaveTime is how long a device may still seem to be there after its requests
// have begun to fail.
const leaveTime = time.Second

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
	case gone && errors.Is(err, io.ErrUnexpectedEOF) && !w.device:
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
// many. Where the run would end for the failure it is asked again for a while,
// since requests fail before the kernel has taken a device away.
func (w *worker) gone(err error, now time.Duration, last bool) bool {
	if isAway(err) {
		return true
	}
	if now < w.askGone && !last {
		return false
	}
	w.askGone = now + askGoneEvery
	gone := isGone(w.engine, err)
	if _, asks := w.engine.(GoneChecker); !asks {
		return gone
	}
	for waited := time.Duration(0); last && !gone && waited < leaveTime; waited += leaveTime / 20 {
		time.Sleep(leaveTime / 20)
		gone = isGone(w.engine, err)
	}
	return gone
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

// moved counts the bytes of a request that is not counted as an operation.
func (w *worker) moved(r *Request, bytes int) {
	if r.Write {
		w.tally.moreWritten += int64(bytes)
	} else {
		w.tally.moreRead += int64(bytes)
	}
}
