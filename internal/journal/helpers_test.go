package journal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const serial = "PHM2810300A1960CGN"

// start is when the jobs of the tests begin.
var start = time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)

func store(t *testing.T) *Store {
	t.Helper()
	s := Open(filepath.Join(t.TempDir(), "state", "journal"))
	s.poll, s.pause = time.Millisecond, time.Millisecond
	return s
}

// create begins a job that is closed at the end of the test.
func create(t *testing.T, s *Store) *Job {
	t.Helper()
	j, err := s.Create("erase", serial, map[string]int{"passes": 1}, start)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func appendAll(t *testing.T, j *Job, states ...State) {
	t.Helper()
	for i, st := range states {
		if err := j.Append(st, map[string]int{"n": i}); err != nil {
			t.Fatal(err)
		}
	}
}

func closeJob(t *testing.T, j *Job) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// only returns the one job of a store.
func only(t *testing.T, s *Store) Record {
	t.Helper()
	records, faults := s.List()
	if len(records) != 1 || len(faults) != 0 {
		t.Fatalf("List = %d records, %v, want one", len(records), faults)
	}
	return records[0]
}

func states(entries []Entry) []State {
	var list []State
	for _, e := range entries {
		list = append(list, e.State)
	}
	return list
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// names returns the names in the directory of a store.
func names(t *testing.T, s *Store) []string {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// number is what appendAll put into an entry.
func number(t *testing.T, e Entry) int {
	t.Helper()
	var data struct{ N int }
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	return data.N
}
