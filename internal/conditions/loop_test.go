package conditions

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// loopDevice makes a loop device on a file of the test. It needs root.
func loopDevice(t *testing.T, bytes int64) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: a loop device needs root")
	}
	file := filepath.Join(t.TempDir(), "image")
	data := make([]byte, bytes)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("losetup", "--find", "--show", "--read-only", file).Output()
	if err != nil {
		t.Skipf("SKIPPED: no loop device here: %v", err)
	}
	node := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", node).CombinedOutput(); err != nil {
			t.Errorf("detach %s: %v, %s", node, err, out)
		}
	})
	return node
}

// setQueue writes an attribute of the queue, which the kernel keeps for the next
// user of the device unless it is put back.
func setQueue(t *testing.T, node, name, value string) {
	t.Helper()
	file := filepath.Join("/sys/block", filepath.Base(node), "queue", name)
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(value), 0); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	t.Cleanup(func() { os.WriteFile(file, was, 0) })
}

// readNode reads a device from its start in blocks, direct or through the page
// cache.
func readNode(t *testing.T, node string, block, count, flags int) {
	t.Helper()
	fd, err := unix.Open(node, unix.O_RDONLY|flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	memory, err := unix.Mmap(-1, 0, block, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	for i := range count {
		if n, err := unix.Pread(fd, memory, int64(i*block)); err != nil || n != block {
			t.Fatalf("read %d bytes: %v", n, err)
		}
	}
}

// TestKernelCounts compares the judgement with what this kernel counts on a loop
// device that nobody else uses.
func TestKernelCounts(t *testing.T) {
	const block, count = 128 * kib, 64
	node := loopDevice(t, block*count)
	setQueue(t, node, "iostats", "1") // Whoever had the device before may have turned it off.
	root := os.DirFS("/")
	b := ReadBlock(root, node)
	if b == nil || b.Kind != "loop" || b.Loop == nil || b.Loop.BackingFile == nil || *b.Loop.Direct {
		t.Fatalf("%s = %+v", node, b)
	}
	ours := Ours{Reads: count, ReadBytes: count * block, BlockBytes: block}
	run := func(f func()) (Stats, OtherIO) {
		before, err := ReadStats(root, node)
		if err != nil {
			t.Fatal(err)
		}
		f()
		after, err := ReadStats(root, node)
		if err != nil {
			t.Fatal(err)
		}
		delta := after.Sub(before)
		return delta, Foreign(ReadBlock(root, node), delta, ours)
	}
	direct := func() { readNode(t, node, block, count, unix.O_DIRECT) }

	if delta, o := run(direct); !o.Known || o.Reads != 0 || o.ReadBytes != 0 || isTrue(o.Cached) {
		t.Errorf("direct: %+v of %+v", o, delta)
	}
	if delta, o := run(func() { direct(); direct() }); o.ReadBytes != count*block || !o.Disturbed {
		t.Errorf("with as many reads of another: %+v of %+v", o, delta)
	}
	held, err := os.Open(node) // The page cache goes with the last user of the device.
	if err != nil {
		t.Fatal(err)
	}
	readNode(t, node, block, count, 0)
	if delta, o := run(func() { readNode(t, node, block, count, 0) }); !isTrue(o.Cached) || *o.CachedPercent < 90 {
		t.Errorf("from the page cache: %+v of %+v", o, delta)
	}
	held.Close()
	setQueue(t, node, "max_sectors_kb", "64")
	if delta, o := run(direct); delta.Reads < 2*count || o.Reads != 0 || o.ReadBytes != 0 || isTrue(o.Cached) {
		t.Errorf("in requests of 64 KiB: %+v of %+v", o, delta)
	}
	setQueue(t, node, "iostats", "0")
	if delta, o := run(direct); o.Known || o.Cached != nil {
		t.Errorf("not counted: %+v of %+v", o, delta)
	}
}
