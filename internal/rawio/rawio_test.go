package rawio

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestAlloc(t *testing.T) {
	page := os.Getpagesize()
	for _, tt := range []struct{ ask, want int }{{0, page}, {1, page}, {page, page}, {page + 1, 2 * page}} {
		b, err := Alloc(tt.ask)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Bytes()) != tt.want {
			t.Errorf("Alloc(%d) gives %d bytes, want %d", tt.ask, len(b.Bytes()), tt.want)
		}
		if uintptr(b.Pointer())%uintptr(page) != 0 || b.Pointer() != unsafe.Pointer(&b.Bytes()[0]) {
			t.Errorf("Alloc(%d) is at %p, not the start of a page", tt.ask, b.Pointer())
		}
		if !bytes.Equal(b.Bytes(), make([]byte, tt.want)) {
			t.Errorf("Alloc(%d) is not zeroed", tt.ask)
		}
		b.Bytes()[tt.want-1] = 1
		for range 2 {
			if err := b.Free(); err != nil {
				t.Errorf("Free after Alloc(%d): %v", tt.ask, err)
			}
		}
	}
}

func TestAllocTooMuch(t *testing.T) {
	if b, err := Alloc(1 << 60); err == nil {
		b.Free()
		t.Errorf("2^60 bytes were given")
	}
}

func TestPread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	for _, tt := range []struct {
		fd    int
		n     int
		off   int64
		want  string
		errno unix.Errno
	}{
		{int(f.Fd()), 4, 3, "3456", 0},
		{int(f.Fd()), 100, 8, "89", 0},
		{int(f.Fd()), 4, 10, "", 0},
		{int(f.Fd()), 4, -1, "", unix.EINVAL},
		{-1, 4, 0, "", unix.EBADF},
	} {
		n, errno := Pread(tt.fd, b.Bytes()[:tt.n], tt.off)
		if errno != tt.errno || string(b.Bytes()[:n]) != tt.want {
			t.Errorf("%d bytes at %d of %d: got %q, errno %d, want %q, errno %d", tt.n, tt.off, tt.fd, b.Bytes()[:n], errno, tt.want, tt.errno)
		}
	}
}

func TestPwrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	copy(b.Bytes(), "abcd")
	for _, tt := range []struct {
		fd    int
		off   int64
		n     int
		errno unix.Errno
		want  string
	}{
		{int(f.Fd()), 3, 4, 0, "012abcd789"},
		{int(f.Fd()), 8, 4, 0, "012abcd7abcd"},
		{int(f.Fd()), -1, 0, unix.EINVAL, "012abcd7abcd"},
		{-1, 0, 0, unix.EBADF, "012abcd7abcd"},
	} {
		n, errno := Pwrite(tt.fd, b.Bytes()[:4], tt.off)
		got, err := os.ReadFile(path)
		if n != tt.n || errno != tt.errno || err != nil || string(got) != tt.want {
			t.Errorf("at %d of %d: %d, errno %d, the file has %q, want %d, %d, %q", tt.off, tt.fd, n, errno, got, tt.n, tt.errno, tt.want)
		}
	}
}

func TestNanotime(t *testing.T) {
	before := time.Now()
	first := Nanotime()
	time.Sleep(time.Millisecond)
	second := Nanotime()
	outer := time.Since(before)
	if d := time.Duration(second - first); d < time.Millisecond || d > outer {
		t.Errorf("a sleep of 1 ms took %v by this clock, %v by the other", d, outer)
	}
}
