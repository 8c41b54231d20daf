package record

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/state"
)

func TestSave(t *testing.T) {
	s := store(t)
	r := sample(0, "bench", "fresh")
	r.Time = r.Time.In(time.FixedZone("", 3600))
	path, err := s.Save(r)
	if err != nil {
		t.Fatal(err)
	}
	if !validID(r.ID) || r.Schema != Schema || r.File != path || path != filepath.Join(s.Dir(), "QD1TEST0001", r.ID+".json") {
		t.Errorf("record %s, %s in %s", r.ID, r.Schema, path)
	}
	for p, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): fs.ModeDir | 0o700, s.Dir(): fs.ModeDir | 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode() != want {
			t.Errorf("mode of %s: %v, %v, want %v", p, info.Mode(), err, want)
		}
	}
	if diff := cmp.Diff([]*Record{r}, all(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestSaveSetsTime(t *testing.T) {
	s := store(t)
	r := sample(0, "bench", "")
	r.Time = time.Time{}
	save(t, s, r)
	if age := time.Since(r.Time); age < 0 || age > time.Minute || r.Time.Location() != time.UTC {
		t.Errorf("time %v", r.Time)
	}
}

// TestSaveAgain saves the same record twice, and another one with its
// identifier.
func TestSaveAgain(t *testing.T) {
	s := store(t)
	r := save(t, s, sample(0, "bench", "fresh"))
	save(t, s, r)
	other := sample(0, "bench", "other")
	other.ID = r.ID
	if _, err := s.Save(other); !errors.Is(err, ErrExists) {
		t.Errorf("error %v, want ErrExists", err)
	}
	if got := labels(all(t, s)); got != "fresh" {
		t.Errorf("kept %q", got)
	}
}

// TestSaveTakesAnotherID lets two records of a second have the same random
// letters.
func TestSaveTakesAnotherID(t *testing.T) {
	s := store(t)
	made := 0
	s.newID = func(at time.Time) string {
		made++
		return at.Format(stampLayout) + "-aaaaa" + string("aab"[made-1])
	}
	first := save(t, s, sample(0, "bench", "first"))
	second := save(t, s, sample(0, "bench", "second"))
	if first.ID == second.ID || made != 3 || labels(all(t, s)) != "first second" {
		t.Errorf("identifiers %s, %s after %d attempts", first.ID, second.ID, made)
	}
}

func TestSaveRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Record)
		want   error
	}{
		{"no subject", func(r *Record) { r.Subject = Subject{Model: "M"} }, ErrNoSubject},
		{"too large", func(r *Record) { r.Body = []byte(`{"a":"` + strings.Repeat("x", MaxBytes) + `"}`) }, ErrTooLarge},
	}
	for _, tt := range tests {
		s := store(t)
		r := sample(0, "bench", "")
		tt.change(r)
		if path, err := s.Save(r); path != "" || !errors.Is(err, tt.want) {
			t.Errorf("%s: %q, %v, want %v", tt.name, path, err, tt.want)
		}
		if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the directory was made: %v", tt.name, err)
		}
	}
}

// TestSaveFails lets each step fail on its own. Older records stay, nothing is
// left behind, and a second attempt succeeds.
func TestSaveFails(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		step   string
		breaks func(*ops)
		// kept is what the first attempt leaves.
		kept string
	}{
		{"directory", func(o *ops) { o.makeDir = func(string) error { return broken } }, "old"},
		{"lock", func(o *ops) { o.lock = func(string) (io.Closer, error) { return nil, broken } }, "old"},
		{"write", func(o *ops) { o.write = func(string, []byte, fs.FileMode) error { return broken } }, "old"},
		{"half a write", func(o *ops) {
			o.write = func(path string, data []byte, mode fs.FileMode) error {
				temp := filepath.Join(filepath.Dir(path), state.TempPrefix+"HALF")
				return errors.Join(broken, os.WriteFile(temp, data[:len(data)/2], mode))
			}
		}, "old"},
		{"sync after the rename", func(o *ops) {
			o.write = func(path string, data []byte, mode fs.FileMode) error {
				return errors.Join(broken, state.WriteFile(path, data, mode))
			}
		}, "old new"},
	}
	for _, tt := range tests {
		s := store(t)
		save(t, s, sample(0, "bench", "old"))
		good := s.ops
		tt.breaks(&s.ops)
		r := sample(1, "bench", "new")
		if path, err := s.Save(r); path != "" || r.File != "" || !errors.Is(err, broken) {
			t.Errorf("%s: %q, %v, want the error", tt.step, path, err)
		}
		if got := labels(all(t, s)); got != tt.kept {
			t.Errorf("%s: kept %q, want %q", tt.step, got, tt.kept)
		}
		s.ops = good
		save(t, s, r)
		if got := labels(all(t, s)); got != "old new" || len(temps(t, s)) > 0 {
			t.Errorf("%s: after the second attempt %q and %q", tt.step, got, temps(t, s))
		}
	}
}

// TestSaveSyncsWhatIsThere does not take a file for kept that may not be
// stable.
func TestSaveSyncsWhatIsThere(t *testing.T) {
	s := store(t)
	r := save(t, s, sample(0, "bench", ""))
	broken := errors.New("broken")
	s.ops.syncDir = func(string) error { return broken }
	if _, err := s.Save(r); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the sync", err)
	}
}

func TestSaveWaits(t *testing.T) {
	s := store(t)
	save(t, s, sample(0, "bench", ""))
	l, err := state.Lock(filepath.Join(s.folder(drive.Key()), lockName))
	if err != nil {
		t.Fatal(err)
	}
	s.patience, s.pause = 2*time.Millisecond, time.Millisecond
	if _, err := s.Save(sample(1, "bench", "")); !errors.Is(err, ErrBusy) {
		t.Errorf("error %v, want ErrBusy", err)
	}
	other := sample(2, "bench", "other")
	other.Subject.Serial = "OTHER"
	save(t, s, other)

	tried := 0
	lock := s.ops.lock
	s.patience = time.Minute
	s.ops.lock = func(path string) (io.Closer, error) {
		if tried++; tried == 3 {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
		return lock(path)
	}
	save(t, s, sample(3, "bench", "late"))
	if tried != 3 || len(all(t, s)) != 3 {
		t.Errorf("%d attempts, %d records", tried, len(all(t, s)))
	}
}

// TestSweep removes what a crash left and nothing else.
func TestSweep(t *testing.T) {
	s := store(t)
	r := save(t, s, sample(0, "bench", "old"))
	dir := filepath.Dir(r.File)
	put(t, filepath.Join(dir, state.TempPrefix+"ABC"), line[:50])
	put(t, filepath.Join(dir, ".other"), "x")
	if got := labels(all(t, s)); got != "old" {
		t.Errorf("before: %q", got)
	}
	save(t, s, sample(1, "bench", "new"))
	if left := temps(t, s); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	if _, err := os.Stat(filepath.Join(dir, ".other")); err != nil {
		t.Error(err)
	}
}

// TestSaveUnsafe does not write where others could exchange the files.
func TestSaveUnsafe(t *testing.T) {
	s := store(t)
	r := save(t, s, sample(0, "bench", ""))
	if err := os.Chmod(filepath.Dir(r.File), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(sample(1, "bench", "")); !errors.Is(err, state.ErrUnsafe) {
		t.Errorf("error %v, want ErrUnsafe", err)
	}
}

// TestSaveOverOther does not replace what has the name of the record.
func TestSaveOverOther(t *testing.T) {
	s := store(t)
	r := sample(0, "bench", "")
	r.ID = "20260102T030405Z-abc234"
	path := filepath.Join(s.folder(drive.Key()), r.ID+suffix)
	put(t, path, line[:60])
	if _, err := s.Save(r); !errors.Is(err, ErrExists) {
		t.Errorf("over a damaged one: %v, want ErrExists", err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(r); !errors.Is(err, ErrNotRecord) {
		t.Errorf("over a pipe: %v, want ErrNotRecord", err)
	}
}
