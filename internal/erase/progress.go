package erase

import (
	"context"
	"fmt"
	"math"
	"time"

	"qd1.example/qd1/nvme"
)

const (
	// tick is the time between two looks at the clock, pollEvery that between
	// two questions to the drive.
	tick      = time.Second
	pollEvery = 5 * time.Second
	// shortestStall is how long nothing may move before that is told.
	shortestStall = 10 * time.Minute
	// mostEvents bounds what a record keeps.
	mostEvents = 500
)

// reading is what the drive said about its progress; a negative percent is no
// figure.
type reading struct {
	percent float64
	err     error
}

// progress follows one phase.
type progress struct {
	r     *run
	nsid  nvme.NSID
	start time.Time
	// asks says that the drive is asked, busy that a question is under way,
	// asked when the last one was.
	asks, busy bool
	asked      time.Time
	readings   chan reading
	// percent is what the drive said last, negative for nothing; moved is when
	// that changed, stalled whether that was told.
	percent float64
	moved   time.Time
	stalled bool
}

// newProgress follows a command. The drive is asked only where it reports its
// progress, and never with a shorter time-out than that of the command: a
// question whose time-out passes makes the kernel reset the controller.
func (r *run) newProgress(start time.Time, i int) *progress {
	p := &progress{r: r, start: start, moved: start, asked: start, percent: -1, readings: make(chan reading, 1)}
	p.asks = r.Poll != nil && r.Method.Progress && r.rec.Technique.Formats()
	if p.nsid = r.Method.Commands[i].NSID; p.nsid == nvme.BroadcastNSID && len(r.Method.Targets) > 0 {
		p.nsid = r.Method.Targets[0]
	}
	return p
}

// tick asks the drive if it is time for that, and tells how far it is.
func (p *progress) tick(ctx context.Context) {
	now := p.r.now()
	if p.asks && !p.busy && now.Sub(p.asked) >= pollEvery {
		p.busy, p.asked = true, now
		go p.ask(ctx, p.r.Method.Timeout)
	}
	p.checkStall(now)
	p.tell()
}

func (p *progress) ask(ctx context.Context, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	n, err := nvme.NewController(p.r.Poll).IdentifyNamespace(ctx, p.nsid)
	if err != nil {
		p.readings <- reading{err: err}
		return
	}
	percent := -1.0
	if remaining, reported := n.FormatProgress(); reported && remaining > 0 {
		percent = float64(100 - min(remaining, 100))
	}
	p.readings <- reading{percent: percent}
}

// take notes what the drive said. After an error it is not asked again.
func (p *progress) take(got reading) {
	p.busy = false
	if got.err != nil {
		p.asks = false
		p.r.warn("the drive does not tell how far it is, and is not asked again: %v", got.err)
		return
	}
	p.update(got.percent)
}

// update notes a figure of the drive and keeps it in the record if it is new.
func (p *progress) update(percent float64) {
	if percent < 0 || percent == p.percent {
		return
	}
	p.percent, p.moved, p.stalled = percent, p.r.now(), false
	p.r.keep(p.event())
}

// tell tells how far the drive is.
func (p *progress) tell() { p.r.observe(p.event()) }

// event is the progress now: by the drive, or else by the estimate.
func (p *progress) event() Event {
	elapsed := p.r.since(p.start)
	e := Event{Time: p.r.now().UTC(), Kind: ProgressEvent, Phase: PhaseErase, Elapsed: elapsed}
	switch high := p.r.Method.Estimate.High.Seconds(); {
	case p.percent >= 0:
		percent := p.percent
		e.Percent, e.Text = &percent, fmt.Sprintf("%.0f %% done, the drive says", percent)
		if percent >= 1 {
			left := elapsed * (100 - percent) / percent
			e.Remaining = &left
		}
	case high > 0:
		percent, left := math.Min(99, 100*elapsed/high), math.Max(0, high-elapsed)
		e.Percent, e.Remaining, e.Estimated = &percent, &left, true
		e.Text = "working; this drive reports no progress, the figure is an estimate"
	default:
		e.Text = "working; this drive reports no progress"
	}
	return e
}

// checkStall tells once if nothing has moved for long.
func (p *progress) checkStall(now time.Time) {
	limit := max(shortestStall, 5*p.r.Method.Estimate.High)
	if p.percent < 0 || p.stalled || now.Sub(p.moved) < limit {
		return
	}
	p.stalled = true
	p.r.warn("the drive has stood at %.1f %% for %v: some drives stay at one figure for hours or days and end well; "+
		"it is waited for. A sanitize operation goes on by itself after a reset and a power cycle, a format does not",
		p.percent, now.Sub(p.moved).Round(time.Second))
}

// counted tells how far the host is with something that it does itself.
func (r *run) counted(phase Phase) func(done, total int64) {
	start := r.now()
	return func(done, total int64) {
		e := Event{Time: r.now().UTC(), Kind: ProgressEvent, Phase: phase, Elapsed: r.since(start)}
		if total > 0 {
			percent := 100 * float64(done) / float64(total)
			e.Percent = &percent
			if done > 0 {
				left := e.Elapsed * float64(total-done) / float64(done)
				e.Remaining = &left
			}
		}
		r.observe(e)
	}
}

// observe tells an event.
func (r *run) observe(e Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
}

// keep puts an event into the record.
func (r *run) keep(e Event) {
	if len(r.rec.Events) < mostEvents {
		r.rec.Events = append(r.rec.Events, e)
	}
}

// emit tells an event and keeps it.
func (r *run) emit(e Event) {
	e.Time = r.now().UTC()
	r.keep(e)
	r.observe(e)
}

// warn tells what went wrong beside the erase.
func (r *run) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.rec.Warnings = append(r.rec.Warnings, text)
	r.emit(Event{Kind: WarningEvent, Text: text})
}
