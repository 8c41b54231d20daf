package aging

import (
	"context"
	"errors"
	"fmt"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
)

// The reasons for which a run ends and its job does not: it can be resumed.
var (
	// ErrDrive is a drive that cannot be asked for its health.
	ErrDrive = errors.New("the drive cannot be reached")
	// ErrOtherDrive is a drive that is not the one of the plan.
	ErrOtherDrive = errors.New("this is another drive")
)

// run is a job in the hands of this process.
type run struct {
	*Deps
	plan *Plan
	job  *journal.Job
	acc  *account
	// sets has the runs of each set by number, sittings those of the job.
	sets     map[journal.State]map[int]*keptRun
	sittings map[int]*Sitting
	lost     []string
	// base is the first look at the drive, state the last one. Nil: there is no
	// drive to ask.
	base, state *conditions.DriveState
	// warm is the set whose run that does not count this process has made.
	warm journal.State
}

func newRun(d *Deps, p *Plan, job *journal.Job, a *account) *run {
	return &run{
		Deps: d, plan: p, job: job, acc: a, sittings: map[int]*Sitting{},
		sets: map[journal.State]map[int]*keptRun{Before: {}, After: {}},
	}
}

// Run does what a plan says. The record says how far it came, also beside an
// error; it is nil if the job was not begun. Unless the error wraps ErrRefused
// or says that the job could not be begun, it can be resumed.
func Run(ctx context.Context, d *Deps, p *Plan) (*Record, error) {
	if p.Refused {
		return nil, fmt.Errorf("%w: %s", ErrRefused, p.Refusals[0])
	}
	if err := d.fits(p); err != nil {
		return nil, err
	}
	began := d.now().UTC()
	job, err := d.Journal.Create(Kind, p.Key(), header{Schema, d.Tool, p}, began)
	if err != nil {
		return nil, err
	}
	r := newRun(d, p, job, newAccount(p, began))
	return r.end(r.begin(ctx))
}

// end gives the job back.
func (r *run) end(rec *Record, err error) (*Record, error) {
	return rec, errors.Join(err, r.job.Close())
}

// begin begins a new job.
func (r *run) begin(ctx context.Context) (*Record, error) {
	err := r.sit(ctx)
	if err == nil {
		err = r.enter(Planned, note{Sitting: r.acc.sittings + 1})
	}
	return r.carryOn(ctx, err)
}

// carryOn works unless there is an error already.
func (r *run) carryOn(ctx context.Context, err error) (*Record, error) {
	if err == nil {
		err = r.work(ctx)
	}
	if err != nil || r.acc.state != journal.Done {
		return r.record(), err
	}
	return r.finished()
}

// fits reports why a plan must not be done on the target.
func (d *Deps) fits(p *Plan) error {
	switch is, was := d.Target.Key(), p.Key(); {
	case is != was:
		return fmt.Errorf("%w: %s, the plan is for %s", ErrOtherDrive, is, was)
	case d.Target.Target.Bytes != p.Target.Target.Bytes:
		return fmt.Errorf("%w: %s has %d bytes, in the plan %d", ErrOtherDrive, is, d.Target.Target.Bytes, p.Target.Target.Bytes)
	case p.Mode == Mixed && !d.Target.Target.Writable:
		return fmt.Errorf("%w: nobody has said that %s may be written to", ErrRefused, is)
	}
	return nil
}

// enter writes an entry with the totals of the account, changed by n.
func (r *run) enter(s journal.State, n note) error {
	n.At = r.now().UTC()
	n.Treated = max(n.Treated, r.acc.treated)
	n.Written = max(n.Written, r.acc.written)
	if r.state != nil && r.state.Health != nil {
		n.Celsius, n.Cycles = r.state.Health.Celsius, &r.state.Health.PowerCycles.Lo
	}
	if err := r.job.Append(s, n); err != nil {
		return err
	}
	r.acc.add(s, &n)
	r.reach("entry " + string(s))
	return nil
}

// work does step after step until the job is done.
func (r *run) work(ctx context.Context) error {
	for r.acc.state != journal.Done {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.watch(ctx); err != nil {
			return err
		}
		if r.acc.ends(EndsJob) != nil {
			return r.finish()
		}
		if err := r.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// step does the next step.
func (r *run) step(ctx context.Context) error {
	switch r.acc.state {
	case Planned:
		return r.enter(Before, note{})
	case Before:
		return r.set(ctx, Treating)
	case Treating:
		return r.treat(ctx)
	case Settling:
		return r.settle(ctx)
	case After:
		return r.set(ctx, journal.Done)
	}
	return fmt.Errorf("the job is in a state of a newer version: %s", r.acc.state)
}

// measure runs a job. Nothing but the treatment of the mode mixed writes.
func (r *run) measure(ctx context.Context, j bench.Job, text string) (*bench.Result, error) {
	if j.Op != bench.OpRead && (r.plan.Mode != Mixed || r.acc.state != Treating || !r.Target.Target.Writable) {
		return nil, fmt.Errorf("%w: a job that writes in the mode %s", ErrRefused, r.plan.Mode)
	}
	r.tell(text, nil)
	res, err := r.Measure(ctx, j, func(p bench.Progress) { r.tell(text, &p) })
	switch {
	case ctx.Err() != nil && (err != nil || res == nil || res.Partial):
		return res, ctx.Err()
	case err != nil:
		return res, fmt.Errorf("%s: %w", text, err)
	case res == nil || res.Partial:
		return res, fmt.Errorf("%s: %w: the run did not come to its end", text, bench.ErrInterrupted)
	}
	return res, nil
}

// failed says what becomes of the job when a measurement failed: a drive whose
// health got worse ends it, anything else the run.
func (r *run) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, ErrRefused) {
		return err
	}
	if seen := r.look(ctx); seen != nil {
		return errors.Join(err, seen)
	}
	if seen := r.worse(); seen != nil {
		return r.stop(seen)
	}
	return err
}

// tell tells how far the job is.
func (r *run) tell(text string, p *bench.Progress) {
	if r.Observe == nil {
		return
	}
	e := Event{
		Time: r.now(), Job: r.job.ID, State: r.acc.state, TreatedSeconds: r.acc.treated, RemainingSeconds: r.acc.remaining(),
		Celsius: r.acc.celsius, Text: text, Progress: p,
	}
	e.Done, e.Of = r.acc.progress(r.acc.state)
	r.Observe(e)
}
