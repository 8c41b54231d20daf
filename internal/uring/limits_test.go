package uring

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestReadErrors(t *testing.T) {
	r, _ := open(t, 4)
	mem := memory(t, block)
	r.Read(1, mem[:block], 16*block, -1)
	r.Read(2, mem[:block], -block, -1)
	got := all(t, r, 2)
	if got[1] != 0 || got[2] != -int32(unix.EINVAL) {
		t.Errorf("at the end %d, want 0; at a negative offset %d, want EINVAL", got[1], got[2])
	}
	closed := ring(t, 4, -1)
	closed.Read(3, mem[:block], 0, -1)
	if got := all(t, closed, 1); got[3] != -int32(unix.EBADF) {
		t.Errorf("of no file: %d, want EBADF", got[3])
	}
}

func TestReplaceBuffer(t *testing.T) {
	r, data := open(t, 4)
	mem := memory(t, 2*block)
	for i := range 2 {
		p := mem[i*block : (i+1)*block : (i+1)*block]
		if !r.RegisterBuffer(3, p) {
			t.Skip("NOT TESTED: the kernel does not register buffers one by one")
		}
		r.Read(9, p, block, 3)
		if got := all(t, r, 1); got[9] != block || !bytes.Equal(p, data[block:2*block]) {
			t.Errorf("buffer %d: %v or other data", i, got)
		}
	}
	if r.RegisterBuffer(4, mem) || r.RegisterBuffer(0, nil) {
		t.Error("a slot that is not there, or no memory, was registered")
	}
}

func TestWaitEnds(t *testing.T) {
	pipe := make([]int, 2)
	if err := unix.Pipe2(pipe, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[1])
	r := ring(t, 4, pipe[0])
	mem := memory(t, block)
	r.Read(5, mem[:block], -1, -1)
	if errno := r.Submit(); errno != 0 {
		t.Fatal(errno)
	}
	if !r.timed {
		t.Skip("NOT TESTED: the kernel has no limited wait")
	}
	errno := unix.EINTR
	for errno == unix.EINTR {
		errno = r.SubmitAndWait(1, time.Millisecond)
	}
	if errno != unix.ETIME {
		t.Errorf("a wait for nothing ends with %v, want ETIME", errno)
	}
	if _, err := unix.Write(pipe[1], []byte("late")); err != nil {
		t.Fatal(err)
	}
	if got := all(t, r, 1); got[5] != 4 || string(mem[:4]) != "late" {
		t.Errorf("got %v, %q", got, mem[:4])
	}
	unix.Close(pipe[0])
}

func TestOpenRefuses(t *testing.T) {
	for _, entries := range []int{0, 1 << 20} {
		if r, err := Open(Options{Entries: entries}); err == nil {
			r.Close()
			t.Errorf("%d entries: no error", entries)
		}
	}
}

func TestCloseTwice(t *testing.T) {
	r, _ := open(t, 1)
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWithoutExtras uses a ring as an older kernel gives it: without a registered
// file, without registered buffers and without limited waits.
func TestWithoutExtras(t *testing.T) {
	r, data := open(t, 4)
	f, err := os.CreateTemp(t.TempDir(), "copy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	r.file, r.fileFlag, r.buffers, r.timed = int32(f.Fd()), 0, 0, false
	mem := memory(t, block)
	if r.RegisterBuffer(0, mem) {
		t.Error("a buffer was registered where there is no slot")
	}
	r.Read(1, mem[:block], 3*block, -1)
	if got := all(t, r, 1); got[1] != block || !bytes.Equal(mem[:block], data[3*block:4*block]) {
		t.Errorf("got %v, or other data", got)
	}
}

// TestOtherThread submits from a thread that did not open the ring.
func TestOtherThread(t *testing.T) {
	r, data := open(t, 4)
	mem := memory(t, block)
	r.Read(1, mem[:block], block, -1)
	result := make(chan unix.Errno)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		result <- r.SubmitAndWait(1, time.Second)
	}()
	switch errno := <-result; errno {
	case unix.EEXIST:
		if r.Pending() != 1 {
			t.Errorf("%d pending after a refusal, want the read", r.Pending())
		}
	case 0: // An older kernel.
	default:
		t.Errorf("got %v, want EEXIST or success", errno)
	}
	if r.Pending() == 0 {
		return
	}
	if got := all(t, r, 1); got[1] != block || !bytes.Equal(mem[:block], data[block:2*block]) {
		t.Errorf("from the right thread: %v, or other data", got)
	}
}

// TestManyReads keeps between none and all of the slots busy, in random steps.
func TestManyReads(t *testing.T) {
	const slots = 32
	r, data := open(t, slots)
	mem := memory(t, slots*block)
	random := rand.New(rand.NewPCG(1, 2))
	var free []int
	where := map[int]int64{} // by busy slot
	for i := range slots {
		free = append(free, i)
		if i%2 == 0 {
			r.RegisterBuffer(i, mem[i*block:(i+1)*block:(i+1)*block])
		}
	}
	reap := func() {
		for {
			id, result, ok := r.Next()
			if !ok {
				return
			}
			i := int(id)
			if off := where[i]; result != block || !bytes.Equal(mem[i*block:(i+1)*block], data[off:off+block]) {
				t.Fatalf("slot %d at %d: %d, or other data", i, off, result)
			}
			delete(where, i)
			free = append(free, i)
		}
	}
	for range 2000 {
		for range random.IntN(len(free) + 1) {
			i := free[len(free)-1]
			free = free[:len(free)-1]
			where[i] = int64(random.IntN(16)) * block
			registered := -1
			if i%2 == 0 && r.buffers > 0 {
				registered = i
			}
			r.Read(uint64(i), mem[i*block:(i+1)*block:(i+1)*block], where[i], registered)
		}
		if errno := r.SubmitAndWait(random.IntN(len(where)+1), time.Second); errno != 0 && errno != unix.EINTR {
			t.Fatalf("enter: %v with %d in flight", errno, len(where))
		}
		reap()
	}
	for len(where) > 0 {
		if errno := r.SubmitAndWait(1, time.Second); errno != 0 && errno != unix.EINTR {
			t.Fatalf("enter: %v with %d in flight", errno, len(where))
		}
		reap()
	}
}
