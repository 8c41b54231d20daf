package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
	"qd1.example/qd1/internal/uring"
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
	for round := range 3 {
		clear(buf.Bytes())
		for i := range requests { // Also with the buffers of the other half of a mix.
			requests[i].Buffer = i + round%2*maxUringDepth
		}
		if n, err := e.Submit(requests); n != 16 || err != nil {
			t.Fatalf("submit: %d, %v", n, err)
		}
		for _, v := range reapAll(t, e, 16) {
			i := v.Buffer % maxUringDepth
			at := (15 - i) * 4096
			if v.Err != nil || v.Bytes != 4096 || !bytes.Equal(requests[i].Data, want[at:at+4096]) {
				t.Errorf("%+v or other data", v)
			}
		}
	}
	if n, err := e.Reap(make([]Event, 1), 1); n != 0 || err == nil {
		t.Errorf("reap without a request: %d, %v, want an error", n, err)
	}
	if n, err := e.Submit([]Request{{Buffer: 2 * maxUringDepth, Data: requests[0].Data}}); n != 0 || err != nil {
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

// TestUringRefusesTooMany fills the ring to its depth.
func TestUringRefusesTooMany(t *testing.T) {
	lockThread(t)
	e, _ := openUring(t, 64<<10)
	mem := alloc(t, 4096)
	requests := make([]Request, maxUringDepth+1)
	for i := range requests {
		requests[i] = Request{Data: mem, Buffer: i}
	}
	if n, err := e.Submit(requests); n != maxUringDepth || err != nil {
		t.Errorf("%d requests were taken, %v, want %d", n, err, maxUringDepth)
	}
	if n, err := e.Submit(requests[maxUringDepth:]); n != 0 || err != nil {
		t.Errorf("one more: %d, %v, want none taken", n, err)
	}
	reapAll(t, e, maxUringDepth)
}

// TestUringReapsWithoutWaiting asks for what is there until all is.
func TestUringReapsWithoutWaiting(t *testing.T) {
	lockThread(t)
	e, _ := openUring(t, 64<<10)
	mem := alloc(t, 8192)
	if _, err := e.Submit([]Request{{Data: mem[:4096:4096]}, {Data: mem[4096:], Buffer: 1}}); err != nil {
		t.Fatal(err)
	}
	events := make([]Event, 2)
	for n, until := 0, time.Now().Add(10*time.Second); n < 2; {
		k, err := e.Reap(events, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n += k; time.Now().After(until) {
			t.Fatalf("%d of 2 reads ended", n)
		}
	}
	if n, err := e.Reap(events, 0); n != 0 || err != nil {
		t.Errorf("nothing in flight: %d, %v", n, err)
	}
}

// TestUringRepeats gives a request back once, and then for good.
func TestUringRepeats(t *testing.T) {
	lockThread(t)
	e, target := openUring(t, 64<<10)
	want, err := os.ReadFile(target.Path)
	if err != nil {
		t.Fatal(err)
	}
	mem := alloc(t, 8192)
	requests := []Request{{Offset: 8192, Data: mem[:4096:4096], Buffer: 1}, {Offset: 4096, Data: mem[4096:], Buffer: 2}}
	if _, err := e.Submit(requests); err != nil {
		t.Fatal(err)
	}
	reapAll(t, e, 2)
	clear(mem)
	u := e.(*ringEngine)
	if !u.repeat(1) || u.inFlight != 1 {
		t.Errorf("a request that was given back is not repeated, %d in flight", u.inFlight)
	}
	if v := reapAll(t, e, 1)[0]; v != (Event{Buffer: 1, Bytes: 4096}) || !bytes.Equal(mem[:4096], want[8192:12288]) {
		t.Errorf("%+v, or other data", v)
	}
	if u.repeat(1) {
		t.Error("a request is repeated twice")
	}
	if _, err := e.Submit(requests[:1]); err != nil {
		t.Fatal(err)
	}
	reapAll(t, e, 1)
	if !u.repeat(1) {
		t.Error("the next request with the same buffer is not repeated")
	}
	reapAll(t, e, 1)
}

func TestUringFlags(t *testing.T) {
	lockThread(t)
	e, _ := openUring(t, 64<<10)
	d := e.(Describer)
	if got := d.Flags(); len(got) != 0 {
		t.Errorf("before the first request: %q", got)
	}
	if _, err := e.Submit([]Request{{Data: alloc(t, 4096)}}); err != nil {
		t.Fatal(err)
	}
	reapAll(t, e, 1)
	u := e.(*ringEngine)
	u.features = uring.Features{RegisteredFile: true, Poll: true, SubmitThread: true}
	u.slots[0].registered = true
	want := []string{"registered buffers", "registered file", "polled completions", "kernel submission thread"}
	if got := d.Flags(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	u.features = uring.Features{SingleIssuer: true, DeferTasks: true}
	u.slots[1] = ringSlot{data: u.slots[0].data}
	want = []string{"single issuer", "deferred completions"}
	if got := d.Flags(); !slices.Equal(got, want) {
		t.Errorf("one buffer is not registered: got %q, want %q", got, want)
	}
}

func TestSubmitThreadNeedsCPUs(t *testing.T) {
	for _, tt := range []struct {
		asked bool
		cpus  int
		ok    bool
	}{{false, 1, true}, {true, 3, false}, {true, 4, true}} {
		err := checkSubmitThread(Job{SQPoll: tt.asked}, tt.cpus)
		if (err == nil) != tt.ok || err != nil && (!errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "3 are here")) {
			t.Errorf("asked %t, %d CPUs: %v", tt.asked, tt.cpus, err)
		}
	}
}

// TestUringSubmitThread runs with a thread of the kernel that submits, whatever
// the number of CPUs.
func TestUringSubmitThread(t *testing.T) {
	_, target := openUring(t, 1<<20)
	o, err := openDirect(reading(target), EngineUring)
	if err != nil {
		t.Fatal(err)
	}
	j := plain(0)
	j.Engine, j.Operations, j.QueueDepth, j.SQPoll = EngineUring, 500, 8, true
	e := newRingEngine(o, o.fd, j)
	defer e.Close()
	r, err := Run(t.Context(), e, target, j, nil)
	if errors.Is(err, unix.EPERM) {
		t.Skip("NOT TESTED: not allowed to start a thread of the kernel")
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Operations != 500 || r.Errors != 0 || !slices.Contains(e.Flags(), "kernel submission thread") {
		t.Errorf("got %+v, %q", r, e.Flags())
	}
}

// TestUringPoll asks to poll a file, which few machines can do, and a device
// that never can.
func TestUringPoll(t *testing.T) {
	_, target := openUring(t, 64<<10)
	s := reading(target)
	s.Job.Engine, s.Job.IOPoll = EngineUring, true
	e, err := Open(s)
	if err == nil {
		t.Cleanup(func() { e.Close() })
	} else if bad, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, ErrBadJob) || !strings.Contains(bad.Hint, "nvme.poll_queues") {
		t.Errorf("file: got %v, want what is needed", err)
	}
	s.Target, _ = loopTarget(t, 64<<10)
	if e, err := Open(s); err == nil || !errors.Is(err, unix.EOPNOTSUPP) {
		t.Errorf("loop device: got %v, %v, want a refusal", e, err)
	}
}

// sysOf makes a sysfs that knows the disk of a file: what is in the attribute of
// a queue at some path.
func sysOf(t *testing.T, file, queue, attribute, value string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		t.Fatal(err)
	}
	sys := t.TempDir()
	for _, dir := range []string{"dev/block", "disk/part", queue} {
		if err := os.MkdirAll(filepath.Join(sys, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(sys, queue, attribute), []byte(value), 0o600); err != nil {
		t.Fatal(err)
	}
	number := fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev))
	if err := os.Symlink("../../disk/part", filepath.Join(sys, "dev/block", number)); err != nil {
		t.Fatal(err)
	}
	return sys
}

func TestPollQueues(t *testing.T) {
	path := directFile(t, 4096, true)
	fd := openFD(t, path, unix.O_RDONLY)
	for _, tt := range []struct {
		name, queue, value string
		ok                 bool
	}{
		{"disk with", "disk/part/queue", "1\n", true},
		{"disk without", "disk/part/queue", "0\n", false},
		{"partition with", "disk/queue", "1\n", true},
		{"partition without", "disk/queue", "0\n", false},
		{"unknown", "disk/other", "0\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sys := sysOf(t, path, tt.queue, "io_poll", tt.value)
			if err := checkPollQueues(sys, fd); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := checkPollQueues(t.TempDir(), fd); err != nil {
		t.Errorf("nothing known: %v", err)
	}
}

func TestMostRegistered(t *testing.T) {
	path := directFile(t, 4096, true)
	fd, page := openFD(t, path, unix.O_RDONLY), os.Getpagesize()
	for _, tt := range []struct {
		name, queue, value string
		want               int
	}{
		{"NVMe disk", "disk/part/queue", "127\n", 127 * page},
		{"partition", "disk/queue", "33\n", 33 * page},
		{"unknown", "disk/other", "127\n", maxBlockBytes},
		{"no number", "disk/queue", "many\n", maxBlockBytes},
		{"zero", "disk/queue", "0\n", maxBlockBytes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mostRegistered(sysOf(t, path, tt.queue, "max_segments", tt.value), fd); got != tt.want {
				t.Errorf("got %d bytes, want %d", got, tt.want)
			}
		})
	}
}

func TestLargeBufferIsNotRegistered(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const block = 64 << 10
	for most, want := range map[int]bool{block: true, block - 1: false} {
		e, _ := openUring(t, block)
		u := e.(*ringEngine)
		u.most = most
		buffer, err := rawio.Alloc(block)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = buffer.Free() })
		if n, err := e.Submit([]Request{{Data: buffer.Bytes()[:block:block]}}); n != 1 || err != nil {
			t.Fatalf("submit: got %d, %v", n, err)
		}
		reapAll(t, e, 1)
		if got := slices.Contains(u.Flags(), "registered buffers"); got != want && u.features.Buffers > 0 {
			t.Errorf("a buffer of %d bytes, at most %d registered: got %v, want %v", block, most, got, want)
		}
	}
}
