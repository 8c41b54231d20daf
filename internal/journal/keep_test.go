package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeep(t *testing.T) {
	s := store(t)
	j := create(t, s)
	large := bytes.Repeat([]byte("x"), 1<<20+1)
	for _, data := range [][]byte{[]byte("first"), {}, large} {
		if err := j.Keep("samples.bin", data); err != nil {
			t.Fatal(err)
		}
		got, err := j.Kept("samples.bin")
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes, %v, want %d", len(got), err, len(data))
		}
	}
	closeJob(t, j)
	again, _, err := s.Resume(j.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Kept("samples.bin"); err != nil || !bytes.Equal(got, large) {
		t.Errorf("after Resume %d bytes, %v, want %d", len(got), err, len(large))
	}
	for range 2 {
		if err := again.Drop("samples.bin"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := again.Kept("samples.bin"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Drop: %v, want ErrNotExist", err)
	}
	closeJob(t, again)
	if diff := cmp.Diff([]string{lockName, j.ID + suffix}, names(t, s)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// TestDropOverwrites looks at the file under a second name.
func TestDropOverwrites(t *testing.T) {
	s := store(t)
	j := create(t, s)
	data := bytes.Repeat([]byte("secret"), 30000)
	if err := j.Keep("samples", data); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(t.TempDir(), "second")
	if err := os.Link(filepath.Join(s.dir, j.ID+".keep.samples"), second); err != nil {
		t.Fatal(err)
	}
	if err := j.Drop("samples"); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, second); !bytes.Equal(got, make([]byte, len(data))) {
		t.Errorf("%d bytes of the file are left as %.20q", len(got), got)
	}
}

func TestDropFails(t *testing.T) {
	s := store(t)
	j := create(t, s)
	path := filepath.Join(s.dir, j.ID+".keep.samples")
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, []byte("x"))
	if err := os.Symlink(outside, path); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Kept("samples"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("Kept of a link: %v, want ELOOP", err)
	}
	if err := j.Drop("samples"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("Drop of a link: %v, want ELOOP", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link is still there: %v", err)
	}
	if got := string(contents(t, outside)); got != "x" {
		t.Errorf("the file behind the link is %q", got)
	}
}

func TestKeepRefuses(t *testing.T) {
	s := store(t)
	j := create(t, s)
	for _, name := range []string{"", "../x", ".x", "a/b"} {
		if err := j.Keep(name, nil); !errors.Is(err, ErrBadName) {
			t.Errorf("Keep(%q) = %v, want ErrBadName", name, err)
		}
	}
	closeJob(t, j)
	_, err := j.Kept("a")
	for name, err := range map[string]error{"Keep": j.Keep("a", nil), "Kept": err, "Drop": j.Drop("a")} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after Close: %v, want ErrClosed", name, err)
		}
	}
}

func TestKeptIsBounded(t *testing.T) {
	s := store(t)
	j := create(t, s)
	path := filepath.Join(s.dir, j.ID+".keep.large")
	write(t, path, nil)
	if err := os.Truncate(path, MaxKeptBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Kept("large"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want ErrTooLarge", err)
	}
}
