package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// openUring opens a file of n random bytes. It skips the test where io_uring is
// not to be had.
func openUring(t *testing.T, n int64) (Engine, Target) {
	t.Helper()
	target := Target{Kind: FileTarget, Path: directFile(t, n, true), Bytes: n, BlockBytes: 512}
	e, err := OpenUring(target)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, target
}

// reapAll waits for n events.
func reapAll(t *testing.T, e Engine, n int) []Event {
	t.Helper()
	events := make([]Event, n)
	for got := 0; got < n; {
		k, err := e.Reap(events[got:], 1)
		if err != nil {
			t.Fatalf("reap: %v after %d", err, got)
		}
		got += k
	}
	return events
}

func TestUringReadsWhatIsThere(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e, target := openUring(t, 64<<10)
	want, err := os.ReadFile(target.Path)
	if err != nil {
		t.Fatal(err)
	}
	buf, err := rawio.Alloc(64 << 10)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Free()
	var requests []Request
	for i := range 16 {
		requests = append(requests, Request{Offset: int64(15-i) * 4096, Data: buf.Bytes()[i*4096 : (i+1)*4096 : (i+1)*4096], Buffer: i})
	}
	for range 3 {
		clear(buf.Bytes())
		if n, err := e.Submit(requests); n != 16 || err != nil {
			t.Fatalf("submit: %d, %v", n, err)
		}
		for _, v := range reapAll(t, e, 16) {
			at := (15 - v.Buffer) * 4096
			if v.Err != nil || v.Bytes != 4096 || !bytes.Equal(requests[v.Buffer].Data, want[at:at+4096]) {
				t.Errorf("%+v or other data", v)
			}
		}
	}
	if n, err := e.Reap(make([]Event, 1), 1); n != 0 || err == nil {
		t.Errorf("reap without a request: %d, %v, want an error", n, err)
	}
	if n, err := e.Submit([]Request{{Buffer: maxUringDepth, Data: requests[0].Data}}); n != 0 || err != nil {
		t.Errorf("a buffer beyond the depth: %d, %v, want none taken", n, err)
	}
}

func TestUringReportsErrno(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e, _ := openUring(t, 64<<10)
	buf, err := rawio.Alloc(8192)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Free()
	mem := buf.Bytes()
	if _, err := e.Submit([]Request{{Offset: -4096, Data: mem[:4096:4096]}, {Offset: 64 << 10, Data: mem[4096:8192:8192], Buffer: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, v := range reapAll(t, e, 2) {
		want := Event{Buffer: 0, Err: unix.EINVAL}
		if v.Buffer == 1 {
			want = Event{Buffer: 1}
		}
		if v != want {
			t.Errorf("got %+v, want %+v", v, want)
		}
	}
}

func TestUringRun(t *testing.T) {
	for _, tt := range []struct{ depth, workers int }{{1, 1}, {32, 1}, {64, 2}, {1024, 1}} {
		t.Run(fmt.Sprintf("Q%dT%d", tt.depth, tt.workers), func(t *testing.T) {
			e, target := openUring(t, 1<<20)
			j := plain(0)
			j.Engine, j.Operations, j.QueueDepth, j.Workers = EngineUring, 5000, tt.depth, tt.workers
			r, err := Run(t.Context(), e, target, j, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Operations != 5000 || r.Errors != 0 || *r.BlankPercent != 0 || r.Engine != EngineUring || r.QueueDepth != tt.depth {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestUringRefuses(t *testing.T) {
	e, target := openUring(t, 64<<10)
	j := plain(0)
	j.Engine, j.Operations, j.QueueDepth = EngineUring, 1, maxUringDepth+1
	if _, err := Run(t.Context(), e, target, j, nil); !errors.Is(err, ErrBadJob) {
		t.Errorf("queue depth %d: %v, want an invalid job", j.QueueDepth, err)
	}
	if _, err := OpenUring(Target{Kind: SimulatedTarget, Path: "x"}); !errors.Is(err, ErrBadJob) {
		t.Errorf("simulated target: %v", err)
	}
	if _, err := OpenUring(Target{Kind: FileTarget, Path: target.Path + ".no"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if opened, err := Open(Spec{target, j}); err != nil || opened.Close() != nil {
		t.Errorf("open by name: %v", err)
	}
}

func TestUringGone(t *testing.T) {
	e, target := openUring(t, 64<<10)
	checker := e.(GoneChecker)
	if checker.Gone() {
		t.Error("a file that is there is gone")
	}
	if err := os.Truncate(target.Path, 0); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), e, target, plain(time.Minute), nil)
	if !errors.Is(err, ErrGone) || r.Operations != 0 {
		t.Errorf("got %+v, %v, want a target that is gone", r, err)
	}
}

func TestUringErrorHints(t *testing.T) {
	for errno, want := range map[unix.Errno]string{
		unix.EPERM:  "kernel.io_uring_disabled",
		unix.ENOSYS: "engine psync",
		unix.ENOMEM: "ulimit -l",
		unix.EMFILE: "",
	} {
		err := uringError(fmt.Errorf("set up io_uring: %w", errno))
		e, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, errno) || !strings.Contains(e.Hint, want) || (e.Hint == "") != (want == "") {
			t.Errorf("%v: got %+v", errno, err)
		}
	}
}
