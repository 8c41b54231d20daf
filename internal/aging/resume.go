package aging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"qd1.example/qd1/internal/journal"
)

// Resume carries on with a job that was broken off, from the step that it was
// in. A job that has ended returns its record. The errors are those of Run, and
// ErrNotAge; a job that a process works on is a [journal.LiveError].
func Resume(ctx context.Context, d *Deps, id string) (*Record, error) {
	r, j, err := takeOver(d, id)
	if err != nil {
		return nil, err
	}
	return r.end(r.resume(ctx, j))
}

// Abandon ends a job that was broken off with what it has. It needs no drive.
func Abandon(ctx context.Context, d *Deps, id string) (*Record, error) {
	r, j, err := takeOver(d, id)
	if err != nil {
		return nil, err
	}
	if j.Ended() {
		return r.end(r.endedAlready())
	}
	err = r.stop(&Stop{Reason: Abandoned, Ends: EndsJob, Text: "the job was given up"})
	return r.end(r.carryOn(ctx, err))
}

// takeOver takes a job over, with what its steps left.
func takeOver(d *Deps, id string) (*run, *journal.Record, error) {
	job, j, err := d.Journal.Resume(id)
	if err != nil {
		return nil, nil, err
	}
	p, err := planOf(j)
	if err != nil {
		return nil, nil, errors.Join(err, job.Close())
	}
	r := newRun(d, p, job, replay(p, j))
	r.adopt()
	for n := 1; n <= r.acc.sittings && r.base == nil; n++ {
		if s := r.sittings[n]; s != nil {
			r.base = s.Conditions.Before
		}
	}
	return r, j, nil
}

// resume carries on.
func (r *run) resume(ctx context.Context, j *journal.Record) (*Record, error) {
	if j.Ended() {
		return r.endedAlready()
	}
	if _, err := r.finished(); err == nil { // Only to be saved.
		return r.carryOn(ctx, r.finish())
	}
	if err := r.fits(r.plan); err != nil {
		return r.record(), err
	}
	return r.carryOn(ctx, r.sitAgain(ctx, j))
}

// sitAgain begins another sitting, and notes the time that was lost.
func (r *run) sitAgain(ctx context.Context, j *journal.Record) error {
	if err := r.sit(ctx); err != nil {
		return err
	}
	n := r.acc.sittings + 1
	i := r.interruption(j, n)
	if err := r.enter(r.acc.state, note{Sitting: n, Interruption: i, Written: r.acc.written + i.UnconfirmedBytes}); err != nil {
		return err
	}
	return r.closePause()
}

// closePause ends a pause that was broken off; if the drive is still too hot,
// another one follows.
func (r *run) closePause() error {
	n := len(r.acc.stops)
	if n == 0 || !r.acc.stops[n-1].Open {
		return nil
	}
	s := r.acc.stops[n-1]
	s.Open, s.Seconds = false, max(r.acc.interruptions[len(r.acc.interruptions)-1].From.Sub(s.Time), 0).Seconds()
	return r.enter(r.acc.state, note{Stop: &s})
}

// endedAlready returns the record of a job that had ended, and removes what may
// be left of its steps.
func (r *run) endedAlready() (*Record, error) {
	rec, err := r.finished()
	if err != nil {
		return rec, err
	}
	return rec, r.dropSteps()
}

// finished returns the record of a job that has ended.
func (r *run) finished() (*Record, error) {
	data, err := r.job.Kept(resultFile)
	if err != nil {
		return r.record(), fmt.Errorf("the result of the job: %w", err)
	}
	rec := new(Record)
	if err := json.Unmarshal(data, rec); err != nil {
		return r.record(), fmt.Errorf("the result of the job: %w", err)
	}
	return rec, nil
}

// finish keeps the record, saves it, and ends the job. What the steps left is
// dropped at last.
func (r *run) finish() error {
	if err := r.saveResult(); err != nil {
		return err
	}
	if err := r.enter(journal.Done, note{}); err != nil {
		return err
	}
	return r.dropSteps()
}

// saveResult makes the record, unless an earlier process has.
func (r *run) saveResult() error {
	if _, err := r.finished(); err != nil {
		if err := r.keepResult(); err != nil {
			return err
		}
	}
	r.reach("kept " + resultFile)
	if r.Save == nil {
		return nil
	}
	rec, err := r.finished()
	if err != nil {
		return err
	}
	if err := r.Save(Kind, rec); err != nil {
		return fmt.Errorf("the result is not saved: %w", err)
	}
	r.reach("saved")
	return nil
}

// keepResult puts the record of the whole job on stable storage.
func (r *run) keepResult() error {
	rec := r.record()
	ended := rec.Time
	rec.Ended, rec.State = &ended, journal.Done
	for i := range rec.Phases {
		if rec.Phases[i].Ended == nil {
			rec.Phases[i].Ended = &ended
		}
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return r.job.Keep(resultFile, data)
}

// dropSteps removes what the steps left.
func (r *run) dropSteps() error {
	var errs []error
	for n := range r.sittings {
		errs = append(errs, r.job.Drop(numbered(sittingFile, n)))
	}
	for _, s := range []journal.State{Before, After} {
		for n := range r.sets[s] {
			errs = append(errs, r.job.Drop(numbered(setFile(s), n)))
		}
	}
	for _, p := range r.acc.probes {
		errs = append(errs, r.job.Drop(numbered(probeFile, p.Probe)))
	}
	return errors.Join(errs...)
}
