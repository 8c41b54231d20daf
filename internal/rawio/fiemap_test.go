package rawio

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// fiemapFile makes a file of 64 KiB data, a hole of 64 KiB and 64 KiB that are
// allocated only. It skips where the filesystem has no FIEMAP.
func fiemapFile(t *testing.T) int {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	data := make([]byte, 64<<10)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 128<<10, 64<<10); err != nil {
		t.Skipf("SKIPPED: no fallocate in the temporary directory: %v", err)
	}
	if _, err := Fiemap(int(f.Fd()), 0, 1<<40, FiemapSync, nil); err != nil {
		t.Skipf("SKIPPED: no FIEMAP in the temporary directory: %v", err)
	}
	return int(f.Fd())
}

func TestFiemap(t *testing.T) {
	fd := fiemapFile(t)
	extents := make([]FiemapExtent, 16)
	n, err := Fiemap(fd, 0, 1<<40, FiemapSync, extents)
	if err != nil {
		t.Fatal(err)
	}
	var data, unwritten, end uint64
	for _, e := range extents[:n] {
		if e.Logical < end {
			t.Errorf("extent at %d lies before the end %d of the one before", e.Logical, end)
		}
		end = e.Logical + e.Length
		if e.Flags&FiemapUnwritten != 0 {
			unwritten += e.Length
		} else {
			data += e.Length
		}
	}
	if data != 64<<10 || unwritten != 64<<10 || end != 192<<10 {
		t.Errorf("%d bytes written, %d allocated, end at %d, want 65536, 65536, 196608", data, unwritten, end)
	}
	if n == 0 || extents[n-1].Flags&FiemapLast == 0 {
		t.Errorf("the last of %d extents is not marked", n)
	}
}

func TestFiemapInParts(t *testing.T) {
	fd := fiemapFile(t)
	count, err := Fiemap(fd, 0, 1<<40, FiemapSync, nil)
	if err != nil || count < 2 {
		t.Fatalf("%d extents, %v, want at least 2", count, err)
	}
	one := make([]FiemapExtent, 1)
	if n, err := Fiemap(fd, 0, 1<<40, 0, one); n != 1 || err != nil || one[0].Logical != 0 {
		t.Errorf("first extent: %d, %v, at %d, want one at 0", n, err, one[0].Logical)
	}
	if n, err := Fiemap(fd, 100<<10, 1<<40, 0, one); n != 1 || err != nil || one[0].Logical != 128<<10 {
		t.Errorf("from inside the hole: %d, %v, at %d, want one at 131072", n, err, one[0].Logical)
	}
	if n, err := Fiemap(fd, 1<<30, 1<<20, 0, one); n != 0 || err != nil {
		t.Errorf("behind the end: %d, %v, want none", n, err)
	}
}

func TestFiemapErrors(t *testing.T) {
	if _, err := Fiemap(-1, 0, 1, 0, nil); !errors.Is(err, unix.EBADF) {
		t.Errorf("no file: %v, want EBADF", err)
	}
	pipe := [2]int{}
	if err := unix.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	if _, err := Fiemap(pipe[0], 0, 1, 0, make([]FiemapExtent, 1)); err == nil {
		t.Error("a pipe has extents")
	}
}
