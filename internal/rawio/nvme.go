package rawio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// NVMeCommand is what struct nvme_passthru_cmd64 and struct nvme_uring_cmd begin
// with, as in include/uapi/linux/nvme_ioctl.h of Linux 6.18. The fields are those
// of a submission queue entry (NVM Express Base Specification 2.0, Common Command
// Format). Metadata and Address are addresses of memory outside the Go heap.
type NVMeCommand struct {
	Opcode         uint8
	Flags          uint8
	_              uint16
	NSID           uint32
	CDW2           uint32
	CDW3           uint32
	Metadata       uint64
	Address        uint64
	MetadataLength uint32 // in bytes, as DataLength is
	DataLength     uint32
	CDW10          uint32
	CDW11          uint32
	CDW12          uint32
	CDW13          uint32
	CDW14          uint32
	CDW15          uint32
}

// NVMeExchange is struct nvme_passthru_cmd64: a command and its result. The
// older struct nvme_passthru_cmd is its first 72 bytes; the result is then in
// the word that is not used here.
type NVMeExchange struct {
	NVMeCommand
	// TimeoutMS in ms. 0: the kernel's time-out for the queue.
	TimeoutMS uint32
	_         uint32
	Result    uint64
}

// The compiler refuses an index other than 0.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(NVMeCommand{})-64]
	_ = [1]struct{}{}[unsafe.Sizeof(NVMeExchange{})-80]
	_ = [1]struct{}{}[unsafe.Offsetof(NVMeCommand{}.Metadata)-16]
	_ = [1]struct{}{}[unsafe.Offsetof(NVMeCommand{}.DataLength)-36]
	_ = [1]struct{}{}[unsafe.Offsetof(NVMeCommand{}.CDW10)-40]
	_ = [1]struct{}{}[unsafe.Offsetof(NVMeExchange{}.TimeoutMS)-64]
	_ = [1]struct{}{}[unsafe.Offsetof(NVMeExchange{}.Result)-72]
)

// NVMeRequest is the number of an ioctl that sends a command.
type NVMeRequest uintptr

// The requests, as _IOWR('N', number, size) makes them.
const (
	NVMeAdmin NVMeRequest = 0xc0484e41 // admin command
	NVMeIO    NVMeRequest = 0xc0484e43 // I/O command
	NVMeIO64  NVMeRequest = 0xc0504e48 // I/O command with a 64-bit result, since Linux 5.5
)

// nvmeID is _IO('N', 0x40), which answers with the namespace of a node.
const nvmeID = 0x4e40

// NVMe sends e with p as its data to the node fd and waits for the completion,
// without telling the Go scheduler. p must come from Alloc. The status is that of
// the completion queue entry without its phase bit: Status Code in bits 7:0,
// Status Code Type in bits 10:8, Do Not Retry in bit 14; 0 is success. It has no
// meaning if there is an error number.
//
//go:nosplit
func NVMe(fd int, request NVMeRequest, e *NVMeExchange, p []byte) (status uint16, errno unix.Errno) {
	e.Address, e.DataLength = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p)))), uint32(len(p))
	r, _, errno := unix.RawSyscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(unsafe.Pointer(e)))
	if errno != 0 {
		return 0, errno
	}
	return uint16(r), 0
}

// NVMeNamespace returns the namespace that the node fd stands for.
func NVMeNamespace(fd int) (uint32, unix.Errno) {
	r, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), nvmeID, 0)
	if errno != 0 {
		return 0, errno
	}
	return uint32(r), 0
}
