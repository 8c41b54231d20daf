package selftest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/nvme"
)

// End is how the following of a test ended.
type End string

// The ends. After all but Ended the drive may still be testing itself.
const (
	// Ended: the test is over, and the log has its result.
	Ended End = "ended"
	// Lost: the test is over, and the log has no result of it.
	Lost End = "lost"
	// Stuck: the progress has stood still for too long.
	Stuck End = "stuck"
	// Silent: the log could not be read any more.
	Silent End = "silent"
	// Left: the context has ended.
	Left End = "left"
)

// Followed is what was seen of a test.
type Followed struct {
	End End `json:"end"`
	// Text says it in words.
	Text string `json:"text"`
	// Result is nil unless the test has ended with one.
	Result *Entry `json:"result"`
	// Percent is the progress that was seen last.
	Percent uint8 `json:"percent"`
	// Seconds is how long it was followed, StillSeconds how long the progress had
	// not moved at the end of that.
	Seconds      float64 `json:"seconds"`
	StillSeconds float64 `json:"still_seconds"`
	// Unread is how often the log could not be read on the way, as in a reset.
	Unread int `json:"unread"`
}

// Event is the progress of a test.
type Event struct {
	Percent uint8
	// Elapsed is the time since the start, Left what is left by the estimate or
	// the progress. -1: nothing can be said.
	Elapsed, Left time.Duration
	// Err is why the log could not be read now, nil if it was.
	Err error
}

// Follower follows a test by the log of the drive.
type Follower struct {
	Kind Kind
	// Before is the log as it was before the test was started.
	Before *nvme.SelfTestLog
	// Estimate is how long the test takes, 0 if nobody says.
	Estimate time.Duration
	// StandStill is how long the progress may stand still. 0: see [StandStill].
	StandStill time.Duration
	// Read reads the log.
	Read func(ctx context.Context) (*nvme.SelfTestLog, error)
	// Now is the time, Sleep waits unless the context ends.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Observe gets the progress. It may be nil.
	Observe func(Event)
}

// Times of a follower.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 5 * time.Second
	// stillTimes is the multiple of the estimate that the progress may stand
	// still, and leastStill the least time of it: drives count in steps of ten
	// percent, and rest while others use them.
	stillTimes = 3
	leastStill = 10 * time.Minute
	// silentFor is how long the log may not be readable: a drive that was reset
	// or has lost its power is back before.
	silentFor = 2 * time.Minute
	// settleFor is how long a result may come after the test has ended, or a
	// test after the answer to its command.
	settleFor = 3 * time.Second
)

// StandStill is how long the progress of a test may stand still: three times the
// estimate, at least 10 minutes.
func StandStill(estimate time.Duration) time.Duration {
	return max(stillTimes*estimate, leastStill)
}

// following is one call of Follow.
type following struct {
	*Follower
	start, moved, heard, over time.Time
	seen                      bool // the test was seen in the log
	percent                   uint8
	unread                    int
}

// Follow follows a test until it has ended, or until nothing can be said any more.
// The drive is left alone in any case.
func (f *Follower) Follow(ctx context.Context) *Followed {
	now := f.Now()
	w := &following{Follower: f, start: now, moved: now, heard: now}
	for pause := firstPause; ; pause = min(pause*3/2, lastPause) {
		if done := w.look(ctx); done != nil {
			return done
		}
		if err := f.Sleep(ctx, pause); err != nil {
			return w.end(Left, "not followed any more: the test goes on in the drive", nil)
		}
	}
}

// look reads the log once. It returns nil while the test goes on.
func (w *following) look(ctx context.Context) *Followed {
	log, err := w.Read(ctx)
	if ctx.Err() != nil {
		return w.end(Left, "not followed any more: the test goes on in the drive", nil)
	}
	if err != nil {
		return w.unreadable(err)
	}
	w.heard = w.Now()
	r := runningOf(log)
	if r == nil {
		return w.idle(log)
	}
	w.over = time.Time{}
	return w.running(r)
}

// unreadable notes that the log cannot be read now.
func (w *following) unreadable(err error) *Followed {
	w.unread++
	w.observe(err)
	if quiet := w.Now().Sub(w.heard); quiet >= silentFor {
		return w.end(Silent, fmt.Sprintf("the log could not be read for %s: %v", words(quiet), err), nil)
	}
	return nil
}

// running notes the progress.
func (w *following) running(r *Running) *Followed {
	if !w.seen || r.Percent != w.percent {
		w.moved = w.heard
	}
	w.seen, w.percent = true, r.Percent
	w.observe(nil)
	limit := w.StandStill
	if limit == 0 {
		limit = StandStill(w.Estimate)
	}
	if still := w.heard.Sub(w.moved); still >= limit {
		return w.end(Stuck, fmt.Sprintf("the progress has stood still at %d %% for %s%s: the drive is left alone, and may never end this test",
			r.Percent, words(still), w.against()), nil)
	}
	return nil
}

// against is the estimate, for a sentence.
func (w *following) against() string {
	if w.Estimate == 0 {
		return ""
	}
	return fmt.Sprintf(", where the whole test should take %s", words(w.Estimate))
}

// idle looks for the result when no test is running. It gets a while: the log of
// some drives comes late, and so does the progress of a test that has just begun.
func (w *following) idle(log *nvme.SelfTestLog) *Followed {
	if r := newResult(w.Before, log, w.Kind, w.seen && w.unread == 0); r != nil {
		return w.end(Ended, "the test has ended", Decode(r))
	}
	if w.over.IsZero() {
		w.over = w.heard
	}
	if w.heard.Sub(w.over) < settleFor {
		return nil
	}
	text := "no test is running, and the log has no result of it"
	if w.unread > 0 {
		text += ": the drive was not to be reached in between, as in a reset or a loss of power"
	}
	return w.end(Lost, text, nil)
}

// newResult returns the result that came into the log after before, nil if there
// is none. Two tests of one hour can have equal results: then the number of
// results tells, or that all have moved by one. In a full log of equal results
// that says something only if the test was seen to run and to end, which makes it
// sure.
func newResult(before, after *nvme.SelfTestLog, k Kind, sure bool) *nvme.SelfTestResult {
	r := &after.Results[0]
	if r.Result() == nvme.SelfTestUnused || Kind(r.Code()) != k {
		return nil
	}
	if *r != before.Results[0] || used(after) > used(before) || sure && moved(before, after) {
		return r
	}
	return nil
}

// used is the number of results of a log.
func used(l *nvme.SelfTestLog) int {
	n := 0
	for i := range l.Results {
		if l.Results[i].Result() != nvme.SelfTestUnused {
			n++
		}
	}
	return n
}

// moved reports whether a full log has one result more, and has lost its oldest.
func moved(before, after *nvme.SelfTestLog) bool {
	last := len(after.Results) - 1
	if used(before) <= last {
		return false
	}
	for i := range last {
		if after.Results[i+1] != before.Results[i] {
			return false
		}
	}
	return true
}

// observe tells of the progress.
func (w *following) observe(err error) {
	if w.Observe == nil {
		return
	}
	e := Event{Percent: w.percent, Elapsed: w.Now().Sub(w.start), Left: -1, Err: err}
	switch {
	case w.percent > 0 && w.percent < 100:
		e.Left = e.Elapsed * time.Duration(100-w.percent) / time.Duration(w.percent)
	case w.Estimate > e.Elapsed:
		e.Left = w.Estimate - e.Elapsed
	}
	w.Observe(e)
}

// end makes the result.
func (w *following) end(how End, text string, r *Entry) *Followed {
	now := w.Now()
	return &Followed{
		End: how, Text: text, Result: r, Percent: w.percent, Unread: w.unread,
		Seconds: now.Sub(w.start).Seconds(), StillSeconds: now.Sub(w.moved).Seconds(),
	}
}

// words is a time for people.
func words(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// SleepFor waits in real time, for [Follower].
func SleepFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), context.Cause(ctx))
	case <-t.C:
		return nil
	}
}
