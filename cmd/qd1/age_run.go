package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/hostpower"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/render"
)

// work does a job, or a part of it, and shows what came out. A job that is
// broken off stays in the journal.
func (j *ageJob) work(format string, do func(*aging.Deps) (*aging.Record, error)) error {
	d, err := j.deps()
	if err != nil {
		return err
	}
	j.stayAwake()
	j.progress = j.in.env.startProgress()
	rec, err := do(d)
	if rec != nil && rec.State == journal.Done && j.keepsWhole {
		j.keep(rec)
	}
	err = errors.Join(err, j.close())
	switch {
	case rec == nil:
		return j.notBegun(err)
	case rec.State != journal.Done:
		return j.brokenOff(rec, err)
	}
	nameRecords(rec, j.kept)
	if e := j.show(format, rec); e != nil {
		return e
	}
	return errors.Join(err, ageOutcome(rec))
}

// stayAwake keeps this computer from sleep, if it can be asked: a sleep is an
// interruption, and no harm beside.
func (j *ageJob) stayAwake() {
	if j.place == nil || j.sim != nil {
		return
	}
	if c, err := hostpower.Inhibit(j.in.Context.Context, "sleep", "qd1", "a drive is being aged"); err == nil {
		j.place.onClose(c.Close)
	}
}

// deps are what a job needs.
func (j *ageJob) deps() (*aging.Deps, error) {
	store, err := ageStore()
	if err != nil {
		return nil, err
	}
	d := &aging.Deps{
		Tool: tool(), Journal: store, Target: j.target(), Now: j.in.env.now, Observe: j.observe, Measure: j.measure,
		Save: func(_ string, body any) error { j.keep(body.(*aging.Record)); return nil },
	}
	if j.place == nil {
		return d, nil
	}
	d.Conditions = func(context.Context) (conditions.Conditions, error) { return conditionsOf(j.place).Conditions, nil }
	if c := j.controller(); c != nil {
		d.Health = func(ctx context.Context) (conditions.DriveState, error) { return conditions.ReadDrive(ctx, c), nil }
	}
	if j.place.device != "" {
		d.Statistics = func() (conditions.Stats, error) { return conditions.ReadStats(hostRoot(), j.place.device) }
	}
	return d, nil
}

// observe shows how a job goes on: on a terminal always, elsewhere what begins.
func (j *ageJob) observe(e aging.Event) {
	if e.State != j.told {
		if j.told == "" {
			j.say("job %s: Ctrl-C breaks it off, and qd1 age resume %s carries on", e.Job, e.Job)
		}
		j.told = e.State
		j.say("%s: %s; about %s left", strings.ToLower(string(e.State)), e.Text, left(e.RemainingSeconds))
	}
	j.progress.text(eventLine(e))
}

// say says something above the line of the progress.
func (j *ageJob) say(format string, args ...any) {
	j.progress.hide(true)
	j.in.env.say(format, args...)
	j.progress.hide(false)
}

// eventLine is how far a job is, in one line.
func eventLine(e aging.Event) string {
	parts := []string{e.Text}
	if e.State == aging.Treating {
		parts[0] += fmt.Sprintf(", %s of it done", left(e.TreatedSeconds))
	}
	if e.Progress != nil {
		parts = append(parts, benchText(*e.Progress))
	}
	if e.Celsius != nil {
		parts = append(parts, fmt.Sprintf("%d °C", *e.Celsius))
	}
	return strings.Join(append(parts, "about "+left(e.RemainingSeconds)+" left"), "; ")
}

// left is a time in whole seconds.
func left(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// notBegun is the error of a job that does not exist, or that another process
// works on.
func (j *ageJob) notBegun(err error) error {
	var live *journal.LiveError
	switch {
	case errors.As(err, &live):
		return failf("qd1 age status tells how far an aging is; Ctrl-C in its terminal, or kill "+fmt.Sprint(live.PID)+", breaks it off", "%w", err)
	case errors.Is(err, aging.ErrOtherDrive):
		return refusef("attach the drive of the job; qd1 list shows what is there now", "%w. Nothing was written", err)
	case errors.Is(err, aging.ErrRefused):
		return refusef("", "%w. Nothing was written", err)
	}
	return err
}

// brokenOff is the error of a job that can be carried on with.
func (j *ageJob) brokenOff(rec *aging.Record, err error) error {
	hint := fmt.Sprintf("qd1 age resume %s carries on; qd1 age status %s tells how far it is", rec.Job, rec.Job)
	if errors.Is(err, aging.ErrOtherDrive) || errors.Is(err, aging.ErrRefused) {
		return refusef(hint, "%w. Nothing was written", err)
	}
	if j.in.Context.Err() != nil {
		return &exitError{status: exitInterrupted, err: fmt.Errorf("interrupted; what was measured is kept: %s", rec.Summary), hint: hint}
	}
	var known *bench.Error
	if errors.As(err, &known) && known.Hint != "" {
		hint = known.Hint + "; then " + hint
	}
	if err == nil {
		err = errors.New("the job is not done")
	}
	return failf(hint, "%w; what was measured is kept", err)
}

// show shows what came out.
func (j *ageJob) show(format string, rec *aging.Record) error {
	var value any = rec
	if format == "markdown" && rec.Comparison != nil {
		value = rec.Comparison // Figures for the public: no serial number.
	}
	return j.in.show(format, value, func(w io.Writer, s render.Style) error { return render.AgeResult(w, rec, s) })
}

// ageOutcome is the exit status of a job that has ended: one that the drive has
// ended is no success.
func ageOutcome(rec *aging.Record) error {
	for _, s := range rec.Stops {
		if s.Ends == aging.EndsJob && s.Reason != aging.Abandoned {
			return failf("look at the drive: qd1 report "+rec.Plan.Key(), "ended early: %s", s.Text)
		}
	}
	return nil
}
