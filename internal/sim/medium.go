package sim

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// medium is the data of the drive with the time that it takes to get at them.
type medium struct {
	store    *store
	timing   timing
	activity *activity
	closed   <-chan struct{}
	epoch    time.Time
	// number counts accesses; busy is until when the transfer is occupied,
	// nanoseconds from epoch.
	number atomic.Uint64
	busy   atomic.Int64
}

func newMedium(size int64, t timing, a *activity, closed <-chan struct{}) *medium {
	return &medium{store: newStore(size, t.seed), timing: t, activity: a, closed: closed, epoch: time.Now()}
}

func (m *medium) read(ctx context.Context, p []byte, off int64) error {
	end := m.begin(m.timing.read, len(p))
	m.store.readAt(p, off)
	return m.wait(ctx, end)
}

// write keeps the data at once and then takes its time. With an error nothing
// was kept, or the wait ended early.
func (m *medium) write(ctx context.Context, p []byte, off int64) error {
	end := m.begin(m.timing.write, len(p))
	if err := m.store.writeAt(p, off); err != nil {
		return err
	}
	return m.wait(ctx, end)
}

// begin starts an access and returns when it will end, from epoch.
func (m *medium) begin(median time.Duration, bytes int) time.Duration {
	now := int64(time.Since(m.epoch))
	access := m.timing.access(median, m.number.Add(1), bytes)
	for {
		busy := m.busy.Load()
		end, until := m.timing.schedule(now, busy, int64(access), bytes)
		if m.busy.CompareAndSwap(busy, until) {
			m.activity.busy.Add(end - now)
			return time.Duration(end)
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
	if rest := end - time.Since(m.epoch); rest > spinTime {
		if err := m.sleep(ctx, rest-spinTime); err != nil {
			return err
		}
	}
	for rest := end - time.Since(m.epoch); rest > 0; rest = end - time.Since(m.epoch) {
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
