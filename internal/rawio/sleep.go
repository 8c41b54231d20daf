package rawio

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Nanosleep puts the thread to sleep for d without telling the Go scheduler, as
// Pread reads. It returns early when a signal arrives, and at once if d is
// negative.
//
//go:nosplit
func Nanosleep(d time.Duration) {
	t := unix.Timespec{Sec: int64(d / time.Second), Nsec: int64(d % time.Second)}
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
