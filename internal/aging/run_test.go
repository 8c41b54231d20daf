package aging

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/journal"
)

func TestRun(t *testing.T) {
	for _, mode := range []Mode{Idle, Read, Mixed} {
		t.Run(string(mode), func(t *testing.T) {
			r := newRig(t)
			p := r.plan(Options{Mode: mode, Label: "test", Duration: 3 * time.Hour})
			rec := r.must(Run(t.Context(), r.deps(), p))
			r.checkWhole(rec)
			set, probes := r.seeds()
			if want := []uint64{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}; !slices.Equal(set, want) {
				t.Errorf("seeds of the sets %v, want %v", set, want)
			}
			if len(probes) != 3 {
				t.Errorf("%d probes, want 3: one an hour", len(probes))
			}
			if rec.TreatedSeconds != 3*3600 {
				t.Errorf("treated for %g s, want 3 h", rec.TreatedSeconds)
			}
			if got := rec.Comparison.Overall; got != compare.Unchanged {
				t.Errorf("comparison %q, want no change: %s", got, rec.Comparison.Summary)
			}
			if got := *rec.Before[0].Label; got != "test before" {
				t.Errorf("label %q", got)
			}
			if len(r.saved) != 1 || r.saved[0].Job != rec.Job {
				t.Errorf("saved %d results, want the one", len(r.saved))
			}
		})
	}
}

// TestNothingWritten holds that only the mode mixed writes, and only in its
// treatment.
func TestNothingWritten(t *testing.T) {
	for _, mode := range []Mode{Idle, Read, Mixed} {
		r := newRig(t)
		r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: mode})))
		loads := 0
		for _, j := range r.all {
			if j.Rate > 0 {
				loads++
			}
			if j.Op != bench.OpRead && (mode != Mixed || j.Rate == 0) {
				t.Errorf("%s: a job writes: %+v", mode, j)
			}
		}
		if (loads == 0) != (mode == Idle) {
			t.Errorf("%s: %d slices of load", mode, loads)
		}
	}
	r := newRig(t)
	p := r.plan(Options{Mode: Read})
	p.Loads[0].Op = bench.OpMix
	if _, err := Run(t.Context(), r.deps(), p); !errors.Is(err, ErrRefused) {
		t.Errorf("a plan to read with a job that writes: %v, want a refusal", err)
	}
	for _, j := range r.all {
		if j.Op != bench.OpRead {
			t.Errorf("a job that writes was measured: %+v", j)
		}
	}
}

func TestMixedNeedsPermit(t *testing.T) {
	r := newRig(t)
	p, d := r.plan(Options{Mode: Mixed}), r.deps()
	d.Target.Target.Writable = false
	if _, err := Run(t.Context(), d, p); !errors.Is(err, ErrRefused) {
		t.Errorf("Run = %v, want a refusal", err)
	}
	if len(r.all) > 0 {
		t.Errorf("%d jobs were measured", len(r.all))
	}
	if list, _ := r.store.List(); len(list) > 0 {
		t.Error("a job was begun")
	}
}

func TestReadByTurns(t *testing.T) {
	r := newRig(t)
	r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Read, Duration: 10 * time.Minute})))
	var patterns []bench.Pattern
	starts := map[int64]bool{}
	for _, j := range r.jobs {
		if j.Rate > 0 {
			patterns = append(patterns, j.Pattern)
			if got := j.Rate * float64(j.BlockBytes) / 1e6; got != DefaultMBPerS {
				t.Errorf("%g MB/s, want %d", got, DefaultMBPerS)
			}
			if j.Pattern == bench.Sequential {
				if starts[j.Start] {
					t.Errorf("a second slice starts at byte %d", j.Start)
				}
				starts[j.Start] = true
			}
		}
	}
	if len(patterns) < 4 || patterns[0] == patterns[1] || patterns[0] != patterns[2] {
		t.Errorf("patterns %v, want them by turns", patterns)
	}
}

// TestRecord holds that a record survives JSON, since it is kept as such, and
// that what the steps left is gone at the end.
func TestRecord(t *testing.T) {
	r := newRig(t)
	rec := r.must(Run(t.Context(), r.deps(), r.plan(Options{Mode: Mixed})))
	data, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	var again Record
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(data), string(second)); diff != "" {
		t.Error(diff)
	}
	files, err := filepath.Glob(filepath.Join(r.store.Dir(), "*.keep.*"))
	if err != nil || len(files) != 1 || filepath.Ext(files[0]) != ".result" {
		t.Errorf("files %q are left, want the result", files)
	}
	finished, err := Resume(t.Context(), r.deps(), rec.Job)
	if err != nil || finished.Summary != rec.Summary {
		t.Errorf("Resume of a job that has ended = %+v, %v", finished, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(t.Context(), r.deps(), rec.Job); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Resume without the result = %v, want that it is not there", err)
	}
}

func TestWear(t *testing.T) {
	r := newRig(t)
	p := r.plan(Options{Mode: Mixed})
	rec := r.must(Run(t.Context(), r.deps(), p))
	if got := rec.Wear.WrittenBytes; got != r.written || got == 0 {
		t.Errorf("%d bytes written, the drive wrote %d", got, r.written)
	}
	if rec.Wear.WrittenBytes > p.WrittenBytes {
		t.Errorf("%d bytes written, the plan said at most %d", rec.Wear.WrittenBytes, p.WrittenBytes)
	}
	if want := share(r.written, testRated); *rec.Wear.Percent != want {
		t.Errorf("%g %% worn, want %g", *rec.Wear.Percent, want)
	}
	if last := rec.Probes[2]; last.WrittenBytes != r.written || last.DriveWrittenBytes == nil {
		t.Errorf("the last probe says %d bytes written, want %d", last.WrittenBytes, r.written)
	}
}

// TestSaveFails holds that a result that cannot be saved is not lost, and that
// nothing is measured for it again.
func TestSaveFails(t *testing.T) {
	r := newRig(t)
	r.full = journal.ErrNoSpace
	_, err := Run(t.Context(), r.deps(), r.plan(Options{}))
	if !errors.Is(err, journal.ErrNoSpace) {
		t.Fatalf("Run = %v, want that there is no space", err)
	}
	n := len(r.all)
	r.full, r.gone = nil, errors.New("no drive is needed")
	rec := r.must(r.resume())
	r.checkWhole(rec)
	if len(r.all) != n || len(r.saved) != 1 {
		t.Errorf("%d jobs more and %d results, want none and 1", len(r.all)-n, len(r.saved))
	}
}

func TestEvents(t *testing.T) {
	r := newRig(t)
	p := r.plan(Options{})
	r.must(Run(t.Context(), r.deps(), p))
	last, progress := p.TotalSeconds, 0
	for _, e := range r.events {
		if e.RemainingSeconds > last {
			t.Fatalf("%g s are left in %s, after %g", e.RemainingSeconds, e.State, last)
		}
		last = e.RemainingSeconds
		if e.Progress != nil {
			progress++
		}
	}
	if progress != len(r.all) || r.events[0].RemainingSeconds != p.TotalSeconds {
		t.Errorf("%d events with progress, want %d; %g s are left at the start, want %g",
			progress, len(r.all), r.events[0].RemainingSeconds, p.TotalSeconds)
	}
}
