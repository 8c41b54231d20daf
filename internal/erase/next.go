package erase

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// Condition is what a drive is like now.
type Condition string

// The conditions.
const (
	// Fine is a drive that answers and does nothing.
	Fine Condition = "fine"
	// Ghost is a drive that answers and is not itself.
	Ghost Condition = "ghost"
	// Sanitizing and Formatting are drives at work, SanitizeBroken one whose
	// last sanitize operation failed.
	Sanitizing     Condition = "sanitizing"
	SanitizeBroken Condition = "sanitize-failed"
	Formatting     Condition = "formatting"
	// Silent is a drive that does not answer, or is not there.
	Silent Condition = "silent"
	// Unknown was not looked at.
	Unknown Condition = ""
)

// Look is what was seen of a drive.
type Look struct {
	Condition Condition
	// Text says what was seen: the signs of a ghost, how far the drive is, the
	// error of a silent one.
	Text string
	// Now is nil for a drive that does not answer.
	Now *Snapshot
}

// patience is how long a drive is waited for that may be at work.
const patience = 20 * time.Second

// LookAt looks at the drive of a broken job. It reads only; a nil passthru is a
// drive that is not there.
//
// A drive at work may let every command wait. It is given up after 20 seconds,
// but the commands keep the time-out of the job: a shorter one would make the
// kernel reset the controller in the middle of its work. So p must not shorten
// it.
func LookAt(ctx context.Context, p nvme.Passthru, r *Record) Look {
	if p == nil {
		return Look{Condition: Silent, Text: "the drive is not there"}
	}
	inner, cancel := context.WithTimeout(ctx, r.timeout())
	defer cancel()
	timer := time.AfterFunc(patience, cancel)
	defer timer.Stop()
	l := lookAt(inner, p, r)
	if l.Condition == Silent && inner.Err() != nil && ctx.Err() == nil {
		l.Text = fmt.Sprintf("it has not answered for %v, as drives do that are being formatted", patience)
	}
	return l
}

// timeout is the longest time-out of the commands, or half an hour.
func (r *Record) timeout() time.Duration {
	longest := shortestTimeout
	for _, c := range r.Commands {
		longest = max(longest, time.Duration(c.TimeoutMS)*time.Millisecond)
	}
	return longest
}

func lookAt(ctx context.Context, p nvme.Passthru, r *Record) Look {
	s, err := TakeSnapshot(ctx, p)
	switch {
	case errors.Is(err, nvme.StatusFormatInProgress):
		return Look{Condition: Formatting, Text: "it is being formatted"}
	case err != nil:
		return Look{Condition: Silent, Text: err.Error()}
	}
	l := Look{Condition: Fine, Now: s}
	if signs := ghost(r.Before, s); len(signs) > 0 {
		l.Condition, l.Text = Ghost, strings.Join(signs, "; ")
		return l
	}
	l.sanitize(s.Sanitize)
	if l.Condition == Fine {
		l.format(ctx, nvme.NewController(p))
	}
	return l
}

func (l *Look) sanitize(log *nvme.SanitizeLog) {
	if log == nil {
		return
	}
	switch log.Status.State() {
	case nvme.SanitizeInProgress:
		l.Condition, l.Text = Sanitizing, "a sanitize operation is going on"
		if log.Progress != idleProgress {
			l.Text += fmt.Sprintf(", %.0f %% are done", float64(log.Progress)*100/65536)
		}
	case nvme.SanitizeFailed:
		l.Condition, l.Text = SanitizeBroken, "the last sanitize operation failed"
	}
}

func (l *Look) format(ctx context.Context, c *nvme.Controller) {
	for _, n := range l.Now.Namespaces {
		id, err := c.IdentifyNamespace(ctx, n.NSID)
		if err != nil {
			continue // It answered a moment ago; the snapshot says so.
		}
		if left, reported := id.FormatProgress(); reported && left > 0 {
			l.Condition, l.Text = Formatting, fmt.Sprintf("namespace %d is being formatted, %d %% are left", n.NSID, left)
		}
	}
}

// Action is what is to be done about a job.
type Action string

// The actions.
const (
	// Follow: a process works on it; it can be watched.
	Follow Action = "follow"
	// Finished: it came to its end.
	Finished Action = "finished"
	// StartAgain: no command was sent; an erase has to be asked for again.
	StartAgain Action = "start-again"
	// AwaitSanitize and AwaitFormat: the drive works, and is waited for.
	AwaitSanitize Action = "await-sanitize"
	AwaitFormat   Action = "await-format"
	// VerifyOnly: the drive is done; what it did is to be verified.
	VerifyOnly Action = "verify"
	// Repeat: what the drive did is not known; the erase is to be repeated,
	// with consent.
	Repeat Action = "repeat"
	// Rescue: the drive is not itself, or does not answer; nothing is sent.
	Rescue Action = "rescue"
	// Newer: the job is of a newer version, which has to be used.
	Newer Action = "newer"
)

// Step is what to do about a job, with the reason.
type Step struct {
	Action Action
	// Text says what is known, Do what comes next.
	Text, Do string
}

// Next decides what to do about a job from its journal and a look at the drive.
// Nothing is claimed: a journal alone never shows that data are gone.
func Next(j *journal.Record, l Look) Step {
	serial := j.Serial
	switch {
	case j.Live:
		return Step{Follow, fmt.Sprintf("process %d works on it, last state %s", j.PID, orNone(string(j.State()))),
			"leave the drive switched on; qd1 erase status " + serial + " follows it"}
	case j.Ended():
		return Step{Finished, "the job came to its end", RecordOf(j).Next + "; this was written down when the job ended, and says nothing about the time since"}
	case !knownStates(j):
		return Step{Newer, fmt.Sprintf("the job is of a newer version of qd1, its state is %s", j.State()), "use that version"}
	case !everSent(j):
		return Step{StartAgain, "no command was sent to the drive" + RecordOf(j).mayBePlanted(), "qd1 erase run " + serial + " begins anew"}
	}
	return RecordOf(j).next(l)
}

// mayBePlanted tells that blocks may have been written without a command.
func (r *Record) mayBePlanted() string {
	if r.Technique.Erases() {
		return "; blocks that are planted for the verification may be on it, in the place of data"
	}
	return ""
}

func knownStates(j *journal.Record) bool {
	switch j.State() {
	case "", journal.Armed, journal.Sent, journal.Returned, journal.Verify, journal.Done:
		return true
	}
	return false
}

// next decides about a job that sent something.
func (r *Record) next(l Look) Step {
	serial := r.Identity.Serial
	resume := "qd1 erase resume " + serial
	switch l.Condition {
	case Silent, Unknown:
		return Step{Rescue, "the drive does not answer: " + orNone(l.Text),
			"leave it switched on for the time that the erase takes; then switch the computer off, not only restart it, and look again: " + resume}
	case Ghost:
		return Step{Rescue, "the drive does not look like itself: " + l.Text,
			"nothing is sent to it; leave it switched on for an hour, then switch the computer off and on and look again: " + resume +
				"; if it stays like that, its maker alone can help, and what is on its medium counts as not erased"}
	case Sanitizing:
		return Step{AwaitSanitize, l.Text, resume + " waits for its end and verifies"}
	case Formatting:
		return Step{AwaitFormat, l.Text, "do not switch the drive off; " + resume + " waits for its end"}
	case SanitizeBroken:
		return Step{Repeat, l.Text + "; the data may still be there", "the sanitize operation has to be repeated, with consent: " + resume}
	}
	return r.nextOfFine(l, resume)
}

// nextOfFine decides about a drive that answers and does nothing.
func (r *Record) nextOfFine(l Look, resume string) Step {
	switch verify := (Step{VerifyOnly, "the drive reported success, and was not verified", resume + " verifies"}); {
	case r.State == journal.Verify:
		return verify
	case r.refusedByDrive():
		return Step{StartAgain, "the drive refused: " + r.Outcomes[len(r.Outcomes)-1].Text, "see the advice, then plan again: qd1 erase plan " + r.Identity.Serial}
	case r.Technique.Sanitizes() && r.sanitizeEnded(l.Now):
		return Step{VerifyOnly, "the sanitize operation has ended", verify.Do}
	case r.answered() && !r.Technique.Sanitizes():
		return verify
	}
	return Step{Repeat, "a command was sent, and what the drive did with it is not known",
		"the erase has to be repeated, with consent: " + resume}
}

// answered reports whether every command was answered with success.
func (r *Record) answered() bool {
	if r.Lost || len(r.Outcomes) < len(r.Commands) {
		return false
	}
	for i := range r.Outcomes {
		if !r.Outcomes[i].OK() {
			return false
		}
	}
	return true
}

// refusedByDrive reports whether the last answer was a refusal, and none before
// it success.
func (r *Record) refusedByDrive() bool {
	if r.Lost || len(r.Outcomes) == 0 {
		return false
	}
	for i := range r.Outcomes {
		if r.Outcomes[i].OK() || r.Outcomes[i].Host {
			return false
		}
	}
	return true
}

// sanitizeEnded reports whether the sanitize log tells of the end of the
// operation of this job. One that looks the same as before the job can be an
// older one, unless nothing was written since: the job itself wrote.
func (r *Record) sanitizeEnded(now *Snapshot) bool {
	if now == nil || now.Sanitize == nil || len(r.Commands) == 0 || now.Sanitize.CDW10 != r.Commands[0].CDW10 {
		return false
	}
	if !completed(now.Sanitize) {
		return false
	}
	if r.answered() {
		return true
	}
	was := r.Before
	if was == nil || was.Sanitize == nil {
		return false
	}
	return !completed(was.Sanitize) || was.Sanitize.CDW10 != now.Sanitize.CDW10
}
