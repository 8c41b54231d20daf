package uring

import (
	"unsafe"

	"qd1.example/qd1/internal/rawio"
)

// What follows is the interface of io_uring as in include/uapi/linux/io_uring.h
// of Linux 6.18, and in io_uring_setup(2), io_uring_enter(2) and
// io_uring_register(2). Addresses are 64 bits wide on every machine.

// Operations of a submission.
const (
	opReadFixed  = 4  // since Linux 5.1
	opWriteFixed = 5  // since Linux 5.1
	opRead       = 22 // since Linux 5.6
	opWrite      = 23 // since Linux 5.6
	opCommand    = 46 // since Linux 5.19
)

// fixedFile says that the file of a submission is an index.
const fixedFile = 1 << 0

// commandIO is NVME_URING_CMD_IO, an I/O command, in
// include/uapi/linux/nvme_ioctl.h: _IOWR('N', 0x80, 72 bytes).
const commandIO = 0xc0484e80

// commandFixed says that the data of a command lie in a registered buffer, since
// Linux 6.1.
const commandFixed = 1 << 0

// Flags of the set-up.
const (
	ioPoll           = 1 << 0
	submitThread     = 1 << 1
	submitAll        = 1 << 7  // since Linux 5.18
	cooperative      = 1 << 8  // since Linux 5.19
	largeSubmissions = 1 << 10 // since Linux 5.19
	largeCompletions = 1 << 11 // since Linux 5.19
	singleIssuer     = 1 << 12 // since Linux 6.0
	deferTasks       = 1 << 13 // since Linux 6.1
)

// Features of the kernel.
const (
	singleMap = 1 << 0 // one mapping for both rings
	extArg    = 1 << 8 // enter takes a time-out
)

// Flags of enter.
const (
	getEvents    = 1 << 0
	enterWakeup  = 1 << 1
	enterExtArg  = 1 << 3
	extArgLength = unsafe.Sizeof(waitArg{})
	// enterRegistered says that the ring is an index in the table of the thread.
	enterRegistered = 1 << 4
)

// needWakeup is a flag of the submission ring: the thread that submits sleeps.
const needWakeup = 1 << 0

// Operations and flags of register.
const (
	registerFiles         = 2
	registerBuffers       = 15 // since Linux 5.13
	registerBuffersUpdate = 16
	registerRings         = 20 // since Linux 5.18
	unregisterRings       = 21
	registerSparse        = 1 << 0 // since Linux 5.19
)

// anyIndex lets the kernel choose the index of a registered ring.
const anyIndex = 1<<32 - 1

// Offsets of the mappings.
const (
	mapSubmissions = 0
	mapEntries     = 0x10000000
)

// submission is struct io_uring_sqe.
type submission struct {
	opcode   uint8
	flags    uint8
	priority uint16
	fd       int32
	offset   uint64
	// address is of memory outside the Go heap.
	address  uint64
	length   uint32
	rwFlags  uint32
	userData uint64
	buffer   uint16
	_        [22]byte
}

// commandSubmission is struct io_uring_sqe in its large form, with struct
// nvme_uring_cmd at its end.
type commandSubmission struct {
	opcode       uint8
	flags        uint8
	priority     uint16
	fd           int32
	operation    uint32
	_            uint32
	_            uint64
	_            uint32
	commandFlags uint32
	userData     uint64
	buffer       uint16
	_            [6]byte
	command      rawio.NVMeCommand
	timeout      uint32 // in ms
	_            [12]byte
}

// completion is struct io_uring_cqe.
type completion struct {
	userData uint64
	result   int32
	flags    uint32
}

// submissionOffsets is struct io_sqring_offsets.
type submissionOffsets struct {
	head, tail, mask, entries, flags, dropped, array, _ uint32
	_                                                   uint64
}

// completionOffsets is struct io_cqring_offsets.
type completionOffsets struct {
	head, tail, mask, entries, overflow, completions, flags, _ uint32
	_                                                          uint64
}

// parameters is struct io_uring_params.
type parameters struct {
	submissions, completions uint32 // entries
	flags                    uint32
	threadCPU, threadIdle    uint32 // threadIdle in ms
	features                 uint32
	_                        [4]uint32
	sq                       submissionOffsets
	cq                       completionOffsets
}

// waitArg is struct io_uring_getevents_arg.
type waitArg struct {
	signals     uint64
	signalBytes uint32
	_           uint32
	timeout     uint64
}

// timespec is struct __kernel_timespec.
type timespec struct{ seconds, nanoseconds int64 }

// resources is struct io_uring_rsrc_register.
type resources struct {
	count, flags uint32
	_            uint64
	data, tags   uint64
}

// resourceUpdate is struct io_uring_rsrc_update2.
type resourceUpdate struct {
	offset, _  uint32
	data, tags uint64
	count, _   uint32
}

// address returns p as the kernel wants it. What p points to must be kept alive
// and in its place.
//
//go:nosplit
func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// The sizes that the kernel expects. A wrong one does not compile.
var (
	_ [64]byte  = [unsafe.Sizeof(submission{})]byte{}
	_ [128]byte = [unsafe.Sizeof(commandSubmission{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(completion{})]byte{}
	_ [120]byte = [unsafe.Sizeof(parameters{})]byte{}
	_ [24]byte  = [unsafe.Sizeof(waitArg{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(timespec{})]byte{}
	_ [32]byte  = [unsafe.Sizeof(resources{})]byte{}
	_ [32]byte  = [unsafe.Sizeof(resourceUpdate{})]byte{}
)
