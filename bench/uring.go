package bench

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/uring"
)

const (
	maxUringDepth = 1024
	// uringPatience is the longest time that a thread stays in the kernel, so
	// that it notices the end of a run although the drive does not answer.
	uringPatience = 100 * time.Millisecond
)

// uringEngine reads with io_uring. Its ring is made by the thread that reads.
type uringEngine struct {
	fd       int
	path     string
	shared   bool
	ring     *uring.Ring
	inFlight int
	slots    []uringSlot // by number of the buffer
}

// uringSlot is what is known of a buffer.
type uringSlot struct {
	data       *byte // the memory that it was last
	registered bool
}

// OpenUring opens a block device or regular file for direct reads through
// io_uring, up to 1024 at a time. The target is opened read-only. The error says
// so if the kernel has no io_uring or forbids it.
//
// The engine belongs to the thread that submits first; another one needs a fork.
// [ReadEach] forks by itself, [Run] for every worker but the first.
func OpenUring(t Target) (Engine, error) {
	fd, err := openDirect(t, EngineUring)
	if err != nil {
		return nil, err
	}
	ring, err := uring.Open(1, fd)
	if err != nil {
		unix.Close(fd)
		return nil, uringError(err)
	}
	_ = ring.Close()
	return &uringEngine{fd: fd, path: t.Path}, nil
}

// uringError says what a failed set-up means and what to do.
func uringError(err error) error {
	e := &Error{Cause: err.Error(), Err: err}
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		e.Cause = fmt.Sprintf("io_uring is forbidden here: %v", err)
		e.Hint = "look at the sysctl kernel.io_uring_disabled and at the seccomp profile of the container, or use the engine psync"
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		e.Cause = fmt.Sprintf("this kernel has no io_uring that qd1 can use: %v", err)
		e.Hint = "use the engine psync, or Linux 5.6 or newer"
	case errors.Is(err, unix.ENOMEM):
		e.Hint = "raise the limit of locked memory (ulimit -l), or use the engine psync"
	}
	return e
}

// MaxQueueDepth returns 1024.
func (u *uringEngine) MaxQueueDepth() int { return maxUringDepth }

// Submit takes the requests that there is room for. Each but the last is given
// to the kernel by itself: a queue that is refilled in batches would be answered
// in waves. The last goes with the next call of Submit or Reap, which saves a
// system call.
//
//go:nosplit
func (u *uringEngine) Submit(requests []Request) (int, error) {
	if u.ring == nil {
		if err := u.open(); err != nil {
			return 0, err
		}
	}
	for i := range requests {
		if u.inFlight == u.ring.Len() || requests[i].Buffer >= len(u.slots) {
			return i, nil
		}
		if err := u.flush(); err != nil {
			return i, err
		}
		u.prepare(&requests[i])
	}
	return len(requests), nil
}

// open makes the ring.
func (u *uringEngine) open() error {
	ring, err := uring.Open(maxUringDepth, u.fd)
	if err != nil {
		return uringError(err)
	}
	u.ring, u.slots = ring, make([]uringSlot, maxUringDepth)
	return nil
}

// prepare puts one read into the ring.
//
//go:nosplit
func (u *uringEngine) prepare(r *Request) {
	slot := &u.slots[r.Buffer]
	if slot.data != &r.Data[0] {
		slot.data, slot.registered = &r.Data[0], u.ring.RegisterBuffer(r.Buffer, r.Data[:cap(r.Data)])
	}
	number := r.Buffer
	if !slot.registered {
		number = -1
	}
	u.ring.Read(uint64(r.Buffer), r.Data, r.Offset, number)
	u.inFlight++
}

// flush gives the kernel what it does not have yet.
//
//go:nosplit
func (u *uringEngine) flush() error {
	for u.ring.Pending() > 0 {
		if err := u.check(u.ring.Submit()); err != nil {
			return err
		}
	}
	return nil
}

// check returns nil for what passes by itself: a signal, the end of a limited
// wait, a kernel that is short of memory or has completions to hand out first.
//
//go:nosplit
func (u *uringEngine) check(errno unix.Errno) error {
	switch errno {
	case 0, unix.EINTR, unix.ETIME, unix.EAGAIN, unix.EBUSY:
		return nil
	}
	return errno
}

// Reap waits for completions, for at most 0.1 s.
//
//go:nosplit
func (u *uringEngine) Reap(events []Event, least int) (int, error) {
	if u.ring == nil || u.inFlight < least || len(events) < least {
		return 0, unix.EINVAL
	}
	n := u.harvest(events)
	for u.ring.Pending() > 0 || n < least {
		errno := u.ring.SubmitAndWait(least-n, uringPatience)
		if err := u.check(errno); err != nil {
			return n, err
		}
		n += u.harvest(events[n:])
		if errno == unix.ETIME {
			break
		}
	}
	return n, nil
}

// harvest takes the completions that are there.
//
//go:nosplit
func (u *uringEngine) harvest(events []Event) int {
	for i := range events {
		id, result, ok := u.ring.Next()
		if !ok {
			return i
		}
		u.inFlight--
		e := &events[i]
		e.Buffer, e.Bytes, e.Err = int(id), int(result), nil
		if result < 0 {
			e.Bytes, e.Err = 0, unix.Errno(-result)
		}
	}
	return len(events)
}

// Fork returns another engine on the same open file.
func (u *uringEngine) Fork() (Engine, error) {
	return &uringEngine{fd: u.fd, path: u.path, shared: true}, nil
}

// Gone reports whether the device has no size any more or its node is missing.
func (u *uringEngine) Gone() bool { return isMissing(u.fd, u.path) }

// Close closes the ring and the file.
func (u *uringEngine) Close() error {
	var err error
	if u.ring != nil {
		err, u.ring = u.ring.Close(), nil
	}
	if u.shared || u.fd < 0 {
		return err
	}
	fd := u.fd
	u.fd = -1
	return errors.Join(err, unix.Close(fd))
}
