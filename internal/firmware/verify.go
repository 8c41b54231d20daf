package firmware

import (
	"context"
	"fmt"
	"strings"
	"time"

	"qd1.example/qd1/internal/journal"
)

// reset does the reset that is needed, if it can be done here and may be.
func (r *run) reset(ctx context.Context) {
	needed := r.rec.ResetNeeded
	do := needed
	if wanted := r.plan.Wanted; wanted.here() && wanted.rank() > needed.rank() {
		do = wanted
	}
	switch {
	case needed.rank() == 0:
		return
	case !do.here():
		r.rec.ResetText = needed.name() + " is needed, which cannot be done from here"
		return
	case r.plan.Wanted == NoReset:
		r.rec.ResetText = "no reset was done, as asked for"
		return
	case r.plan.Wanted.here() && r.plan.Wanted.rank() < needed.rank():
		r.rec.ResetText = fmt.Sprintf("%s was allowed, and %s is needed", r.plan.Wanted.name(), needed.name())
		return
	}
	users, err := r.Users(ctx)
	switch {
	case err != nil:
		r.rec.ResetText = "no reset was done: who uses the drive could not be found out: " + err.Error()
		return
	case len(users) > 0:
		r.rec.Users = users
		r.rec.ResetText = "no reset was done, because the drive is in use: " + strings.Join(users, "; ")
		return
	}
	r.tell(Event{Text: "resetting: " + do.name()})
	r.note(journal.Verify)
	if err := r.Reset(do); err != nil {
		r.rec.ResetText = fmt.Sprintf("%s was tried: %v", do.name(), err)
		return
	}
	r.rec.ResetDone = do
}

const (
	// returnLimit is how long a drive may take to answer after a reset.
	returnLimit = time.Minute
	returnPause = 100 * time.Millisecond
)

// lookLater looks at the drive as soon as it answers, nil if it does not.
func (r *run) lookLater(ctx context.Context) *Firmware {
	for waited := time.Duration(0); waited < returnLimit; waited += returnPause {
		if r.Live == nil || r.Live() {
			if f, err := r.look(ctx); err == nil {
				return f
			}
		}
		if r.wait(ctx, returnPause) != nil {
			return nil
		}
	}
	return nil
}

// verify compares the drive with what it was, and says what came of it.
func (r *run) verify(ctx context.Context) {
	r.tell(Event{Text: "looking at the drive again"})
	rec := r.rec
	rec.After = r.lookLater(ctx)
	if rec.After == nil {
		rec.Result = Interrupted
		rec.Text = "the drive accepted the firmware, and does not answer since"
		rec.Next = "shut the computer down, switch its power off and on, and look: qd1 firmware info"
		return
	}
	now, before := rec.After, rec.Before
	if now.Kernel != "" && now.Kernel != now.Revision {
		rec.Notes = append(rec.Notes, fmt.Sprintf("the kernel still shows %s, which it read earlier; the drive itself says %s", now.Kernel, now.Revision))
	}
	changed := now.Revision != before.Revision || now.ActiveSlot == r.plan.Slot && before.ActiveSlot != r.plan.Slot
	switch {
	case r.plan.quirk.Shutdown:
		r.pending(fmt.Sprintf("drives of %s need a shutdown before new firmware is safe to use; the drive says %s now", r.plan.quirk.Vendor, now.Revision), PowerCycle)
	case changed:
		rec.Result, rec.ResetNeeded = Changed, NoReset
		rec.Text = fmt.Sprintf("the drive runs %s from slot %d; before it ran %s from slot %d", now.Revision, now.ActiveSlot, before.Revision, before.ActiveSlot)
	case rec.ResetNeeded.rank() > rec.ResetDone.rank():
		r.pending(fmt.Sprintf("the drive has accepted the firmware and still runs %s", now.Revision), rec.ResetNeeded)
	case now.NextSlot == r.plan.Slot && now.in(r.plan.Slot) != before.Revision:
		r.pending(fmt.Sprintf("the drive still runs %s after %s, and says that slot %d waits", now.Revision, rec.ResetDone.name(), now.NextSlot), PowerCycle)
	default:
		r.unchanged()
	}
}

// pending ends the job with a reset that is still needed.
func (r *run) pending(text string, needed Reset) {
	r.rec.Result, r.rec.ResetNeeded = Pending, needed
	r.rec.Text = text
	r.rec.Next = "still needed: " + needed.Words()
}

// unchanged ends the job of a drive that said yes and did nothing.
func (r *run) unchanged() {
	rec, slot := r.rec, r.plan.Slot
	rec.Result, rec.ResetNeeded = Unchanged, NoReset
	rec.Text = fmt.Sprintf("the drive reported success and still runs %s", rec.After.Revision)
	switch {
	case rec.After.in(slot) == rec.Before.Revision:
		rec.Text += fmt.Sprintf("; slot %d has that revision too, so the image may be of the same one", slot)
	case rec.After.in(slot) == rec.Before.in(slot):
		rec.Text += fmt.Sprintf("; slot %d has not changed either", slot)
	default:
		rec.Text += fmt.Sprintf("; slot %d has %s", slot, rec.After.in(slot))
	}
	rec.Next = "shut the computer down, switch its power off and on, and look again: qd1 firmware info"
}
