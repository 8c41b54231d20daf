package erase

import (
	"context"
	"fmt"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// answer is what came back from a command.
type answer struct {
	completion nvme.Completion
	err        error
}

// command sends one command and waits for its answer.
func (r *run) command(ctx context.Context, i int) error {
	cmd := r.Method.Commands[i]
	arms, answers := make(chan chan error), make(chan answer, 1)
	go func() {
		cpl, err := r.permit.Submit(ctx, &cmd, func() error {
			reply := make(chan error)
			arms <- reply
			return <-reply
		})
		answers <- answer{cpl, err}
	}()
	var sent *time.Time
	select {
	case a := <-answers: // It was refused before it was sent.
		return fmt.Errorf("%s: %w", r.rec.Commands[i].Name, a.err)
	case reply := <-arms:
		now := r.now()
		err := r.arm(ctx, i, now)
		reply <- err
		if err == nil {
			sent = &now
		}
	}
	if sent == nil {
		return (<-answers).err
	}
	a, ok := r.watch(ctx, i, *sent, answers)
	if !ok {
		r.hand(i, *sent, answers)
		return ctx.Err()
	}
	return r.returned(i, *sent, a)
}

// arm writes down that the command is about to be sent.
func (r *run) arm(ctx context.Context, i int, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.rec.Started == nil {
		start := now.UTC()
		r.rec.Started = &start
	}
	lost := r.rec.Lost
	r.rec.Lost = true
	if err := r.enter(journal.Sent, "sent: "+r.rec.Commands[i].Name); err != nil {
		r.rec.Lost = lost
		return err
	}
	return nil
}

// returned writes down the answer. From here on a journal that cannot be
// written is a warning: the drive has done its work.
func (r *run) returned(i int, sent time.Time, a answer) error {
	o := outcomeOf(i, sent, r.since(sent), a)
	r.rec.Outcomes = append(r.rec.Outcomes, o)
	r.rec.Lost = o.Host
	if err := r.enter(journal.Returned, "answered: "+o.Text); err != nil {
		r.warn("the journal does not know of the answer: %v", err)
	}
	r.emit(Event{Kind: OutcomeEvent, Text: r.rec.Commands[i].Name + ": " + o.Text})
	switch {
	case a.err != nil:
		return fmt.Errorf("%s: %w: %w", r.rec.Commands[i].Name, errNoAnswer, a.err)
	case !a.completion.Status.OK():
		return &statusError{r.rec.Commands[i].Name, a.completion.Status}
	}
	return nil
}

func outcomeOf(i int, sent time.Time, seconds float64, a answer) Outcome {
	o := Outcome{Command: i, Sent: sent.UTC(), Seconds: seconds}
	if a.err != nil {
		o.Host, o.Text = true, a.err.Error()
		return o
	}
	status := uint16(a.completion.Status)
	o.Status, o.Text = &status, a.completion.Status.Error()
	return o
}

// hand leaves a command that is under way to a goroutine, which writes down the
// answer if this process lives long enough. Until then the job and the devices
// are taken.
func (r *run) hand(i int, sent time.Time, answers <-chan answer) {
	r.handed = true
	rec, job, permit, now := *r.rec, r.job, r.permit, r.now
	rec.Outcomes = append([]Outcome{}, rec.Outcomes...)
	go func() { takeAnswer(&rec, job, permit, i, sent, now, answers) }()
}

func takeAnswer(rec *Record, job *journal.Job, permit *guard.Permit, i int, sent time.Time, now func() time.Time, answers <-chan answer) {
	o := outcomeOf(i, sent, 0, <-answers)
	o.Seconds = now().Sub(sent).Seconds()
	rec.Outcomes = append(rec.Outcomes, o)
	rec.Lost, rec.State = o.Host, journal.Returned
	_ = job.Append(journal.Returned, rec.forJournal()) // Nobody is left to be told.
	_ = job.Close()
	_ = permit.Close()
}

// watch waits for the answer and tells how far the drive is. It gives up only
// if the context ends.
func (r *run) watch(ctx context.Context, i int, sent time.Time, answers <-chan answer) (answer, bool) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	ticks, p := r.ticks(inner), r.newProgress(sent, i)
	for {
		select {
		case a := <-answers:
			return a, true
		case <-ctx.Done():
			select {
			case a := <-answers: // Both at once: the answer counts.
				return a, true
			default:
				return answer{}, false
			}
		case <-ticks:
			r.watchController()
			p.tick(inner)
		case reading := <-p.readings:
			p.take(reading)
		}
	}
}

// ticks comes once a second until the context ends.
func (r *run) ticks(ctx context.Context) <-chan struct{} {
	ticks := make(chan struct{})
	go func() {
		for r.wait(ctx, tick) == nil {
			select {
			case ticks <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ticks
}

// watchController counts how often the controller was seen not to be live.
func (r *run) watchController() {
	if r.ControllerState == nil {
		return
	}
	state := r.ControllerState()
	live := state == "live" || state == ""
	if !live && !r.down {
		r.rec.Resets++
		r.warn("the controller is %s: the kernel resets it while the drive works", state)
	}
	r.down = !live
}
