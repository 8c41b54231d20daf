package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// writingTo is the spec of a job that writes to t through an engine.
func writingTo(t Target, engine string) Spec {
	return Spec{Target: t, Job: Job{Engine: engine, Op: OpWrite}}
}

// openFD opens a path for the length of the test.
func openFD(t *testing.T, path string, flags int) int {
	t.Helper()
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// lockThread keeps the test on its thread: a ring belongs to the thread that
// used it first.
func lockThread(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// alloc returns n bytes that engines may use.
func alloc(t *testing.T, n int) []byte {
	t.Helper()
	b, err := rawio.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Free() })
	return b.Bytes()[:n:n]
}

// loopTarget attaches a file of n zeros as a loop device that is claimed for
// writing. It skips the test without root.
func loopTarget(t *testing.T, n int64) (target Target, backing string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: not root, no block device to write to")
	}
	backing = filepath.Join(t.TempDir(), "backing")
	writeFile(t, backing, n, false)
	node := attachLoop(t, backing)
	fd := openFD(t, node, unix.O_RDWR|unix.O_DIRECT|unix.O_EXCL)
	return Target{Kind: BlockTarget, Path: node, Bytes: n, BlockBytes: 512, Writable: true, Descriptor: fd}, backing
}

// attachLoop attaches a file to a free loop device for the length of the test.
func attachLoop(t *testing.T, backing string) string {
	t.Helper()
	control, err := unix.Open("/dev/loop-control", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("NOT TESTED: no loop devices: %v", err)
	}
	defer unix.Close(control)
	file := openFD(t, backing, unix.O_RDWR)
	for range 20 {
		number, err := unix.IoctlRetInt(control, unix.LOOP_CTL_GET_FREE)
		if err != nil {
			t.Skipf("NOT TESTED: no free loop device: %v", err)
		}
		node := fmt.Sprintf("/dev/loop%d", number)
		fd, err := unix.Open(node, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		err = unix.IoctlLoopConfigure(fd, &unix.LoopConfig{Fd: uint32(file), Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_AUTOCLEAR}})
		if err == nil {
			t.Cleanup(func() { unix.Close(fd) }) // The last to close detaches it.
			return node
		}
		unix.Close(fd)
		if !errors.Is(err, unix.EBUSY) {
			t.Fatal(err)
		}
	}
	t.Fatal("another took each free loop device")
	return ""
}

func TestOpenForWritingRefuses(t *testing.T) {
	path := directFile(t, 8192, true)
	other := directFile(t, 8192, true)
	buffered := openFD(t, path, unix.O_RDWR)
	reading := openFD(t, path, unix.O_RDONLY|unix.O_DIRECT)
	elsewhere := openFD(t, other, unix.O_RDWR|unix.O_DIRECT)
	null := openFD(t, os.DevNull, unix.O_RDWR)
	file := Target{Kind: FileTarget, Path: path, Bytes: 8192}
	with := func(writable bool, fd int) Target {
		target := file
		target.Writable, target.Descriptor = writable, fd
		return target
	}
	missing := with(true, elsewhere)
	missing.Path += ".no"
	for _, engine := range []string{EnginePsync, EngineUring} {
		for _, tt := range []struct {
			name   string
			target Target
			want   string
		}{
			{"not writable", with(false, 0), "must not be written to"},
			{"not writable, with descriptor", with(false, elsewhere), "must not be written to"},
			{"device without descriptor", Target{Kind: BlockTarget, Path: "/dev/nosuch", Writable: true}, "only through a claimed descriptor"},
			{"through the page cache", with(true, buffered), "not open for direct I/O"},
			{"read-only descriptor", with(true, reading), "not open for reading and writing"},
			{"descriptor of another file", with(true, elsewhere), "is not " + path},
			{"descriptor of another kind", with(true, null), "is not of kind"},
			{"closed descriptor", with(true, 1<<20), "bad file descriptor"},
			{"no path", missing, "not there any more"},
		} {
			t.Run(engine+" "+tt.name, func(t *testing.T) {
				e, err := Open(writingTo(tt.target, engine))
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("got %v, %v, want an error that says %q", e, err, tt.want)
				}
			})
		}
	}
}

// TestOpenAccess looks at how the engine has opened its target.
func TestOpenAccess(t *testing.T) {
	path := directFile(t, 8192, true)
	given := openFD(t, path, unix.O_RDWR|unix.O_DIRECT)
	for _, tt := range []struct {
		name     string
		op       Op
		writable bool
		fd       int
		access   int
		ours     bool
	}{
		{"read", OpRead, false, 0, unix.O_RDONLY, true},
		{"read what is writable", OpRead, true, 0, unix.O_RDONLY, true},
		{"read what was claimed", OpRead, true, given, unix.O_RDONLY, true},
		{"read a descriptor", OpRead, false, given, unix.O_RDWR, false},
		{"write", OpWrite, true, 0, unix.O_RDWR, true},
		{"write a descriptor", OpWrite, true, given, unix.O_RDWR, false},
		{"mix", OpMix, true, 0, unix.O_RDWR, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := Target{Kind: FileTarget, Path: path, Bytes: 8192, Writable: tt.writable, Descriptor: tt.fd}
			e, err := Open(Spec{Target: target, Job: Job{Engine: EnginePsync, Op: tt.op}})
			if err != nil {
				t.Fatal(err)
			}
			o := e.(*psync).opened
			flags, err := unix.FcntlInt(uintptr(o.fd), unix.F_GETFL, 0)
			if err != nil {
				t.Fatal(err)
			}
			if flags&unix.O_ACCMODE != tt.access || flags&unix.O_DIRECT == 0 || o.ours != tt.ours || !tt.ours && o.fd != tt.fd {
				t.Errorf("descriptor %d with flags %#x, ours is %t", o.fd, flags, o.ours)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if _, err := unix.FcntlInt(uintptr(o.fd), unix.F_GETFL, 0); (err == nil) == tt.ours {
				t.Errorf("after Close: %v, the descriptor was ours: %t", err, tt.ours)
			}
		})
	}
}

// TestWrites writes blocks through each engine, to a file and to a device, and
// looks at what is there afterwards.
func TestWrites(t *testing.T) {
	const blocks, block = 16, 4096
	for _, engine := range []string{EnginePsync, EngineUring} {
		t.Run(engine+" file", func(t *testing.T) {
			path := directFile(t, blocks*block, true)
			checkWrites(t, writingTo(Target{Kind: FileTarget, Path: path, Bytes: blocks * block, Writable: true}, engine), path)
		})
		t.Run(engine+" device", func(t *testing.T) {
			target, backing := loopTarget(t, blocks*block)
			checkWrites(t, writingTo(target, engine), backing)
		})
	}
}

// checkWrites writes every other block, from the last to the first, reads all of
// them, and compares both with the file behind the target.
func checkWrites(t *testing.T, s Spec, path string) {
	t.Helper()
	lockThread(t)
	const block = 4096
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	blocks := len(before) / block
	mem, want := alloc(t, len(before)), bytes.Clone(before)
	for i := blocks - 1; i >= 0; i-- {
		r := Request{Offset: int64(i) * block, Data: mem[i*block : (i+1)*block : (i+1)*block], Buffer: i, Write: i%2 == 0}
		if r.Write {
			copy(r.Data, bytes.Repeat([]byte{byte(0x80 + i)}, block))
			copy(want[i*block:], r.Data)
		}
		if n, err := e.Submit([]Request{r}); n != 1 || err != nil {
			t.Fatalf("submit: %d, %v", n, err)
		}
		if v := reapAll(t, e, 1)[0]; v != (Event{Buffer: i, Bytes: block}) {
			t.Errorf("block %d: %+v", i, v)
		}
	}
	if !bytes.Equal(mem, want) {
		t.Error("what was read, or is to be written, has other data")
	}
	unix.Sync() // A loop device writes to its file through the page cache.
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(after, want) {
		t.Error("what was written has other data")
	}
}

// TestReadingEngineDoesNotWrite gives a write to an engine for reads.
func TestReadingEngineDoesNotWrite(t *testing.T) {
	lockThread(t)
	path := directFile(t, 8192, true)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{EnginePsync, EngineUring} {
		s := Spec{Target: Target{Kind: FileTarget, Path: path, Bytes: 8192, Writable: true}, Job: Job{Engine: engine, Op: OpRead}}
		e, err := Open(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Submit([]Request{{Data: alloc(t, 4096), Write: true}}); err != nil {
			t.Fatal(err)
		}
		if v := reapAll(t, e, 1)[0]; v.Err != unix.EBADF {
			t.Errorf("%s: %+v, want EBADF", engine, v)
		}
		e.Close()
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file has changed, %v", err)
	}
}

// TestGoneDevice takes the size away from a device and the name from a file.
func TestGoneDevice(t *testing.T) {
	target, backing := loopTarget(t, 64<<10)
	e, err := Open(writingTo(target, EnginePsync))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.(GoneChecker).Gone() {
		t.Error("a device that is there is gone")
	}
	if err := os.Truncate(backing, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetInt(target.Descriptor, unix.LOOP_SET_CAPACITY, 0); err != nil {
		t.Fatal(err)
	}
	if !e.(GoneChecker).Gone() {
		t.Error("a device without a size is not gone")
	}
}

// TestWriteToFullDevice writes behind the end.
func TestWriteToFullDevice(t *testing.T) {
	lockThread(t)
	target, _ := loopTarget(t, 64<<10)
	for _, engine := range []string{EnginePsync, EngineUring} {
		e, err := Open(writingTo(target, engine))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Submit([]Request{{Offset: 64 << 10, Data: alloc(t, 4096), Write: true}}); err != nil {
			t.Fatal(err)
		}
		if v := reapAll(t, e, 1)[0]; v.Err != unix.ENOSPC {
			t.Errorf("%s: %+v, want ENOSPC", engine, v)
		}
		e.Close()
	}
}
