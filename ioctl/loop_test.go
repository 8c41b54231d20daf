package ioctl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tests of this file use loop devices on files of their own: the kernel's own
// rules about who may have a block device cannot be tested otherwise.

const loopBytes = 16 << 20

// loop attaches a file of zeroes and returns the node and the file.
func loop(t *testing.T, flags uint32) (node, file string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: who may open a block device is not tested")
	}
	control, err := unix.Open("/dev/loop-control", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no loop devices (%v): who may open a block device is not tested", err)
	}
	defer unix.Close(control)
	backing, err := os.Create(filepath.Join(t.TempDir(), "backing"))
	if err != nil {
		t.Fatal(err)
	}
	defer backing.Close()
	if err := backing.Truncate(loopBytes); err != nil {
		t.Fatal(err)
	}
	config := &unix.LoopConfig{Fd: uint32(backing.Fd()), Info: unix.LoopInfo64{Flags: flags}}
	for range 20 {
		n, err := unix.IoctlRetInt(control, unix.LOOP_CTL_GET_FREE)
		if err != nil {
			t.Skipf("no free loop device (%v): who may open a block device is not tested", err)
		}
		node := fmt.Sprintf("/dev/loop%d", n)
		if attach(t, node, config) {
			return node, backing.Name()
		}
	}
	t.Fatal("another took each free loop device")
	return "", ""
}

// attach reports whether the node is ours now. Another can be faster.
func attach(t *testing.T, node string, config *unix.LoopConfig) bool {
	t.Helper()
	fd, err := unix.Open(node, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.IoctlLoopConfigure(fd, config); err != nil {
		if errors.Is(err, unix.EBUSY) {
			return false
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fd, err := unix.Open(node, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err == nil {
			err = unix.IoctlSetInt(fd, unix.LOOP_CLR_FD, 0)
			_ = unix.Close(fd)
		}
		if err != nil {
			t.Errorf("%s stays attached: %v", node, err)
		}
	})
	return true
}

// exclusive is OpenExclusive with the patience that a device manager needs on
// the host of the test.
func exclusive(t *testing.T, node string) *Device {
	t.Helper()
	d, err := openExclusive(node, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestLoopExclusive(t *testing.T) {
	node, _ := loop(t, 0)
	first := exclusive(t, node)
	if d, err := OpenExclusive(node); d != nil || !errors.Is(err, ErrInUse) || !errors.Is(err, unix.EBUSY) {
		t.Errorf("a second opener: %v, %v, want ErrInUse by EBUSY", d, err)
	}
	if d, err := OpenDirect(node); err != nil {
		t.Errorf("a reader: %v", err)
	} else {
		_ = d.Close()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	exclusive(t, node)
}

func TestLoopFlock(t *testing.T) {
	node, _ := loop(t, 0)
	for _, how := range []int{unix.LOCK_SH, unix.LOCK_EX} {
		fd, err := unix.Open(node, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Flock(fd, how); err != nil {
			t.Fatal(err)
		}
		if d, err := openExclusive(node, 0); d != nil || !errors.Is(err, ErrInUse) || !errors.Is(err, unix.EWOULDBLOCK) {
			t.Errorf("lock %d: %v, %v, want ErrInUse by EWOULDBLOCK", how, d, err)
		}
		_ = unix.Close(fd)
		// The refused one must have let go of the device.
		_ = exclusive(t, node).Close()
	}
}

func TestLoopMounted(t *testing.T) {
	node, _ := loop(t, 0)
	mkfs, err := exec.LookPath("mkfs.ext4")
	if err != nil {
		t.Skip("no mkfs.ext4: a mounted device is not tested")
	}
	if out, err := exec.Command(mkfs, "-q", node).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if err := unix.Mount(node, dir, "ext4", 0, ""); err != nil {
		t.Skipf("cannot mount (%v): a mounted device is not tested", err)
	}
	mounted := true
	t.Cleanup(func() {
		if mounted {
			_ = unix.Unmount(dir, unix.MNT_DETACH)
		}
	})
	if d, err := OpenExclusive(node); d != nil || !errors.Is(err, ErrInUse) {
		t.Errorf("a mounted device: %v, %v, want ErrInUse", d, err)
	}
	if err := unix.Unmount(dir, 0); err != nil {
		t.Fatal(err)
	}
	mounted = false
	d := exclusive(t, node)
	if err := unix.Mount(node, dir, "ext4", 0, ""); !errors.Is(err, unix.EBUSY) {
		mounted = err == nil
		t.Errorf("mounting what is open exclusively: %v, want EBUSY", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLoopReadOnly(t *testing.T) {
	node, _ := loop(t, unix.LO_FLAGS_READ_ONLY)
	d, err := OpenExclusive(node)
	if errors.Is(err, os.ErrPermission) {
		return // Some kernels refuse it here already.
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if g, err := d.Geometry(); err != nil || !g.ReadOnly {
		t.Errorf("geometry %+v, %v, want read-only", g, err)
	}
	if n, err := d.WriteAt(make([]byte, 512), 0); n != 0 || !errors.Is(err, os.ErrPermission) {
		t.Errorf("WriteAt = %d, %v, want a permission error", n, err)
	}
}

// TestLoopReadWrite fills the cache of the kernel, changes the file under the
// loop device, and reads what is in the file and not what is in the cache.
func TestLoopReadWrite(t *testing.T) {
	node, file := loop(t, 0)
	d := exclusive(t, node)
	g, err := d.Geometry()
	if err != nil || g.Bytes != loopBytes {
		t.Fatalf("geometry %+v, %v", g, err)
	}
	want := numbered(3<<20 + 4096)
	const off = 8192
	if n, err := d.WriteAt(want, off); n != len(want) || err != nil {
		t.Fatalf("WriteAt = %d, %v", n, err)
	}
	if err := d.Sync(); err != nil {
		t.Fatal(err)
	}
	check := func(name string, read func([]byte, int64) (int, error)) {
		t.Helper()
		got := make([]byte, len(want))
		if n, err := read(got, off); n != len(got) || err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v, not what is on the medium", name, n, err)
		}
	}
	cached, err := os.Open(node)
	if err != nil {
		t.Fatal(err)
	}
	defer cached.Close()
	backing, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer backing.Close()
	check("ReadAt", d.ReadAt)
	check("the cache", cached.ReadAt)
	check("the file", backing.ReadAt)

	stale := want
	want = bytes.Repeat([]byte{0xA5}, len(stale))
	if _, err := backing.WriteAt(want, off); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(stale))
	if _, err := cached.ReadAt(got, off); err != nil || !bytes.Equal(got, stale) {
		t.Fatalf("the cache is not stale, %v: the test shows nothing", err)
	}
	check("ReadAt past a stale cache", d.ReadAt)
	direct, err := OpenDirect(node)
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	check("OpenDirect past a stale cache", direct.ReadAt)
	if err := d.FlushBuffers(); err != nil {
		t.Fatal(err)
	}
	check("the cache after FlushBuffers", cached.ReadAt)
}

// TestLoopPartitions reads the table of a device that is open exclusively, which
// must not be in its own way. Whether the kernel then has the partitions is
// tested in the machine: not every host's kernel knows a partition table.
func TestLoopPartitions(t *testing.T) {
	node, _ := loop(t, unix.LO_FLAGS_PARTSCAN)
	if err := exclusive(t, node).RereadPartitions(); err != nil {
		t.Error(err)
	}
}

func TestLoopWithoutPartitions(t *testing.T) {
	node, _ := loop(t, 0)
	if err := exclusive(t, node).RereadPartitions(); err == nil {
		t.Error("a device that cannot have partitions gave no error")
	}
}
