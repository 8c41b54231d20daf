package bench

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// directFile returns a file of n bytes, random or sparse, on a filesystem that
// does direct I/O. It skips the test where there is none.
func directFile(t *testing.T, n int64, filled bool) string {
	t.Helper()
	for _, root := range []string{os.TempDir(), "/var/tmp", "."} {
		dir, err := os.MkdirTemp(root, "qd1-bench-test")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		path := filepath.Join(dir, "data")
		writeFile(t, path, n, filled)
		if e, err := OpenPsync(Target{Kind: FileTarget, Path: path, Bytes: n}); err == nil {
			e.Close()
			return path
		}
	}
	t.Skip("NOT TESTED: no filesystem here does direct I/O")
	return ""
}

func writeFile(t *testing.T, path string, n int64, filled bool) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(n); err != nil {
		t.Fatal(err)
	}
	if !filled {
		return
	}
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(data)
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
}

func TestPsyncReadsWhatIsThere(t *testing.T) {
	path := directFile(t, 64<<10, true)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := OpenPsync(Target{Kind: FileTarget, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	buf, err := rawio.Alloc(8192)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Free()
	for _, tt := range []struct {
		off int64
		n   int
	}{{0, 8192}, {4096, 8192}, {60 << 10, 4096}, {64 << 10, 0}} {
		if n, err := e.Submit([]Request{{Offset: tt.off, Data: buf.Bytes(), Buffer: 3}}); n != 1 || err != nil {
			t.Fatalf("submit: %d, %v", n, err)
		}
		if n, err := e.Submit([]Request{{Data: buf.Bytes()}}); n != 0 || err != nil {
			t.Errorf("a second request was taken: %d, %v", n, err)
		}
		events := make([]Event, 2)
		if n, err := e.Reap(events, 1); n != 1 || err != nil {
			t.Fatalf("reap: %d, %v", n, err)
		}
		if events[0] != (Event{Buffer: 3, Bytes: tt.n}) {
			t.Errorf("offset %d: got %+v, want %d bytes", tt.off, events[0], tt.n)
		}
		if tt.n > 0 && !bytes.Equal(buf.Bytes()[:tt.n], want[tt.off:tt.off+int64(tt.n)]) {
			t.Errorf("offset %d: other data", tt.off)
		}
	}
	if n, err := e.Reap(make([]Event, 1), 1); n != 0 || err == nil {
		t.Errorf("reap without a request: %d, %v, want an error", n, err)
	}
}

func TestPsyncReportsErrno(t *testing.T) {
	path := directFile(t, 64<<10, true)
	e, err := OpenPsync(Target{Kind: FileTarget, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	buf, err := rawio.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Free()
	if _, err := e.Submit([]Request{{Offset: -4096, Data: buf.Bytes()}}); err != nil {
		t.Fatal(err)
	}
	events := make([]Event, 1)
	if _, err := e.Reap(events, 1); err != nil || events[0].Err != unix.EINVAL || events[0].Bytes != 0 {
		t.Errorf("read at a negative offset: %+v, %v, want EINVAL", events[0], err)
	}
}

func TestPsyncRun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		filled bool
		blank  float64
	}{{"filled", true, 0}, {"sparse", false, 100}} {
		t.Run(tt.name, func(t *testing.T) {
			target, err := OpenFileTarget(directFile(t, 1<<20, tt.filled))
			if err != nil {
				t.Fatal(err)
			}
			e, err := Open(Spec{target, QD1Read(1)})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			j := plain(0)
			j.Operations, j.Workers = 300, 2
			r, err := Run(t.Context(), e, target, j, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Operations != 300 || r.Errors != 0 || *r.BlankPercent != tt.blank || r.Engine != EnginePsync {
				t.Errorf("got %+v", r)
			}
			if *r.Latency.Min <= 0 || r.IOPS <= 0 {
				t.Errorf("reads take no time: %+v", r.Latency)
			}
		})
	}
}

func TestPsyncGone(t *testing.T) {
	path := directFile(t, 64<<10, true)
	e, err := OpenPsync(Target{Kind: FileTarget, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	checker := e.(GoneChecker)
	if checker.Gone() {
		t.Errorf("a file that is there is gone")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !checker.Gone() {
		t.Errorf("a file without a name is not gone")
	}
	writeFile(t, path, 0, false)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	empty, err := OpenPsync(Target{Kind: FileTarget, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if !empty.(GoneChecker).Gone() {
		t.Errorf("a target without a size is not gone")
	}
}

func TestRunNoticesShrunkenTarget(t *testing.T) {
	path := directFile(t, 1<<20, true)
	target, err := OpenFileTarget(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := OpenPsync(target)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), e, target, plain(time.Minute), nil)
	if !errors.Is(err, ErrGone) || r.Errors != 1 {
		t.Errorf("got %+v, %v, want a target that is gone", r, err)
	}
}

func TestOpenPsyncRefuses(t *testing.T) {
	path := directFile(t, 4096, true)
	for _, tt := range []struct {
		name   string
		target Target
		want   string
	}{
		{"other kind", Target{Kind: SimulatedTarget, Path: "sim:x"}, `cannot open a target of kind "sim"`},
		{"missing", Target{Kind: FileTarget, Path: path + ".no"}, "no such file"},
		{"not a device", Target{Kind: BlockTarget, Path: path}, `is not of kind "block"`},
		{"no direct I/O", Target{Kind: FileTarget, Path: "/proc/version"}, "refuses direct I/O (EINVAL)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := OpenPsync(tt.target)
			if err == nil || e != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want an error that says %q", e, err, tt.want)
			}
		})
	}
}

func TestOpenPsyncRefusesMemory(t *testing.T) {
	f, err := os.CreateTemp("/dev/shm", "qd1-bench-test")
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	_, err = OpenPsync(Target{Kind: FileTarget, Path: f.Name(), Bytes: 4096})
	if e, ok := errors.AsType[*Error](err); !ok || e.Hint == "" {
		t.Errorf("got %v, want an error with a hint", err)
	}
}

func TestOpenErrorHints(t *testing.T) {
	for _, tt := range []struct {
		errno unix.Errno
		is    error
		hint  string
	}{
		{unix.EACCES, fs.ErrPermission, "run as root"},
		{unix.EPERM, fs.ErrPermission, "run as root"},
		{unix.ENXIO, unix.ENXIO, "no device answers"},
		{unix.EINVAL, unix.EINVAL, "would measure memory"},
		{unix.ENOENT, fs.ErrNotExist, ""},
	} {
		err := openError("/dev/x", tt.errno)
		e, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, tt.is) || !strings.Contains(e.Hint, tt.hint) || !strings.Contains(err.Error(), "/dev/x") {
			t.Errorf("%v: got %+v", tt.errno, err)
		}
	}
}

func TestOpenUnknownEngine(t *testing.T) {
	if _, err := Open(Spec{Job: Job{Engine: "warp"}}); !errors.Is(err, ErrBadJob) {
		t.Errorf("got %v, want an invalid job", err)
	}
	if e, err := Open(Spec{Job: Job{Engine: EngineNull}}); err != nil || e.Close() != nil {
		t.Errorf("null engine: %v", err)
	}
}

func TestOpenFileTarget(t *testing.T) {
	path := directFile(t, 12_345, true)
	target, err := OpenFileTarget(path)
	if err != nil {
		t.Fatal(err)
	}
	if target.Kind != FileTarget || target.Path != path || target.Bytes != 12_345 || target.BlockBytes < 0 {
		t.Errorf("got %+v", target)
	}
	if _, err := OpenFileTarget(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("directory: got %v", err)
	}
	if _, err := OpenFileTarget(path + ".no"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
	if got := directAlignment(path + ".no"); got != 0 {
		t.Errorf("alignment of a missing file is %d, want 0", got)
	}
}

// TestLoopDoesNotAllocate runs the loop of one worker alone.
func TestLoopDoesNotAllocate(t *testing.T) {
	for name, open := range map[string]func() (Engine, Target){
		"null": func() (Engine, Target) { return NewNull(), smallTarget },
		"reader": func() (Engine, Target) {
			return NewReaderAt("sim", drive(func(p []byte, _ int64) (int, error) { return len(p), nil })), smallTarget
		},
		"psync": func() (Engine, Target) {
			target := Target{Kind: FileTarget, Path: directFile(t, 1<<20, true), Bytes: 1 << 20}
			e, err := OpenPsync(target)
			if err != nil {
				t.Fatal(err)
			}
			return e, target
		},
		"uring": func() (Engine, Target) { return openUring(t, 1<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // The ring belongs to the thread that made it.
			defer runtime.UnlockOSThread()
			e, target := open()
			defer e.Close()
			r := &runner{job: plain(time.Hour), target: target}
			if err := r.prepare(e); err != nil {
				t.Fatal(err)
			}
			defer r.release()
			w := r.workers[0]
			w.clock = startClock(time.Now(), false)
			n := testing.AllocsPerRun(1, func() { w.loop(math.MaxInt64, w.issued+10_000) })
			if n != 0 {
				t.Errorf("%g allocations in 10000 operations, want 0", n)
			}
			if got := w.tally.latency.Count(); got != 20_000 || w.err != nil {
				t.Errorf("%d operations, %v", got, w.err)
			}
		})
	}
}

func TestIsBlank(t *testing.T) {
	b := make([]byte, 512)
	if !isBlank(b) {
		t.Errorf("zeros are not blank")
	}
	for i := range b {
		b[i] = 1
		if isBlank(b) {
			t.Errorf("a block with byte %d set is blank", i)
		}
		b[i] = 0
	}
	for i := range b {
		b[i] = 0xFF
	}
	if isBlank(b) {
		t.Errorf("a block of FFh is blank")
	}
}

func TestHoldCPULatency(t *testing.T) {
	node := filepath.Join(t.TempDir(), "node")
	if _, err := holdCPULatency(node); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing node: got %v", err)
	}
	if err := os.WriteFile(node, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	hold, err := holdCPULatency(node)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(node)
	if err != nil || !bytes.Equal(got, []byte{0, 0, 0, 0}) {
		t.Errorf("wrote %x, %v, want a 32-bit 0", got, err)
	}
	if err := hold.Close(); err != nil {
		t.Error(err)
	}
	if _, err := holdCPULatency("/dev/full"); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("node that takes nothing: got %v", err)
	}
}

func TestRunSaysWhetherCPULatencyIsHeld(t *testing.T) {
	hold, err := HoldCPULatency()
	if err == nil {
		hold.Close()
	}
	j := plain(0)
	j.Operations, j.HoldCPULatency = 10, true
	r, runErr := Run(context.Background(), NewNull(), smallTarget, j, nil)
	if runErr != nil {
		t.Fatal(runErr)
	}
	if r.CPULatencyHeld != (err == nil) {
		t.Errorf("held is %v, but asking for it gives %v", r.CPULatencyHeld, err)
	}
}
