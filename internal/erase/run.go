package erase

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

const (
	// jobKind is the kind of these jobs in the journal.
	jobKind = "erase"
	// keptSamples is what the prover gets back after the erase.
	keptSamples = "before"
)

// run is a job under way.
type run struct {
	*Deps
	rec    *Record
	job    *journal.Job
	permit *guard.Permit
	kept   []byte
	// resumed says that an earlier run of the job sent something.
	resumed bool
	// handed says that a command outlives this run, with job and permit.
	handed bool
	// down says that the controller was not live when last looked at.
	down bool
}

// Run does the erase. The record is never nil and says all; the error is why
// the job did not come to its end, and is not about the verdict.
//
// A context that ends before the first command is sent ends the job: nothing
// was sent. Afterwards it ends only the waiting: the drive goes on, and so does
// the job for [Resume].
func Run(ctx context.Context, d *Deps) (*Record, error) {
	rec := NewPlan(d)
	permit, err := d.Case.Claim(ctx, d.Agreement)
	if err != nil {
		return rec, rec.notBegun(err)
	}
	r := &run{Deps: d, rec: rec, permit: permit}
	defer r.close()
	r.supersede()
	if r.job, err = d.Journal.Create(jobKind, d.Case.Identity.Serial, rec, d.now()); err != nil {
		return rec, rec.notBegun(err)
	}
	rec.Job = r.job.ID
	return rec, r.finish(ctx, r.erase(ctx))
}

// notBegun notes why a job could not begin, and returns that.
func (r *Record) notBegun(err error) error {
	r.Error, r.Result = err.Error(), Failed
	r.Next = "nothing was sent to the drive"
	switch refusal, refused := errors.AsType[*guard.Refusal](err); {
	case refused:
		r.Result = Refused
		r.Checks = replaceChecks(r.Checks, refusal.Checks)
		r.Next += "; remove what the refused checks name, then plan again"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		r.Result = Cancelled
	default:
		r.Advice = append(r.Advice, Advise(Situation{Technique: r.Technique, Err: err, Unsent: true})...)
	}
	return err
}

// replaceChecks puts newer results in the place of those with the same name.
func replaceChecks(all, newer []guard.Check) []guard.Check {
	kept := slices.DeleteFunc(slices.Clone(all), func(c guard.Check) bool {
		return slices.ContainsFunc(newer, func(n guard.Check) bool { return n.Check == c.Check })
	})
	return append(kept, newer...)
}

// close gives everything back, unless a command that is under way needs it.
func (r *run) close() {
	if r.handed {
		return
	}
	if r.job != nil {
		_ = r.job.Close() // Every entry is on stable storage already.
	}
	if r.permit != nil {
		_ = r.permit.Close() // Nothing is left to be done with the devices.
	}
}

// supersede ends the jobs of this drive that were broken off: this one takes
// their place and tells of them.
func (r *run) supersede() {
	for _, old := range r.Journal.Unfinished(r.Case.Identity.Serial) {
		if old.Kind != jobKind {
			continue
		}
		job, found, err := r.Journal.Resume(old.ID)
		if err != nil {
			r.warn("the job %s, which was broken off, could not be ended: %v", old.ID, err)
			continue
		}
		was := RecordOf(found)
		r.rec.Interruptions = append(r.rec.Interruptions, was.Interruptions...)
		if everSent(found) {
			r.rec.Interruptions = append(r.rec.Interruptions, interruption(found))
		}
		was.Result, was.Next = Interrupted, "another erase took the place of this one"
		if err := job.Append(journal.Done, was); err != nil {
			r.warn("the job %s, which was broken off, could not be ended: %v", old.ID, err)
		}
		_ = job.Drop(keptSamples) // They are of a drive that was changed since.
		_ = job.Close()
	}
}

// errNoAnswer is a command whose answer did not come.
var errNoAnswer = errors.New("a command was sent and its answer did not come")

// erase does everything from ARMED to the verdict.
func (r *run) erase(ctx context.Context) error {
	if err := r.enter(journal.Armed, "everything is ready; nothing was sent"); err != nil {
		return err
	}
	release := r.inhibit(ctx)
	defer release()
	if err := r.before(ctx); err != nil {
		return err
	}
	if err := r.execute(ctx); err != nil {
		return err
	}
	r.after(ctx)
	return r.verify(ctx)
}

// inhibit keeps the host awake and returns how to end that.
func (r *run) inhibit(ctx context.Context) func() {
	if r.Inhibit == nil {
		return func() {}
	}
	c, err := r.Inhibit(ctx, "erasing "+r.rec.Identity.Model+" "+r.rec.Identity.Serial)
	if err != nil {
		r.warn("nothing keeps this computer from sleep and shutdown meanwhile: %v", err)
		return func() {}
	}
	return func() { _ = c.Close() }
}

// before looks at the drive and keeps what the verification needs. Only the end
// of the context stops the job; what cannot be seen makes the verification
// weaker, and that says so.
func (r *run) before(ctx context.Context) error {
	s, err := TakeSnapshot(ctx, r.permit.Passthru())
	if err != nil {
		return fmt.Errorf("look at the drive: %w", err)
	}
	r.rec.Before = s
	for _, what := range s.Unread {
		r.warn("before the erase, %s", what)
	}
	if r.Prover == nil || !r.rec.Technique.Erases() || r.rec.Sampled {
		return ctx.Err()
	}
	r.kept, err = r.Prover.Before(ctx, r.media(true), r.counted(PhaseBefore))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		err = r.job.Keep(keptSamples, r.kept)
	}
	if err != nil {
		r.warn("nothing is known of the data before the erase, so that it cannot be compared: %v", err)
		return nil
	}
	r.rec.Sampled = true
	return nil
}

// media returns the namespaces of the radius that can be read.
func (r *run) media(write bool) []Medium {
	var all []Medium
	for i := range r.rec.Radius {
		m := &r.rec.Radius[i]
		device := r.permit.Medium(m.NSID)
		if device == nil {
			continue
		}
		medium := r.rec.medium(m)
		medium.ReaderAt = device
		if write {
			medium.WriterAt = device
		}
		all = append(all, medium)
	}
	return all
}

// medium describes a namespace as it is now: after the erase, if that is known.
func (r *Record) medium(m *guard.Member) Medium {
	medium := Medium{Name: fmt.Sprintf("namespace %d", m.NSID), NSID: m.NSID, Bytes: m.Bytes, LBABytes: m.LBABytes}
	if r.After != nil {
		if now := r.After.at(m.NSID); now != nil {
			medium.Bytes, medium.LBABytes = now.Bytes, now.LBABytes
		}
	}
	return medium
}

// execute does what erases.
func (r *run) execute(ctx context.Context) error {
	if r.rec.Technique == Overwrite {
		return r.overwrite(ctx)
	}
	for i := range r.Method.Commands {
		if err := r.command(ctx, i); err != nil {
			return err
		}
	}
	if r.rec.Technique.Sanitizes() {
		return r.awaitSanitize(ctx, r.permit.Passthru())
	}
	return nil
}

// after looks at the host's and the drive's view of what there is now. Errors
// are warnings: the erase is over.
func (r *run) after(ctx context.Context) {
	if err := r.permit.Refresh(); err != nil {
		r.warn("the kernel could not look at the drive again, which changes nothing on the drive: %v", err)
	}
	r.look(ctx, r.permit.Passthru())
	r.settle(ctx)
}

// A rescan is done by the kernel in its own time: how long it may take, and how
// often it is looked at.
const (
	settleLimit = 5 * time.Second
	settleStep  = 50 * time.Millisecond
)

// settle waits until the kernel has the block sizes that the drive now has.
func (r *run) settle(ctx context.Context) {
	if r.rec.After == nil {
		return
	}
	waited := time.Duration(0)
	for _, n := range r.rec.After.Namespaces {
		stale := func() bool { b := r.permit.BlockBytes(n.NSID); return b != 0 && b != n.LBABytes }
		for stale() && waited < settleLimit && r.wait(ctx, settleStep) == nil {
			waited += settleStep
		}
		if stale() {
			r.warn("the kernel still has blocks of %d bytes for namespace %d, and the drive has %d: before it is used, echo 1 > /sys/class/nvme/%s/rescan_controller",
				r.permit.BlockBytes(n.NSID), n.NSID, n.LBABytes, r.rec.Identity.Controller)
		}
	}
}

// look takes the second snapshot and compares.
func (r *run) look(ctx context.Context, p nvme.Passthru) {
	s, err := TakeSnapshot(context.WithoutCancel(ctx), p)
	if err != nil {
		r.warn("the drive does not answer after the erase: %v", err)
		return
	}
	r.rec.After, r.rec.Delta = s, compare(r.rec.Before, s)
	for _, what := range s.Unread {
		r.warn("after the erase, %s", what)
	}
	for _, sign := range ghost(r.rec.Before, s) {
		r.warn("the drive does not look like itself: %s", sign)
	}
}

// verify judges. A bare format is not an erase, and is not judged.
func (r *run) verify(ctx context.Context) error {
	if !r.rec.Technique.Erases() {
		r.rec.Verification = skipped(notAnErase)
		return nil
	}
	if err := r.enter(journal.Verify, "the drive is done; what is left on it is looked for"); err != nil {
		r.warn("the journal does not know of the verification: %v", err)
	}
	return r.judge(ctx, r.media(false))
}

// judge lets the prover look and takes over what it says.
func (r *run) judge(ctx context.Context, media []Medium) error {
	v := skipped("it was not asked for")
	v.Command = r.rec.evidence()
	if r.rec.Technique == Overwrite {
		v.FullRead = r.rec.Verification.FullRead
	}
	if r.rec.sanitizeFailed() {
		r.rec.Advice = append(r.rec.Advice, Advise(Situation{Technique: r.rec.Technique, Status: nvme.StatusSanitizeFailed})...)
	} else if r.Prover != nil {
		seen, err := r.Prover.After(ctx, media, r.kept, v.Command, r.counted(PhaseVerify))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.warn("the verification could not be done as a whole: %v", err)
		}
		v = merge(v, seen, err)
	}
	r.rec.Verification, r.rec.Verdict = v, v.Decide()
	return nil
}

// merge adds what the prover saw to what the run itself knows: the command, and
// for an overwriting host that it read everything.
func merge(own Verification, seen *Verification, err error) Verification {
	if seen == nil {
		text := "it could not be done"
		if err != nil {
			text += ": " + err.Error()
		}
		own.Comparison = proof.Tier{Verdict: proof.Inconclusive, Text: text}
		return own
	}
	all := *seen
	all.Command = own.Command
	if all.FullRead.Verdict == proof.Skipped {
		all.FullRead = own.FullRead
	}
	return all
}

// enter writes a state to the journal before the step is taken.
func (r *run) enter(s State, text string) error {
	was := r.rec.State
	r.rec.State = s
	if err := r.job.Append(s, r.rec.forJournal()); err != nil {
		r.rec.State = was
		return err
	}
	r.emit(Event{Kind: StateEvent, State: s, Job: r.job.ID, Text: text})
	if r.written != nil {
		r.written(s)
	}
	return nil
}

// since returns the seconds since a moment.
func (r *run) since(start time.Time) float64 { return r.now().Sub(start).Seconds() }
