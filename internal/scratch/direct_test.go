package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

func TestCheckDirect(t *testing.T) {
	dir := diskDir(t)
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	d, err := CheckDirect(path)
	if err != nil {
		t.Fatal(err)
	}
	if target, _ := bench.OpenFileTarget(path); d.OffsetBytes != target.BlockBytes {
		t.Errorf("offsets are multiples of %d, the target says %d", d.OffsetBytes, target.BlockBytes)
	}
}

func TestCheckDirectRefused(t *testing.T) {
	// Files of /proc are regular files that cannot be opened for direct I/O.
	_, err := CheckDirect("/proc/version")
	wantError(t, err, ErrNotDirect, "/proc/version lies on proc")
	_, err = CheckDirect("/proc")
	wantError(t, err, nil, "is not a regular file")
	if _, err := CheckDirect("/nonexistent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestCheckDirectInjected(t *testing.T) {
	open := func(path string) (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) }
	for errno, want := range map[unix.Errno]error{unix.EINVAL: ErrNotDirect, unix.EOPNOTSUPP: ErrNotDirect, unix.EIO: unix.EIO} {
		read := func(int, []byte, int64) (int, error) { return 0, errno }
		if _, err := checkDirect("/proc/version", open, read); !errors.Is(err, want) || errors.Is(err, ErrNotDirect) != (want == ErrNotDirect) {
			t.Errorf("a first read with %v: %v, want %v", errno, err, want)
		}
		refuse := func(string) (int, error) { return -1, errno }
		if _, err := checkDirect("/proc/version", refuse, unix.Pread); !errors.Is(err, want) {
			t.Errorf("opening with %v: %v, want %v", errno, err, want)
		}
	}
}

func TestOpenExisting(t *testing.T) {
	dir := diskDir(t)
	path := filepath.Join(dir, "mine")
	data := make([]byte, mib)
	content(data, 2, 0)
	if err := os.WriteFile(path, data, 0o400); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	before, _ := os.Stat(path)
	f, err := OpenExisting(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Target.Writable || f.Target.Bytes != mib || f.Target.Path != path || len(f.Warnings) != 0 {
		t.Errorf("got %+v, want 1 MiB for reading only, without warnings", f)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	after, err := os.Stat(path)
	if err != nil || !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() || after.Size() != before.Size() {
		t.Errorf("the file was changed: %v, %v", after, err)
	}
}

func TestOpenExistingWarns(t *testing.T) {
	f, err := OpenExisting(mixed(t, diskDir(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := joined(f.Warnings); !strings.Contains(w, "75.0 % of the file are not read from the medium") {
		t.Errorf("warnings are %q", w)
	}
}

func TestOpenExistingRefuses(t *testing.T) {
	dir := diskDir(t)
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(empty)
	_, err := OpenExisting(empty)
	wantError(t, err, nil, "is empty")
	_, err = OpenExisting(dir)
	wantError(t, err, nil, "is not a regular file")
	if err := os.WriteFile(empty, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := kernel()
	c.filesystem = func(string) (Filesystem, error) { return Filesystem{Type: "tmpfs"}, nil }
	_, err = c.openExisting(empty)
	wantError(t, err, ErrMemory, "tmpfs")
	c.filesystem = func(string) (Filesystem, error) { return Filesystem{}, unix.EIO }
	if _, err := c.openExisting(empty); !errors.Is(err, unix.EIO) {
		t.Errorf("error %v, want EIO", err)
	}
}
