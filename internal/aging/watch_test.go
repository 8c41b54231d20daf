package aging

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// TestPause holds that a hot drive is left alone until it is 5 K below the
// limit, and that this is no treatment.
func TestPause(t *testing.T) {
	r := newRig(t)
	heated := false
	r.heat = func() {
		switch c := r.state.Health.Celsius; {
		case !heated && len(r.jobs) == 12:
			heated, *c = true, 76
		case *c > 40:
			*c--
		}
	}
	rec := r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Read, Duration: time.Hour})))
	r.checkWhole(rec)
	if len(rec.Stops) != 1 {
		t.Fatalf("stops %+v, want one", rec.Stops)
	}
	s := rec.Stops[0]
	if s.Reason != Heat || s.Ends != EndsNothing || s.Open || *s.Celsius != 70 {
		t.Errorf("stop %+v, want a pause that ended at 70 °C", s)
	}
	if s.Seconds < 6*30 || s.Seconds > 6*30+1 {
		t.Errorf("paused for %g s, want 6 looks of 30 s", s.Seconds)
	}
	if rec.TreatedSeconds != 3600 {
		t.Errorf("treated for %g s, want 1 h without the pause", rec.TreatedSeconds)
	}
}

func TestPauseTooLong(t *testing.T) {
	r := newRig(t)
	r.heat = func() {
		if len(r.jobs) > 11 {
			*r.state.Health.Celsius = 78
		}
	}
	rec := r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Read, Duration: time.Hour, PauseMost: 10 * time.Minute})))
	if rec.Complete || len(rec.After) > 0 || len(rec.Before) != 1 || !r.job().Ended() {
		t.Errorf("complete %t, %d and %d results; want the job ended with the set before", rec.Complete, len(rec.Before), len(rec.After))
	}
	s := rec.Stops[0]
	if s.Ends != EndsJob || s.Seconds != 600 || !strings.Contains(rec.Summary, "temperature") {
		t.Errorf("stop %+v, summary %q; want an end after 10 min", s, rec.Summary)
	}
}

// TestPauseBrokenOff holds that a pause that was killed is resumed as one.
func TestPauseBrokenOff(t *testing.T) {
	r := newRig(t)
	r.heat = func() {
		if len(r.jobs) == 12 {
			*r.state.Health.Celsius = 76
		}
	}
	n, d := 0, r.deps()
	d.reached = func(string) {
		if *r.state.Health.Celsius == 76 {
			if n++; n == 5 {
				r.store = journal.Open(r.image())
				panic(killed)
			}
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = Run(t.Context(), d, r.plan(Options{Mode: Read, Duration: time.Hour}))
	}()
	r.heat = func() { *r.state.Health.Celsius = 45 }
	r.clock = r.clock.Add(time.Hour)
	rec := r.must(r.resume())
	r.checkWhole(rec)
	if len(rec.Stops) != 2 || rec.Stops[0].Open || rec.Stops[1].Open {
		t.Fatalf("stops %+v, want a pause before and one after the kill", rec.Stops)
	}
	if got := rec.Stops[0].Seconds; got < 30 || got > 120 {
		t.Errorf("the first pause took %g s, want until the kill", got)
	}
}

// TestWorse holds that a drive that gets worse ends the job with what it has.
func TestWorse(t *testing.T) {
	tests := []struct {
		name   string
		jobs   int // after which it gets worse
		worse  func(*conditions.Health)
		reason Reason
		runs   int // before
	}{
		{"media errors in the treatment", 20, func(h *conditions.Health) { h.MediaErrors = nvme.U128(3) }, MediaErrors, 6},
		{"media errors in the set", 3, func(h *conditions.Health) { h.MediaErrors = nvme.U128(3) }, MediaErrors, 2},
		{"read-only", 20, func(h *conditions.Health) { h.CriticalWarning = 1 << 3 }, CriticalWarning, 6},
		{"spare", 20, func(h *conditions.Health) { h.CriticalWarning = 1 }, CriticalWarning, 6},
		{"too cold", 20, func(h *conditions.Health) { h.CriticalWarning, *h.Celsius = 1<<1, -5 }, CriticalWarning, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.heat = func() {
				if len(r.jobs) == tt.jobs {
					tt.worse(r.state.Health)
				}
			}
			rec := r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Read})))
			if len(r.jobs) != tt.jobs {
				t.Errorf("%d jobs, want none after the %d", len(r.jobs), tt.jobs)
			}
			if len(rec.Stops) != 1 || rec.Stops[0].Reason != tt.reason || rec.Stops[0].Ends != EndsJob {
				t.Errorf("stops %+v, want %s", rec.Stops, tt.reason)
			}
			if got := len(rec.Before[0].Results); got != tt.runs || rec.Complete || len(r.saved) != 1 {
				t.Errorf("%d runs, complete %t, %d saved; want %d, false, 1", got, rec.Complete, len(r.saved), tt.runs)
			}
		})
	}
}

// TestFailedByMediaErrors holds that a measurement that fails because of the
// medium ends the job and not only the run.
func TestFailedByMediaErrors(t *testing.T) {
	r := newRig(t)
	r.before = func(j bench.Job) error {
		if j.Rate > 0 {
			r.state.Health.MediaErrors = nvme.U128(10)
			return bench.ErrManyErrors
		}
		return nil
	}
	rec := r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Read})))
	if len(rec.Stops) != 1 || rec.Stops[0].Reason != MediaErrors {
		t.Errorf("stops %+v, want media errors", rec.Stops)
	}
}

// TestOldErrors holds that errors that were there before end nothing.
func TestOldErrors(t *testing.T) {
	r := newRig(t)
	r.state.Health.MediaErrors, r.state.Health.CriticalWarning = nvme.U128(2_481_614), 1
	r.checkWhole(r.must(Run(t.Context(), r.deps(), r.plan(short(Read)))))
}

// TestHotWarning holds that the warning of a drive above the limit is a pause.
func TestHotWarning(t *testing.T) {
	r := newRig(t)
	r.heat = func() {
		*r.state.Health.Celsius, r.state.Health.CriticalWarning = 45, 0
		if len(r.jobs) == 12 {
			*r.state.Health.Celsius, r.state.Health.CriticalWarning = 81, 1<<1
			r.jobs = append(r.jobs, bench.Job{Op: bench.OpRead})
		}
	}
	rec := r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Read, Duration: time.Hour})))
	if len(rec.Stops) != 1 || rec.Stops[0].Ends != EndsNothing || !rec.Complete {
		t.Errorf("stops %+v, want one pause", rec.Stops)
	}
}

// TestBudget holds that the treatment ends when the budget might be exceeded,
// and that the second set is made all the same.
func TestBudget(t *testing.T) {
	r := newRig(t)
	p := r.plan(Options{Mode: Mixed})
	*p.Limits.BudgetBytes = p.WrittenBytes / 2
	rec := r.must(Run(t.Context(), r.deps(), p))
	if rec.Complete || rec.Comparison == nil || len(rec.Stops) != 1 || rec.Stops[0].Reason != WearBudget {
		t.Fatalf("complete %t, stops %+v; want the treatment ended by the budget, and a comparison", rec.Complete, rec.Stops)
	}
	if r.written > *p.Limits.BudgetBytes || r.written < *p.Limits.BudgetBytes*8/10 {
		t.Errorf("%d bytes written, the budget is %d", r.written, *p.Limits.BudgetBytes)
	}
}

func TestSettling(t *testing.T) {
	tests := []struct {
		name    string
		cools   bool
		most    time.Duration
		minutes float64
	}{
		{"cools down", true, 0, 8.5}, // 17 looks of 30 s, from 60 to 43 °C
		{"does not", false, 0, 30},
		{"is not waited for", false, -1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			jobs := 0
			r.heat = func() {
				switch c := r.state.Health.Celsius; {
				case len(r.jobs) > jobs && r.jobs[len(r.jobs)-1].Rate > 0:
					*c = 60
				case len(r.jobs) == jobs && tt.cools:
					*c--
				}
				jobs = len(r.jobs)
			}
			p := r.plan(Options{Mode: Read, SettleMost: tt.most})
			rec := r.must(Run(t.Context(), r.deps(), p))
			r.checkWhole(rec)
			var got float64
			for _, ph := range rec.Phases {
				if ph.Phase == Settling {
					got = ph.Ended.Sub(ph.Started).Minutes()
				}
			}
			if got != tt.minutes {
				t.Errorf("settled for %g min, want %g", got, tt.minutes)
			}
			if blocked := len(rec.Comparison.BlockedBy) > 0; blocked == tt.cools {
				t.Errorf("comparison blocked by %q", rec.Comparison.BlockedBy)
			}
		})
	}
}

// TestAsleep holds that the time in which the computer slept is none of the
// treatment.
func TestAsleep(t *testing.T) {
	r, slept := newRig(t), true
	d := r.deps()
	d.Sleep = func(c context.Context, span time.Duration) error {
		if !slept {
			return r.sleep(c, span)
		}
		slept = false
		r.state.Health.PowerCycles = nvme.U128(8)
		return r.sleep(c, span+5*time.Hour)
	}
	rec := r.must(Run(t.Context(), d, r.plan(Options{Mode: Idle})))
	r.checkWhole(rec)
	if len(rec.Interruptions) != 1 || rec.TreatedSeconds != 3600 {
		t.Fatalf("interruptions %+v, treated for %g s; want one, and 1 h", rec.Interruptions, rec.TreatedSeconds)
	}
	if got := rec.Interruptions[0]; got.Seconds != 5*3600 || !strings.Contains(got.Text, "asleep") {
		t.Errorf("interruption %+v, want 5 h asleep", got)
	}
}

// TestAsleepUnderLoad holds the same of a computer that slept in a slice.
func TestAsleepUnderLoad(t *testing.T) {
	r := newRig(t)
	r.heat = func() {
		if len(r.jobs) == 12 {
			r.clock = r.clock.Add(5 * time.Hour)
		}
	}
	rec := r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Read})))
	r.checkWhole(rec)
	if len(rec.Interruptions) != 1 || rec.Interruptions[0].Seconds != 5*3600 || rec.TreatedSeconds != 3600 {
		t.Errorf("interruptions %+v, treated for %g s; want 5 h, and 1 h", rec.Interruptions, rec.TreatedSeconds)
	}
}

// TestNoDrive holds that a target without a drive to ask is measured too.
func TestNoDrive(t *testing.T) {
	r := newRig(t)
	d := r.deps()
	d.Health, d.Conditions, d.Save, d.Observe, d.Target.Drive = nil, nil, nil, nil, nil
	d.Target.Target.Kind, d.Target.Target.Path = bench.FileTarget, "/tmp/test"
	p, err := NewPlan(short(Read), 0, d.Target, conditions.DriveState{})
	if err != nil {
		t.Fatal(err)
	}
	rec := r.must(Run(t.Context(), d, p))
	r.checkWhole(rec)
	if r.job().Serial != "/tmp/test" || rec.Changes != nil || rec.Wear.DriveWrittenBytes != nil {
		t.Errorf("serial %q, changes %v; want the path and none", r.job().Serial, rec.Changes)
	}
}

// TestSilent holds that a drive whose SMART log cannot be read any more ends
// the run, and that the job is kept.
func TestSilent(t *testing.T) {
	r := newRig(t)
	d := r.deps()
	health := d.Health
	d.Health = func(c context.Context) (conditions.DriveState, error) {
		s, err := health(c)
		if len(r.jobs) > 20 {
			s.Health = nil
		}
		return s, err
	}
	rec, err := Run(t.Context(), d, r.plan(Options{Mode: Read}))
	if !errors.Is(err, ErrDrive) || rec.State != Treating || r.job().Ended() {
		t.Fatalf("Run = %v in state %s, want ErrDrive in the treatment", err, rec.State)
	}
	if want := float64(len(r.jobs)-7) * 30; rec.TreatedSeconds != want {
		t.Errorf("treated for %g s, want %g: the last slice was whole", rec.TreatedSeconds, want)
	}
	r.checkWhole(r.must(r.resume()))
}
