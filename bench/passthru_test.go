package bench

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// nullCommands returns an engine whose commands go to /dev/null, which says
// success from Linux 6.16 on. It skips the test on others.
func nullCommands(t *testing.T) *ringEngine {
	t.Helper()
	skipWithoutCommands(t, EnginePassthru)
	lockThread(t)
	fd := openFD(t, os.DevNull, unix.O_RDWR)
	u := newRingEngine(opened{fd: fd, path: os.DevNull}, fd, Job{})
	u.options.Commands, u.namespace = true, &namespace{nsid: 1, shift: 9}
	u.generic = opened{fd: fd, path: os.DevNull}
	t.Cleanup(func() { u.Close() })
	if err := u.open(); err != nil {
		t.Fatal(err)
	}
	result, err := u.trial(u.ring, Spec{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if result < 0 {
		t.Skipf("NOT TESTED: no node here takes commands (%v)", unix.Errno(-result))
	}
	return u
}

func TestPassthruCompletes(t *testing.T) {
	u := nullCommands(t)
	mem := alloc(t, 16*4096)
	var requests []Request
	for i := range 16 {
		requests = append(requests, Request{Offset: int64(i) * 4096, Data: mem[i*4096 : i*4096+512*(i%8+1) : (i+1)*4096], Buffer: i})
	}
	for range 3 {
		if n, err := u.Submit(requests); n != 16 || err != nil {
			t.Fatalf("submit: %d, %v", n, err)
		}
		seen := map[int]bool{}
		for _, v := range reapAll(t, u, 16) {
			if v.Err != nil || v.Bytes != len(requests[v.Buffer].Data) || seen[v.Buffer] {
				t.Errorf("got %+v, want %d bytes once", v, len(requests[v.Buffer].Data))
			}
			seen[v.Buffer] = true
		}
	}
	n := testing.AllocsPerRun(100, func() {
		if _, err := u.Submit(requests[:1]); err != nil {
			t.Error(err)
		}
		var events [1]Event
		if _, err := u.Reap(events[:], 1); err != nil {
			t.Error(err)
		}
	})
	if n > 1 { // The array of the test itself.
		t.Errorf("%g allocations for a command", n)
	}
}

func TestPassthruRefusesToWrite(t *testing.T) {
	u := nullCommands(t)
	mem := alloc(t, 8192)
	requests := []Request{{Data: mem[:4096:4096]}, {Data: mem[4096:], Buffer: 1, Write: true}}
	if n, err := u.Submit(requests); n != 1 || err != unix.EBADF {
		t.Errorf("a write in a job that reads: %d, %v, want one request and EBADF", n, err)
	}
	u.mayWrite = true
	if n, err := u.Submit(requests[1:]); n != 1 || err != nil {
		t.Errorf("a write in a job that writes: %d, %v", n, err)
	}
	reapAll(t, u, 2)
}

func TestPassthruAnswers(t *testing.T) {
	u := &ringEngine{slots: []ringSlot{{}, {data: alloc(t, 8192)}}}
	e := Event{Buffer: 1}
	if u.answered(&e, 0); e != (Event{Buffer: 1, Bytes: 8192}) {
		t.Errorf("success: %+v", e)
	}
	if u.answered(&e, 0x281); e.Bytes != 0 || e.Err != StatusError(0x281) {
		t.Errorf("failure: %+v", e)
	}
}

func TestPassthruFork(t *testing.T) {
	u := nullCommands(t)
	u.mayWrite, u.ordinary = true, true
	e, err := u.Fork()
	if err != nil {
		t.Fatal(err)
	}
	f := e.(*ringEngine)
	if f.namespace != u.namespace || !f.mayWrite || !f.ordinary || f.generic != u.generic || f.options != u.options || f.ring != nil {
		t.Errorf("the fork is %+v", f)
	}
	if f.refuses(&Request{Write: true}) {
		t.Error("the fork does not write")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := unix.FcntlInt(uintptr(u.generic.fd), unix.F_GETFL, 0); err != nil {
		t.Errorf("the fork has closed the node: %v", err)
	}
}

func TestRelease(t *testing.T) {
	if got := release(); !strings.HasPrefix(got, "Linux ") || strings.ContainsRune(got, 0) {
		t.Errorf("got %q", got)
	}
}

func TestIoctlAnswers(t *testing.T) {
	e := &ioctlEngine{namespace: namespace{nsid: 1, shift: 9}, request: rawio.NVMeIO64}
	e.fd = openFD(t, os.DevNull, unix.O_RDWR)
	r := Request{Offset: 4096, Data: alloc(t, 4096), Buffer: 5}
	if n, err := e.Submit([]Request{{Write: true, Data: r.Data}}); n != 0 || err != unix.EBADF {
		t.Errorf("a write in a job that reads: %d, %v, want EBADF", n, err)
	}
	if n, err := e.Submit([]Request{r}); n != 1 || err != nil {
		t.Fatalf("submit: %d, %v", n, err)
	}
	if n, err := e.Submit([]Request{r}); n != 0 || err != nil {
		t.Errorf("a second request was taken: %d, %v", n, err)
	}
	if v := reapAll(t, e, 1)[0]; v != (Event{Buffer: 5, Err: unix.ENOTTY}) {
		t.Errorf("got %+v, want ENOTTY", v)
	}
	if e.failed(0x281, 0); e.pending.Err != StatusError(0x281) {
		t.Errorf("got %+v", e.pending)
	}
	if err := e.probe(Spec{}); !errors.Is(err, unix.ENOTTY) || e.request != rawio.NVMeIO {
		t.Errorf("probe: %v through %#x, want ENOTTY through both requests", err, uintptr(e.request))
	}
	if e.MaxQueueDepth() != 1 || !e.Gone() {
		t.Error("deeper than 1, or /dev/null has a size")
	}
	e.ours = false
	fork, err := e.Fork()
	if err != nil || fork.Close() != nil {
		t.Errorf("fork: %v", err)
	}
	runtime.KeepAlive(e)
}
