package aging

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// rig is a drive of plain numbers, a clock that measuring and waiting drive, and
// a journal on the disk.
type rig struct {
	t     *testing.T
	store *journal.Store
	clock time.Time
	state conditions.DriveState
	kernel,
	serial string
	// jobs are those that were measured to their end, all those that were begun.
	jobs, all []bench.Job
	saved     []*Record
	events    []Event
	// before is called at the start of each job, and may fail it.
	before func(j bench.Job) error
	// heat is called after each job and each sleep.
	heat func()
	// written is what the drive really wrote, active how long anything was done.
	written int64
	active  time.Duration
	gone    error
	full    error
	// reach is called at each boundary.
	reach func(point string)
}

const (
	testSerial = "TEST0001"
	testBytes  = 1 << 40
	testRated  = 1_000_000_000_000_000
)

func newRig(t *testing.T) *rig {
	t.Helper()
	celsius, warning, critical, firmware, serial := 40, 80, 85, "FW1", testSerial
	return &rig{
		t: t, store: journal.Open(t.TempDir()), clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		kernel: "7.0.1", serial: testSerial,
		state: conditions.DriveState{
			Serial: &serial, Firmware: &firmware, Limits: &conditions.Limits{Warning: &warning, Critical: &critical},
			Health: &conditions.Health{Celsius: &celsius, PowerCycles: nvme.U128(7)},
		},
	}
}

// target is the drive of the rig.
func (r *rig) target() Target {
	return Target{
		Drive: &report.Identity{Serial: r.serial, Model: "TEST DRIVE", Firmware: *r.state.Firmware},
		Target: report.BenchTarget{Name: "nvme0n1", Target: bench.Target{
			Kind: bench.BlockTarget, Path: "/dev/nvme0n1", Bytes: testBytes, BlockBytes: 512, Writable: true,
		}},
	}
}

// plan is a treatment of 1 h with 3 probes, with what the test wants otherwise.
func (r *rig) plan(o Options) *Plan {
	r.t.Helper()
	if o.Duration == 0 {
		o.Duration = time.Hour
	}
	if o.Mode == "" {
		o.Mode = Read
	}
	p, err := NewPlan(o, testRated, r.target(), r.state)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// copyOf returns a state whose numbers no longer change.
func copyOf(s conditions.DriveState) conditions.DriveState {
	h := *s.Health
	c := *h.Celsius
	h.Celsius = &c
	s.Health = &h
	f := *s.Firmware
	s.Firmware = &f
	return s
}

func (r *rig) deps() *Deps {
	return &Deps{
		Tool: report.Tool{Name: "qd1", Version: "test"}, Journal: r.store, Target: r.target(),
		Measure: r.measure, Now: func() time.Time { return r.clock }, Sleep: r.sleep,
		Health: func(ctx context.Context) (conditions.DriveState, error) {
			if r.gone != nil {
				return conditions.DriveState{}, r.gone
			}
			return copyOf(r.state), ctx.Err()
		},
		Conditions: func(context.Context) (conditions.Conditions, error) {
			kernel := r.kernel
			return conditions.Conditions{Host: conditions.Host{Kernel: &kernel}}, nil
		},
		Save: func(kind string, body any) error {
			if r.full != nil {
				return r.full
			}
			if kind != "age" {
				r.t.Errorf("saved as %q, want age", kind)
			}
			r.saved = append(r.saved, body.(*Record))
			return nil
		},
		Observe: func(e Event) { r.events = append(r.events, e) },
		reached: func(point string) {
			if r.reach != nil {
				r.reach(point)
			}
		},
	}
}

func (r *rig) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.clock, r.active = r.clock.Add(d), r.active+d
	if r.heat != nil {
		r.heat()
	}
	return ctx.Err()
}

// measure answers as a drive with a latency of about 10 µs.
func (r *rig) measure(ctx context.Context, j bench.Job, observe bench.Observer) (*bench.Result, error) {
	r.all = append(r.all, j)
	if err := j.Validate(); err != nil {
		r.t.Errorf("job %+v: %v", j, err)
	}
	if r.before != nil {
		if err := r.before(j); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	observe(bench.Progress{Seconds: 1})
	r.clock, r.active = r.clock.Add(j.Warmup+j.Duration), r.active+j.Warmup+j.Duration
	r.jobs = append(r.jobs, j)
	if r.heat != nil {
		r.heat()
	}
	return r.result(j), nil
}

func (r *rig) result(j bench.Job) *bench.Result {
	us := 10 + 0.01*float64(j.Seed%7)
	n := int64(j.Duration.Seconds() * 1e6 / us)
	if j.Rate > 0 {
		n = int64(j.Rate * j.Duration.Seconds())
	}
	res := &bench.Result{
		Name: j.Label(), Engine: j.Engine, Op: j.Op, Pattern: j.Pattern, BlockBytes: j.BlockBytes, QueueDepth: j.QueueDepth,
		Workers: j.Workers, Seconds: j.Duration.Seconds(), Operations: n, IOPS: 1e6 / us, MBPerS: 4096 / us,
		Latency:   bench.Latency{Mean: &us, P50: &us, P99: new(us * 1.5), P999: new(us * 3)},
		BytesRead: n * int64(j.BlockBytes), Seed: j.Seed, Ended: "complete", SpanBytes: testBytes,
	}
	if j.Op == bench.OpMix {
		res.BytesWritten = n * 30 / 100 * int64(j.BlockBytes)
		res.BytesRead -= res.BytesWritten
		r.written += res.BytesWritten
		r.state.Health.DataUnitsWritten = nvme.U128(uint64(r.written) / nvme.DataUnit)
	}
	return res
}

// killed is what a test panics with in the place of a kill.
const killed = "killed"

// killAt runs f until the n-th boundary, where the program dies: what is on the
// disk at that moment is all that is left. It reports whether there was such a
// boundary.
func (r *rig) killAt(n int, f func()) (dead bool) {
	r.t.Helper()
	r.reach = func(string) {
		if n--; n == 0 {
			r.store = journal.Open(r.image())
			panic(killed)
		}
	}
	defer func() {
		r.reach = nil
		if v := recover(); v != nil {
			if v != killed {
				panic(v)
			}
			dead = true
		}
	}()
	f()
	return false
}

// image copies the journal as it is on the disk now, without its locks.
func (r *rig) image() string {
	r.t.Helper()
	dir := r.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(r.store.Dir())); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

// job returns the only job of the journal.
func (r *rig) job() *journal.Record {
	r.t.Helper()
	list, faults := r.store.List()
	if len(list) != 1 || len(faults) > 0 {
		r.t.Fatalf("journal: %d jobs, faults %v, want 1 and none", len(list), faults)
	}
	return &list[0]
}

// file is the journal of the only job.
func (r *rig) file() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.store.Dir(), "*.jsonl"))
	if err != nil || len(files) != 1 {
		r.t.Fatalf("journals %q, %v, want one", files, err)
	}
	return files[0]
}

func (r *rig) resume() (*Record, error) {
	r.t.Helper()
	return Resume(r.t.Context(), r.deps(), r.job().ID)
}

// must fails the test for an error.
func (r *rig) must(rec *Record, err error) *Record {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

// seeds returns those of the jobs of the sets and of the probes.
func (r *rig) seeds() (set, probes []uint64) {
	for _, j := range r.jobs {
		switch {
		case j.Rate == 0 && j.Seed < warmupSeed:
			set = append(set, j.Seed)
		case j.Rate == 0 && j.Seed > probeSeed:
			probes = append(probes, j.Seed)
		}
	}
	return set, probes
}

// checkWhole checks what a job that was done to its end comes to.
func (r *rig) checkWhole(rec *Record) {
	r.t.Helper()
	if !rec.Complete || rec.State != journal.Done || rec.Ended == nil {
		r.t.Fatalf("complete %t, state %s: %s", rec.Complete, rec.State, rec.Summary)
	}
	for _, set := range [][]*report.BenchReport{rec.Before, rec.After} {
		var runs []int
		for _, b := range set {
			for _, x := range b.Results {
				runs = append(runs, x.Run)
			}
		}
		if !slices.Equal(runs, []int{1, 2, 3, 4, 5, 6}) {
			r.t.Errorf("runs %v, want each of 6 once", runs)
		}
	}
	for i, p := range rec.Probes {
		if p.Probe != i+1 || p.TreatedSeconds != float64(i+1)*rec.Plan.ProbeSeconds {
			r.t.Errorf("probe %d after %g s of treatment, want after %g", p.Probe, p.TreatedSeconds, float64(i+1)*rec.Plan.ProbeSeconds)
		}
	}
	if len(rec.Probes) != rec.Plan.Probes || rec.Comparison == nil {
		r.t.Errorf("%d of %d probes, comparison %v", len(rec.Probes), rec.Plan.Probes, rec.Comparison)
	}
}
