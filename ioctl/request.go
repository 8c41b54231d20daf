package ioctl

import (
	"unsafe"

	number "github.com/dswarbrick/smart/ioctl"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/nvme"
)

// bare builds the number of a request without a length, as _IO does.
func bare(t, nr uintptr) uintptr { return t<<8 | nr }

func reqID() uintptr          { return bare('N', 0x40) }
func reqReset() uintptr       { return bare('N', 0x44) }
func reqSubsysReset() uintptr { return bare('N', 0x45) }
func reqRescan() uintptr      { return bare('N', 0x46) }

func reqBlockBytes() uintptr    { return number.Ior(0x12, 114, unsafe.Sizeof(uint64(0))) }
func reqBlockLogical() uintptr  { return bare(0x12, 104) }
func reqBlockPhysical() uintptr { return bare(0x12, 123) }
func reqBlockReadOnly() uintptr { return bare(0x12, 94) }
func reqBlockFlush() uintptr    { return bare(0x12, 97) }
func reqBlockReread() uintptr   { return bare(0x12, 95) }

// reqPassthru32 returns the request that sends a command of q with a 32-bit
// result.
func reqPassthru32(q nvme.Queue) uintptr {
	if q == nvme.IOQueue {
		return number.Iowr('N', 0x43, unsafe.Sizeof(passthru32{}))
	}
	return number.Iowr('N', 0x41, unsafe.Sizeof(passthru32{}))
}

// reqPassthru64 returns the request that sends a command of q with a 64-bit
// result, which Linux has since 5.5.
func reqPassthru64(q nvme.Queue) uintptr {
	if q == nvme.IOQueue {
		return number.Iowr('N', 0x48, unsafe.Sizeof(passthru64{}))
	}
	return number.Iowr('N', 0x47, unsafe.Sizeof(passthru64{}))
}

// kernel is the ioctl system call; tests put a device model in its place.
type kernel func(fd, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno)

// system calls the kernel. The pointer becomes an integer only in the
// argument list of the system call, so what it points at stays alive and in
// place until the call returns.
func system(fd, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
	r, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, req, uintptr(arg))
	return r, errno
}
