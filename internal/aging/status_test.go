package aging

import (
	"errors"
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
)

// newState is a drive of which nothing is known.
func newState() conditions.DriveState { return conditions.DriveState{} }

func TestStatus(t *testing.T) {
	tests := []struct {
		jobs    int
		state   journal.State
		done    int
		of      int
		treated float64
		text    string
	}{
		{0, Before, 0, 6, 0, "before: 0 of 6 runs"},
		{4, Before, 3, 6, 0, "before: 3 of 6 runs"},
		{9, Treating, 0, 2, 6, "treatment: 6s of 24s, 0 of 2 probes"},
		{12, Treating, 1, 2, 12, "treatment: 12s of 24s, 1 of 2 probes"},
		{18, After, 0, 6, 24, "after: 0 of 6 runs"},
	}
	percent := -1.0
	for _, tt := range tests {
		r := newRig(t)
		r.before = func(bench.Job) error {
			if len(r.jobs) == tt.jobs {
				if s := r.status(); !s.Live || s.PID == 0 || !strings.Contains(s.Text, "left") {
					t.Errorf("%d jobs: live %t, PID %d: %s", tt.jobs, s.Live, s.PID, s.Text)
				}
				return bench.ErrWorker
			}
			return nil
		}
		if _, err := Run(t.Context(), r.deps(), r.plan(short(Read))); !errors.Is(err, bench.ErrWorker) {
			t.Fatal(err)
		}
		s := r.status()
		if s.State != tt.state || s.Done != tt.done || s.Of != tt.of || s.TreatedSeconds != tt.treated || s.Live || s.Ended {
			t.Errorf("%d jobs: status %s %d of %d, %g s; want %s %d of %d, %g s",
				tt.jobs, s.State, s.Done, s.Of, s.TreatedSeconds, tt.state, tt.done, tt.of, tt.treated)
		}
		if !strings.HasPrefix(s.Text, tt.text) || !strings.Contains(s.Text, "can be resumed") {
			t.Errorf("%d jobs: %q, want %q", tt.jobs, s.Text, tt.text)
		}
		if s.Percent <= percent || *s.Celsius != 40 {
			t.Errorf("%d jobs: %g %%, %d °C; want more than %g %% and 40 °C", tt.jobs, s.Percent, *s.Celsius, percent)
		}
		percent = s.Percent
		r.before = nil
		r.must(r.resume())
		if s := r.status(); !s.Ended || s.Percent != 100 || s.Text != "it has ended" {
			t.Errorf("%d jobs: at the end %+v", tt.jobs, s)
		}
	}
}

func (r *rig) status() *Status {
	r.t.Helper()
	s, err := StatusOf(r.job())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestStatusNotAge(t *testing.T) {
	if _, err := StatusOf(&journal.Record{Kind: "erase"}); !errors.Is(err, ErrNotAge) {
		t.Errorf("StatusOf = %v, want ErrNotAge", err)
	}
}
