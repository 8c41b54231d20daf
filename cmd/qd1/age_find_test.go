package main

import (
	"testing"
	"time"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/journal"
)

// An erase is not looked for among the agings that lie in the same journal, nor
// the other way round.
func TestFindByKind(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	store, err := ageStore()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	add := func(kind, serial string) string {
		job, err := store.Create(kind, serial, nil, at)
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
		if err := job.Close(); err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	old := add(eraseKind, "S1")
	add(aging.Kind, "S1")
	add(aging.Kind, "S2")
	for _, serial := range []string{"", "S1"} {
		if _, got, err := findJob(serial); err != nil || got.ID != old {
			t.Errorf("erase of %q: %+v, %v, want job %s", serial, got, err, old)
		}
	}
	if _, got, err := findJob("S2"); err == nil {
		t.Errorf("erase of S2: %+v, want none", got)
	}
	if _, _, err := findAge(old); err == nil {
		t.Error("an erase was taken for an aging")
	}
	if records, faults := journal.Open(store.Dir()).List(); len(records) != 3 || len(faults) != 0 {
		t.Errorf("%d jobs, faults %v", len(records), faults)
	}
}
