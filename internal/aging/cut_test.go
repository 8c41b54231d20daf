package aging

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/journal"
)

// TestJournalCut holds that a job whose journal was cut at any byte goes on
// from what is left and measures nothing that was kept again, or says that
// nothing can be made of it.
func TestJournalCut(t *testing.T) {
	r := newRig(t)
	r.before = func(j bench.Job) error {
		if len(r.jobs) > 12 { // In the second half of the treatment.
			return bench.ErrWorker
		}
		return nil
	}
	if _, err := Run(t.Context(), r.deps(), r.plan(short(Mixed))); !errors.Is(err, bench.ErrWorker) {
		t.Fatal(err)
	}
	r.before = nil
	whole, err := os.ReadFile(r.file())
	if err != nil {
		t.Fatal(err)
	}
	name, image, measured := filepath.Base(r.file()), r.image(), r.jobs
	head := strings.IndexByte(string(whole), '\n') + 1
	cuts := []int{0, 1, head / 2, head - 1}
	for at := head; at < len(whole); {
		n := strings.IndexByte(string(whole[at:]), '\n') + 1
		cuts = append(cuts, at, at+1, at+n/2, at+n-1)
		at += n
	}
	for _, at := range cuts {
		r := newRig(t)
		r.jobs, r.clock = append([]bench.Job{}, measured...), r.clock.Add(time.Hour)
		if err := os.CopyFS(r.store.Dir(), os.DirFS(image)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.store.Dir(), name), whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if at < head {
			if _, faults := r.store.List(); len(faults) != 1 || !errors.Is(faults[0], journal.ErrNotJournal) {
				t.Errorf("cut at %d: faults %v, want that it is no journal", at, faults)
			}
			continue
		}
		rec, err := r.resume()
		if err != nil {
			t.Fatalf("cut at %d: %v", at, err)
		}
		r.checkWhole(rec)
		r.checkOnce()
		if t.Failed() {
			t.Fatalf("cut at %d of %d", at, len(whole))
		}
		checkTold(t, rec, at, head)
		if n := len(r.jobs) - len(measured); n > 12 {
			t.Errorf("cut at %d: %d jobs more, want the treatment from the probe on, a probe and a set", at, n)
		}
	}
}

// checkTold holds that a cut is told: as a torn entry, or as what the steps
// know and the journal does not.
func checkTold(t *testing.T, rec *Record, at, head int) {
	t.Helper()
	told := len(rec.Lost) > 0
	for _, i := range rec.Interruptions {
		told = told || i.Torn
	}
	if at == head && !told {
		t.Errorf("cut behind the header: lost %q, want that the journal lost its end", rec.Lost)
	}
}

// TestSideFiles holds what becomes of a job whose files beside the journal are
// gone or damaged: what can be measured again is, the rest is told.
func TestSideFiles(t *testing.T) {
	tests := []struct {
		name, file, content string
		jobs                int // until the job is broken off
		again               []uint64
		lost                int
	}{
		{"a run is gone in the set", "before-2", "", 5, []uint64{2}, 1},
		{"a run is damaged in the set", "before-2", "{\"schema\":", 5, []uint64{2}, 1},
		{"a run is another one", "before-2", "before-1", 5, []uint64{2}, 1},
		{"a run is gone in the treatment", "before-2", "", 9, nil, 2},
		{"conditions are gone", "sitting-1", "", 9, nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.before = func(bench.Job) error {
				if len(r.jobs) == tt.jobs {
					return bench.ErrWorker
				}
				return nil
			}
			if _, err := Run(t.Context(), r.deps(), r.plan(short(Read))); !errors.Is(err, bench.ErrWorker) {
				t.Fatal(err)
			}
			r.spoil(tt.file, tt.content)
			r.before, r.jobs = nil, nil
			rec := r.must(r.resume())
			set, _ := r.seeds()
			for _, s := range tt.again {
				if set[0] != s {
					t.Errorf("measured %v, want %d again at first", set, s)
				}
			}
			if len(rec.Lost) != tt.lost || rec.Comparison == nil {
				t.Errorf("lost %q, want %d sentences", rec.Lost, tt.lost)
			}
			if complete := len(rec.Before[0].Results)+len(rec.Before[len(rec.Before)-1].Results) > 5; rec.Complete && !complete {
				t.Errorf("complete without all runs")
			}
		})
	}
}

// spoil replaces what a step left: by nothing, by another one's, or by text.
func (r *rig) spoil(name, content string) {
	r.t.Helper()
	base := strings.TrimSuffix(r.file(), ".jsonl") + ".keep."
	if content == "" {
		if err := os.Remove(base + name); err != nil {
			r.t.Fatal(err)
		}
		return
	}
	data := []byte(content)
	if other, err := os.ReadFile(base + content); err == nil {
		data = other
	}
	if err := os.WriteFile(base+name, data, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// FuzzJournal holds that no entries of a journal and no files make a panic, and
// that what is made of them is in its bounds.
func FuzzJournal(f *testing.F) {
	f.Add("TREATING", []byte(`{"at":"2026-03-01T12:00:00Z","treated_seconds":5,"written_bytes":7,"probe":{"probe":1}}`))
	f.Add("AFTER", []byte(`{"at":"2026-03-01T12:00:00Z","run":3,"stop":{"open":true}}`))
	f.Add("BEFORE", []byte(`{"at":"2026-03-01T12:00:00Z","slice":{"seconds":1},"interruption":{}}`))
	f.Add("DONE", []byte(`{"schema":"qd1.age-step/1","job":"j","number":1,"run":{"result":{}}}`))
	f.Fuzz(func(t *testing.T, state string, data []byte) {
		o := Options{Mode: Mixed, Duration: time.Minute}
		p, err := NewPlan(o, testRated, Target{}, newState())
		if err != nil {
			t.Fatal(err)
		}
		h, err := json.Marshal(header{Schema: Schema, Plan: p})
		if err != nil {
			t.Fatal(err)
		}
		e := journal.Entry{State: journal.State(state), Data: data}
		s, err := StatusOf(&journal.Record{Kind: Kind, Header: h, Entries: []journal.Entry{e, e}})
		if err != nil {
			t.Fatal(err)
		}
		if s.RemainingSeconds < 0 || s.RemainingSeconds > p.TotalSeconds || s.Percent < 0 || s.Percent > 100 || s.Done > s.Of {
			t.Errorf("status %+v", s)
		}
		for _, word := range []string{"before", probeFile, sittingFile} {
			if k, err := parseKept(data, "j", word, 1); err == nil && (k.Number != 1 || k.Job != "j") {
				t.Errorf("took %+v for %s of another job", k, word)
			}
		}
	})
}
