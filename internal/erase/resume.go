package erase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// ErrNeedsConsent is a job that can only go on by an erase that somebody agrees
// to again.
var ErrNeedsConsent = errors.New("the erase has to be repeated, and needs consent again")

// ErrRescue is a job whose drive is not there, does not answer or is not
// itself, so that nothing can be done by sending commands.
var ErrRescue = errors.New("the job cannot go on")

// Status returns the record of a job with what to do about it. It claims
// nothing that the job itself did not come to.
func Status(j *journal.Record, l Look) *Record {
	r := RecordOf(j)
	step := Next(j, l)
	r.Next = step.Text + ": " + step.Do
	if step.Action == Finished {
		r.Next = step.Do
		return r
	}
	r.Result, r.Verdict, r.Verification = Interrupted, proof.Skipped, skipped("the job has not come to its end")
	switch step.Action {
	case StartAgain:
		r.Result = Cancelled
	case Follow:
	default:
		r.Interruptions = append(r.Interruptions, interruption(j))
	}
	return r
}

// Resume carries on with a job that was broken off: it waits for the drive,
// verifies, or repeats the erase. An erase is repeated only if Case, Agreement
// and Method are given, made for the same technique; else the error is
// [ErrNeedsConsent]. A job that a process works on is a [journal.LiveError].
func Resume(ctx context.Context, d *Deps, id string) (*Record, error) {
	job, j, err := d.Journal.Resume(id)
	if err != nil {
		return nil, err
	}
	r := &run{Deps: d, job: job, rec: RecordOf(j)}
	defer r.close()
	r.rec.Job = job.ID
	step := Next(j, LookAt(ctx, d.Poll, r.rec))
	if step.Action == Finished {
		return r.rec, nil
	}
	r.rec.Tool, r.rec.Time = d.Tool, d.now().UTC()
	return r.resume(ctx, j, step)
}

// resume does what was decided.
func (r *run) resume(ctx context.Context, j *journal.Record, step Step) (*Record, error) {
	rec := r.rec
	rec.Next, rec.Error = step.Text+": "+step.Do, ""
	switch step.Action {
	case StartAgain:
		rec.Result = Cancelled
		if err := r.enter(journal.Done, step.Text); err != nil {
			return rec, err
		}
		return rec, r.job.Drop(keptSamples)
	case Newer:
		rec.Result = Failed
		return rec, fmt.Errorf("%w: %s", ErrRescue, step.Text)
	case Rescue:
		rec.Result = Interrupted
		return rec, fmt.Errorf("%w: %s", ErrRescue, step.Text)
	}
	rec.Interruptions = append(rec.Interruptions, interruption(j))
	r.resumed = true
	kept, err := r.job.Kept(keptSamples)
	if err != nil && rec.Sampled {
		r.warn("what was kept for the comparison is not there any more: %v", err)
	}
	r.kept = kept
	return rec, r.finish(ctx, r.carryOn(ctx, step))
}

// carryOn waits for the drive, verifies, or repeats the erase.
func (r *run) carryOn(ctx context.Context, step Step) error {
	switch step.Action {
	case AwaitSanitize:
		r.fillMethod()
		if err := r.awaitSanitize(ctx, r.Poll); err != nil {
			return err
		}
		// It was seen at work: what has ended now is not an older operation.
		r.rec.Lost = r.rec.Lost && !(completed(r.rec.Sanitize) && r.rec.Sanitize.CDW10 == r.rec.Commands[0].CDW10)
		return r.verifyAgain(ctx)
	case VerifyOnly:
		if r.rec.Technique.Sanitizes() {
			r.rec.Lost = false // The sanitize log tells; see sanitizeEnded.
		}
		return r.verifyAgain(ctx)
	case AwaitFormat:
		if err := r.awaitFormat(ctx); err != nil {
			return err
		}
	}
	if r.Case == nil || r.Agreement == nil || r.Method == nil {
		return ErrNeedsConsent
	}
	return r.repeat(ctx)
}

// fillMethod gives a resumed run what progress needs to know.
func (r *run) fillMethod() {
	if r.Method == nil {
		r.Method = &Method{Technique: r.rec.Technique, Timeout: r.rec.timeout(), Commands: make([]nvme.Command, len(r.rec.Commands))}
		if high := r.rec.Estimate.High; high != nil {
			r.Method.Estimate.High = time.Duration(*high * float64(time.Second))
		}
	}
}

// awaitFormat waits until no namespace is being formatted any more.
func (r *run) awaitFormat(ctx context.Context) error {
	for failures := 0; failures < mostFailures; {
		l := LookAt(ctx, r.Poll, r.rec)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case l.Condition == Silent:
			failures++
		case l.Condition == Formatting:
			failures = 0
			r.observe(Event{Time: r.now().UTC(), Kind: ProgressEvent, Phase: PhaseErase, Text: l.Text})
		default:
			return nil
		}
		if err := r.wait(ctx, pollEvery); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: the drive does not answer any more", errNoAnswer)
}

// RequestOf returns the request for an erase that was broken off, so that it can
// be repeated as it was.
func RequestOf(r *Record) Request {
	req := Request{Technique: r.Technique, Claim: r.Claim, AllNamespaces: len(r.Targets) > 1}
	if len(r.Targets) == 1 {
		req.NSID = r.Targets[0]
	}
	if r.TimeoutSource == timeoutAsked {
		req.Timeout = r.timeout()
		if len(r.Commands) > 0 {
			req.Timeout = time.Duration(r.Commands[0].TimeoutMS) * time.Millisecond
		}
	}
	if r.Technique.Formats() {
		req.LBAF, req.PI = r.formats()
	}
	return req
}

// formats returns the LBA format and the protection information that all
// commands ask for. Nil means that they differ, so that each namespace was to
// keep its own.
func (r *Record) formats() (lbaf, pi *int) {
	for i, c := range r.Commands {
		f := nvme.ParseFormatNVM(&nvme.Command{NSID: c.NSID, CDW10: c.CDW10})
		l, p := int(f.LBAF), int(f.PI)
		if i > 0 && (l != *lbaf || p != *pi) {
			return nil, nil
		}
		lbaf, pi = &l, &p
	}
	return lbaf, pi
}

// sameDrive refuses to repeat an erase on another drive, or on less of it: what
// the job began would be left as it is.
func (r *run) sameDrive() error {
	if serial := r.Case.Identity.Serial; serial != r.rec.Identity.Serial {
		return badRequest("", "the job is of the drive %s, and not of %s", r.rec.Identity.Serial, serial)
	}
	for _, m := range r.rec.Radius {
		if !slices.ContainsFunc(r.Case.Radius, func(now guard.Member) bool { return now.NSID == m.NSID }) {
			return badRequest("repeat it for all of them", "the job is also of namespace %d, which would not be erased now", m.NSID)
		}
	}
	return nil
}

// repeat does the erase once more, within the same job. What was kept before
// the first attempt stays what it is compared with.
func (r *run) repeat(ctx context.Context) error {
	if err := r.sameDrive(); err != nil {
		return err
	}
	permit, err := r.Case.Claim(ctx, r.Agreement)
	if err != nil {
		return err
	}
	r.permit = permit
	rec := r.rec
	rec.Radius = r.Case.Radius
	rec.Outcomes, rec.Lost, rec.Resets, rec.Sanitize = []Outcome{}, false, 0, nil
	rec.Consent, rec.Checks = consentOf(r.Agreement), r.Case.Judge(r.Agreement)
	rec.Reasons, rec.Notes, rec.Commands = []string{}, []string{}, []Command{}
	rec.addMethod(r.Method)
	return r.erase(ctx)
}

// verifyAgain verifies without a permit: it only reads.
func (r *run) verifyAgain(ctx context.Context) error {
	r.look(ctx, r.Poll)
	if r.rec.Sanitize == nil && r.rec.After != nil {
		r.rec.Sanitize = r.rec.After.Sanitize
	}
	if !r.rec.Technique.Erases() {
		r.rec.Verification = skipped(notAnErase)
		return nil
	}
	if err := r.enter(journal.Verify, "the drive is done; what is left on it is looked for"); err != nil {
		return err
	}
	media, closers := r.readers()
	defer func() {
		for _, c := range closers {
			_ = c.Close() // It was only read from.
		}
	}()
	return r.judge(ctx, media)
}

// readers opens the namespaces of the radius for reading.
func (r *run) readers() ([]Medium, []io.Closer) {
	var media []Medium
	var closers []io.Closer
	for i := range r.rec.Radius {
		m := &r.rec.Radius[i]
		if m.Block == "" || r.Open == nil {
			continue
		}
		device, err := r.Open(m.NSID)
		if err != nil {
			r.warn("namespace %d cannot be read: %v", m.NSID, err)
			continue
		}
		medium := r.rec.medium(m)
		medium.ReaderAt = device
		media, closers = append(media, medium), append(closers, device)
	}
	return media, closers
}
