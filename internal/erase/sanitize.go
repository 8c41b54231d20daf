package erase

import (
	"context"
	"fmt"

	"qd1.example/qd1/nvme"
)

const (
	// idleProgress is SPROG when no operation is in progress. Some drives also
	// give it while one is, so that only SSTAT counts.
	idleProgress = 0xFFFF
	// mostFailures is how often in a row the log may not be read.
	mostFailures = 5
)

// awaitSanitize waits until the drive says that the operation has ended, and
// keeps what it says.
func (r *run) awaitSanitize(ctx context.Context, p nvme.Passthru) error {
	c := nvme.NewController(p)
	follow := r.newProgress(r.now(), 0)
	if r.rec.Started != nil {
		follow.start = *r.rec.Started
	}
	for failures := 0; ; {
		log, err := r.readSanitizeLog(ctx, c)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if failures++; failures >= mostFailures {
				return fmt.Errorf("%w: read the sanitize log: %w", errNoAnswer, err)
			}
		case log.Status.State() != nvme.SanitizeInProgress:
			r.rec.Sanitize = log
			return nil
		default:
			failures = 0
			follow.sanitize(log)
		}
		r.watchController()
		if err := r.wait(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// readSanitizeLog gives the drive the time of the command: one that works may
// answer late.
func (r *run) readSanitizeLog(ctx context.Context, c *nvme.Controller) (*nvme.SanitizeLog, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Method.Timeout)
	defer cancel()
	return c.SanitizeLog(ctx)
}

// sanitize tells how far a sanitize operation is.
func (p *progress) sanitize(log *nvme.SanitizeLog) {
	if log.Progress != idleProgress {
		p.update(float64(log.Progress) * 100 / 65536)
	}
	p.checkStall(p.r.now())
	p.tell()
}
