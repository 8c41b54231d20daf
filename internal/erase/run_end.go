package erase

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// statusError is a command that the drive refused or failed at.
type statusError struct {
	name   string
	status nvme.Status
}

func (e *statusError) Error() string { return e.name + ": " + e.status.Error() }

func (e *statusError) Unwrap() error { return e.status }

// finish says what came of the job, ends it in the journal unless it has to go
// on, and returns the error.
func (r *run) finish(ctx context.Context, err error) error {
	if err != nil {
		r.rec.Error = err.Error()
	}
	ended := r.classify(ctx, err)
	if err != nil && r.rec.Technique.Erases() {
		unplan(&r.rec.Verification)
	}
	now := r.now().UTC()
	if !ended {
		return err
	}
	r.rec.Ended = &now
	if failed := r.enter(journal.Done, "the job has ended"); failed != nil {
		r.warn("the journal does not know of the end: %v", failed)
		return err
	}
	if failed := r.job.Drop(keptSamples); failed != nil && r.rec.Sampled {
		r.warn("what was kept for the comparison could not be removed: %v", failed)
	}
	return err
}

// unplan takes back what a plan said about tiers that the job did not come to.
func unplan(v *Verification) {
	for _, t := range []*proof.Tier{&v.Command, &v.Comparison, &v.Canaries, &v.FullRead} {
		if t.Verdict == proof.Skipped {
			t.Text = "the job did not come to it"
		}
	}
}

// classify sets the result and what to do next, and reports whether the job is
// over.
func (r *run) classify(ctx context.Context, err error) bool {
	rec := r.rec
	status, drive := errors.AsType[*statusError](err)
	refusal, refused := errors.AsType[*guard.Refusal](err)
	_, writing := errors.AsType[*writeError](err)
	switch {
	case err == nil:
		rec.concludes()
	case r.resumed && r.permit == nil && rec.State != journal.Verify:
		return rec.stays(err)
	case r.resumed && len(rec.Outcomes) == 0 && !rec.Lost:
		return rec.stays(err)
	case refused:
		rec.Result, rec.Checks = Refused, replaceChecks(rec.Checks, refusal.Checks)
		rec.Next = "plan again: the drive is not what was agreed to any more"
		rec.partly(Failed)
	case drive:
		rec.Result = Failed
		rec.Next = "the drive did not erase: see the causes and the steps"
		rec.fails()
		rec.Advice = append(rec.Advice, Advise(r.situation(ctx, status.status))...)
		rec.partly(Failed)
	case writing:
		rec.Result, rec.Next = Failed, "the drive could not be overwritten to its end; what was on the rest of it is still there"
		rec.Advice = append(rec.Advice, Advise(Situation{Technique: rec.Technique, Err: err})...)
	case len(rec.Outcomes) == 0 && !rec.Lost && rec.State != journal.Sent:
		rec.Result, rec.Next = Cancelled, "no command was sent to the drive"+r.planted()
		if !isEnd(err) {
			rec.Result = Failed
			rec.Advice = append(rec.Advice, Advise(Situation{Technique: rec.Technique, Err: err, Unsent: true})...)
		}
	case rec.State == journal.Verify:
		rec.Result, rec.Next = Interrupted, "the drive is done, and was not verified: qd1 erase resume "+rec.Identity.Serial+" does that"
		return false
	default:
		rec.Result = Interrupted
		rec.Next = "the drive may still be working: leave it switched on; qd1 erase resume " + rec.Identity.Serial + " goes on"
		if rec.Technique == Overwrite {
			rec.Next = "the drive was overwritten in part: qd1 erase resume " + rec.Identity.Serial + " does it again"
		}
		rec.Advice = append(rec.Advice, Advise(Situation{Technique: rec.Technique, Err: err})...)
		return false
	}
	return true
}

// stays is a broken job that could not be carried on with: it stays as it was.
func (r *Record) stays(err error) bool {
	r.Result = Interrupted
	if refusal, ok := errors.AsType[*guard.Refusal](err); ok {
		r.Result, r.Checks = Refused, replaceChecks(r.Checks, refusal.Checks)
	}
	return false
}

// fails is the verdict about a drive that did not do it: there is nothing to
// look for.
func (r *Record) fails() {
	if !r.Technique.Erases() {
		return
	}
	r.Verification = skipped("the drive did not erase")
	r.Verification.Command = proof.Tier{Verdict: proof.Fail, Text: strings.Join(r.failures(), "; ")}
	r.Verdict = r.Verification.Decide()
}

func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// planted tells that a job without a command can have written all the same.
func (r *run) planted() string {
	if r.Prover != nil && r.rec.Technique.Erases() && r.rec.Before != nil {
		return "; blocks that were planted for the verification may be on it, in the place of data"
	}
	return ""
}

// partly changes the result of a job that did a part of its commands.
func (r *Record) partly(to Class) {
	done := 0
	for i := range r.Outcomes {
		if r.Outcomes[i].OK() {
			done++
		}
	}
	if done > 0 {
		r.Result = to
		r.Next += fmt.Sprintf("; %d of %d commands had succeeded before", done, len(r.Commands))
	}
}

// concludes sets the result from the verdict.
func (r *Record) concludes() {
	switch {
	case !r.Technique.Erases():
		r.Result, r.Next = Done, "the drive reports success; this was not an erase"
	case r.Verdict == proof.Pass:
		r.Result, r.Next = Done, "nothing is left to be done"
	case r.Verdict == proof.Fail:
		r.Result, r.Next = NotErased, "data are left on the drive, or it failed: do not give it away; erase it by another technique"
	default:
		r.Result, r.Next = Unproven, "what was seen proves nothing either way: verify again, or erase by another technique"
	}
}

// situation is what there is to know around a status. The drive is asked for
// its security only if it has any.
func (r *run) situation(ctx context.Context, status nvme.Status) Situation {
	s := Situation{Technique: r.rec.Technique, Status: status}
	ctx = context.WithoutCancel(ctx)
	c := nvme.NewController(r.permit.Passthru())
	id, err := c.Identify(ctx)
	if err != nil {
		return s
	}
	s.Controller = id
	if len(r.Method.Targets) > 0 {
		s.Namespace, _ = c.IdentifyNamespace(ctx, r.Method.Targets[0]) // Nil adds nothing to the advice.
	}
	if id.OACS&nvme.OACSSecurity != 0 {
		s.Level0, _ = c.Level0Discovery(ctx) // Likewise.
	}
	return s
}
