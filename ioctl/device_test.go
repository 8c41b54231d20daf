package ioctl

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/nvme"
)

// open opens a real character device and puts call in the kernel's place.
func open(t *testing.T, call kernel) *Device {
	t.Helper()
	d, err := Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if call != nil {
		d.call = call
	}
	return d
}

// openBlock is open for a device that passes as a block device.
func openBlock(t *testing.T, call kernel) *Device {
	t.Helper()
	d := open(t, call)
	d.char = false
	return d
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	regular := filepath.Join(dir, "regular")
	if err := os.WriteFile(regular, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path string
		want error
		text string
	}{
		{regular, ErrNotNVMe, "open " + regular + ": not an NVMe device node: it is a regular file"},
		{dir, ErrNotNVMe, "open " + dir + ": not an NVMe device node: it is a directory"},
		{fifo, ErrNotNVMe, "open " + fifo + ": not an NVMe device node: it is a special file"},
		{filepath.Join(dir, "missing"), fs.ErrNotExist, "stat " + filepath.Join(dir, "missing") + ": no such file or directory"},
	}
	for _, tt := range tests {
		d, err := Open(tt.path)
		if d != nil || !errors.Is(err, tt.want) || err.Error() != tt.text {
			t.Errorf("Open(%s) = %v, %v, want %s", tt.path, d, err, tt.text)
		}
	}
}

func TestOpenNeedsPermission(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(dir, 0); err != nil {
		t.Fatal(err)
	}
	asNobody(func() {
		if _, err := Open(filepath.Join(dir, "nvme0")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Open in a closed directory = %v, want a permission error", err)
		}
	})
}

// asNobody runs f on a thread that has no rights to files if the process is
// root. The thread ends with f.
func asNobody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Geteuid() == 0 {
			runtime.LockOSThread()
			_, _ = unix.SetfsuidRetUid(65534)
		}
		f()
	}()
	<-done
}

func TestOpenIsReadOnlyAndNotInherited(t *testing.T) {
	d := open(t, nil)
	err := d.conn.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY {
			t.Errorf("open flags = %#x, %v, want read-only", flags, err)
		}
		inherit, err := unix.FcntlInt(fd, unix.F_GETFD, 0)
		if err != nil || inherit&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor flags = %#x, %v, want close-on-exec", inherit, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.Path() != "/dev/null" {
		t.Errorf("Path() = %q", d.Path())
	}
}

func TestSimpleRequests(t *testing.T) {
	var got []uintptr
	d := open(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		if arg != nil {
			t.Errorf("request %#x has an argument", req)
		}
		got = append(got, req)
		return 7, 0
	})
	id, err := d.NSID()
	if id != 7 || err != nil {
		t.Errorf("NSID() = %d, %v, want 7", id, err)
	}
	for _, call := range []func() error{d.Reset, d.SubsystemReset, d.Rescan} {
		if err := call(); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]uintptr{0x4E40, 0x4E44, 0x4E45, 0x4E46}, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestSimpleRequestErrors(t *testing.T) {
	notty := func(_, _ uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) { return ^uintptr(0), unix.ENOTTY }
	d := open(t, notty)
	id, err := d.NSID()
	if id != 0 || !errors.Is(err, ErrNotNamespace) {
		t.Errorf("NSID() = %d, %v, want ErrNotNamespace", id, err)
	}
	for _, call := range []func() error{d.Reset, d.SubsystemReset, d.Rescan} {
		if err := call(); !errors.Is(err, ErrNotController) {
			t.Errorf("got %v, want ErrNotController", err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NSID(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("NSID() after Close = %v, want os.ErrClosed", err)
	}
}

func TestErrno(t *testing.T) {
	tests := []struct {
		errno unix.Errno
		want  error
		text  string
	}{
		{unix.ENOTTY, ErrNotNVMe, "op /dev/x: not an NVMe device node (inappropriate ioctl for device)"},
		{unix.ENODEV, ErrGone, "op /dev/x: the drive is gone (no such device)"},
		{unix.ENXIO, ErrGone, "op /dev/x: the drive is gone (no such device or address)"},
		{unix.EINTR, ErrCancelled, "op /dev/x: the kernel cancelled the command (timed out, or the controller was reset) (interrupted system call)"},
		{unix.EIO, ErrIO, "op /dev/x: the kernel could not run the command (input/output error)"},
		{unix.EACCES, fs.ErrPermission, "op /dev/x: permission denied"},
		{unix.EPERM, fs.ErrPermission, "op /dev/x: operation not permitted"},
		{unix.EINVAL, unix.EINVAL, "op /dev/x: invalid argument"},
	}
	for _, tt := range tests {
		err := failure("op", "/dev/x", tt.errno, ErrNotNVMe)
		if !errors.Is(err, tt.want) || !errors.Is(err, tt.errno) {
			t.Errorf("%v does not match %v and its own number", err, tt.want)
		}
		if err.Error() != tt.text {
			t.Errorf("got %q, want %q", err, tt.text)
		}
	}
}

func TestOpenFailure(t *testing.T) {
	tests := []struct {
		err, want error
		text      string
	}{
		{&fs.PathError{Op: "open", Path: "/dev/x", Err: unix.EAGAIN}, ErrNotLive, "open /dev/x: the controller is resetting or dead (resource temporarily unavailable)"},
		{&fs.PathError{Op: "open", Path: "/dev/x", Err: unix.ENXIO}, ErrGone, "open /dev/x: the drive is gone (no such device or address)"},
		{&fs.PathError{Op: "open", Path: "/dev/x", Err: unix.EACCES}, fs.ErrPermission, "open /dev/x: permission denied"},
		{&fs.PathError{Op: "open", Path: "/dev/x", Err: unix.EBUSY}, ErrInUse, "open /dev/x: the device is in use (device or resource busy)"},
		{os.ErrInvalid, os.ErrInvalid, "invalid argument"},
	}
	for _, tt := range tests {
		if got := openFailure(tt.err); !errors.Is(got, tt.want) || got.Error() != tt.text {
			t.Errorf("openFailure(%v) = %v, want %s", tt.err, got, tt.text)
		}
	}
}

// TestOtherDriver asks the real kernel: the null device knows none of this.
func TestOtherDriver(t *testing.T) {
	d := open(t, nil)
	cmd := &nvme.Command{Opcode: 0x06, CDW10: 1, Data: make([]byte, 4096)}
	if _, err := d.Submit(t.Context(), cmd); !errors.Is(err, ErrNotNVMe) {
		t.Errorf("Submit to /dev/null = %v, want ErrNotNVMe", err)
	}
	if _, err := d.NSID(); !errors.Is(err, ErrNotNamespace) {
		t.Errorf("NSID of /dev/null = %v, want ErrNotNamespace", err)
	}
	if _, err := BlockGeometry("/dev/null"); !errors.Is(err, ErrNotBlock) {
		t.Errorf("BlockGeometry(/dev/null) = %v, want ErrNotBlock", err)
	}
	if _, err := BlockGeometry(t.TempDir()); !errors.Is(err, ErrNotNVMe) {
		t.Errorf("BlockGeometry of a directory = %v, want ErrNotNVMe", err)
	}
}

// blockDevice answers the block requests.
func blockDevice(bytes uint64, logical, physical, readOnly int32) kernel {
	return func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		switch req {
		case 0x80081272:
			*(*uint64)(arg) = bytes
		case 0x1268:
			*(*int32)(arg) = logical
		case 0x127B:
			*(*int32)(arg) = physical
		case 0x125E:
			*(*int32)(arg) = readOnly
		default:
			return ^uintptr(0), unix.ENOTTY
		}
		return 0, 0
	}
}

func TestGeometry(t *testing.T) {
	d := openBlock(t, blockDevice(960197124096, 512, 4096, 1))
	got, err := d.Geometry()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Geometry{960197124096, 512, 4096, true}, got); diff != "" {
		t.Errorf("geometry (-want +got):\n%s", diff)
	}
	if _, err := openBlock(t, blockDevice(1<<63, 512, 512, 0)).Geometry(); err == nil {
		t.Error("a size above 2^63 gave no error")
	}
	if _, err := openBlock(t, blockDevice(4096, 0, 0, 0)).Geometry(); err == nil {
		t.Error("blocks of 0 bytes gave no error")
	}
	gone := func(_, _ uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) { return ^uintptr(0), unix.ENODEV }
	if _, err := openBlock(t, gone).Geometry(); !errors.Is(err, ErrGone) {
		t.Errorf("geometry of a drive that is gone = %v, want ErrGone", err)
	}
}
