package bench

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
	"qd1.example/qd1/internal/uring"
)

const (
	maxUringDepth = 1024
	// uringPatience is the longest time that a thread stays in the kernel, so
	// that it notices the end of a run although the drive does not answer.
	uringPatience = 100 * time.Millisecond
)

// ringEngine reads and writes with io_uring. Its ring is made by the thread that
// uses it.
type ringEngine struct {
	opened   // the target
	commands // of the engine passthru
	options  uring.Options
	ring     *uring.Ring
	features uring.Features
	inFlight int
	most     int        // bytes of the largest buffer that is registered
	slots    []ringSlot // by number of the buffer
}

// ringSlot is what is known of a buffer: the request that it was last used for.
type ringSlot struct {
	data       []byte
	offset     int64
	write      bool
	repeated   bool // the kernel has given it back once
	registered bool
}

// newRingEngine makes an engine whose ring is for the file fd. Where the queue
// depth is known the ring has no more room than that, so that it stays in the
// cache. A mix has two buffers for each request.
func newRingEngine(o opened, fd int, j Job) *ringEngine {
	depth := maxUringDepth
	if j.QueueDepth > 0 && j.QueueDepth < depth {
		depth = j.QueueDepth
	}
	return &ringEngine{opened: o, most: mostRegistered("/sys", o.fd), options: uring.Options{
		Entries: depth, Buffers: 2 * depth, File: fd, Poll: j.IOPoll, SubmitThread: j.SQPoll,
		OwnThread: j.QueueDepth > 0, // The process ends with the run.
	}}
}

// MaxQueueDepth returns the depth of the job, or 1024 where it is not known.
func (u *ringEngine) MaxQueueDepth() int { return u.options.Entries }

// Submit takes the requests that there is room for. They go to the kernel
// together, with the next call of Submit or Reap: the last one before a wait
// then needs no system call of its own. So requests that are given one by one
// are submitted one by one.
//
//go:nosplit
func (u *ringEngine) Submit(requests []Request) (int, error) {
	if u.ring == nil {
		if err := u.open(); err != nil {
			return 0, err
		}
	}
	if err := u.flush(); err != nil {
		return 0, err
	}
	for i := range requests {
		if u.inFlight == u.options.Entries || requests[i].Buffer >= len(u.slots) {
			return i, nil
		}
		if u.refuses(&requests[i]) {
			return i, unix.EBADF
		}
		u.prepare(&requests[i])
	}
	return len(requests), nil
}

// open makes the ring.
func (u *ringEngine) open() error {
	ring, err := uring.Open(u.options)
	if err != nil {
		return uringError(err)
	}
	u.ring, u.features, u.slots = ring, ring.Features(), make([]ringSlot, u.options.Buffers)
	return nil
}

// prepare puts one request into the ring.
//
//go:nosplit
func (u *ringEngine) prepare(r *Request) {
	slot := &u.slots[r.Buffer]
	if len(slot.data) != len(r.Data) || &slot.data[0] != &r.Data[0] {
		slot.data = r.Data
		slot.registered = !u.ordinary && len(r.Data) <= u.most && u.ring.RegisterBuffer(r.Buffer, r.Data[:cap(r.Data)])
	}
	slot.offset, slot.write, slot.repeated = r.Offset, r.Write, false
	u.enqueue(r.Buffer)
}

// enqueue puts the request of a slot into the ring.
//
//go:nosplit
func (u *ringEngine) enqueue(buffer int) {
	slot, number := &u.slots[buffer], buffer
	if !slot.registered {
		number = -1
	}
	switch {
	case u.namespace != nil:
		u.namespace.command(&u.command, slot.write, slot.offset, len(slot.data))
		u.ring.Command(uint64(buffer), &u.command, slot.data, number)
	case slot.write:
		u.ring.Write(uint64(buffer), slot.data, slot.offset, number)
	default:
		u.ring.Read(uint64(buffer), slot.data, slot.offset, number)
	}
	u.inFlight++
}

// flush gives the kernel what it does not have yet.
//
//go:nosplit
func (u *ringEngine) flush() error {
	for u.ring.Pending() > 0 {
		if err := passing(u.ring.Submit()); err != nil {
			return err
		}
	}
	return nil
}

// passing returns nil for what passes by itself: a signal, the end of a limited
// wait, a kernel that is short of memory or has completions to hand out first.
//
//go:nosplit
func passing(errno unix.Errno) error {
	switch errno {
	case 0, unix.EINTR, unix.ETIME, unix.EAGAIN, unix.EBUSY:
		return nil
	}
	return errno
}

// Reap waits for completions, for at most 0.1 s. It asks the kernel for those
// that it has not shown yet although none is waited for.
//
//go:nosplit
func (u *ringEngine) Reap(events []Event, least int) (int, error) {
	if u.ring == nil || u.inFlight < least || len(events) < least {
		return 0, unix.EINVAL
	}
	n := u.harvest(events)
	if u.features.SubmitThread {
		return u.spin(events, n, least)
	}
	for asked := false; u.ring.Pending() > 0 || n < least || n == 0 && u.inFlight > 0 && !asked; asked = true {
		errno := u.ring.SubmitAndWait(least-n, uringPatience)
		if err := passing(errno); err != nil {
			return n, err
		}
		n += u.harvest(events[n:])
		if errno == unix.ETIME {
			break
		}
	}
	return n, nil
}

// spin waits without a system call for what a thread of the kernel has
// submitted.
//
//go:nosplit
func (u *ringEngine) spin(events []Event, n, least int) (int, error) {
	for until := rawio.Nanotime() + int64(uringPatience); ; n += u.harvest(events[n:]) {
		if err := u.flush(); err != nil {
			return n, err
		}
		if n >= least || rawio.Nanotime() >= until {
			return n, nil
		}
	}
}

// harvest takes the completions that are there.
//
//go:nosplit
func (u *ringEngine) harvest(events []Event) int {
	n := 0
	for n < len(events) {
		id, result, ok := u.ring.Next()
		if !ok {
			break
		}
		u.inFlight--
		if result == canceled && u.repeat(int(id)) {
			continue
		}
		e := &events[n]
		n++
		e.Buffer, e.Bytes, e.Err = int(id), int(result), nil
		switch {
		case result < 0:
			e.Bytes, e.Err = 0, unix.Errno(-result)
		case u.namespace != nil:
			u.answered(e, uint16(result))
		}
	}
	return n
}

// canceled is the result of a request that was not carried out. Nobody asks for
// that, but a kernel that cannot start a thread for a request, because a signal
// comes in between, gives it back so (seen on Linux 5.10).
const canceled = -int32(unix.ECANCELED)

// repeat submits a request that was given back, once.
//
//go:nosplit
func (u *ringEngine) repeat(buffer int) bool {
	slot := &u.slots[buffer]
	if slot.repeated {
		return false
	}
	slot.repeated = true
	u.enqueue(buffer)
	return true
}

// Flags tells what the ring uses.
func (u *ringEngine) Flags() []string {
	var flags []string
	for _, f := range []struct {
		used bool
		name string
	}{
		{u.registered(), "registered buffers"},
		{u.features.RegisteredFile, "registered file"},
		{u.features.SingleIssuer, "single issuer"},
		{u.features.DeferTasks, "deferred completions"},
		{u.features.Poll, "polled completions"},
		{u.features.SubmitThread, "kernel submission thread"},
	} {
		if f.used {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// registered reports whether there are buffers and all that were used are
// registered.
func (u *ringEngine) registered() bool {
	used := 0
	for _, s := range u.slots {
		if len(s.data) == 0 {
			continue
		}
		if !s.registered {
			return false
		}
		used++
	}
	return used > 0
}

// Fork returns another engine on the same open file.
func (u *ringEngine) Fork() (Engine, error) {
	return &ringEngine{opened: u.shared(), commands: u.commands.again(), most: u.most, options: u.options}, nil
}

// Gone reports whether the device has no size any more or its node is missing.
func (u *ringEngine) Gone() bool { return u.gone() }

// Close closes the ring, and the file if the engine opened it.
func (u *ringEngine) Close() error {
	var err error
	if u.ring != nil {
		err, u.ring = u.ring.Close(), nil
	}
	return errors.Join(err, u.generic.close(), u.close())
}
