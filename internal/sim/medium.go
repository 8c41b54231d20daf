package sim

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// medium is the time that it takes to get at the data of the drive.
type medium struct {
	timing   timing
	activity *activity
	closed   <-chan struct{}
	epoch    time.Time
	// number counts accesses; busy is until when the transfer is occupied,
	// nanoseconds from epoch.
	number atomic.Uint64
	busy   atomic.Int64
	// slow is how many times longer everything takes while the drive is too
	// hot, at least 1.
	slow atomic.Int64
	// slc makes writes slower while it is full.
	slc slcState
	// tick, unless it is nil, is called by accesses every tickTime.
	tick     func()
	lastTick atomic.Int64
}

// tickTime is how often a drive under load looks at its temperature.
const tickTime = 50 * time.Millisecond

func newMedium(t timing, c slcCache, a *activity, closed <-chan struct{}) *medium {
	m := &medium{timing: t, slc: slcState{slcCache: c}, activity: a, closed: closed, epoch: time.Now()}
	m.slow.Store(1)
	return m
}

// elapsed returns the medium's time, from epoch.
func (m *medium) elapsed() time.Duration { return time.Since(m.epoch) }

// begin starts an access and returns when it will end, from epoch, and how long
// it takes.
func (m *medium) begin(median time.Duration, bytes int) (end, took time.Duration) {
	return m.start(m.now(), median, bytes, 1)
}

// beginWrite is begin for a write of data.
func (m *medium) beginWrite(bytes int) (end, took time.Duration) {
	now := m.now()
	return m.slc.write(now, bytes, func(slower int64) (time.Duration, time.Duration) {
		return m.start(now, m.timing.write, bytes, slower)
	})
}

// now returns the medium's time when an access begins, and lets the drive look
// at its temperature now and then.
func (m *medium) now() time.Duration {
	now := m.elapsed()
	if last := m.lastTick.Load(); m.tick != nil && int64(now)-last > int64(tickTime) && m.lastTick.CompareAndSwap(last, int64(now)) {
		m.tick()
	}
	return now
}

// start starts an access that takes slower times as long, besides what the heat
// does.
func (m *medium) start(at, median time.Duration, bytes int, slower int64) (end, took time.Duration) {
	now, slow := int64(at), m.slow.Load()*slower
	access := m.timing.access(median, m.number.Add(1), bytes) * time.Duration(slow)
	for {
		busy := m.busy.Load()
		end, until := m.timing.schedule(now, busy, int64(access), bytes*int(slow))
		if m.busy.CompareAndSwap(busy, until) {
			m.activity.busy.Add(end - now)
			return time.Duration(end), time.Duration(end - now)
		}
	}
}

// spinTime is how long before the end of a wait sleeping stops. The runtime's
// timers are late by up to a millisecond on an idle machine.
const spinTime = 2 * time.Millisecond

// yieldTime is how long before the end the wait gives way to nothing else: a
// measuring goroutine that is bound to its thread comes back late.
const yieldTime = 100 * time.Microsecond

// wait returns at the end of an access, or early when ctx ends or the drive is
// closed.
func (m *medium) wait(ctx context.Context, end time.Duration) error {
	if end == 0 {
		return nil
	}
	if rest := end - m.elapsed(); rest > spinTime {
		if err := m.sleep(ctx, rest-spinTime); err != nil {
			return err
		}
	}
	for rest := end - m.elapsed(); rest > 0; rest = end - m.elapsed() {
		if rest > yieldTime {
			runtime.Gosched()
		}
	}
	return nil
}

func (m *medium) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-m.closed:
		return errClosed
	}
}
