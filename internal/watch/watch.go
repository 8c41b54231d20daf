package watch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Plan is how often the drives are read.
type Plan struct {
	// Every is the time from one look to the next.
	Every time.Duration
	// Count is the number of looks, 0 for no end.
	Count int
	// Timeout bounds one look at a drive.
	Timeout time.Duration
}

// mostPatience is how long the rows of others wait for a drive that is slow.
const mostPatience = 2 * time.Second

// patience is at most half of the time to the next look.
func (p *Plan) patience() time.Duration { return min(p.Every/2, mostPatience) }

// Run looks at the drives until ctx ends or the plan is done. show gets the
// rows of each look in the order of the drives; its error ends it. The
// summaries are there in any case.
func Run(ctx context.Context, p Plan, drives []Drive, show func([]Row) error) ([]Summary, error) {
	var slots []*slot
	for _, d := range drives {
		slots = append(slots, &slot{drive: d, done: make(chan outcome, 1), tracker: newTracker(d.Who)})
	}
	err := run(ctx, p, slots, show)
	var list []Summary
	for _, s := range slots {
		s.end()
		list = append(list, s.tracker.summary())
	}
	return list, err
}

func run(ctx context.Context, p Plan, slots []*slot, show func([]Row) error) error {
	start := time.Now()
	for n := 0; p.Count == 0 || n < p.Count; n++ {
		rows, ok := look(ctx, p, slots)
		if !ok {
			return nil // What is missing was stopped, and failed not.
		}
		if err := show(rows); err != nil {
			return err
		}
		if n+1 == p.Count {
			return nil
		}
		start = next(start, time.Now(), p.Every)
		if !sleep(ctx, time.Until(start)) {
			return nil
		}
	}
	return nil
}

// next is the first of the times of the plan that is still to come, so that a
// slow look shifts none of the others.
func next(planned, now time.Time, every time.Duration) time.Time {
	planned = planned.Add(every)
	if late := now.Sub(planned); late > 0 {
		planned = planned.Add(late.Truncate(every) + every)
	}
	return planned
}

// sleep reports whether the time passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// look makes a row of each drive. ok is false if ctx ended before.
func look(ctx context.Context, p Plan, slots []*slot) (rows []Row, ok bool) {
	for _, s := range slots {
		s.start(ctx, p.Timeout)
	}
	patience := time.NewTimer(p.patience())
	defer patience.Stop()
	over := false
	for _, s := range slots {
		row, waits := s.row(ctx, patience.C, over)
		if ctx.Err() != nil {
			return nil, false
		}
		over = over || waits
		rows = append(rows, row)
	}
	return rows, true
}

// outcome is what became of one look at a drive.
type outcome struct {
	reading *Reading
	who     *Who
	session Session
	err     error
}

// slot is one drive with its open session. Only one look at a time is under
// way: a drive that hangs is not asked more.
type slot struct {
	drive   Drive
	session Session
	done    chan outcome
	busy    bool
	since   time.Time
	tracker *tracker
}

// start begins a look unless one is under way.
func (s *slot) start(ctx context.Context, timeout time.Duration) {
	if s.busy {
		select {
		case o := <-s.done: // It came between two looks, and is too old for a row.
			s.take(o)
		default:
			return
		}
	}
	s.busy, s.since = true, time.Now()
	session := s.session
	go func() {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		s.done <- s.drive.read(limited, session)
	}()
}

// read looks at the drive, which it opens if it is not.
func (d *Drive) read(ctx context.Context, session Session) outcome {
	o := outcome{session: session}
	if o.session == nil {
		opened, who, err := d.Open()
		if err != nil {
			o.err = err
			return o
		}
		o.session, o.who = opened, &who
	}
	o.reading, o.err = o.session.Read(ctx)
	return o
}

// take notes who the drive is, and lets go of a drive that failed otherwise
// than by silence: it may come back under another name.
func (s *slot) take(o outcome) {
	s.busy, s.session = false, o.session
	if o.who != nil {
		s.tracker.who = *o.who
	}
	if o.err != nil && s.session != nil && !errors.Is(o.err, context.DeadlineExceeded) {
		s.session.Close()
		s.session = nil
	}
}

// row waits for the look that is under way. waits says that the patience is at
// its end; over that it was before.
func (s *slot) row(ctx context.Context, patience <-chan time.Time, over bool) (row Row, waits bool) {
	if over {
		select {
		case o := <-s.done:
			return s.result(o), true
		default:
			return s.silent(), true
		}
	}
	select {
	case o := <-s.done:
		return s.result(o), false
	case <-ctx.Done():
		return Row{}, false
	case <-patience:
		return s.silent(), true
	}
}

func (s *slot) result(o outcome) Row {
	s.take(o)
	switch {
	case errors.Is(o.err, context.DeadlineExceeded):
		return s.silent()
	case o.err != nil:
		return s.tracker.failed(time.Now(), o.err.Error())
	}
	return s.tracker.row(o.reading)
}

// silent is the row of a drive that has not answered yet.
func (s *slot) silent() Row {
	now := time.Now()
	return s.tracker.failed(now, fmt.Sprintf("no answer for %v", now.Sub(s.since).Round(100*time.Millisecond)))
}

// end closes a drive that is not asked now. One that hangs in the kernel is
// left to the end of the process.
func (s *slot) end() {
	select {
	case o := <-s.done:
		s.take(o)
	default:
	}
	if !s.busy && s.session != nil {
		s.session.Close()
	}
}
