package uring

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

const block = 4096

// open returns a ring over a file of 16 blocks, and what is in the file. It
// skips the test where io_uring is not to be had.
func open(t *testing.T, entries int) (*Ring, []byte) {
	t.Helper()
	data := make([]byte, 16*block)
	rand.NewChaCha8([32]byte{7}).Read(data)
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return ring(t, entries, int(f.Fd())), data
}

func ring(t *testing.T, entries, fd int) *Ring {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	r, err := Open(Options{Entries: entries, File: fd})
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func memory(t *testing.T, n int) []byte {
	t.Helper()
	b, err := rawio.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Free() })
	return b.Bytes()
}

// all waits for n completions and returns their results by id.
func all(t *testing.T, r *Ring, n int) map[uint64]int32 {
	t.Helper()
	got := map[uint64]int32{}
	for len(got) < n {
		if errno := r.SubmitAndWait(1, 10*time.Second); errno != 0 && errno != unix.EINTR {
			t.Fatalf("enter: %v after %d of %d completions", errno, len(got), n)
		}
		for {
			id, result, ok := r.Next()
			if !ok {
				break
			}
			got[id] = result
		}
	}
	return got
}

func TestRead(t *testing.T) {
	for _, registered := range []bool{false, true} {
		r, data := open(t, 16)
		if r.Len() != 16 || r.Pending() != 0 {
			t.Fatalf("room for %d, %d pending", r.Len(), r.Pending())
		}
		mem := memory(t, 16*block)
		for i := range 16 {
			p, slot := mem[i*block:(i+1)*block:(i+1)*block], -1
			if registered {
				if slot = i; !r.RegisterBuffer(i, p) {
					t.Skip("NOT TESTED: the kernel does not register buffers one by one")
				}
			}
			r.Read(uint64(100+i), p, int64(15-i)*block, slot)
			if i == 7 {
				if errno := r.Submit(); errno != 0 || r.Pending() != 0 {
					t.Fatalf("submit: %v, %d pending", errno, r.Pending())
				}
			}
		}
		for id, result := range all(t, r, 16) {
			i := int(id - 100)
			if result != block || !bytes.Equal(mem[i*block:(i+1)*block], data[(15-i)*block:(16-i)*block]) {
				t.Errorf("registered %t: read %d gives %d or other data", registered, id, result)
			}
		}
		if _, _, ok := r.Next(); ok {
			t.Error("a completion too many")
		}
	}
}

// TestWrite writes blocks from ordinary and from registered memory, and reads
// them.
func TestWrite(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "data")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := ring(t, 8, int(f.Fd()))
	mem := memory(t, 8*block)
	rand.NewChaCha8([32]byte{9}).Read(mem)
	for i := range 8 {
		p, slot := mem[i*block:(i+1)*block:(i+1)*block], -1
		if i%2 == 0 && r.RegisterBuffer(i, p) {
			slot = i
		}
		r.Write(uint64(i), p, int64(7-i)*block, slot)
	}
	for id, result := range all(t, r, 8) {
		if result != block {
			t.Errorf("write %d gives %d", id, result)
		}
	}
	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if !bytes.Equal(got[(7-i)*block:(8-i)*block], mem[i*block:(i+1)*block]) {
			t.Errorf("write %d has other data in the file", i)
		}
	}
}

// TestSubmitThread reads through a ring whose submissions a thread of the kernel
// takes, also after it has gone to sleep.
func TestSubmitThread(t *testing.T) {
	_, data := open(t, 1)
	path := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := Open(Options{Entries: 4, File: int(f.Fd()), SubmitThread: true, Idle: time.Millisecond})
	if errors.Is(err, unix.EPERM) {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := r.Features(); !got.SubmitThread || got.DeferTasks || got.Poll {
		t.Errorf("got %+v", got)
	}
	mem := memory(t, block)
	for i := range 16 {
		r.Read(uint64(i), mem[:block], int64(i)*block, -1)
		if i%4 == 1 {
			if errno := r.Submit(); errno != 0 || r.Pending() != 0 {
				t.Fatalf("submit: %v, %d pending", errno, r.Pending())
			}
		}
		if got := all(t, r, 1); got[uint64(i)] != block || !bytes.Equal(mem[:block], data[i*block:(i+1)*block]) {
			t.Fatalf("read %d gives %v, or other data", i, got)
		}
		for until := time.Now().Add(10 * time.Second); i%4 == 0 && atomic.LoadUint32(r.sqFlags)&needWakeup == 0; {
			if time.Now().After(until) {
				t.Fatal("the thread does not go to sleep")
			}
			runtime.Gosched()
		}
	}
}

// largeRing opens a ring for commands. It skips the test on older kernels.
func largeRing(t *testing.T, fd int) *Ring {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	r, err := Open(Options{Entries: 4, File: fd, Commands: true})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestLargeEntries reads through a ring whose entries have twice the size, before
// and after a command that a file does not take.
func TestLargeEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	data := make([]byte, 16*block)
	rand.NewChaCha8([32]byte{8}).Read(data)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := largeRing(t, int(f.Fd()))
	if r.Len() != 4 {
		t.Errorf("room for %d requests, want 4", r.Len())
	}
	mem := memory(t, 2*block)
	command := &rawio.NVMeCommand{Opcode: 2, NSID: 0xffff_fffe, CDW2: 0xffff_ffff, CDW3: 0xffff_ffff, CDW10: 0xffff_ffff}
	for i := range 12 {
		r.Command(100, command, mem[block:2*block], -1)
		r.Read(uint64(i), mem[:block], int64(i)*block, -1)
		got := all(t, r, 2)
		if got[uint64(i)] != block || !bytes.Equal(mem[:block], data[i*block:(i+1)*block]) {
			t.Fatalf("read %d gives %v, or other data", i, got)
		}
		if got[100] != -int32(unix.EOPNOTSUPP) {
			t.Errorf("command to a file: %d, want EOPNOTSUPP", got[100])
		}
	}
}

// TestCommand sends commands to /dev/null, which takes any from Linux 6.16 on.
func TestCommand(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r := largeRing(t, int(null.Fd()))
	mem := memory(t, block)
	for i := range 9 {
		slot := -1
		if i%3 == 2 && r.RegisterBuffer(i%4, mem[:block]) {
			slot = i % 4
		}
		r.Command(uint64(i), &rawio.NVMeCommand{Opcode: 2}, mem[:block], slot)
		got := all(t, r, 1)
		if got[uint64(i)] == -int32(unix.EOPNOTSUPP) {
			t.Skip("NOT TESTED: no node here takes commands")
		}
		if result, ok := got[uint64(i)]; !ok || result != 0 {
			t.Errorf("command %d: %v, want success", i, got)
		}
	}
}

// TestCommandEntry looks at what the kernel gets.
func TestCommandEntry(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r := largeRing(t, int(null.Fd()))
	mem := memory(t, block)
	for _, slot := range []int{-1, 3} {
		for i := range r.entries {
			r.entries[i] = 0xff
		}
		tail := *r.sqTail
		r.Command(42, &rawio.NVMeCommand{Opcode: 2, NSID: 7, CDW10: 11, CDW12: 13}, mem[:block], slot)
		at := int(tail&r.sqMask) * 128
		got := *(*commandSubmission)(unsafe.Pointer(&r.entries[at]))
		want := commandSubmission{opcode: 46, flags: r.fileFlag, fd: r.file, operation: 0xc0484e80, userData: 42}
		want.command = rawio.NVMeCommand{Opcode: 2, NSID: 7, CDW10: 11, CDW12: 13, DataLength: block, Address: address(unsafe.Pointer(&mem[0]))}
		if slot >= 0 {
			want.commandFlags, want.buffer = 1, 3
		}
		if got != want {
			t.Errorf("slot %d: got %+v, want %+v", slot, got, want)
		}
	}
}

// TestOwnThread opens more rings than a thread has room for, and closes some on
// another thread.
func TestOwnThread(t *testing.T) {
	_, data := open(t, 1)
	path := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mem := memory(t, block)
	var last *Ring
	closed := make(chan error)
	for i := range 40 {
		r, err := Open(Options{Entries: 2, File: int(f.Fd()), OwnThread: true})
		if err != nil {
			t.Fatal(err)
		}
		r.Read(uint64(i), mem[:block], int64(i%16)*block, -1)
		if got := all(t, r, 1); got[uint64(i)] != block || !bytes.Equal(mem[:block], data[i%16*block:][:block]) {
			t.Fatalf("ring %d: %v, or other data", i, got)
		}
		switch {
		case i < 20: // The thread keeps at most 16 of these.
			go func() { closed <- r.Close() }()
			err = <-closed
		case last != nil:
			err = last.Close()
		}
		if err != nil {
			t.Error(err)
		}
		if last = nil; i >= 20 {
			last = r
		}
	}
	if last.thread != 0 && last.thread != unix.Gettid() {
		t.Errorf("the ring is of thread %d, this is %d", last.thread, unix.Gettid())
	}
	if err := last.Close(); err != nil || last.thread != 0 {
		t.Errorf("close: %v, the ring is still of thread %d", err, last.thread)
	}
}

// TestFeatures compares what the ring says with the flags that it was made with.
func TestFeatures(t *testing.T) {
	r, _ := open(t, 4)
	r.flags, r.fileFlag, r.buffers = singleIssuer|ioPoll, 0, 7
	if got, want := r.Features(), (Features{SingleIssuer: true, Poll: true, Buffers: 7}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	r.flags, r.fileFlag, r.buffers = deferTasks|submitThread, fixedFile, 0
	if got, want := r.Features(), (Features{DeferTasks: true, SubmitThread: true, RegisteredFile: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	r.flags = 0
}

// TestSlots asks for more buffers than entries.
func TestSlots(t *testing.T) {
	r, err := Open(Options{Entries: 2, Buffers: 5, File: -1})
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Features().Buffers == 0 {
		t.Skip("NOT TESTED: the kernel does not register buffers one by one")
	}
	mem := memory(t, block)
	if r.Len() != 2 || !r.RegisterBuffer(4, mem) || r.RegisterBuffer(5, mem) {
		t.Errorf("room for %d requests; buffers 4 and 5: want the first only", r.Len())
	}
}

// TestWrap goes around the rings several times.
func TestWrap(t *testing.T) {
	r, data := open(t, 2)
	mem := memory(t, block)
	for i := range 21 {
		r.Read(uint64(i), mem[:block], int64(i%16)*block, -1)
		if got := all(t, r, 1); got[uint64(i)] != block || !bytes.Equal(mem[:block], data[i%16*block:][:block]) {
			t.Fatalf("read %d gives %v or other data", i, got)
		}
	}
}
