package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"
)

const (
	// silenceGrace is how much longer than the drive the worker may be silent.
	silenceGrace = 3 * time.Second
	// stopGrace is how long the worker has to send its result once ctx ended.
	stopGrace = 100 * time.Millisecond
)

// Converse is the parent's side of the protocol: it sends s to a worker that
// runs [Serve] and returns what it answers. observe gets the worker's progress.
//
// Like [Run] it may return a partial result together with an error. When ctx
// ends, Converse closes in if it can be closed, and returns within 100 ms
// whatever the worker does. It also returns with [ErrWorker] when the worker
// sends no line for too long, ends without a result or sends nonsense; the
// partial result is then made from the last progress, if there was any.
//
// A goroutine that reads out may remain until out is closed. The caller closes
// both ends and ends the worker, without waiting for it for ever.
func Converse(ctx context.Context, in io.Writer, out io.Reader, s Spec, observe Observer) (*Result, error) {
	if err := s.Job.Validate(); err != nil {
		return nil, err
	}
	c := &conversation{spec: s, observe: observe, lines: make(chan reply), over: make(chan struct{})}
	defer close(c.over)
	go c.send(in)
	go c.receive(out)
	return c.listen(ctx, in)
}

// conversation is one call of Converse.
type conversation struct {
	spec    Spec
	observe Observer
	lines   chan reply
	over    chan struct{} // closed when nobody listens any more
	last    *Progress
	seen    Histogram // the intervals of the measured part
}

// reply is one line of the worker, or why there is none.
type reply struct {
	message
	err error
}

// send writes the spec. A failure shows as the end of out.
func (c *conversation) send(in io.Writer) {
	if err := writeLine(in, c.spec); err != nil {
		c.deliver(reply{err: fmt.Errorf("%w: send the job: %w", ErrWorker, err)})
	}
}

// receive reads lines until the last one.
func (c *conversation) receive(out io.Reader) {
	lines := newLines(out)
	for lines.Scan() {
		m, err := decodeMessage(lines.Bytes())
		if !c.deliver(reply{m, err}) || err != nil || m.last() {
			return
		}
	}
	c.deliver(reply{err: endOfLines(lines)})
}

// endOfLines says why the lines ended before the last one.
func endOfLines(lines *bufio.Scanner) error {
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: read its answer: %w", ErrWorker, err)
	}
	return fmt.Errorf("%w: it ended without a result", ErrWorker)
}

// deliver hands r over and reports whether somebody took it.
func (c *conversation) deliver(r reply) bool {
	select {
	case c.lines <- r:
		return true
	case <-c.over:
		return false
	}
}

// listen takes lines until one ends the conversation, or time does.
func (c *conversation) listen(ctx context.Context, in io.Writer) (*Result, error) {
	patience := c.patience()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	ended := ctx.Done()
	var interrupted error
	for {
		select {
		case r := <-c.lines:
			if r.err != nil || r.last() {
				return c.conclude(r, interrupted)
			}
			c.progress(r.Progress)
			if interrupted == nil {
				timer.Reset(patience)
			}
		case <-ended:
			ended = nil
			interrupted = fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
			timer.Reset(stopGrace)
			go hangUp(in)
		case <-timer.C:
			if interrupted != nil {
				return c.partial(interrupted)
			}
			return c.partial(c.silent(patience))
		}
	}
}

// hangUp closes in, which makes the worker stop.
func hangUp(in io.Writer) {
	if c, ok := in.(io.Closer); ok {
		_ = c.Close()
	}
}

// patience returns how long the worker may send nothing. It sends progress
// every second once the engine is open, so this is for an open that hangs and
// for a process that is frozen.
func (c *conversation) patience() time.Duration {
	j := c.spec.Job
	limit := j.stallLimit()
	if j.timed() {
		limit = min(limit, j.planned())
	}
	return limit + silenceGrace
}

// silent is the error for a worker that said nothing for d.
func (c *conversation) silent(d time.Duration) error {
	return &Error{
		Cause: fmt.Sprintf("the worker did not answer for %.1f s: the drive hangs or the machine is overloaded", d.Seconds()),
		Hint:  "look at the kernel log for time-outs and resets of this drive",
		Err:   fmt.Errorf("%w: %w", ErrWorker, ErrStalled),
	}
}

// progress notes p and passes it on.
func (c *conversation) progress(p *Progress) {
	c.last = p
	if !p.WarmingUp && p.Interval != nil {
		c.seen.Merge(p.Interval)
	}
	if c.observe != nil {
		c.observe(*p)
	}
}

// conclude makes the outcome from the last line.
func (c *conversation) conclude(r reply, interrupted error) (*Result, error) {
	switch {
	case interrupted != nil && r.Result == nil:
		return c.partial(interrupted)
	case interrupted != nil:
		r.Result.end(interrupted)
		return r.Result, interrupted
	case r.err != nil:
		return c.partial(r.err)
	}
	return r.Result, r.Error.decode()
}

// partial makes a result from the last progress, nil if nothing was measured.
func (c *conversation) partial(err error) (*Result, error) {
	if c.last == nil || c.last.WarmingUp {
		return nil, err
	}
	r := blankResult(c.spec.Target, c.spec.Job)
	p := c.last
	r.Seconds, r.Operations, r.IOPS, r.MBPerS = p.Seconds, p.Operations, p.IOPS, p.MBPerS
	r.Latency, r.Errors = p.Latency, p.Errors
	if c.seen.Count() > 0 {
		r.Histogram = &c.seen
		r.LatencyCI95 = LatencyIntervalsOf(r.Histogram)
	}
	r.end(err)
	return r, err
}
