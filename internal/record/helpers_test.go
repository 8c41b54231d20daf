package record

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// start is the time of the first record of most tests.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// drive is the subject of most tests.
var drive = Subject{Serial: "QD1TEST0001", Model: "MODEL A", Bytes: 1 << 30}

// store returns an empty store.
func store(t testing.TB) *Store {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "state", "records"))
}

// sample returns a record that was made some days after start.
func sample(days int, kind, label string) *Record {
	return &Record{
		Time: start.AddDate(0, 0, days), Kind: kind, Subject: drive, Label: label,
		Tool: Tool{"qd1", "1.0"}, Body: json.RawMessage(fmt.Sprintf(`{"schema":"qd1.%s/1","n":%d}`, kind, days)),
	}
}

func save(t testing.TB, s *Store, r *Record) *Record {
	t.Helper()
	if _, err := s.Save(r); err != nil {
		t.Fatal(err)
	}
	return r
}

// all returns all records, which must be readable.
func all(t testing.TB, s *Store) []*Record {
	t.Helper()
	list, faults := s.List(Query{})
	for _, err := range faults {
		t.Error(err)
	}
	return list
}

// put writes a file with what is above it.
func put(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// temps returns the files of a store that are not whole.
func temps(t testing.TB, s *Store) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, "*", ".qd1-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// labels joins the labels of records, or their kinds where there are none.
func labels(list []*Record) string {
	var names []string
	for _, r := range list {
		if r.Label == "" {
			names = append(names, r.Kind)
		} else {
			names = append(names, r.Label)
		}
	}
	return strings.Join(names, " ")
}
