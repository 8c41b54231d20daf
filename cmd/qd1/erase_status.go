package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

func eraseStatusCommand() command {
	return command{
		name: "status", args: "[SERIAL]", access: reads, maxArgs: 1,
		short: "how an erase goes on, or what is to be done about one that was broken off",
		help: `Without SERIAL the newest erase of this computer. Reads the journal, and asks the
drive what it does now.`,
		flags: outputFlags("json"),
		run:   runEraseStatus,
	}
}

func eraseResumeCommand() command {
	return command{
		name: "resume", args: "SERIAL", access: destroys, maxArgs: 1,
		short: "carry on with an erase that was broken off",
		help: `Follows an erase that is under way, waits for a drive that works, verifies one
that is done, and repeats an erase of which nobody knows whether it was done.
Only the last needs your consent again. One that has ended gets its certificate,
if that was not written.`,
		flags: guardedFlags(append(proofFlags(), certificateFlags()...)),
		run:   runEraseResume,
	}
}

// eraseKind is the kind of erases in the journal, where jobs of other kinds lie
// too.
const eraseKind = "erase"

// findJob returns the newest erase, of a drive if serial is not "".
func findJob(serial string) (*journal.Store, *journal.Record, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, nil, err
	}
	store := journal.Open(journalDir(dir))
	records, faults := store.List()
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Kind == eraseKind && (serial == "" || records[i].Serial == serial) {
			return store, &records[i], nil
		}
	}
	what := "there is no erase in the journal"
	if serial != "" {
		what = fmt.Sprintf("there is no erase of a drive with serial %s in the journal", serial)
	}
	if len(faults) > 0 {
		what += fmt.Sprintf("; %d entries cannot be read: %v", len(faults), errors.Join(faults...))
	}
	return nil, nil, failf("the journal is in "+filepath.Join(dir, "journal")+"; it belongs to the user who began the erase", "%s", what)
}

func runEraseStatus(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	_, job, err := findJob(in.arg(0))
	if err != nil {
		return err
	}
	r := erase.Status(job, lookAt(in.Context.Context, job))
	if endedWithProgram(job) {
		r.Next = hintEnded
	}
	if err := in.showErase(format, r, render.EraseResult); err != nil {
		return err
	}
	if job.Live {
		return silently(exitWorking)
	}
	return statusOutcome(r)
}

// statusOutcome is the exit status of a job as the journal has it.
func statusOutcome(r *erase.Record) error {
	switch r.Class() {
	case erase.Interrupted:
		return silently(exitWorking)
	case erase.NotErased:
		return silently(exitUnproven)
	case erase.Unproven:
		return silently(exitUndecided)
	case erase.Failed:
		return silently(exitFailed)
	case erase.Refused:
		return silently(exitRefused)
	}
	return nil
}

const hintEnded = "the simulated drive ended with the program that erased it: there is nothing to carry on"

// endedWithProgram reports whether the drive of a broken job was one of its
// program.
func endedWithProgram(job *journal.Record) bool {
	r := erase.RecordOf(job)
	return r.Simulated && !job.Live && !job.Ended() && !serialIsHere(job.Serial)
}

// serialIsHere reports whether this computer has a drive with the serial.
func serialIsHere(serial string) bool {
	_, err := sysfs.Select(hostSysfs(), serial)
	return err == nil
}

// lookAt asks the drive of a job what it does now. A live job is not disturbed.
// The commands have the time of an erase: a drive at work may let them wait, and
// a time-out would reset it.
func lookAt(ctx context.Context, job *journal.Record) erase.Look {
	if job.Live || job.Ended() {
		return erase.Look{}
	}
	g, err := openGuarded(job.Serial, "")
	if err != nil {
		return erase.Look{Condition: erase.Silent, Text: exitOf(ctx, err).Error()}
	}
	defer g.Close()
	return erase.LookAt(ctx, nvme.ReadOnly(g.Passthru), erase.RecordOf(job))
}

func runEraseResume(in *invocation) error {
	format, a, choice, err := in.guardedChoices("qd1 erase status")
	if err != nil {
		return err
	}
	ctx := in.Context.Context
	store, job, err := findJob(a.Serial)
	if err != nil {
		return err
	}
	if job.Live {
		return in.attend(ctx, format, store, job)
	}
	if endedWithProgram(job) {
		return failf("begin anew: qd1 erase run sim:PROFILE", "serial %s: %s", job.Serial, hintEnded)
	}
	req := jobRequest{Selector: a.Serial, PCI: a.PCI, Agreement: *a, Proof: in.proof(), Certificate: choice, Resume: job.ID}
	step := erase.Next(job, lookAt(ctx, job))
	switch step.Action {
	case erase.Finished:
		return in.finished(format, store, erase.RecordOf(job), choice)
	case erase.Repeat:
		return in.repeat(ctx, format, step, job, req)
	}
	g, err := openGuarded(a.Serial, a.PCI)
	if err != nil {
		return err
	}
	return in.perform(ctx, format, &prepared{guarded: g}, req)
}

// repeat erases once more, with consent.
func (in *invocation) repeat(ctx context.Context, format string, step erase.Step, job *journal.Record, req jobRequest) error {
	in.env.say("%s; %s", step.Text, step.Do)
	g, err := openGuarded(req.Selector, req.PCI)
	if err != nil {
		return err
	}
	defer g.Close()
	req.Request = erase.RequestOf(erase.RecordOf(job))
	p, err := prepare(ctx, g, req.Request)
	if err != nil {
		return err
	}
	if in.Bool("dry-run") {
		return in.showPlan(format, p, &req.Agreement)
	}
	if err := in.consent(ctx, format, p, &req.Agreement); err != nil {
		return err
	}
	req.Consent, req.Fingerprint, req.Stops = true, p.looked.Fingerprint(), p.stops()
	return in.perform(ctx, format, p, req)
}

// attend follows a job that another process works on.
func (in *invocation) attend(ctx context.Context, format string, store *journal.Store, job *journal.Record) error {
	in.env.say("process %d works on it; this only watches, and Ctrl-C ends only this", job.PID)
	p := in.env.startProgress()
	err := store.Follow(ctx, job.ID, func(e journal.Entry) error {
		p.step(strings.ToLower(string(e.State)))
		return nil
	})
	p.end()
	if ctx.Err() != nil {
		return silently(exitWorking)
	}
	if err != nil {
		return err
	}
	_, job, err = findJob(job.Serial)
	if err != nil {
		return err
	}
	return in.endResume(format, erase.RecordOf(job))
}

// finished is the end of a job that has ended before. A certificate that was
// not written then is written now.
func (in *invocation) finished(format string, s *journal.Store, r *erase.Record, choice certificateChoice) error {
	file, err := certifyLate(s, r, choice)
	if err != nil {
		return err
	}
	if file != "" {
		in.env.say("certificate: %s", file)
	}
	return in.endResume(format, r)
}

func (in *invocation) endResume(format string, r *erase.Record) error {
	in.keepErase(r)
	if err := in.show(format, r, func(w io.Writer, s render.Style) error { return render.EraseResult(w, r, s) }); err != nil {
		return err
	}
	return statusOutcome(r)
}
