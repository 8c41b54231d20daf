// Package uring is as much of Linux io_uring as measuring a block device needs:
// one ring, one file, registered buffers. It makes its system calls without
// telling the Go scheduler, as internal/rawio does, so that they cost what they
// cost in C.
package uring

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// Options say what ring to open.
type Options struct {
	// Entries is the number of requests that the ring has room for, rounded up
	// to a power of two.
	Entries int
	// Buffers is the number of slots for registered buffers. 0: as many as
	// Entries.
	Buffers int
	// File is the descriptor that all requests are for.
	File int
	// Poll makes the kernel poll the device for completions, which the device
	// must support.
	Poll bool
	// SubmitThread starts a thread of the kernel that takes submissions without
	// a system call. It goes to sleep when there were none for Idle, which is
	// rounded to milliseconds. 0: 1 s.
	SubmitThread bool
	Idle         time.Duration
	// OwnThread lets the thread that opens the ring find it without the table of
	// descriptors, which other threads share. The thread then keeps the ring
	// until it closes it itself, or ends.
	OwnThread bool
	// Commands makes entries large enough for NVMe commands, which needs Linux
	// 5.19.
	Commands bool
}

// Features are what a ring uses of the kernel.
type Features struct {
	SingleIssuer, DeferTasks, Poll, SubmitThread, RegisteredFile bool
	// Buffers is the number of slots for registered buffers, 0: the kernel has
	// none.
	Buffers int
}

// Ring is an io_uring instance. It belongs to the thread that opened it, which
// must be locked: newer kernels refuse submissions of others with EEXIST.
type Ring struct {
	fd       int
	enterFD  int    // fd, or an index in the table of the thread
	enterBit uint32 // says which
	thread   int    // that has the index, 0: none
	timed    bool   // Enter may wait for a limited time
	flags    uint32
	rings    []byte
	entries  []byte
	wait     *rawio.Buffer // the argument of a timed wait
	sqFlags  *uint32
	sqTail   *uint32
	sqMask   uint32
	sqShift  uint32 // 1: an entry has the room of two
	sqes     []submission
	pending  uint32 // prepared, not submitted
	cqHead   *uint32
	cqTail   *uint32
	cqMask   uint32
	cqShift  uint32
	cqes     []completion
	file     int32 // descriptor, or 0 as the index of a registered one
	fileFlag uint8
	buffers  int // slots for registered buffers, 0: none
}

// Open makes a ring for a file. It uses what the kernel offers and does without
// the rest, but not without what was asked for. The error is an errno: ENOSYS
// where the kernel has no io_uring, EPERM where it is forbidden, EINVAL where
// something that was asked for is missing.
func Open(o Options) (*Ring, error) {
	r := &Ring{file: int32(o.File)}
	p, err := r.setup(o)
	if err != nil {
		return nil, fmt.Errorf("set up io_uring: %w", err)
	}
	if err := r.mapRings(p); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("map io_uring: %w", err)
	}
	r.registerFile(o.File)
	slots := o.Buffers
	if slots == 0 {
		slots = o.Entries
	}
	r.registerSlots(slots)
	if o.OwnThread {
		r.registerRing()
	}
	return r, nil
}

// releaseTime is how long the kernel may take to give back the locked memory of
// a ring that was closed before, which counts against the limit of a user.
const releaseTime = 500 * time.Millisecond

// setup tries until the memory of earlier rings is free again.
func (r *Ring) setup(o Options) (*parameters, error) {
	for until := time.Now().Add(releaseTime); ; time.Sleep(releaseTime / 50) {
		p, errno := r.trySetup(o)
		if errno == 0 {
			return p, nil
		}
		if errno != unix.ENOMEM || time.Now().After(until) {
			r.fd = -1
			return nil, errno
		}
	}
}

// trySetup tries the flags that make a ring cheap, and then those that were asked
// for alone.
func (r *Ring) trySetup(o Options) (*parameters, unix.Errno) {
	must, idle := o.flags(), o.Idle
	if idle <= 0 {
		idle = time.Second
	}
	errno := unix.EINVAL
	for _, extra := range cheapest(o) {
		p := &parameters{flags: must | extra}
		if o.SubmitThread {
			p.threadIdle = uint32(max(idle.Milliseconds(), 1))
		}
		var fd uintptr
		fd, _, errno = unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(o.Entries), uintptr(unsafe.Pointer(p)), 0)
		if errno == 0 {
			r.fd, r.enterFD, r.flags = int(fd), int(fd), p.flags
			r.timed = p.features&extArg != 0
			unix.CloseOnExec(r.fd)
			return p, 0
		}
		if errno != unix.EINVAL {
			break
		}
	}
	return nil, errno
}

// flags returns the flags that must not be left out.
func (o Options) flags() uint32 {
	var flags uint32
	if o.Poll {
		flags |= ioPoll
	}
	if o.SubmitThread {
		flags |= submitThread
	}
	if o.Commands {
		flags |= largeSubmissions | largeCompletions
	}
	return flags
}

// cheapest returns the flags that make a ring cheap, from the best choice to
// none. A thread that submits leaves nothing to be deferred.
func cheapest(o Options) []uint32 {
	if o.SubmitThread {
		return []uint32{submitAll | singleIssuer, submitAll, 0}
	}
	return []uint32{submitAll | singleIssuer | deferTasks, submitAll | cooperative, submitAll, 0}
}

// Features tells what the ring uses.
func (r *Ring) Features() Features {
	return Features{
		SingleIssuer:   r.flags&singleIssuer != 0,
		DeferTasks:     r.flags&deferTasks != 0,
		Poll:           r.flags&ioPoll != 0,
		SubmitThread:   r.flags&submitThread != 0,
		RegisteredFile: r.fileFlag != 0,
		Buffers:        r.buffers,
	}
}

// mapRings maps what is shared with the kernel.
func (r *Ring) mapRings(p *parameters) error {
	if p.features&singleMap == 0 {
		return fmt.Errorf("a kernel before Linux 5.4: %w", unix.ENOSYS)
	}
	r.sqShift, r.cqShift = shift(p.flags, largeSubmissions), shift(p.flags, largeCompletions)
	completions := (p.completions << r.cqShift) * uint32(unsafe.Sizeof(completion{}))
	size := max(p.sq.array+p.submissions*4, p.cq.completions+completions)
	const protection, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	var err error
	if r.rings, err = unix.Mmap(r.fd, mapSubmissions, int(size), protection, flags); err != nil {
		return err
	}
	submissions := int(p.submissions<<r.sqShift) * int(unsafe.Sizeof(submission{}))
	if r.entries, err = unix.Mmap(r.fd, mapEntries, submissions, protection, flags); err != nil {
		return err
	}
	if r.wait, err = rawio.Alloc(1); err != nil {
		return err
	}
	r.point(p)
	return nil
}

// shift returns 1 if flag is set: entries have twice their usual size.
func shift(flags, flag uint32) uint32 {
	if flags&flag != 0 {
		return 1
	}
	return 0
}

// point finds the parts of the mappings.
func (r *Ring) point(p *parameters) {
	r.sqTail, r.sqMask, r.sqFlags = r.word(p.sq.tail), *r.word(p.sq.mask), r.word(p.sq.flags)
	r.sqes = unsafe.Slice((*submission)(unsafe.Pointer(&r.entries[0])), p.submissions<<r.sqShift)
	r.cqHead, r.cqTail, r.cqMask = r.word(p.cq.head), r.word(p.cq.tail), *r.word(p.cq.mask)
	r.cqes = unsafe.Slice((*completion)(unsafe.Pointer(&r.rings[p.cq.completions])), p.completions<<r.cqShift)
	for i, order := uint32(0), unsafe.Slice(r.word(p.sq.array), p.submissions); i < p.submissions; i++ {
		order[i] = i
	}
}

// word returns the 32-bit word at an offset of the rings.
func (r *Ring) word(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.rings[offset])) }

// Len returns the number of requests that the ring has room for.
func (r *Ring) Len() int { return len(r.sqes) >> r.sqShift }

// Close gives the ring up. The kernel cancels requests in flight or lets them
// end.
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
	r.unregisterRing()
	fd := r.fd
	r.fd, r.enterFD = -1, -1
	return unix.Close(fd)
}
