package firmware

import (
	"context"
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// update transfers, commits, resets and looks again.
func (r *run) update(ctx context.Context) {
	if !r.transfer(ctx) {
		return
	}
	if err := r.settle(ctx); err != nil {
		r.cancel()
		return
	}
	// What was committed is looked after to its end, whatever becomes of ctx.
	ctx = context.WithoutCancel(ctx)
	accepted, ok := r.commitAll(ctx)
	if !ok {
		return
	}
	r.rec.ResetNeeded = most(r.rec.ResetNeeded, accepted.Reset)
	r.note(journal.Returned)
	r.reset(ctx)
	r.verify(ctx)
}

// transfer sends all chunks, and reports whether the drive has them.
func (r *run) transfer(ctx context.Context) bool {
	for i, c := range r.plan.chunks {
		if ctx.Err() != nil {
			r.cancel()
			return false
		}
		r.tell(Event{"transferring the image", c.Offset, len(r.plan.data)})
		s, err := r.chunk(ctx, c, i == 0)
		switch {
		case err != nil && ctx.Err() != nil:
			r.cancel()
			return false
		case err != nil:
			r.fail(ctx, fmt.Sprintf("the drive did not answer to chunk %d of %d", i+1, r.plan.Chunks), err)
			return false
		case !s.OK():
			r.reject("Firmware Image Download", s)
			r.rec.Text = fmt.Sprintf("chunk %d of %d was refused: %s", i+1, r.plan.Chunks, r.rec.Text)
			return false
		}
		r.rec.ChunksSent++
	}
	return true
}

// chunk sends one chunk, and again if the drive fails it without Do Not Retry.
// The journal knows before the first one.
func (r *run) chunk(ctx context.Context, c Chunk, first bool) (s nvme.Status, err error) {
	cmd := c.download()
	cmd.Data = r.plan.data[c.Offset : c.Offset+c.Bytes]
	for n := 1; n <= attempts; n++ {
		var arm func() error
		if first && n == 1 {
			arm = func() error { return r.job.Append(journal.Armed, r.rec) }
		}
		cpl, err := r.permit.Submit(ctx, &cmd, arm)
		if err != nil {
			return 0, err
		}
		s = cpl.Status
		if s.OK() || s.DNR() || s.Code() == nvme.StatusOverlappingRange || n == attempts {
			break
		}
		r.rec.Retries++
	}
	return s, nil
}

const (
	// settleLimit is how long a drive may work on what was transferred.
	settleLimit = time.Minute
	settlePause = 100 * time.Millisecond
	// afiBusy is bit 7 of AFI, which the specification reserves and some drives
	// set while they work on an image.
	afiBusy = 0x80
)

// settle waits while the drive says that an update is in progress. The error is
// that of ctx.
func (r *run) settle(ctx context.Context) error {
	c := nvme.NewController(nvme.WithTimeout(r.permit.Passthru(), readLimit))
	for waited := time.Duration(0); waited < settleLimit; waited += settlePause {
		log, err := c.FirmwareSlotLog(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || log.AFI&afiBusy == 0 {
			return nil // One that does not tell shows in the answer to the commit.
		}
		r.tell(Event{Text: "the drive works on the image"})
		if err := r.wait(ctx, settlePause); err != nil {
			return err
		}
	}
	r.rec.Notes = append(r.rec.Notes, fmt.Sprintf("the drive said for %v that an update is in progress", settleLimit))
	return nil
}

// commitAll commits, and once more for activation by a reset if the drive asks
// for that. It reports whether the image is in the slot.
func (r *run) commitAll(ctx context.Context) (Answer, bool) {
	r.tell(Event{Text: "committing: do not switch off the drive or the computer"})
	for _, action := range []int{r.plan.Action, r.plan.atReset()} {
		cmd := commit(action, r.plan.Slot)
		cpl, err := r.permit.Submit(ctx, &cmd, func() error { return r.job.Append(journal.Sent, r.rec) })
		var refused *guard.Refusal
		if errors.As(err, &refused) {
			r.fail(ctx, "the commit was not sent", err)
			return Answer{}, false
		}
		if err != nil {
			r.lost(ctx, err)
			return Answer{}, false
		}
		a := r.reply(fmt.Sprintf("Firmware Commit, action %d, slot %d", action, r.plan.Slot), cpl.Status)
		if cpl.Status.OK() && cpl.Result&3 != 0 {
			r.rec.Notes = append(r.rec.Notes, "the drive says that it got parts of another image at the same time: another program or another controller updates it too")
		}
		switch {
		case a.Accepted:
			if action != ActivateNow {
				a.Reset = most(a.Reset, ControllerReset)
			}
			return a, true
		case a.Again && action == ActivateNow:
			continue
		}
		r.reject("", cpl.Status)
		return a, false
	}
	return Answer{}, false
}

// reply notes an answer of the drive.
func (r *run) reply(command string, s nvme.Status) Answer {
	a := Explain(s)
	r.rec.Replies = append(r.rec.Replies, Reply{command, fmt.Sprintf("0x%03x", uint16(s.Code())), a.Text, a.Do})
	return a
}

// reject ends the job with a refusal of the drive. command is "" if the answer
// was noted.
func (r *run) reject(command string, s nvme.Status) {
	a := Explain(s)
	if command != "" {
		a = r.reply(command, s)
	}
	r.rec.Result, r.rec.Text, r.rec.Next, r.rec.Error = Rejected, a.Text, a.Do, s.Error()
	r.rec.ResetNeeded = NoReset
}

// cancel ends the job on the user's wish.
func (r *run) cancel() {
	r.rec.Result, r.rec.ResetNeeded = Cancelled, NoReset
	r.rec.Text = fmt.Sprintf("stopped after %d of %d chunks: nothing was committed, and the drive keeps its firmware", r.rec.ChunksSent, r.plan.Chunks)
	r.rec.Next = "the drive drops the parts at its next reset; until then another update may answer Overlapping Range (114h)"
	if r.rec.ChunksSent == 0 {
		r.rec.Next = ""
	}
}

// fail ends the job before anything was committed.
func (r *run) fail(ctx context.Context, text string, err error) {
	r.rec.Result, r.rec.ResetNeeded, r.rec.Error = Failed, NoReset, err.Error()
	r.rec.Text = text + ": nothing was committed, and the drive keeps its firmware"
	r.rec.Next = "look whether the drive still answers (qd1 report), then start again"
	r.rec.After = r.lookLater(context.WithoutCancel(ctx))
}

// lost ends the job after a commit without an answer, with what can be known.
func (r *run) lost(ctx context.Context, err error) {
	r.rec.Result, r.rec.Error = Interrupted, err.Error()
	r.rec.Text = "the commit was sent, and the drive did not answer: what came of it is not known"
	r.rec.Next = "leave the drive switched on for some minutes; then qd1 firmware info and qd1 firmware plan tell what is known"
	now := r.lookLater(ctx)
	if now == nil {
		return
	}
	r.rec.After = now
	slot := r.plan.Slot
	switch before := r.rec.Before; {
	case now.Revision != before.Revision:
		r.rec.Result, r.rec.ResetNeeded = Changed, NoReset
		r.rec.Text = fmt.Sprintf("the drive did not answer to the commit, and now runs %s in place of %s", now.Revision, before.Revision)
		r.rec.Next = "power the computer off and on once, and look at the drive again: qd1 report"
	case now.in(slot) != before.in(slot):
		r.rec.Text = fmt.Sprintf("the drive did not answer to the commit; slot %d has %s now, and the drive still runs %s", slot, now.in(slot), now.Revision)
	default:
		r.rec.Text += fmt.Sprintf("; the drive runs %s, and no slot has changed", now.Revision)
	}
}
