package uring

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// Pending returns the number of requests that were prepared and not submitted.
//
//go:nosplit
func (r *Ring) Pending() int { return int(r.pending) }

// Read prepares a read of len(p) bytes at off. The completion has the given id.
// slot is that of a registered buffer which p lies in, or -1. There must be room
// in the ring, and p must be outside the Go heap until the completion has come.
//
//go:nosplit
func (r *Ring) Read(id uint64, p []byte, off int64, slot int) {
	r.prepare(opRead, opReadFixed, id, p, off, slot)
}

// Write prepares a write of p at off, as Read does a read.
//
//go:nosplit
func (r *Ring) Write(id uint64, p []byte, off int64, slot int) {
	r.prepare(opWrite, opWriteFixed, id, p, off, slot)
}

// prepare fills in the next entry.
//
//go:nosplit
func (r *Ring) prepare(op, fixed uint8, id uint64, p []byte, off int64, slot int) {
	s, tail := r.entry()
	*s = submission{
		opcode: op, flags: r.fileFlag, fd: r.file, offset: uint64(off),
		address: address(unsafe.Pointer(unsafe.SliceData(p))), length: uint32(len(p)), userData: id,
	}
	if slot >= 0 {
		s.opcode, s.buffer = fixed, uint16(slot)
	}
	r.publish(tail)
}

// Command prepares an NVMe command of the I/O queue with p as its data. The ring
// must have been opened for commands, on the generic node of a namespace. The
// result of the completion is 0, the status of the command (see [rawio.NVMe]) or a
// negative errno.
//
//go:nosplit
func (r *Ring) Command(id uint64, c *rawio.NVMeCommand, p []byte, slot int) {
	entry, tail := r.entry()
	s := (*commandSubmission)(unsafe.Pointer(entry))
	*s = commandSubmission{opcode: opCommand, flags: r.fileFlag, fd: r.file, operation: commandIO, userData: id, command: *c}
	s.command.Address, s.command.DataLength = address(unsafe.Pointer(unsafe.SliceData(p))), uint32(len(p))
	if slot >= 0 {
		s.commandFlags, s.buffer = commandFixed, uint16(slot)
	}
	r.publish(tail)
}

// entry returns the next entry of the submission ring, with what was there
// before, and its number.
//
//go:nosplit
func (r *Ring) entry() (*submission, uint32) {
	tail := *r.sqTail
	return &r.sqes[(tail&r.sqMask)<<r.sqShift], tail
}

// publish shows the entry at tail to the kernel.
//
//go:nosplit
func (r *Ring) publish(tail uint32) {
	atomic.StoreUint32(r.sqTail, tail+1)
	r.pending++
}

// Submit starts what was prepared, without waiting. Where a thread of the kernel
// submits, it is only woken up if it sleeps.
//
//go:nosplit
func (r *Ring) Submit() unix.Errno {
	if r.flags&submitThread != 0 {
		return r.wake()
	}
	return r.enter(0, 0, 0, 0)
}

// wake makes sure that the thread that submits is awake.
//
//go:nosplit
func (r *Ring) wake() unix.Errno {
	count := r.pending
	r.pending = 0
	if count == 0 || atomic.LoadUint32(r.sqFlags)&needWakeup == 0 {
		return 0
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.enterFD), uintptr(count), 0, uintptr(enterWakeup|r.enterBit), 0, 0)
	return errno
}

// SubmitAndWait starts what was prepared and waits for n completions, or until a
// signal comes (EINTR) or the time is up (ETIME). The time is not limited where
// the kernel cannot do that (before Linux 5.11) and if it is 0.
//
//go:nosplit
func (r *Ring) SubmitAndWait(n int, limit time.Duration) unix.Errno {
	if r.flags&submitThread != 0 {
		if errno := r.wake(); errno != 0 {
			return errno
		}
	}
	if !r.timed || limit <= 0 || n <= 0 {
		return r.enter(uint32(max(n, 0)), getEvents, 0, 0)
	}
	arg := (*waitArg)(r.wait.Pointer())
	until := (*timespec)(unsafe.Add(r.wait.Pointer(), extArgLength))
	until.seconds, until.nanoseconds = int64(limit/time.Second), int64(limit%time.Second)
	arg.timeout = address(unsafe.Pointer(until))
	return r.enter(uint32(n), getEvents|enterExtArg, uintptr(unsafe.Pointer(arg)), extArgLength)
}

// enter is io_uring_enter(2).
//
//go:nosplit
func (r *Ring) enter(n, flags uint32, arg, length uintptr) unix.Errno {
	submitted, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.enterFD), uintptr(r.pending), uintptr(n), uintptr(flags|r.enterBit), arg, length)
	if errno == 0 {
		r.pending -= uint32(submitted)
	}
	return errno
}

// Next takes one completion, if there is one: its id, and the number of bytes or
// a negative errno.
//
//go:nosplit
func (r *Ring) Next() (id uint64, result int32, ok bool) {
	head := *r.cqHead
	if head == atomic.LoadUint32(r.cqTail) {
		return 0, 0, false
	}
	c := &r.cqes[(head&r.cqMask)<<r.cqShift]
	id, result = c.userData, c.result
	atomic.StoreUint32(r.cqHead, head+1)
	return id, result, true
}
