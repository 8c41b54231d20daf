package bench

import (
	"context"
	"fmt"
	"time"
)

// wait returns when all workers have, when ctx has ended and they had time to
// stop, or when the drive has been silent for too long.
func (r *runner) wait(ctx context.Context) error {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	ended := ctx.Done()
	var interrupted error
	var stopBy time.Duration
	for ticks := 1; ; ticks++ {
		select {
		case <-r.done:
			return interrupted
		case <-ended:
			ended = nil
			interrupted = fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
			stopBy = time.Since(r.base) + lateGrace
			r.stop.Store(true)
		case <-ticker.C:
		}
		now := time.Since(r.base)
		if interrupted != nil && now >= stopBy {
			return interrupted
		}
		if err := r.stall(now); err != nil && interrupted == nil {
			r.stop.Store(true)
			return err
		}
		if ticks%int(time.Second/tickEvery) == 0 {
			r.report(now)
		}
	}
}

// silence returns the time since any worker saw a completion.
func (r *runner) silence(now time.Duration) time.Duration {
	var last time.Duration
	for _, w := range r.workers {
		last = max(last, time.Duration(w.completed.Load()))
	}
	return max(now-last, 0)
}

// stall reports a drive that has been silent for the stall limit, or that is
// silent when a timed job should have ended.
func (r *runner) stall(now time.Duration) error {
	silent := r.silence(now)
	late := r.job.timed() && now >= r.job.planned()+lateGrace && silent >= lateGrace
	if silent >= r.job.stallLimit() || late {
		return stalled(silent)
	}
	return nil
}

// report tells the observer.
func (r *runner) report(now time.Duration) {
	if r.observe == nil {
		return
	}
	r.observe(r.reporter.progress(r.totals(), now, r.silence(now)))
}

// totals merges what the workers have published. They are valid until the next
// call.
func (r *runner) totals() *tally {
	r.sum.empty()
	for _, w := range r.workers {
		w.collect(r.sum)
	}
	return r.sum
}
