package ioctl

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestOpenExclusiveOfACharacterNode(t *testing.T) {
	first, err := openExclusive("/dev/null", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := openExclusive("/dev/null", 0); d != nil || !errors.Is(err, ErrInUse) || !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("a second lock: %v, %v, want ErrInUse", d, err)
	}
	if d, err := Open("/dev/null"); err != nil {
		t.Errorf("opening without a lock: %v", err)
	} else {
		_ = d.Close()
	}
	if _, err := first.ReadAt(make([]byte, 512), 0); !errors.Is(err, ErrNotBlock) {
		t.Errorf("ReadAt = %v, want ErrNotBlock", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := OpenExclusive("/dev/null")
	if err != nil {
		t.Fatalf("after the first was closed: %v", err)
	}
	_ = again.Close()
}

// TestLockWaits checks that a lock that another holds for a moment only is waited
// for.
func TestLockWaits(t *testing.T) {
	first, err := openExclusive("/dev/null", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(3*lockInterval, func() { _ = first.Close() })
	second, err := openExclusive("/dev/null", time.Minute)
	if err != nil {
		t.Fatalf("lock that is given back: %v", err)
	}
	_ = second.Close()
	if err := second.lock(0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("lock after Close = %v, want os.ErrClosed", err)
	}
}

func TestOpenExclusiveRefuses(t *testing.T) {
	regular := filepath.Join(t.TempDir(), "regular")
	if err := os.WriteFile(regular, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, call := range []func(string) (*Device, error){OpenExclusive, OpenDirect} {
		if d, err := call(regular); d != nil || !errors.Is(err, ErrNotNVMe) {
			t.Errorf("a regular file: %v, %v, want ErrNotNVMe", d, err)
		}
		if d, err := call(regular + "-missing"); d != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("nothing: %v, %v, want fs.ErrNotExist", d, err)
		}
	}
	if d, err := OpenDirect("/dev/null"); d != nil || !errors.Is(err, ErrNotBlock) {
		t.Errorf("OpenDirect(/dev/null) = %v, %v, want ErrNotBlock", d, err)
	}
}

func TestFlushAndReread(t *testing.T) {
	var got []uintptr
	var answer unix.Errno
	d := openBlock(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		if arg != nil {
			t.Errorf("request %#x has an argument", req)
		}
		got = append(got, req)
		if answer != 0 {
			return ^uintptr(0), answer
		}
		return 0, 0
	})
	if err := errors.Join(d.FlushBuffers(), d.RereadPartitions()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]uintptr{0x1261, 0x125F}, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	answer = unix.EBUSY
	if err := d.RereadPartitions(); !errors.Is(err, ErrInUse) || !errors.Is(err, unix.EBUSY) {
		t.Errorf("RereadPartitions with one in use = %v, want ErrInUse", err)
	}
	answer = unix.ENOTTY
	if err := d.FlushBuffers(); !errors.Is(err, ErrNotBlock) {
		t.Errorf("FlushBuffers of another node = %v, want ErrNotBlock", err)
	}
	answer = unix.EINVAL
	if err := d.RereadPartitions(); !errors.Is(err, unix.EINVAL) || errors.Is(err, ErrInUse) {
		t.Errorf("RereadPartitions without partitions = %v, want EINVAL", err)
	}
}

func TestDuplicate(t *testing.T) {
	first, err := OpenExclusive("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	second, err := first.Duplicate()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.WriteString("x"); err != nil {
		t.Errorf("write through the second descriptor: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := openExclusive("/dev/null", 0); !errors.Is(err, ErrInUse) {
		t.Errorf("while the second descriptor is open: %v, want ErrInUse", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := openExclusive("/dev/null", 0)
	if err != nil {
		t.Fatalf("after both were closed: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Duplicate(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("of a closed device: %v, want os.ErrClosed", err)
	}
	if _, err := (&Device{path: "/dev/loop0"}).Duplicate(); !errors.Is(err, ErrCached) {
		t.Errorf("of a device behind the page cache: %v, want ErrCached", err)
	}
}
