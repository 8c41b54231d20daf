package ioctl

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/nvme"
)

// DefaultTimeout is the time that the kernel gives a command whose context
// has no deadline. It is always sent: 0 would mean the kernel's own 60 s.
const DefaultTimeout = 30 * time.Second

// MaxAbandoned is the number of abandoned calls of one device at which Submit
// refuses more: each holds a thread and its buffers.
const MaxAbandoned = 32

// Submit sends one command and waits for its completion or for the end of
// ctx.
//
// The time-out of the command is what is left until the deadline of ctx,
// rounded up to whole milliseconds, from a minute on to whole seconds, or
// [DefaultTimeout]. The most is 49 days. When it passes, the kernel aborts the
// command and may reset the controller, so a deadline must leave the command its
// time.
//
// A system call cannot be called back. When ctx ends first, Submit returns
// its error at once; the call goes on, keeps its own buffers until the kernel
// returns, and its answer is dropped: nothing is written to cmd.Data and
// cmd.Metadata after Submit has returned, and the device may still carry the
// command out. [Device.Abandoned] counts such calls.
//
// The kernel answers some commands itself, with a path related status (type
// 3h), such as Host Pathing Error while it resets the controller.
//
// Commands for the I/O queue need a namespace node (ErrNotNamespace).
func (d *Device) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	r := request{op: fmt.Sprintf("%s command %02xh", cmd.Queue, cmd.Opcode), queue: cmd.Queue, frame: encode(cmd)}
	t, err := d.prepare(ctx, cmd, &r)
	if err != nil {
		return nvme.Completion{}, &fs.PathError{Op: r.op, Path: d.path, Err: err}
	}
	done := make(chan answer, 1)
	go func() { done <- d.passthru(r) }()
	a, ok := await(ctx, done)
	if !ok {
		d.abandon(done, t)
		return nvme.Completion{}, &fs.PathError{Op: r.op, Path: d.path, Err: ctx.Err()}
	}
	defer t.free()
	if a.err == nil {
		t.copyOut(cmd)
	}
	return a.completion, a.err
}

// request is one command on its way to the kernel.
type request struct {
	op        string
	queue     nvme.Queue
	frame     passthru
	timeoutMS uint32
}

// prepare completes r with the time-out and the buffers, which it returns.
func (d *Device) prepare(ctx context.Context, cmd *nvme.Command, r *request) (*transfer, error) {
	if cmd.Queue > nvme.IOQueue {
		return nil, fmt.Errorf("unknown queue %d", cmd.Queue)
	}
	var err error
	if r.timeoutMS, err = timeoutMS(ctx); err != nil {
		return nil, err
	}
	if d.abandoned.Load() >= MaxAbandoned {
		return nil, ErrBusy
	}
	t, err := newTransfer(cmd)
	if err != nil {
		return nil, err
	}
	t.describe(&r.frame)
	return t, nil
}

// Abandoned returns the number of calls that are still in the kernel although
// their Submit has returned.
func (d *Device) Abandoned() int { return int(d.abandoned.Load()) }

// answer is what one call gave.
type answer struct {
	completion nvme.Completion
	err        error
}

// await waits for an answer or the end of ctx. An answer that is there wins.
func await(ctx context.Context, done <-chan answer) (answer, bool) {
	select {
	case a := <-done:
		return a, true
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a, true
	default:
		return answer{}, false
	}
}

// abandon keeps the buffers of a call until the kernel has returned.
func (d *Device) abandon(done <-chan answer, t *transfer) {
	d.abandoned.Add(1)
	go func() {
		<-done
		t.free()
		d.abandoned.Add(-1)
	}()
}

// passthru makes the call with the 64-bit result and, where the kernel has
// none, with the 32-bit one, which is remembered.
func (d *Device) passthru(r request) answer {
	if d.only32[r.queue].Load() {
		return d.passthru32(r)
	}
	arg := &passthru64{passthru: r.frame, TimeoutMS: r.timeoutMS}
	ret, errno, err := d.ioctl(reqPassthru64(r.queue), unsafe.Pointer(arg))
	if err == nil && errno == unix.ENOTTY && d.mayFallBack(r.queue) {
		return d.passthru32(r)
	}
	return d.answer(r, ret, errno, err, arg.Result)
}

// mayFallBack reports whether a refused 64-bit request is worth another try.
// Character nodes of namespaces are newer than the request, so a character
// node that refuses I/O is a controller's, where the 32-bit request would go
// to a namespace of the kernel's choice.
func (d *Device) mayFallBack(q nvme.Queue) bool { return q != nvme.IOQueue || !d.char }

func (d *Device) passthru32(r request) answer {
	arg := &passthru32{passthru: r.frame, TimeoutMS: r.timeoutMS}
	ret, errno, err := d.ioctl(reqPassthru32(r.queue), unsafe.Pointer(arg))
	if err == nil && errno != unix.ENOTTY {
		d.only32[r.queue].Store(true)
	}
	return d.answer(r, ret, errno, err, uint64(arg.Result))
}

// answer makes one answer of what the system call returned. The status has 15
// bits.
func (d *Device) answer(r request, ret uintptr, errno unix.Errno, err error, result uint64) answer {
	if err != nil {
		return answer{err: &fs.PathError{Op: r.op, Path: d.path, Err: err}}
	}
	if errno != 0 {
		notty := ErrNotNVMe
		if r.queue == nvme.IOQueue {
			notty = ErrNotNamespace
		}
		return answer{err: failure(r.op, d.path, errno, notty)}
	}
	return answer{completion: nvme.Completion{Result: result, Status: nvme.Status(ret & 0x7FFF)}}
}

// timeoutMS returns the time-out for a command under ctx.
func timeoutMS(ctx context.Context) (uint32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return milliseconds(DefaultTimeout), nil
	}
	left := time.Until(deadline)
	if left <= 0 {
		return 0, context.DeadlineExceeded
	}
	return milliseconds(left), nil
}

// milliseconds rounds up to whole milliseconds, at least 1, and to whole seconds
// from a minute on. The kernel looks for long time-outs no more than once a
// second, and so a time-out of 34 minutes is 34 minutes however long the way from
// the deadline to the kernel was.
func milliseconds(d time.Duration) uint32 {
	unit := time.Millisecond
	if d > time.Minute {
		unit = time.Second
	}
	units := d / unit
	if d%unit > 0 {
		units++
	}
	return uint32(min(max(units, 1)*(unit/time.Millisecond), math.MaxUint32))
}
