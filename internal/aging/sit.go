package aging

import (
	"context"
	"fmt"
	"strings"
	"time"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
)

// sit begins the work of this process: it looks at the drive and at the
// conditions, and keeps them.
func (r *run) sit(ctx context.Context) error {
	if err := r.look(ctx); err != nil {
		return err
	}
	s := &Sitting{
		Sitting: r.acc.sittings + 1, Started: r.now().UTC(), Boot: r.Journal.Boot(),
		Tool: r.Tool, Target: r.Target,
	}
	if r.Conditions != nil {
		c, err := r.Conditions(ctx)
		if err != nil {
			return fmt.Errorf("the conditions of the host: %w", err)
		}
		s.Conditions = c
	}
	r.describe(&s.Conditions)
	if err := r.keep(sittingFile, kept{Number: s.Sitting, Sitting: s}); err != nil {
		return err
	}
	r.reach("kept " + sittingFile)
	r.sittings[s.Sitting] = s
	return nil
}

// describe says what is measured, and how.
func (r *run) describe(c *conditions.Conditions) {
	c.Before = r.state
	s := &c.Subject
	if d := r.Target.Drive; d != nil {
		s.Serial, s.Firmware = d.Serial, d.Firmware
	}
	if r.state != nil && r.state.Firmware != nil {
		s.Firmware = *r.state.Firmware
	}
	s.Kind, s.SizeBytes = string(r.Target.Target.Kind), r.Target.Target.Bytes
	s.SpanBytes = s.SizeBytes
	if span := r.plan.QD1.Span; span > 0 {
		s.SpanBytes = min(s.SpanBytes, span)
	}
	s.Engine, s.Submission = r.plan.QD1.Engine, "one"
	set(&s.Precondition, "none")
}

// interruption is the time from the last entry of the journal to now, when
// sitting n begins.
func (r *run) interruption(j *journal.Record, n int) *Interruption {
	i := r.lostTime(r.acc.last, r.now())
	i.Restarted, i.Torn, i.UnconfirmedBytes = j.Restarted, j.Torn, r.unconfirmed()
	if was, is := r.lastSitting(n), r.sittings[n]; was != nil && is != nil {
		i.Differences = append(i.Differences, conditions.Differences(was.Conditions, is.Conditions)...)
		if was.Boot != "" && is.Boot != "" && was.Boot != is.Boot {
			i.Differences = append(i.Differences, conditions.Difference{What: "boot", Before: &was.Boot, After: &is.Boot, Severity: conditions.Notes})
		}
	}
	i.Text = i.sentence()
	return i
}

// unconfirmed is what may have been written beyond what was counted: what was
// reserved, or more if the drive has counted more, because the journal may have
// lost its end.
func (r *run) unconfirmed() int64 {
	n := r.acc.reserved
	if c := r.changes(); r.plan.Mode == Mixed && c != nil && c.BytesWritten != nil && *c.BytesWritten < 1<<62 {
		n = max(n, int64(*c.BytesWritten)-r.acc.written)
	}
	return n
}

// lastSitting is the one before sitting n of which something is known.
func (r *run) lastSitting(n int) *Sitting {
	for n--; n > 0; n-- {
		if s := r.sittings[n]; s != nil {
			return s
		}
	}
	return nil
}

// lostTime is a time in which nothing was done, with what the drive says of it
// by its counter of power cycles.
func (r *run) lostTime(from, to time.Time) *Interruption {
	from, to = from.Round(0).UTC(), to.Round(0).UTC()
	i := &Interruption{
		From: from, To: to, Seconds: max(to.Sub(from), 0).Seconds(), State: r.acc.state,
		Differences: []conditions.Difference{},
	}
	if was := r.acc.cycles; was != nil && r.state != nil && r.state.Health != nil {
		if is := r.state.Health.PowerCycles.Lo; is >= *was {
			i.PowerCycles, i.PowerLost = new(is-*was), new(is > *was)
		}
	}
	return i
}

// sentence says what is known of an interruption.
func (i *Interruption) sentence() string {
	parts := []string{"nothing was done for " + clock(i.Seconds)}
	if i.To.Before(i.From) {
		parts[0] = "the clock was set back, so it is not known for how long nothing was done"
	}
	add := func(known *bool, yes, no string) {
		switch {
		case known == nil:
		case *known:
			parts = append(parts, yes)
		default:
			parts = append(parts, no)
		}
	}
	add(i.Restarted, "the computer was started again", "the computer kept running")
	add(i.PowerLost, "the drive lost its power", "the drive kept its power")
	for _, d := range i.Differences {
		if d.What == "firmware" && d.Before != nil && d.After != nil {
			parts = append(parts, fmt.Sprintf("the firmware is %s instead of %s", *d.After, *d.Before))
		}
	}
	if i.UnconfirmedBytes > 0 {
		parts = append(parts, fmt.Sprintf("up to %d bytes were written that nobody has counted", i.UnconfirmedBytes))
	}
	if i.Torn {
		parts = append(parts, "the last entry of the journal was cut")
	}
	return strings.Join(parts, "; ")
}

// gapLeast is how much longer than planned a slice may take in seconds, for the
// start of a process and a busy host. More is time in which the host was
// asleep.
const gapLeast = 60

// gap returns the interruption within a slice that began at a time and was
// planned for so many seconds, nil for none.
func (r *run) gap(began time.Time, seconds float64) *Interruption {
	if r.since(began) < seconds+gapLeast {
		return nil
	}
	i := r.lostTime(began.Add(duration(seconds)), r.now())
	i.Text = "the computer was asleep, or its clock was set: " + i.sentence()
	return i
}

// noteGap notes the interruption within a slice, if there is one.
func (r *run) noteGap(i *Interruption) error {
	if i == nil {
		return nil
	}
	return r.enter(r.acc.state, note{Interruption: i})
}
