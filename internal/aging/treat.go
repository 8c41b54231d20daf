package aging

import (
	"context"
	"fmt"
	"time"

	"qd1.example/qd1/bench"
)

// treat does the next part of the treatment: a probe, a slice, or its end.
func (r *run) treat(ctx context.Context) error {
	switch {
	case r.acc.probeDue():
		return r.probe(ctx)
	case r.acc.treatmentOver():
		return r.enter(Settling, note{})
	case len(r.plan.Loads) == 0:
		return r.idle(ctx, r.length())
	}
	return r.slice(ctx, r.length())
}

// length is how long the next slice is, in seconds: up to the next probe or the
// end.
func (r *run) length() float64 {
	left := r.plan.TreatmentSeconds - r.acc.treated
	if n := len(r.acc.probes) + 1; n <= r.plan.Probes {
		left = min(left, float64(n)*r.plan.ProbeSeconds-r.acc.treated)
	}
	return min(left, r.plan.SliceSeconds)
}

// idleTick is how often an idle treatment tells that it is alive.
const idleTick = 10 * time.Second

// idle leaves the drive alone for so many seconds.
func (r *run) idle(ctx context.Context, seconds float64) error {
	began, left := r.now(), duration(seconds)
	for left > 0 {
		r.tell("the drive is left alone", nil)
		tick := min(left, idleTick)
		start := r.now()
		if err := r.sleep(ctx, tick); err != nil {
			left -= min(max(r.now().Sub(start), 0), tick)
			s := seconds - left.Seconds()
			return orElse(r.enter(Treating, note{Treated: r.acc.treated + s, Slice: &Slice{Seconds: s}}), err)
		}
		left -= tick
	}
	gap := r.gap(began, seconds)
	if err := r.enter(Treating, note{Treated: r.acc.treated + seconds, Slice: &Slice{Seconds: seconds}}); err != nil {
		return err
	}
	return r.noteGap(gap)
}

// orElse is the first error that there is.
func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// slice puts the load on the drive for so many seconds.
func (r *run) slice(ctx context.Context, seconds float64) error {
	j := r.load(seconds)
	reserve := r.plan.allowance(&j, seconds)
	if stop := r.overBudget(reserve); stop != nil {
		return r.stop(stop)
	}
	if reserve > 0 {
		if err := r.enter(Treating, note{Reserved: reserve}); err != nil {
			return err
		}
	}
	began := r.now()
	res, err := r.measure(ctx, j, "treatment")
	s := sliceOf(res, seconds, reserve, err == nil, ctx.Err() != nil)
	r.reach("slice")
	var seen error
	var gap *Interruption
	if err == nil {
		seen = r.look(ctx)
		s.Celsius, s.Throttles = r.celsius(), r.throttles()
		gap = r.gap(began, seconds)
	}
	n := note{Treated: r.acc.treated + s.Seconds, Written: r.acc.written + s.WrittenBytes, Slice: s}
	if err := r.enter(Treating, n); err != nil {
		return err
	}
	if err != nil {
		return r.failed(ctx, err)
	}
	return orElse(seen, r.noteGap(gap))
}

// load is the job of the next slice. A sequential one goes on where the last
// one ended, as nearly as the rate tells.
func (r *run) load(seconds float64) bench.Job {
	turn := int(r.acc.treated / r.plan.SliceSeconds)
	j := r.plan.Loads[turn%len(r.plan.Loads)]
	j.Duration = duration(seconds)
	j.Seed = r.plan.QD1.Seed + loadSeed + uint64(turn)
	if j.Pattern != bench.Sequential {
		return j
	}
	block := int64(j.BlockBytes)
	span := r.plan.Target.Target.Bytes
	if j.Span > 0 {
		span = min(span, j.Span)
	}
	done := int64(r.acc.treated*j.Rate) / int64(len(r.plan.Loads))
	if blocks := span / block; blocks > 0 {
		j.Start = done % blocks * block
	}
	j.Span = span - j.Start
	if j.Span < int64(j.Rate*seconds)*block { // Too little is left of it.
		j.Start, j.Span = 0, span
	}
	return j
}

// sliceOf says what a slice did. What it wrote is what was reserved, where
// nobody knows better.
func sliceOf(res *bench.Result, seconds float64, reserve int64, whole, cancelled bool) *Slice {
	s := &Slice{WrittenBytes: reserve}
	if whole {
		s.Seconds = seconds
	}
	if res == nil {
		return s
	}
	if !whole {
		s.Seconds = min(max(res.Seconds, 0), seconds)
	}
	s.ReadBytes = res.BytesRead
	s.WrittenBytes = res.BytesWritten
	if !whole && !cancelled {
		s.WrittenBytes = max(reserve, res.BytesWritten)
	}
	return s
}

// overBudget returns the stop for a slice that may write more than is left of
// the budget, nil if there is enough.
func (r *run) overBudget(reserve int64) *Stop {
	budget := r.plan.Limits.BudgetBytes
	if reserve == 0 || budget == nil || r.acc.written+reserve <= *budget {
		return nil
	}
	return &Stop{
		Reason: WearBudget, Ends: EndsTreatment,
		Text: fmt.Sprintf("%d of %d bytes may be written, and the next slice may take %d", *budget-r.acc.written, *budget, reserve),
	}
}
