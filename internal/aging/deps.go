package aging

import (
	"context"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
)

// Deps is what a job needs.
type Deps struct {
	Tool report.Tool
	// Journal is where the job is kept.
	Journal *journal.Store
	// Target is what is aged, as it is now. The mode mixed takes one that is
	// Writable, which whoever holds the permit says.
	Target Target
	// Measure runs a job on the target. A result that comes with an error is
	// partial.
	Measure func(ctx context.Context, j bench.Job, observe bench.Observer) (*bench.Result, error)
	// Health reads the state of the drive. Nil: there is no drive to ask, and
	// nothing is watched.
	Health func(ctx context.Context) (conditions.DriveState, error)
	// Conditions reads those of the host and of the block device. Nil: they are
	// not known.
	Conditions func(ctx context.Context) (conditions.Conditions, error)
	// Statistics reads those of the block device, by which I/O of others is
	// found. Nil: there are none.
	Statistics func() (conditions.Stats, error)
	// Save keeps a result of a kind, such as "age". It may be called again with
	// a result that it has kept already, if the program was killed in between;
	// Record.Job tells. Nil: nothing is kept.
	Save func(kind string, body any) error
	// Observe is told how the job goes on, on the goroutine of the caller. Nil
	// is fine.
	Observe func(Event)
	// Now and Sleep are the clock; nil stands for the real one. Sleep returns
	// the error of the context if that ends first.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error

	// reached is called at each boundary of a step, for tests that crash.
	reached func(point string)
}

// Event is how far a job is.
type Event struct {
	Time time.Time `json:"time"`
	// Job is the identifier of the job in the journal.
	Job   string        `json:"job"`
	State journal.State `json:"state"`
	// Done and Of count the runs of a set, or the probes of the treatment.
	Done int `json:"done"`
	Of   int `json:"of"`
	// TreatedSeconds of the treatment are over; RemainingSeconds are left of
	// the whole job, without pauses.
	TreatedSeconds   float64 `json:"treated_seconds"`
	RemainingSeconds float64 `json:"remaining_seconds"`
	Celsius          *int    `json:"composite_temperature_celsius"`
	// Text says what is being done, or what has happened.
	Text string `json:"text"`
	// Progress is that of the run under way, nil between runs. It is valid until
	// the observer returns.
	Progress *bench.Progress `json:"-"`
}

func (d *Deps) now() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

// sleep sleeps, or returns the error of the context.
func (d *Deps) sleep(ctx context.Context, span time.Duration) error {
	if d.Sleep != nil {
		return d.Sleep(ctx, span)
	}
	t := time.NewTimer(span)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Deps) reach(point string) {
	if d.reached != nil {
		d.reached(point)
	}
}

// duration makes a duration of seconds.
func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
