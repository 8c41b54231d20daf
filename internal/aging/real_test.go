package aging

import (
	"context"
	"errors"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// simulated are the dependencies of a job on a simulated drive in real time,
// with the journal in a directory.
func simulated(t *testing.T, profile, dir string) *Deps {
	t.Helper()
	drive, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = drive.Close() })
	target := bench.Target{Kind: bench.SimulatedTarget, Path: profile, Bytes: 16 << 20, BlockBytes: drive.BlockBytes(), Writable: true}
	ctl := nvme.NewController(drive)
	state := conditions.ReadDrive(t.Context(), ctl)
	return &Deps{
		Tool: report.Tool{Name: "qd1"}, Journal: journal.Open(dir),
		Target: Target{
			Drive:  &report.Identity{Serial: *state.Serial, Firmware: *state.Firmware},
			Target: report.BenchTarget{Name: profile, Target: target}, Simulated: true,
		},
		Measure: func(ctx context.Context, j bench.Job, observe bench.Observer) (*bench.Result, error) {
			e := bench.NewTimed("sim", drive)
			defer e.Close()
			return bench.Run(ctx, e, target, j, observe)
		},
		Health: func(ctx context.Context) (conditions.DriveState, error) { return conditions.ReadDrive(ctx, ctl), nil },
	}
}

// quick is the shortest job.
func quick(m Mode) Options {
	return Options{
		Mode: m, Duration: time.Second, Interval: 500 * time.Millisecond, Runs: 5, RunDuration: 40 * time.Millisecond,
		MBPerS: 5, SettleMost: -1, WearBytes: 64 << 20,
	}
}

// TestSimulated ages a simulated drive in real time, cancels it in the middle of
// a slice and resumes it.
func TestSimulated(t *testing.T) {
	d := simulated(t, "optane-905p", t.TempDir())
	state, err := d.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(quick(Mixed), 17_520e12, d.Target, state)
	if err != nil || p.Refused {
		t.Fatal(err, p.Refusals)
	}
	ctx, cancel := context.WithCancel(t.Context())
	measure := d.Measure
	d.Measure = func(c context.Context, j bench.Job, o bench.Observer) (*bench.Result, error) {
		if j.Op == bench.OpMix {
			j.Operations = 50
			defer cancel()
		}
		return measure(c, j, o)
	}
	rec, err := Run(ctx, d, p)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Run = %v, want that it was cancelled", err)
	}
	d.Measure = measure
	rec, err = Resume(t.Context(), d, rec.Job)
	if err != nil {
		t.Fatal(err)
	}
	if !rec.Complete || rec.Comparison == nil || !rec.Simulated || len(rec.Probes) != 2 || len(rec.Interruptions) != 1 {
		t.Errorf("complete %t, %d probes, %d interruptions: %s", rec.Complete, len(rec.Probes), len(rec.Interruptions), rec.Summary)
	}
	wrote, err := d.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	units := conditions.ChangesBetween(state, wrote).BytesWritten
	if w := rec.Wear.WrittenBytes; w == 0 || w > p.WrittenBytes || int64(*units) > w+nvme.DataUnit {
		t.Errorf("%d bytes written, the drive counts %d, the plan said %d", w, *units, p.WrittenBytes)
	}
	if us := *rec.Probes[0].Latency.P50; us < 5 || rec.Probes[0].Celsius == nil {
		t.Errorf("a median of %g µs in the probe, %v °C", us, rec.Probes[0].Celsius)
	}
}

// TestSimulatedRead holds that the mode read leaves the counter of the drive
// alone.
func TestSimulatedRead(t *testing.T) {
	d := simulated(t, "nand-modern", t.TempDir())
	d.Target.Target.Writable = false
	state, err := d.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(quick(Read), 0, d.Target, state)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Run(t.Context(), d, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Changes.BytesWritten; !rec.Complete || got == nil || *got != 0 {
		t.Errorf("complete %t, the drive counts %v bytes written, want 0", rec.Complete, got)
	}
	if rec.Series[0].Value.ReadBytes == 0 {
		t.Error("nothing was read in the treatment")
	}
}

// TestOtherIO holds that what others sent to the device is in the runs.
func TestOtherIO(t *testing.T) {
	r := newRig(t)
	d, others := r.deps(), uint64(0)
	d.Statistics = func() (conditions.Stats, error) {
		others += 1 << 20
		n := others
		for _, j := range r.jobs {
			if j.Rate == 0 {
				n += uint64(r.result(j).Operations)
			}
		}
		return conditions.Stats{Kept: true, Counters: conditions.Counters{Reads: n, ReadSectors: n * 8}}, nil
	}
	rec := r.must(Run(t.Context(), d, r.plan(short(Idle))))
	for _, x := range rec.Before[0].Results {
		if x.OtherIO == nil || !x.OtherIO.Known || x.OtherIO.ReadBytes != 1<<20*4096 || !x.OtherIO.Disturbed {
			t.Fatalf("run %d: %+v, want 4 GiB of others", x.Run, x.OtherIO)
		}
	}
	d.Statistics = func() (conditions.Stats, error) { return conditions.Stats{}, errors.New("no statistics") }
	rec = r.must(Run(t.Context(), d, r.plan(short(Idle))))
	if got := rec.Before[0].Results[0].OtherIO; got != nil {
		t.Errorf("without statistics: %+v", got)
	}
}
