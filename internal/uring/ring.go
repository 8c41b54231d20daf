// Package uring is as much of Linux io_uring as reading blocks needs: one ring,
// one file, registered buffers. It makes its system calls without telling the Go
// scheduler, as internal/rawio does, so that they cost what they cost in C.
package uring

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// Ring is an io_uring instance. It belongs to the thread that opened it, which
// must be locked: newer kernels refuse submissions of others with EEXIST.
type Ring struct {
	fd       int
	timed    bool // Enter may wait for a limited time
	rings    []byte
	entries  []byte
	wait     *rawio.Buffer // the argument of a timed wait
	sqTail   *uint32
	sqMask   uint32
	sqes     []submission
	pending  uint32 // prepared, not submitted
	cqHead   *uint32
	cqTail   *uint32
	cqMask   uint32
	cqes     []completion
	file     int32 // descriptor, or 0 as the index of a registered one
	fileFlag uint8
	buffers  int // slots for registered buffers, 0: none
}

// Open makes a ring that has room for as many reads of the file fd, rounded up
// to a power of two. It uses what the kernel offers and does without the rest.
// The error is an errno: ENOSYS where the kernel has no io_uring, EPERM where it
// is forbidden.
func Open(entries int, fd int) (*Ring, error) {
	r := &Ring{file: int32(fd)}
	p, err := r.setup(entries)
	if err != nil {
		return nil, fmt.Errorf("set up io_uring: %w", err)
	}
	if err := r.mapRings(p); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("map io_uring: %w", err)
	}
	r.registerFile(fd)
	r.registerSlots(entries)
	return r, nil
}

// setup tries the flags that make a ring cheap, and then none.
func (r *Ring) setup(entries int) (*parameters, error) {
	var errno unix.Errno
	for _, flags := range []uint32{submitAll | singleIssuer | deferTasks, submitAll, 0} {
		p := &parameters{flags: flags}
		var fd uintptr
		fd, _, errno = unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(p)), 0)
		if errno == 0 {
			r.fd = int(fd)
			r.timed = p.features&extArg != 0
			unix.CloseOnExec(r.fd)
			return p, nil
		}
		if errno != unix.EINVAL {
			break
		}
	}
	r.fd = -1
	return nil, errno
}

// mapRings maps what is shared with the kernel.
func (r *Ring) mapRings(p *parameters) error {
	if p.features&singleMap == 0 {
		return fmt.Errorf("a kernel before Linux 5.4: %w", unix.ENOSYS)
	}
	size := max(p.sq.array+p.submissions*4, p.cq.completions+p.completions*uint32(unsafe.Sizeof(completion{})))
	const protection, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	var err error
	if r.rings, err = unix.Mmap(r.fd, mapSubmissions, int(size), protection, flags); err != nil {
		return err
	}
	if r.entries, err = unix.Mmap(r.fd, mapEntries, int(p.submissions)*int(unsafe.Sizeof(submission{})), protection, flags); err != nil {
		return err
	}
	if r.wait, err = rawio.Alloc(1); err != nil {
		return err
	}
	r.sqTail, r.sqMask = r.word(p.sq.tail), *r.word(p.sq.mask)
	r.sqes = unsafe.Slice((*submission)(unsafe.Pointer(&r.entries[0])), p.submissions)
	r.cqHead, r.cqTail, r.cqMask = r.word(p.cq.head), r.word(p.cq.tail), *r.word(p.cq.mask)
	r.cqes = unsafe.Slice((*completion)(unsafe.Pointer(&r.rings[p.cq.completions])), p.completions)
	for i, order := uint32(0), unsafe.Slice(r.word(p.sq.array), p.submissions); i < p.submissions; i++ {
		order[i] = i
	}
	return nil
}

// word returns the 32-bit word at an offset of the rings.
func (r *Ring) word(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.rings[offset])) }

// Len returns the number of reads that the ring has room for.
func (r *Ring) Len() int { return len(r.sqes) }

// Pending returns the number of reads that were prepared and not submitted.
//
//go:nosplit
func (r *Ring) Pending() int { return int(r.pending) }

// Read prepares a read of len(p) bytes at offset off. p must be outside the Go
// heap and stay until the read has completed; id comes back with the completion.
// slot is where p is registered, -1 if it is not. There must be room.
//
//go:nosplit
func (r *Ring) Read(id uint64, p []byte, off int64, slot int) {
	tail := *r.sqTail
	s := &r.sqes[tail&r.sqMask]
	*s = submission{
		opcode: opRead, flags: r.fileFlag, fd: r.file, offset: uint64(off),
		address: address(unsafe.Pointer(unsafe.SliceData(p))), length: uint32(len(p)), userData: id,
	}
	if slot >= 0 {
		s.opcode, s.buffer = opReadFixed, uint16(slot)
	}
	atomic.StoreUint32(r.sqTail, tail+1)
	r.pending++
}

// Submit starts what was prepared, without waiting.
//
//go:nosplit
func (r *Ring) Submit() unix.Errno {
	return r.enter(0, 0, 0, 0)
}

// SubmitAndWait starts what was prepared and waits for n completions, or until a
// signal comes (EINTR) or the time is up (ETIME). The time is not limited where
// the kernel cannot do that (before Linux 5.11) and if it is 0.
//
//go:nosplit
func (r *Ring) SubmitAndWait(n int, limit time.Duration) unix.Errno {
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
	submitted, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(r.pending), uintptr(n), uintptr(flags), arg, length)
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
	c := &r.cqes[head&r.cqMask]
	id, result = c.userData, c.result
	atomic.StoreUint32(r.cqHead, head+1)
	return id, result, true
}

// Close gives the ring up. The kernel cancels reads in flight or lets them end.
func (r *Ring) Close() error {
	for _, m := range []*[]byte{&r.rings, &r.entries} {
		if *m != nil {
			_ = unix.Munmap(*m)
			*m = nil
		}
	}
	if r.wait != nil {
		_ = r.wait.Free()
	}
	if r.fd < 0 {
		return nil
	}
	fd := r.fd
	r.fd = -1
	return unix.Close(fd)
}
