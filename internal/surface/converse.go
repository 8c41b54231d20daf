package surface

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"qd1.example/qd1/bench"
)

// Output is the end of a pipe that a worker writes to.
type Output interface {
	io.Reader
	SetReadDeadline(t time.Time) error
}

// StallLimit is how long one chunk may take before the drive counts as one that
// does not answer: twice the time-out of a command in the kernel.
const StallLimit = time.Minute

// Converse is the parent's side: it gives a job to a worker and passes its lines
// on. An error of take ends it. Errors wrap [bench.ErrInterrupted] when ctx ends,
// [bench.ErrStalled] when no line comes for limit (0: [StallLimit]), and
// [bench.ErrGone] when the drive has left. The caller ends the worker without
// waiting for it for ever.
func Converse(ctx context.Context, in io.Writer, out Output, job Job, limit time.Duration, take func(*Line) error) error {
	if err := job.check(); err != nil {
		return err
	}
	if limit == 0 {
		limit = StallLimit
	}
	defer context.AfterFunc(ctx, func() { _ = out.SetReadDeadline(time.Unix(1, 0)) })()
	if err := writeLine(in, job); err != nil {
		return fmt.Errorf("%w: send the job: %w", bench.ErrWorker, err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, mostJob)
	for {
		if err := out.SetReadDeadline(time.Now().Add(limit)); err != nil {
			return err
		}
		if ctx.Err() != nil { // It may have come before the deadline was set.
			return interrupted(ctx)
		}
		if !lines.Scan() {
			return ended(ctx, lines.Err(), limit)
		}
		var l Line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("%w: it sent a malformed line: %w", bench.ErrWorker, err)
		}
		if l.End {
			return l.err()
		}
		if err := take(&l); err != nil {
			return err
		}
	}
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("%w: %w", bench.ErrInterrupted, context.Cause(ctx))
}

// ended says why no more lines come.
func ended(ctx context.Context, err error, limit time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: one read has taken more than %s", bench.ErrStalled, limit)
	case err != nil:
		return fmt.Errorf("%w: %w", bench.ErrWorker, err)
	}
	return fmt.Errorf("%w: it ended without a result", bench.ErrWorker)
}
