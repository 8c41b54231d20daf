package bench

import (
	"time"

	"qd1.example/qd1/internal/rawio"
)

// clock measures from the start of a run.
//
// The Go scheduler asks a goroutine that has run for 10 ms to give way, which
// takes some 30 µs for a locked thread and happens at the next call of an
// ordinary function. The request comes while the thread waits for the drive, so
// an ordinary reading of the clock after that would put the 30 µs into the
// latency. Therefore the clock is bare, and the functions between a completion
// and its time stamp, and in the loop as a whole, are marked nosplit: they do
// not look at the request.
type clock struct {
	base    time.Time
	origin  int64
	virtual bool
}

// startClock starts a clock. A virtual one follows testing/synctest.
func startClock(base time.Time, virtual bool) clock {
	return clock{base, rawio.Nanotime() - int64(time.Since(base)), virtual}
}

// now returns the time since the start.
//
//go:nosplit
func (c *clock) now() time.Duration {
	if c.virtual {
		return time.Since(c.base)
	}
	return time.Duration(rawio.Nanotime() - c.origin)
}

// sleep lets d pass, or less.
//
//go:nosplit
func (c *clock) sleep(d time.Duration) {
	if c.virtual {
		time.Sleep(d)
		return
	}
	rawio.Nanosleep(d)
}

// spin returns d, or 0 for a virtual clock, which stands still while a thread is
// busy.
//
//go:nosplit
func (c *clock) spin(d time.Duration) time.Duration {
	if c.virtual {
		return 0
	}
	return d
}
