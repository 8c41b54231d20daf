package aging

import (
	"context"
	"fmt"
	"time"

	"qd1.example/qd1/internal/conditions"
)

// look reads the state of the drive, and makes sure that it is the drive.
func (r *run) look(ctx context.Context) error {
	if r.Health == nil {
		return nil
	}
	s, err := r.Health(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDrive, err)
	case r.base != nil && r.base.Health != nil && s.Health == nil:
		return fmt.Errorf("%w: %q", ErrDrive, s.Problems)
	case s.Serial != nil && r.plan.Drive != nil && *s.Serial != r.plan.Drive.Serial:
		return fmt.Errorf("%w: %s, the plan is for %s", ErrOtherDrive, *s.Serial, r.plan.Drive.Serial)
	}
	r.state = &s
	if r.base == nil {
		r.base = &s
	}
	return nil
}

// celsius is the temperature at the last look, nil if not known.
func (r *run) celsius() *int {
	if r.state == nil || r.state.Health == nil {
		return nil
	}
	return r.state.Health.Celsius
}

// hot reports whether the drive is above a limit.
func (r *run) hot(limit int) bool {
	c := r.celsius()
	return c != nil && *c > limit
}

// changes is what became different since the first look, nil if not known.
func (r *run) changes() *conditions.Changes {
	if r.base == nil || r.state == nil {
		return nil
	}
	return new(conditions.ChangesBetween(*r.base, *r.state))
}

// temperatureWarning is the bit of Critical Warning for a temperature outside
// the limits, which a pause takes care of.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page, Critical Warning.
const temperatureWarning = 1 << 1

// worse returns the stop for a drive whose health got worse, nil for none.
func (r *run) worse() *Stop {
	c := r.changes()
	if c == nil {
		return nil
	}
	if c.MediaErrors != nil && *c.MediaErrors > 0 {
		return &Stop{Reason: MediaErrors, Ends: EndsJob, Text: fmt.Sprintf("media errors rose by %d", *c.MediaErrors)}
	}
	warnings := c.NewWarnings
	if r.hot(r.plan.Limits.TempMax) {
		warnings &^= temperatureWarning
	}
	if warnings != 0 {
		return &Stop{Reason: CriticalWarning, Ends: EndsJob, Text: fmt.Sprintf("new bits in Critical Warning: %#02x", warnings)}
	}
	return nil
}

// watch judges the last look at the drive: it ends the job, or pauses it.
func (r *run) watch(ctx context.Context) error {
	if r.acc.ends(EndsJob) != nil {
		return nil
	}
	if s := r.worse(); s != nil {
		return r.stop(s)
	}
	if r.acc.state != Settling && r.hot(r.plan.Limits.TempMax) {
		return r.pause(ctx)
	}
	return nil
}

// stop notes a stop.
func (r *run) stop(s *Stop) error {
	s.State, s.Celsius = r.acc.state, r.celsius()
	if s.Time.IsZero() {
		s.Time = r.now().UTC()
	}
	r.tell(s.Text, nil)
	return r.enter(r.acc.state, note{Stop: s})
}

// poll is the time between two looks while the job waits.
func (r *run) poll() time.Duration {
	return min(defaultSlice, duration(r.plan.SliceSeconds))
}

// pause waits until the drive has cooled down, or ends the job.
func (r *run) pause(ctx context.Context) error {
	l := r.plan.Limits
	began := r.now().UTC()
	text := fmt.Sprintf("%d °C, above the limit of %d °C: waiting for %d °C", *r.celsius(), l.TempMax, l.TempResume)
	if err := r.stop(&Stop{Reason: Heat, Time: began, Open: true, Text: text}); err != nil {
		return err
	}
	for r.hot(l.TempResume) && r.worse() == nil {
		waited := r.since(began)
		if waited >= l.PauseSeconds {
			return r.stop(&Stop{
				Reason: Heat, Time: began, Seconds: waited, Ends: EndsJob,
				Text: fmt.Sprintf("still at %d °C after %s", *r.celsius(), clock(waited)),
			})
		}
		if err := r.wait(ctx, text); err != nil {
			return err
		}
	}
	return r.stop(&Stop{Reason: Heat, Time: began, Seconds: r.since(began), Text: text})
}

// since is the time since a moment in seconds, by the clock on the wall.
func (r *run) since(t time.Time) float64 {
	return max(r.now().Round(0).Sub(t.Round(0)), 0).Seconds()
}

// wait waits a while, looks at the drive and notes it.
func (r *run) wait(ctx context.Context, text string) error {
	r.tell(text, nil)
	if err := r.sleep(ctx, r.poll()); err != nil {
		return err
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	return r.enter(r.acc.state, note{})
}
