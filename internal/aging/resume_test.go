package aging

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// short is a treatment of a few slices.
func short(m Mode) Options {
	return Options{Mode: m, Duration: 24 * time.Second, Interval: 12 * time.Second}
}

// checkOnce holds that no run and no probe was measured to its end twice.
func (r *rig) checkOnce() {
	r.t.Helper()
	set, probes := r.seeds()
	seen := map[uint64]int{}
	for _, s := range append(set, probes...) {
		seen[s]++
	}
	for s, n := range seen {
		want := 1
		if s < warmupSeed {
			want = 2 // once before and once after
		}
		if n != want {
			r.t.Errorf("the run with seed %d was measured %d times, want %d", s, n, want)
		}
	}
}

// TestKilledAnywhere kills a job at each boundary of a step, and the process
// that resumes it too.
func TestKilledAnywhere(t *testing.T) {
	for _, mode := range []Mode{Idle, Mixed} {
		boundaries := 0
		for n := 1; ; n++ {
			dead := false
			t.Run(fmt.Sprintf("%s at boundary %d", mode, n), func(t *testing.T) {
				r := newRig(t)
				p := r.plan(short(mode))
				dead = r.killAt(n, func() { r.must(Run(t.Context(), r.deps(), p)) })
				if !dead {
					return
				}
				boundaries++
				r.clock = r.clock.Add(time.Hour)
				again := r.killAt(n%4+1, func() { r.must(r.resume()) })
				r.clock = r.clock.Add(time.Minute)
				rec := r.must(r.resume())
				r.checkWhole(rec)
				r.checkOnce()
				r.checkSaved(rec)
				r.checkWear(rec)
				r.checkTime(rec)
				if again && len(rec.Interruptions) > 2 {
					t.Errorf("%d interruptions, want at most 2: %+v", len(rec.Interruptions), rec.Interruptions)
				}
			})
			if !dead {
				break
			}
		}
		if boundaries < 40 {
			t.Errorf("%s: %d boundaries, want more", mode, boundaries)
		}
	}
}

func (r *rig) checkSaved(rec *Record) {
	r.t.Helper()
	if len(r.saved) == 0 {
		r.t.Error("the result was not saved")
	}
	for _, s := range r.saved {
		if s.Job != rec.Job || s.Summary != rec.Summary {
			r.t.Errorf("saved job %s: %s; want %s: %s", s.Job, s.Summary, rec.Job, rec.Summary)
		}
	}
}

// checkWear holds that what was written is not more than what is said, nor
// than the budget.
func (r *rig) checkWear(rec *Record) {
	r.t.Helper()
	if rec.Wear.WrittenBytes < r.written {
		r.t.Errorf("%d bytes written, the drive wrote %d", rec.Wear.WrittenBytes, r.written)
	}
	if b := rec.Wear.BudgetBytes; b != nil && r.written > *b {
		r.t.Errorf("the drive wrote %d bytes, the budget is %d", r.written, *b)
	}
}

// checkTime holds that all the time in which nothing was done is told.
func (r *rig) checkTime(rec *Record) {
	r.t.Helper()
	wall := rec.Ended.Sub(rec.Started)
	for _, i := range rec.Interruptions {
		wall -= duration(i.Seconds)
	}
	if wall > r.active+time.Second {
		r.t.Errorf("%v of the job are not told of as interrupted, and something was done for %v; interruptions %+v", wall, r.active, rec.Interruptions)
	}
}

// TestCancelledAnywhere cancels a job in the middle of each of its measurements,
// and resumes it each time.
func TestCancelledAnywhere(t *testing.T) {
	for _, mode := range []Mode{Read, Mixed} {
		r := newRig(t)
		begun, p, id := 0, r.plan(short(mode)), ""
		for stopped := 0; ; stopped++ {
			ctx, cancel := context.WithCancel(t.Context())
			first := len(r.all)
			r.before = func(bench.Job) error {
				if len(r.all) == first+3 { // Its third job: after it warmed up.
					begun++
					cancel()
				}
				return nil
			}
			rec, err := func() (*Record, error) {
				if id == "" {
					return Run(ctx, r.deps(), p)
				}
				return Resume(ctx, r.deps(), id)
			}()
			cancel()
			if err == nil {
				r.checkWhole(rec)
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if id = rec.Job; rec.Ended != nil || rec.State == journal.Done || stopped > 50 {
				t.Fatalf("stopped %d times, state %s, ended %v", stopped, rec.State, rec.Ended)
			}
			r.clock = r.clock.Add(10 * time.Minute)
		}
		if begun < 10 {
			t.Errorf("cancelled %d times, want more", begun)
		}
		r.checkOnce()
	}
}

// TestIdleCancelled holds that what an idle treatment has lasted counts.
func TestIdleCancelled(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	d, end := r.deps(), r.clock.Add(30*time.Minute)
	d.Sleep = func(ctx context.Context, span time.Duration) error {
		if r.clock.After(end) {
			r.clock = r.clock.Add(4 * time.Second)
			cancel()
			return ctx.Err()
		}
		return r.sleep(ctx, span)
	}
	rec, err := Run(ctx, d, r.plan(Options{Mode: Idle}))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Run = %v", err)
	}
	if got := rec.TreatedSeconds; got < 1500 || got > 1810 || int(got)%10 != 4 {
		t.Errorf("treated for %g s, want what has passed", got)
	}
	r.checkWhole(r.must(r.resume()))
}

// TestInterruption holds what is said of the time that was lost.
func TestInterruption(t *testing.T) {
	r := newRig(t)
	n := 0
	r.before = func(j bench.Job) error {
		if n++; j.Rate > 0 && n > 10 {
			return bench.ErrWorker
		}
		return nil
	}
	_, err := Run(t.Context(), r.deps(), r.plan(short(Read)))
	if !errors.Is(err, bench.ErrWorker) {
		t.Fatalf("Run = %v, want the error of the worker", err)
	}
	r.before = nil
	r.clock = r.clock.Add(2 * time.Hour)
	r.kernel, *r.state.Firmware, r.state.Health.PowerCycles = "7.0.2", "FW2", nvme.U128(8)
	r.otherBoot()
	rec := r.must(r.resume())
	r.checkWhole(rec)
	if len(rec.Interruptions) != 1 || len(rec.Sittings) != 2 {
		t.Fatalf("%d interruptions and %d sittings, want 1 and 2", len(rec.Interruptions), len(rec.Sittings))
	}
	i := rec.Interruptions[0]
	if i.Seconds < 7200 || i.Seconds > 7260 || i.State != Treating {
		t.Errorf("%g s lost in %s, want 2 h in the treatment", i.Seconds, i.State)
	}
	if i.PowerLost == nil || !*i.PowerLost || i.Restarted == nil || !*i.Restarted {
		t.Errorf("power lost %v, restarted %v, want both", i.PowerLost, i.Restarted)
	}
	what := map[string]string{}
	for _, d := range i.Differences {
		what[d.What] = *d.Before + " " + *d.After
	}
	if what["kernel"] != "7.0.1 7.0.2" || what["firmware"] != "FW1 FW2" || what["boot"] == "" {
		t.Errorf("differences %v, want kernel, firmware and boot", what)
	}
	for _, want := range []string{"2h0m", "started again", "lost its power", "FW2 instead of FW1"} {
		if !strings.Contains(i.Text, want) {
			t.Errorf("text %q, want %q in it", i.Text, want)
		}
	}
	if len(rec.Comparison.BlockedBy) == 0 {
		t.Error("another kernel and another firmware do not block the comparison")
	}
}

// otherBoot makes the journal one of another boot.
func (r *rig) otherBoot() {
	r.t.Helper()
	boot := r.store.Boot()
	if boot == "" {
		r.t.Skip("the kernel tells no identifier of its start")
	}
	other := "ffffffff" + boot[8:]
	entries, err := os.ReadDir(r.store.Dir())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range entries {
		path := r.store.Dir() + "/" + e.Name()
		data, err := os.ReadFile(path)
		if err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(data), boot, other)), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestSittings holds that a set that was interrupted has a result for each
// sitting, with its own conditions.
func TestSittings(t *testing.T) {
	r := newRig(t)
	r.before = func(j bench.Job) error {
		if j.Seed == 4 {
			return bench.ErrWorker
		}
		return nil
	}
	if _, err := Run(t.Context(), r.deps(), r.plan(short(Idle))); !errors.Is(err, bench.ErrWorker) {
		t.Fatalf("Run = %v", err)
	}
	r.before, r.kernel = nil, "7.0.2"
	rec := r.must(r.resume())
	r.checkWhole(rec)
	if len(rec.Before) != 2 || len(rec.After) != 1 {
		t.Fatalf("%d and %d results, want 2 and 1", len(rec.Before), len(rec.After))
	}
	if got := *rec.Before[0].Conditions.Kernel + " " + *rec.Before[1].Conditions.Kernel; got != "7.0.1 7.0.2" {
		t.Errorf("kernels %s", got)
	}
	if n := len(rec.Before[0].Results); n != 3 {
		t.Errorf("%d runs in the first sitting, want 3", n)
	}
}

func TestOtherDrive(t *testing.T) {
	r := newRig(t)
	r.before = func(j bench.Job) error {
		if j.Rate > 0 {
			return bench.ErrGone
		}
		return nil
	}
	rec, err := Run(t.Context(), r.deps(), r.plan(short(Mixed)))
	if !errors.Is(err, bench.ErrGone) || rec.State != Treating {
		t.Fatalf("Run = %v in state %v, want that the drive is gone", err, rec.State)
	}
	r.before = nil
	n, id := len(r.all), rec.Job
	tests := []struct {
		name   string
		change func(*Deps)
	}{
		{"serial number", func(d *Deps) { d.Target.Drive.Serial = "TEST0002" }},
		{"size", func(d *Deps) { d.Target.Target.Bytes-- }},
		{"no permit", func(d *Deps) { d.Target.Target.Writable = false }},
		{"serial number by its own word", func(*Deps) { r.state.Serial = new("TEST0002") }},
		{"does not answer", func(*Deps) { r.gone = bench.ErrGone }},
	}
	for _, tt := range tests {
		d := r.deps()
		tt.change(d)
		_, err := Resume(t.Context(), d, id)
		if !errors.Is(err, ErrOtherDrive) && !errors.Is(err, ErrRefused) && !errors.Is(err, ErrDrive) {
			t.Errorf("%s: Resume = %v, want a refusal", tt.name, err)
		}
		if len(r.all) != n {
			t.Fatalf("%s: measured all the same", tt.name)
		}
		r.gone, r.state.Serial = nil, new(testSerial)
	}
	rec = r.must(r.resume())
	r.checkWhole(rec)
	if len(rec.Interruptions) != 1 {
		t.Errorf("%d interruptions, want 1: what was refused is none", len(rec.Interruptions))
	}
}

// TestGoneAnywhere takes the drive away at each look at it, and resumes the job.
func TestGoneAnywhere(t *testing.T) {
	for n := 2; ; n++ {
		r := newRig(t)
		d, looks := r.deps(), 0
		health := d.Health
		d.Health = func(c context.Context) (conditions.DriveState, error) {
			if looks++; looks == n {
				return conditions.DriveState{}, bench.ErrGone
			}
			return health(c)
		}
		rec, err := Run(t.Context(), d, r.plan(short(Mixed)))
		if err == nil {
			if n < 20 {
				t.Errorf("%d looks at the drive, want more", n)
			}
			return
		}
		if !errors.Is(err, ErrDrive) || !errors.Is(err, bench.ErrGone) || rec.Ended != nil {
			t.Fatalf("look %d: Run = %v, want that the drive is gone", n, err)
		}
		rec = r.must(r.resume())
		r.checkWhole(rec)
		r.checkWear(rec)
		if len(rec.Interruptions) != 1 {
			t.Errorf("look %d: %d interruptions, want 1", n, len(rec.Interruptions))
		}
	}
}

func TestUnconfirmed(t *testing.T) {
	r := newRig(t)
	r.before = func(j bench.Job) error {
		if j.Op == bench.OpMix {
			r.store = journal.Open(r.image())
			panic(killed)
		}
		return nil
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = Run(t.Context(), r.deps(), r.plan(short(Mixed)))
	}()
	r.before = nil
	// The drive wrote more than the journal knows of at all.
	r.state.Health.DataUnitsWritten = nvme.U128(1000)
	rec := r.must(r.resume())
	if got := rec.Interruptions[0].UnconfirmedBytes; got < 1000*nvme.DataUnit {
		t.Errorf("%d unconfirmed bytes, want what the drive has counted, %d", got, 1000*nvme.DataUnit)
	}
	r.checkWhole(rec)
}

func TestAbandon(t *testing.T) {
	r := newRig(t)
	r.before = func(j bench.Job) error {
		if j.Rate > 0 {
			return bench.ErrWorker
		}
		return nil
	}
	rec, err := Run(t.Context(), r.deps(), r.plan(short(Read)))
	if err == nil {
		t.Fatal("Run has not failed")
	}
	r.gone = bench.ErrGone
	rec = r.must(Abandon(t.Context(), r.deps(), rec.Job))
	if rec.Complete || rec.Stops[0].Reason != Abandoned || len(rec.Before[0].Results) != 6 || rec.Comparison != nil {
		t.Errorf("complete %t, stops %+v, want the set before and no comparison", rec.Complete, rec.Stops)
	}
	if !r.job().Ended() {
		t.Error("the job has not ended")
	}
	if again := r.must(Abandon(t.Context(), r.deps(), rec.Job)); again.Summary != rec.Summary {
		t.Errorf("a second time: %s", again.Summary)
	}
}

func TestNotAge(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		kind   string
		header any
	}{{"erase", nil}, {Kind, nil}, {Kind, map[string]string{"schema": "qd1.age/9"}}} {
		job, err := r.store.Create(tt.kind, testSerial, tt.header, r.clock)
		if err != nil {
			t.Fatal(err)
		}
		if err := job.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Resume(t.Context(), r.deps(), job.ID); !errors.Is(err, ErrNotAge) {
			t.Errorf("Resume of %s, %v = %v, want ErrNotAge", tt.kind, tt.header, err)
		}
	}
	if _, err := Resume(t.Context(), r.deps(), "20260101T000000.000Z-nothing"); err == nil {
		t.Error("Resume of no job has not failed")
	}
}
