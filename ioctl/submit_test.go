package ioctl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/nvme"
)

// Request numbers as the C macros of <linux/nvme_ioctl.h> give them.
const (
	adminCmd32 = 0xC0484E41
	ioCmd32    = 0xC0484E43
	adminCmd64 = 0xC0504E47
	ioCmd64    = 0xC0504E48
)

func TestRequestNumbers(t *testing.T) {
	tests := []struct {
		name      string
		got, want uintptr
	}{
		{"NVME_IOCTL_ID", reqID(), 0x4E40},
		{"NVME_IOCTL_ADMIN_CMD", reqPassthru32(nvme.AdminQueue), adminCmd32},
		{"NVME_IOCTL_IO_CMD", reqPassthru32(nvme.IOQueue), ioCmd32},
		{"NVME_IOCTL_RESET", reqReset(), 0x4E44},
		{"NVME_IOCTL_SUBSYS_RESET", reqSubsysReset(), 0x4E45},
		{"NVME_IOCTL_RESCAN", reqRescan(), 0x4E46},
		{"NVME_IOCTL_ADMIN64_CMD", reqPassthru64(nvme.AdminQueue), adminCmd64},
		{"NVME_IOCTL_IO64_CMD", reqPassthru64(nvme.IOQueue), ioCmd64},
		{"BLKGETSIZE64", reqBlockBytes(), 0x80081272},
		{"BLKSSZGET", reqBlockLogical(), 0x1268},
		{"BLKPBSZGET", reqBlockPhysical(), 0x127B},
		{"BLKROGET", reqBlockReadOnly(), 0x125E},
		{"BLKFLSBUF", reqBlockFlush(), unix.BLKFLSBUF},
		{"BLKRRPART", reqBlockReread(), unix.BLKRRPART},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s = %#x, want %#x", tt.name, tt.got, tt.want)
		}
	}
}

// wire is a request as the kernel sees it, taken apart by byte offset.
type wire struct{ raw []byte }

func wireOf(req uintptr, arg unsafe.Pointer) wire {
	return wire{unsafe.Slice((*byte)(arg), int(req>>16&0x3FFF))}
}

func (w wire) u32(off int) uint32 { return binary.NativeEndian.Uint32(w.raw[off:]) }
func (w wire) u64(off int) uint64 { return binary.NativeEndian.Uint64(w.raw[off:]) }

// memory returns n bytes at the address that stands at off.
func (w wire) memory(off int, n uint32) []byte {
	addr := w.u64(off)
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}

func (w wire) data() []byte     { return w.memory(24, w.u32(36)) }
func (w wire) metadata() []byte { return w.memory(16, w.u32(32)) }

func TestSubmitFrame(t *testing.T) {
	var got []byte
	d := open(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		if req != adminCmd64 {
			t.Errorf("request = %#x, want %#x", req, uintptr(adminCmd64))
		}
		w := wireOf(req, arg)
		if w.u64(24)%4096 != 0 || w.u64(16)%4096 != 0 || w.u64(24) == 0 || w.u64(16) == 0 {
			t.Errorf("buffers at %#x and %#x, want page-aligned", w.u64(24), w.u64(16))
		}
		got = bytes.Clone(w.raw)
		return 0, 0
	})
	cmd := &nvme.Command{
		Opcode: 0xA1, NSID: 0x01020304, CDW2: 2, CDW3: 3, CDW10: 10, CDW11: 11, CDW12: 12, CDW13: 13, CDW14: 14, CDW15: 15,
		Data: make([]byte, 520), Metadata: make([]byte, 8),
	}
	if _, err := d.Submit(t.Context(), cmd); err != nil {
		t.Fatal(err)
	}
	clear(got[16:32])
	want := make([]byte, 80)
	want[0] = 0xA1
	for off, v := range map[int]uint32{
		4: 0x01020304, 8: 2, 12: 3, 32: 8, 36: 520, 40: 10, 44: 11, 48: 12, 52: 13, 56: 14, 60: 15, 64: 30000,
	} {
		binary.NativeEndian.PutUint32(want[off:], v)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestSubmitWithoutData(t *testing.T) {
	d := open(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		w := wireOf(req, arg)
		if w.u64(24) != 0 || w.u64(16) != 0 || w.u32(36) != 0 || w.u32(32) != 0 {
			t.Errorf("request has buffers: % x", w.raw)
		}
		return 0, 0
	})
	if _, err := d.Submit(t.Context(), &nvme.Command{Opcode: 0x08}); err != nil {
		t.Error(err)
	}
}

func TestSubmitCompletion(t *testing.T) {
	tests := []struct {
		ret  uintptr
		want nvme.Status
	}{
		{0, 0},
		{0x0002, 0x0002},
		{0x400B, 0x400B},
		{0x7FFF, 0x7FFF},
		{0x800B, 0x000B},
	}
	for _, tt := range tests {
		d := open(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
			binary.NativeEndian.PutUint64(wireOf(req, arg).raw[72:], 0x0123456789ABCDEF)
			return tt.ret, 0
		})
		got, err := d.Submit(t.Context(), &nvme.Command{Opcode: 0x0A})
		if err != nil || got != (nvme.Completion{Result: 0x0123456789ABCDEF, Status: tt.want}) {
			t.Errorf("return value %#x: %+v, %v, want status %#x", tt.ret, got, err, uint16(tt.want))
		}
	}
}

// oldKernel knows the 32-bit requests only and keeps what it was asked.
type oldKernel struct {
	mu   sync.Mutex
	reqs []uintptr
}

func (k *oldKernel) call(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reqs = append(k.reqs, req)
	if req != adminCmd32 && req != ioCmd32 {
		return ^uintptr(0), unix.ENOTTY
	}
	w := wireOf(req, arg)
	binary.NativeEndian.PutUint32(w.raw[68:], w.u32(40)+1)
	return 0x4002, 0
}

func TestSubmitFallsBack(t *testing.T) {
	for _, tt := range []struct {
		queue nvme.Queue
		want  []uintptr
	}{
		{nvme.AdminQueue, []uintptr{adminCmd64, adminCmd32, adminCmd32}},
		{nvme.IOQueue, []uintptr{ioCmd64, ioCmd32, ioCmd32}},
	} {
		k := &oldKernel{}
		d := openBlock(t, k.call)
		for range 2 {
			got, err := d.Submit(t.Context(), &nvme.Command{Queue: tt.queue, Opcode: 0x02, CDW10: 41})
			if err != nil || got != (nvme.Completion{Result: 42, Status: 0x4002}) {
				t.Errorf("%s: %+v, %v, want result 42 and status 0x4002", tt.queue, got, err)
			}
		}
		if diff := cmp.Diff(tt.want, k.reqs); diff != "" {
			t.Errorf("%s requests (-want +got):\n%s", tt.queue, diff)
		}
	}
}

func TestSubmitToOtherNodes(t *testing.T) {
	var reqs []uintptr
	notty := func(_, req uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) {
		reqs = append(reqs, req)
		return ^uintptr(0), unix.ENOTTY
	}
	admin, read := &nvme.Command{Opcode: 0x02}, &nvme.Command{Queue: nvme.IOQueue, Opcode: 0x02}
	tests := []struct {
		name string
		open func(*testing.T, kernel) *Device
		cmd  *nvme.Command
		want error
		reqs []uintptr
	}{
		{"admin to another device, twice", open, admin, ErrNotNVMe, []uintptr{adminCmd64, adminCmd32, adminCmd64, adminCmd32}},
		{"I/O to a controller node never picks a namespace", open, read, ErrNotNamespace, []uintptr{ioCmd64, ioCmd64}},
		{"I/O to another block device", openBlock, read, ErrNotNamespace, []uintptr{ioCmd64, ioCmd32, ioCmd64, ioCmd32}},
	}
	for _, tt := range tests {
		d := tt.open(t, notty)
		reqs = nil
		for range 2 {
			if _, err := d.Submit(t.Context(), tt.cmd); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
		if diff := cmp.Diff(tt.reqs, reqs); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", tt.name, diff)
		}
	}
	if _, err := open(t, notty).Submit(t.Context(), &nvme.Command{Queue: 2}); err == nil {
		t.Error("queue 2 gave no error")
	}
}

func TestSubmitErrno(t *testing.T) {
	d := open(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		copy(wireOf(req, arg).data(), "half of it")
		return ^uintptr(0), unix.EACCES
	})
	cmd := &nvme.Command{Opcode: 0x06, Data: make([]byte, 16)}
	_, err := d.Submit(t.Context(), cmd)
	if !errors.Is(err, os.ErrPermission) || err.Error() != "admin command 06h /dev/null: permission denied" {
		t.Errorf("Submit = %v, want a permission error", err)
	}
	if diff := cmp.Diff(make([]byte, 16), cmd.Data); diff != "" {
		t.Errorf("data after an error (-want +got):\n%s", diff)
	}
}

func TestSubmitTransfers(t *testing.T) {
	tests := []struct {
		name     string
		opcode   uint8
		seen     string // what the device finds in the buffer
		returned string // what the caller finds in it afterwards
	}{
		{"none", 0x00, "\x00\x00\x00\x00", "host"},
		{"host to controller", 0x01, "host", "host"},
		{"controller to host", 0x02, "\x00\x00\x00\x00", "disk"},
		{"bidirectional", 0x03, "host", "disk"},
	}
	for _, tt := range tests {
		d := openBlock(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
			for _, b := range [][]byte{wireOf(req, arg).data(), wireOf(req, arg).metadata()} {
				if string(b) != tt.seen {
					t.Errorf("%s: device finds %q, want %q", tt.name, b, tt.seen)
				}
				copy(b, "disk")
			}
			return 0, 0
		})
		cmd := &nvme.Command{Queue: nvme.IOQueue, Opcode: tt.opcode, Data: []byte("host"), Metadata: []byte("host")}
		if _, err := d.Submit(t.Context(), cmd); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if string(cmd.Data) != tt.returned || string(cmd.Metadata) != tt.returned {
			t.Errorf("%s: caller finds %q and %q, want %q", tt.name, cmd.Data, cmd.Metadata, tt.returned)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want uint32
	}{
		{1, 1},
		{time.Millisecond, 1},
		{time.Millisecond + 1, 2},
		{1000100 * time.Microsecond, 1001},
		{30 * time.Second, 30000},
		{59999 * time.Millisecond, 59999},
		{time.Minute, 60000},
		{time.Minute + 1, 61000},
		{34*time.Minute - 999*time.Millisecond, 34 * 60_000},
		{34 * time.Minute, 34 * 60_000},
		{24*time.Hour - time.Microsecond, 24 * 3600_000},
		{math.MaxUint32 * time.Millisecond, math.MaxUint32},
		{math.MaxUint32*time.Millisecond + 1, math.MaxUint32},
		{math.MaxInt64, math.MaxUint32},
	}
	for _, tt := range tests {
		if got := milliseconds(tt.d); got != tt.want {
			t.Errorf("milliseconds(%s) = %d, want %d", tt.d, got, tt.want)
		}
	}
}

// TestSubmitTimeout checks the time-out that reaches the kernel, in virtual time
// that passes between the setting of the deadline and the command.
func TestSubmitTimeout(t *testing.T) {
	tests := []struct {
		deadline, delay time.Duration
		want            uint32
	}{
		{5 * time.Second, 0, 5000},
		{5 * time.Second, 10 * time.Millisecond, 4990},
		{34 * time.Minute, 0, 2_040_000},
		{34 * time.Minute, 900 * time.Millisecond, 2_040_000},
		{34 * time.Minute, time.Minute, 1_980_000},
		{24 * time.Hour, 0, 86_400_000},
		{24 * time.Hour, 3 * time.Microsecond, 86_400_000},
		{100 * 24 * time.Hour, 0, math.MaxUint32},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			var got uint32
			d := open(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
				got = wireOf(req, arg).u32(64)
				return 0, 0
			})
			ctx, cancel := context.WithTimeout(t.Context(), tt.deadline)
			defer cancel()
			time.Sleep(tt.delay)
			if _, err := d.Submit(ctx, &nvme.Command{}); err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("%v after a deadline of %v was set: time-out %d ms, want %d", tt.delay, tt.deadline, got, tt.want)
			}
		})
	}
}

func TestSubmitAfterTheEnd(t *testing.T) {
	d := open(t, func(_, _ uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) {
		t.Error("the kernel was called")
		return 0, 0
	})
	expired, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := d.Submit(expired, &nvme.Command{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Submit after the deadline = %v", err)
	}
	if _, err := timeoutMS(lateContext{t.Context()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline that just passed gives %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Submit(cancelled, &nvme.Command{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Submit after cancel = %v", err)
	}
}

// lateContext has a deadline in the past that its timer has not noticed yet.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Nanosecond), true }

// stuck is a kernel whose calls return when release is closed, and then write
// to the buffer of the call.
type stuck struct {
	entered chan struct{}
	release chan struct{}
}

func newStuck() *stuck {
	return &stuck{make(chan struct{}, MaxAbandoned), make(chan struct{})}
}

func (s *stuck) call(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
	s.entered <- struct{}{}
	<-s.release
	copy(wireOf(req, arg).data(), "too late")
	return 0, 0
}

// waitFor waits until the count of abandoned calls is n.
func waitFor(t *testing.T, d *Device, n int) {
	t.Helper()
	for range 2000 {
		if d.Abandoned() == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("Abandoned() = %d, want %d", d.Abandoned(), n)
}

func TestSubmitAbandons(t *testing.T) {
	k := newStuck()
	d := open(t, k.call)
	var all []*nvme.Command
	for range MaxAbandoned {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-k.entered
			cancel()
		}()
		cmd := &nvme.Command{Opcode: 0x02, Data: make([]byte, 8)}
		all = append(all, cmd)
		if _, err := d.Submit(ctx, cmd); !errors.Is(err, context.Canceled) {
			t.Fatalf("Submit = %v, want context.Canceled", err)
		}
	}
	if d.Abandoned() != MaxAbandoned {
		t.Errorf("Abandoned() = %d, want %d", d.Abandoned(), MaxAbandoned)
	}
	if _, err := d.Submit(t.Context(), &nvme.Command{}); !errors.Is(err, ErrBusy) {
		t.Errorf("Submit beside %d stuck calls = %v, want ErrBusy", MaxAbandoned, err)
	}
	close(k.release)
	waitFor(t, d, 0)
	for _, cmd := range all {
		if !bytes.Equal(cmd.Data, make([]byte, 8)) {
			t.Fatalf("data changed after Submit returned: %q", cmd.Data)
		}
	}
	if _, err := d.Submit(t.Context(), &nvme.Command{}); err != nil {
		t.Errorf("Submit after the calls came back = %v", err)
	}
}

func TestCloseBesideACall(t *testing.T) {
	k := newStuck()
	d := open(t, k.call)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-k.entered
		cancel()
	}()
	if _, err := d.Submit(ctx, &nvme.Command{Opcode: 0x02, Data: make([]byte, 8)}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Submit(t.Context(), &nvme.Command{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Submit after Close = %v, want os.ErrClosed", err)
	}
	close(k.release)
	waitFor(t, d, 0)
}

func TestAnswerBeatsTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan answer, 1)
	for range 100 {
		done <- answer{completion: nvme.Completion{Result: 1}}
		if a, ok := await(ctx, done); !ok || a.completion.Result != 1 {
			t.Fatal("an answer that was there was dropped")
		}
	}
}

// TestSubmitConcurrently mixes the answers of many commands, each of which
// must get its own.
func TestSubmitConcurrently(t *testing.T) {
	k := &oldKernel{}
	d := openBlock(t, func(fd, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		w := wireOf(req, arg)
		copy(w.data(), fmt.Sprint(w.u32(40)))
		return k.call(fd, req, arg)
	})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			cmd := &nvme.Command{Queue: nvme.Queue(i % 2), Opcode: 0x02, CDW10: uint32(1000 + i), Data: make([]byte, 4)}
			got, err := d.Submit(t.Context(), cmd)
			if err != nil || got.Result != uint64(1001+i) || string(cmd.Data) != fmt.Sprint(1000+i) {
				t.Errorf("command %d: %+v, %q, %v", i, got, cmd.Data, err)
			}
		})
	}
	wg.Wait()
}
