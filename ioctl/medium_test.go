package ioctl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileDevice is a device of blocks of block bytes on a file with the bytes of
// data, for tests of reading and writing that need no privileges.
func fileDevice(t *testing.T, data []byte, block int32) *Device {
	t.Helper()
	path := filepath.Join(t.TempDir(), "medium")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		file, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	conn, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return &Device{path: path, file: file, conn: conn, direct: true, call: blockDevice(uint64(len(data)), block, block, 0)}
}

// numbered returns n bytes in which no two blocks are alike.
func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i>>9) ^ byte(i*7) ^ byte(i>>17)
	}
	return b
}

func TestReadAt(t *testing.T) {
	const size = 3<<20 + 8192
	data := numbered(size)
	for _, block := range []int32{512, 4096} {
		d := fileDevice(t, data, block)
		tests := []struct {
			name string
			off  int64
			n    int
			want int
			err  error
		}{
			{"a block", 8192, 4096, 4096, nil},
			{"nothing", 8192, 0, 0, nil},
			{"in the middle of a block", 4100, 10, 10, nil},
			{"over the end of a block", 4090, 10, 10, nil},
			{"one chunk", 0, maxChunk, maxChunk, nil},
			{"more than a chunk", 4096, maxChunk + 4096, maxChunk + 4096, nil},
			{"more than a chunk, askew", 4095, 2*maxChunk + 3, 2*maxChunk + 3, nil},
			{"all", 0, size, size, nil},
			{"the last bytes", size - 3, 3, 3, nil},
			{"over the end", size - 4096, 8192, 4096, io.EOF},
			{"over the end, askew", size - 5, 10, 5, io.EOF},
			{"from the end", size, 512, 0, io.EOF},
			{"beyond the end", size + 4096, 512, 0, io.EOF},
		}
		for _, tt := range tests {
			got := make([]byte, tt.n)
			n, err := d.ReadAt(got, tt.off)
			if n != tt.want || err != tt.err {
				t.Errorf("blocks of %d, %s: %d, %v, want %d, %v", block, tt.name, n, err, tt.want, tt.err)
				continue
			}
			if n > 0 && !bytes.Equal(got[:n], data[tt.off:tt.off+int64(n)]) {
				t.Errorf("blocks of %d, %s: other bytes than those of the medium", block, tt.name)
			}
			if !bytes.Equal(got[n:], make([]byte, tt.n-n)) {
				t.Errorf("blocks of %d, %s: bytes after the end are touched", block, tt.name)
			}
		}
	}
}

func TestWriteAt(t *testing.T) {
	const size = 3 << 20
	tests := []struct {
		name string
		off  int64
		n    int
	}{
		{"a block", 4096, 4096},
		{"nothing", 4096, 0},
		{"one chunk", 0, maxChunk},
		{"more than a chunk", 8192, maxChunk + 4096},
		{"all", 0, size},
	}
	for _, tt := range tests {
		want := make([]byte, size)
		d := fileDevice(t, want, 4096)
		data := numbered(tt.n)
		copy(want[tt.off:], data)
		if n, err := d.WriteAt(data, tt.off); n != tt.n || err != nil {
			t.Errorf("%s: %d, %v, want %d", tt.name, n, err, tt.n)
		}
		if err := d.Sync(); err != nil {
			t.Errorf("%s: Sync: %v", tt.name, err)
		}
		got, err := os.ReadFile(d.Path())
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the medium is not what was written, %v", tt.name, err)
		}
	}
}

func TestMediumRefuses(t *testing.T) {
	d := fileDevice(t, make([]byte, 1<<16), 4096)
	for _, tt := range []struct {
		off int64
		n   int
	}{{0, 512}, {512, 4096}, {4096, 4097}} {
		if n, err := d.WriteAt(numbered(tt.n), tt.off); n != 0 || err == nil {
			t.Errorf("%d bytes at %d were written: %d, %v", tt.n, tt.off, n, err)
		}
	}
	for _, call := range []func([]byte, int64) (int, error){d.ReadAt, d.WriteAt} {
		if _, err := call(make([]byte, 4096), -4096); err == nil {
			t.Error("a negative offset gave no error")
		}
	}
	got, err := os.ReadFile(d.Path())
	if err != nil || !bytes.Equal(got, make([]byte, 1<<16)) {
		t.Errorf("the medium was changed, %v", err)
	}

	d.call = blockDevice(1<<16, 520, 520, 0)
	if _, err := d.ReadAt(make([]byte, 520), 0); err == nil {
		t.Error("blocks of 520 bytes gave no error")
	}
	d.call = func(_, _ uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) { return ^uintptr(0), unix.ENODEV }
	if _, err := d.ReadAt(make([]byte, 512), 0); !errors.Is(err, ErrGone) {
		t.Errorf("ReadAt of a drive that is gone = %v, want ErrGone", err)
	}

	char, block := open(t, nil), openBlock(t, blockDevice(1<<16, 512, 512, 0))
	for want, d := range map[error]*Device{ErrNotBlock: char, ErrCached: block} {
		if _, err := d.ReadAt(make([]byte, 512), 0); !errors.Is(err, want) {
			t.Errorf("ReadAt = %v, want %v", err, want)
		}
		if _, err := d.WriteAt(make([]byte, 512), 0); !errors.Is(err, want) {
			t.Errorf("WriteAt = %v, want %v", err, want)
		}
	}
}

func TestMediumErrors(t *testing.T) {
	d := fileDevice(t, make([]byte, 1<<16), 512)
	tests := []struct{ err, want error }{
		{&os.PathError{Op: "read", Path: d.path, Err: unix.EIO}, ErrIO},
		{&os.PathError{Op: "read", Path: d.path, Err: unix.ENXIO}, ErrGone},
		{&os.PathError{Op: "read", Path: d.path, Err: unix.ENODATA}, unix.ENODATA},
		{os.ErrInvalid, os.ErrInvalid},
	}
	for _, tt := range tests {
		if got := d.mediumError("read", tt.err); !errors.Is(got, tt.want) {
			t.Errorf("%v becomes %v, want %v", tt.err, got, tt.want)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ReadAt(make([]byte, 512), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("ReadAt after Close = %v, want os.ErrClosed", err)
	}
	if err := d.Sync(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Sync after Close = %v, want os.ErrClosed", err)
	}
}

// TestMediumOfReadOnly checks that what is open for reading is not written.
func TestMediumOfReadOnly(t *testing.T) {
	d := fileDevice(t, make([]byte, 4096), 512)
	reading, err := os.Open(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	d.file = reading
	if n, err := d.WriteAt(make([]byte, 512), 0); n != 0 || !errors.Is(err, unix.EBADF) {
		t.Errorf("WriteAt = %d, %v, want EBADF", n, err)
	}
}
