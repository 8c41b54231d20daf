package uring

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// registerFile registers fd, so that the kernel need not look it up for every
// read. A kernel that cannot gets the descriptor.
func (r *Ring) registerFile(fd int) {
	files := int32(fd)
	if r.register(registerFiles, unsafe.Pointer(&files), 1) == 0 {
		r.file, r.fileFlag = 0, fixedFile
	}
}

// registerRing puts the ring into the table of the calling thread, if the kernel
// can (since Linux 5.18) and there is room: 16 rings.
func (r *Ring) registerRing() {
	u := &resourceUpdate{offset: anyIndex, data: uint64(r.fd)}
	if r.register(registerRings, unsafe.Pointer(u), 1) == 0 {
		r.enterFD, r.enterBit, r.thread = int(u.offset), enterRegistered, unix.Gettid()
	}
}

// unregisterRing takes the ring out of the table, if the calling thread is the
// one that has it there.
func (r *Ring) unregisterRing() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r.thread == 0 || r.thread != unix.Gettid() {
		return
	}
	u := &resourceUpdate{offset: uint32(r.enterFD)}
	r.register(unregisterRings, unsafe.Pointer(u), 1)
	r.enterFD, r.enterBit, r.thread = r.fd, 0, 0
}

// registerSlots makes room for registered buffers, if the kernel can.
func (r *Ring) registerSlots(n int) {
	slots := resources{count: uint32(n), flags: registerSparse}
	if r.register(registerBuffers, unsafe.Pointer(&slots), unsafe.Sizeof(slots)) == 0 {
		r.buffers = n
	}
}

// RegisterBuffer pins p in a slot, in place of what was there, so that the
// kernel need not do that for every read. It reports whether that worked: the
// kernel may be too old or the limit of locked memory reached. p must be outside
// the Go heap.
func (r *Ring) RegisterBuffer(slot int, p []byte) bool {
	if slot >= r.buffers || len(p) == 0 {
		return false
	}
	where := unix.Iovec{Base: unsafe.SliceData(p)}
	where.SetLen(len(p))
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&where)
	update := resourceUpdate{offset: uint32(slot), data: address(unsafe.Pointer(&where)), count: 1}
	return r.register(registerBuffersUpdate, unsafe.Pointer(&update), unsafe.Sizeof(update)) == 0
}

// register is io_uring_register(2).
func (r *Ring) register(op uintptr, arg unsafe.Pointer, n uintptr) unix.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), op, uintptr(arg), n, 0, 0)
	return errno
}
