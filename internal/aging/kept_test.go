package aging

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/journal"
)

func TestParseKept(t *testing.T) {
	good := func() kept {
		return kept{Schema: keptSchema, Job: "job", State: Before, Number: 2, Run: &keptRun{Result: &bench.Result{}}}
	}
	tests := []struct {
		name   string
		word   string
		change func(*kept)
		ok     bool
	}{
		{"run", "before", func(*kept) {}, true},
		{"another schema", "before", func(k *kept) { k.Schema = "qd1.age-step/2" }, false},
		{"another job", "before", func(k *kept) { k.Job = "other" }, false},
		{"another number", "before", func(k *kept) { k.Number = 1 }, false},
		{"no result", "before", func(k *kept) { k.Run.Result = nil }, false},
		{"no run", "before", func(k *kept) { k.Run = nil }, false},
		{"negative time", "before", func(k *kept) { k.Treated = -1 }, false},
		{"negative bytes", "before", func(k *kept) { k.Written = -1 }, false},
		{"probe", probeFile, func(k *kept) { k.Probe = &Probe{Probe: 2} }, true},
		{"another probe", probeFile, func(k *kept) { k.Probe = &Probe{Probe: 3} }, false},
		{"no probe", probeFile, func(*kept) {}, false},
		{"sitting", sittingFile, func(k *kept) { k.Sitting = &Sitting{Sitting: 2} }, true},
		{"another sitting", sittingFile, func(k *kept) { k.Sitting = &Sitting{Sitting: 1} }, false},
	}
	for _, tt := range tests {
		k := good()
		tt.change(&k)
		data, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseKept(data, "job", tt.word, 2); (err == nil) != tt.ok || err != nil && !errors.Is(err, errDamaged) {
			t.Errorf("%s: parseKept = %v, want ok %t", tt.name, err, tt.ok)
		}
	}
}

func TestSliceOf(t *testing.T) {
	res := func(seconds float64, written int64) *bench.Result {
		return &bench.Result{Seconds: seconds, BytesWritten: written, BytesRead: 7}
	}
	tests := []struct {
		name             string
		res              *bench.Result
		whole, cancelled bool
		want             Slice
	}{
		{"whole", res(30.01, 50), true, false, Slice{Seconds: 30, ReadBytes: 7, WrittenBytes: 50}},
		{"cancelled", res(12, 20), false, true, Slice{Seconds: 12, ReadBytes: 7, WrittenBytes: 20}},
		{"cancelled without a result", nil, false, true, Slice{WrittenBytes: 100}},
		{"failed", res(12, 20), false, false, Slice{Seconds: 12, ReadBytes: 7, WrittenBytes: 100}},
		{"failed after more", res(12, 120), false, false, Slice{Seconds: 12, ReadBytes: 7, WrittenBytes: 120}},
		{"failed without a result", nil, false, false, Slice{WrittenBytes: 100}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, *sliceOf(tt.res, 30, 100, tt.whole, tt.cancelled)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestJoined(t *testing.T) {
	a := Slice{Seconds: 30, ReadBytes: 10, WrittenBytes: 1, Celsius: new(50), Throttles: 2}
	b := Slice{Seconds: 20, ReadBytes: 20, WrittenBytes: 2, Celsius: new(45), Throttles: 3}
	want := Slice{Seconds: 50, ReadBytes: 30, WrittenBytes: 3, Celsius: new(50), Throttles: 3}
	if diff := cmp.Diff(want, joined(a, b)); diff != "" {
		t.Error(diff)
	}
	a.Celsius = nil
	if got := joined(a, b).Celsius; got == nil || *got != 45 {
		t.Errorf("temperature %v, want the one that is known", got)
	}
}

// TestSeries holds that the series of a long treatment is bounded, and that
// nothing of it is lost.
func TestSeries(t *testing.T) {
	r := newRig(t)
	a := newAccount(r.plan(Options{Mode: Read, Duration: 100 * time.Hour}), r.clock)
	for i := range 12000 {
		a.add(Treating, &note{At: r.clock, Treated: float64(i+1) * 30, Slice: &Slice{Seconds: 30, ReadBytes: 1}})
	}
	var seconds float64
	points := a.series.Points()
	for _, p := range points {
		if p.Seconds != seconds {
			t.Fatalf("a point at %g s, want it at %g", p.Seconds, seconds)
		}
		seconds += p.Value.Seconds
	}
	if seconds != 360000 || len(points) > seriesPoints {
		t.Errorf("%d points of %g s, want at most %d of 100 h", len(points), seconds, seriesPoints)
	}
}

// TestNewerState holds that a state of a newer version is no way back.
func TestNewerState(t *testing.T) {
	r := newRig(t)
	a := newAccount(r.plan(Options{}), r.clock)
	for _, s := range []journal.State{Before, "RESTING", Planned, Treating, Before} {
		a.add(s, &note{At: r.clock})
	}
	if a.state != Treating || len(a.phases) != 2 {
		t.Errorf("state %s after %d phases, want the treatment after 2", a.state, len(a.phases))
	}
}

func TestRealClock(t *testing.T) {
	var d Deps
	if since := time.Since(d.now()); since < 0 || since > time.Minute {
		t.Errorf("now is off by %v", since)
	}
	if err := d.sleep(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("sleep = %v, want that it was cancelled", err)
	}
}

// TestBeginFails holds that what fails before the first measurement is told,
// and leaves a job that can be resumed or given up.
func TestBeginFails(t *testing.T) {
	r := newRig(t)
	d := r.deps()
	r.gone = bench.ErrGone
	rec, err := Run(t.Context(), d, r.plan(short(Read)))
	if !errors.Is(err, ErrDrive) || rec == nil || rec.State != Planned {
		t.Fatalf("Run = %v, want ErrDrive", err)
	}
	if s := r.status(); s.Text == "" || s.RemainingSeconds != s.Plan.TotalSeconds {
		t.Errorf("status %+v", s)
	}
	r.gone = nil
	r.checkWhole(r.must(r.resume()))

	live, err := r.store.Create("erase", testSerial, nil, r.clock)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	if rec, err := Run(t.Context(), d, r.plan(short(Read))); !errors.Is(err, journal.ErrLive) || rec != nil {
		t.Errorf("Run beside an erase = %v, want ErrLive", err)
	}
}

// TestMeasureBreaksItsWord holds that a measurement without a whole result is
// none.
func TestMeasureBreaksItsWord(t *testing.T) {
	for _, res := range []*bench.Result{nil, {Partial: true}} {
		r := newRig(t)
		d := r.deps()
		d.Measure = func(context.Context, bench.Job, bench.Observer) (*bench.Result, error) { return res, nil }
		rec, err := Run(t.Context(), d, r.plan(short(Read)))
		if !errors.Is(err, bench.ErrInterrupted) || len(rec.Before) != 0 {
			t.Errorf("result %v: Run = %v with %d results", res, err, len(rec.Before))
		}
	}
}
