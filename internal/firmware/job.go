package firmware

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// Event is how far a job is.
type Event struct {
	// Text says what is done now.
	Text string
	// Done and Total are in bytes of the image; 0 and 0 if nothing is
	// transferred.
	Done, Total int
}

// Deps are what a job needs.
type Deps struct {
	Case      *guard.Case
	Agreement *guard.Agreement
	Journal   *journal.Store
	// Now is the time, Wait waits; nil for those of this computer.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
	// Observe gets what happens, nil for nobody.
	Observe func(Event)
	// Kernel returns the revision that sysfs has, Live whether the controller is.
	Kernel func() string
	Live   func() bool
	// Reset resets the controller or the subsystem.
	Reset func(Reset) error
	// Users tells who uses the drive.
	Users func(ctx context.Context) ([]string, error)
	// Inhibit keeps the computer from sleep and shutdown, nil for not at all.
	Inhibit func(ctx context.Context, why string) (io.Closer, error)
}

// run is a job under way.
type run struct {
	*Deps
	rec    *Record
	plan   *Plan
	job    *journal.Job
	permit *guard.Permit
}

// Run carries out what the record plans, and completes it. The error says why a
// job could not begin; what came of one that did is in the record.
//
// A context that ends between two chunks ends the job. Once the commit is sent,
// it is waited for whatever becomes of the context.
func Run(ctx context.Context, d *Deps, rec *Record) error {
	if err := rec.refusal(); err != nil {
		return rec.notBegun(err)
	}
	permit, err := d.Case.Claim(ctx, d.Agreement)
	if err != nil {
		return rec.notBegun(err)
	}
	r := &run{Deps: d, rec: rec, plan: rec.Plan, permit: permit}
	defer r.close()
	r.supersede()
	if rec.Before, err = r.look(ctx); err != nil {
		return rec.notBegun(err)
	}
	if r.job, err = d.Journal.Create(Kind, d.Case.Identity.Serial, rec, r.now()); err != nil {
		return rec.notBegun(err)
	}
	rec.Job = r.job.ID
	defer r.inhibit(ctx)()
	r.update(ctx)
	if rec.Result == Interrupted { // The journal stays open: the next run tells.
		return nil
	}
	r.note(journal.Done)
	return nil
}

// refusal returns a *guard.Refusal of the checks of the record that refuse, or
// nil.
func (r *Record) refusal() error {
	var refused []guard.Check
	for _, c := range r.Checks {
		if c.Result == guard.Refuse {
			refused = append(refused, c)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return &guard.Refusal{Checks: refused}
}

// notBegun notes why a job could not begin, and returns that.
func (r *Record) notBegun(err error) error {
	r.Result, r.Error = Failed, err.Error()
	var refused *guard.Refusal
	switch {
	case errors.As(err, &refused):
		r.Result = Refused
		r.Checks = append(slices.DeleteFunc(r.Checks, func(c guard.Check) bool { return c.Result == guard.Refuse }), refused.Checks...)
	case errors.Is(err, context.Canceled):
		r.Result = Cancelled
	}
	return err
}

// close gives everything back.
func (r *run) close() {
	if r.job != nil {
		_ = r.job.Close() // Every entry is on stable storage already.
	}
	_ = r.permit.Close() // Nothing is left to be done with the device.
}

// inhibit keeps the computer awake until the end that it returns. That it cannot
// is worth a note.
func (r *run) inhibit(ctx context.Context) (end func()) {
	if r.Inhibit == nil {
		return func() {}
	}
	c, err := r.Inhibit(ctx, "a drive gets new firmware")
	if err != nil {
		r.rec.Notes = append(r.rec.Notes, fmt.Sprintf("this computer could not be kept from sleep and shutdown meanwhile: %v", err))
		return func() {}
	}
	return func() { _ = c.Close() }
}

// supersede ends updates of this drive that were broken off.
func (r *run) supersede() {
	for _, old := range r.Journal.Unfinished(r.Case.Identity.Serial) {
		if old.Kind != Kind {
			continue
		}
		job, found, err := r.Journal.Resume(old.ID)
		if err != nil {
			continue // Create says so, if it matters.
		}
		was := RecordOf(found)
		was.Next = "another update took the place of this one"
		_ = job.Append(journal.Done, was)
		_ = job.Close()
	}
}

// note writes a step with the record to the journal.
func (r *run) note(s journal.State) {
	if err := r.job.Append(s, r.rec); err != nil {
		r.rec.Notes = append(r.rec.Notes, fmt.Sprintf("the journal has no entry %s: %v", s, err))
	}
}

func (r *run) tell(e Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
}

func (r *run) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

func (r *run) wait(ctx context.Context, d time.Duration) error {
	if r.Wait != nil {
		return r.Wait(ctx, d)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readLimit is the longest time of a command that only looks.
const readLimit = 10 * time.Second

// Look reads what a drive says of its firmware.
func Look(ctx context.Context, p nvme.Passthru) (*Firmware, error) {
	c := nvme.NewController(nvme.WithTimeout(nvme.ReadOnly(p), readLimit))
	id, err := c.Identify(ctx)
	if err != nil {
		return nil, err
	}
	log, err := c.FirmwareSlotLog(ctx)
	if err != nil {
		return nil, err
	}
	f := &Firmware{Revision: id.FirmwareRevision.String(), ActiveSlot: log.ActiveSlot(), NextSlot: log.NextSlot(), Slots: []string{}}
	for slot := 1; slot <= slotCount(id.FRMW); slot++ {
		f.Slots = append(f.Slots, revisionIn(log, slot))
	}
	return f, nil
}

// look reads drive and kernel through the claimed device.
func (r *run) look(ctx context.Context) (*Firmware, error) {
	f, err := Look(ctx, r.permit.Passthru())
	if err == nil && r.Kernel != nil {
		f.Kernel = r.Kernel()
	}
	return f, err
}
