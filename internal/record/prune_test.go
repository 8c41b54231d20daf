package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPrune(t *testing.T) {
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	tests := []struct {
		name   string
		query  Query
		keep   int
		before time.Time
		want   string
	}{
		{"two of each drive", Query{}, 2, time.Time{}, "d0"},
		{"one of each drive", Query{}, 1, time.Time{}, "d0 d1 o3"},
		{"before a time", Query{}, 0, day(3), "d0 d1 d2"},
		{"both", Query{}, 1, day(4), "d0 d1 o3"},
		{"both, another way", Query{}, 2, day(9), "d0"},
		{"drive", Query{Drive: "OTHER"}, 1, time.Time{}, "o3"},
		{"kind", Query{Kind: "bench"}, 1, time.Time{}, "d0"},
		{"label", Query{Label: "d1"}, 0, day(9), "d1"},
		{"nothing old enough", Query{}, 0, start, ""},
		{"enough to keep", Query{}, 9, time.Time{}, ""},
		{"unknown drive", Query{Drive: "NONE"}, 1, time.Time{}, ""},
	}
	for _, tt := range tests {
		s := store(t)
		for n, kind := range []string{"bench", "report", "bench"} {
			save(t, s, sample(n, kind, fmt.Sprintf("d%d", n)))
		}
		for _, n := range []int{3, 4} {
			r := sample(n, "report", fmt.Sprintf("o%d", n))
			r.Subject.Serial = "OTHER"
			save(t, s, r)
		}
		for _, dry := range []bool{true, false} {
			gone, faults := s.Prune(tt.query, tt.keep, tt.before, dry)
			if labels(gone) != tt.want || len(faults) > 0 {
				t.Errorf("%s, dry %t: %q, %v, want %q", tt.name, dry, labels(gone), faults, tt.want)
			}
			left := 5
			if !dry {
				left -= len(gone)
			}
			if got := len(all(t, s)); got != left {
				t.Errorf("%s, dry %t: %d are left, want %d", tt.name, dry, got, left)
			}
		}
	}
}

func TestPruneUnlimited(t *testing.T) {
	s := filled(t)
	for _, keep := range []int{0, -1} {
		if gone, faults := s.Prune(Query{}, keep, time.Time{}, false); gone != nil || len(faults) != 1 || !errors.Is(faults[0], ErrUnlimited) {
			t.Errorf("%v, %v, want ErrUnlimited", gone, faults)
		}
	}
	if gone, faults := s.Prune(Query{Drive: "0001"}, 1, time.Time{}, false); gone != nil || len(faults) != 1 || !errors.Is(faults[0], ErrAmbiguous) {
		t.Errorf("%v, %v, want ErrAmbiguous", gone, faults)
	}
	if got := len(all(t, s)); got != 6 {
		t.Errorf("%d are left", got)
	}
}

// TestPruneSpares keeps what those that stay refer to, and what that refers to
// in turn, and what an age record has its label in common with.
func TestPruneSpares(t *testing.T) {
	s := store(t)
	first := save(t, s, sample(0, "bench", "first"))
	second := sample(1, "bench", "second")
	second.Body = json.RawMessage(`{"base":"` + first.ID + `"}`)
	save(t, s, second)
	save(t, s, sample(2, "bench", "loose"))
	save(t, s, sample(3, "bench", "aged"))
	elsewhere := sample(4, "bench", "aged")
	elsewhere.Subject.Serial = "OTHER"
	save(t, s, elsewhere)
	age := sample(5, "age", "aged")
	age.Body = json.RawMessage(`{"before":["` + second.ID + `"]}`)
	save(t, s, age)
	last := sample(6, "bench", "last")
	last.Subject.Serial = "OTHER"
	save(t, s, last)
	if gone, faults := s.Prune(Query{}, 1, time.Time{}, false); labels(gone) != "loose aged" || gone[1].ID != elsewhere.ID || len(faults) > 0 {
		t.Errorf("%q, %v, want loose and that of the other drive", labels(gone), faults)
	}
	if gone, _ := s.Prune(Query{Kind: "bench"}, 0, start.AddDate(1, 0, 0), false); labels(gone) != "last" {
		t.Errorf("%q, want last", labels(gone))
	}
	if gone, _ := s.Prune(Query{}, 0, start.AddDate(1, 0, 0), false); labels(gone) != "first second aged aged" {
		t.Errorf("%q, want all", labels(gone))
	}
}

// TestPruneLeaves does not touch what is no whole record, and spares both files
// where one identifier stands in two folders.
func TestPruneLeaves(t *testing.T) {
	s := store(t)
	r := save(t, s, sample(0, "bench", ""))
	damaged := put(t, filepath.Join(filepath.Dir(r.File), "20250102T030405Z-aaaaaa.json"), line[:50])
	other := sample(0, "bench", "")
	other.ID, other.Subject.Serial = r.ID, "OTHER"
	save(t, s, other)
	gone, faults := s.Prune(Query{Drive: "OTHER"}, 0, start.AddDate(1, 0, 0), false)
	if len(gone) != 1 || len(faults) != 0 {
		t.Errorf("%v, %v, want one", gone, faults)
	}
	save(t, s, other)
	newer := sample(1, "bench", "")
	newer.Subject.Serial = "OTHER"
	save(t, s, newer)
	gone, faults = s.Prune(Query{}, 1, time.Time{}, false)
	if len(gone) != 0 || len(faults) != 1 || !errors.Is(faults[0], ErrDamaged) {
		t.Errorf("%v, %v, want none and the damaged one", gone, faults)
	}
	if _, err := os.Stat(damaged); err != nil {
		t.Error(err)
	}
}

func TestPruneFails(t *testing.T) {
	broken := errors.New("broken")
	s := store(t)
	for n := range 3 {
		save(t, s, sample(n, "bench", ""))
	}
	good := s.ops
	s.ops.remove = func(string) error { return broken }
	if gone, faults := s.Prune(Query{}, 1, time.Time{}, false); len(gone) != 0 || len(faults) != 2 || !errors.Is(faults[0], broken) {
		t.Errorf("%v, %v, want two errors", gone, faults)
	}
	s.ops.remove = func(path string) error { return errors.Join(os.Remove(path), fs.ErrNotExist) }
	if gone, faults := s.Prune(Query{}, 2, time.Time{}, false); len(gone) != 1 || len(faults) != 0 {
		t.Errorf("one that is gone already: %v, %v", gone, faults)
	}
	s.ops = good
	s.ops.syncDir = func(string) error { return broken }
	if _, faults := s.Prune(Query{}, 1, time.Time{}, false); len(faults) != 1 || !errors.Is(faults[0], broken) {
		t.Errorf("%v, want the error of the sync", faults)
	}
}

// TestPruneReferences removes nothing as long as a record that stays cannot be
// read: it may refer to anything.
func TestPruneReferences(t *testing.T) {
	s := store(t)
	save(t, s, sample(0, "bench", "old"))
	last := save(t, s, sample(1, "age", "new"))
	put(t, last.File, strings.Replace(string(readAll(t, last.File)), `"n":1`, `"n":x`, 1))
	gone, faults := s.Prune(Query{}, 1, time.Time{}, false)
	if len(gone) != 0 || len(faults) != 1 || !errors.Is(faults[0], ErrReferences) || !strings.Contains(faults[0].Error(), last.File) {
		t.Errorf("removed %v, %v; want ErrReferences with the file", labels(gone), faults)
	}
}
