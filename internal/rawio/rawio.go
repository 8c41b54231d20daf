// Package rawio gives page-aligned memory outside the Go heap and, for the
// measuring loop, the bare system call and the bare clock. It exists because
// they need package unsafe, which stands only here, in ioctl and in the
// io_uring binding.
package rawio

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Buffer is page-aligned memory that the garbage collector neither moves nor
// scans. It must be freed by Free.
type Buffer struct{ mem []byte }

// Alloc returns a zeroed buffer of at least n bytes, rounded up to whole pages
// (at least 4096 bytes).
func Alloc(n int) (*Buffer, error) {
	page := os.Getpagesize()
	size := max((n+page-1)/page*page, page)
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes: %w", size, err)
	}
	return &Buffer{mem}, nil
}

// Bytes returns the memory. It is not valid after Free.
func (b *Buffer) Bytes() []byte { return b.mem }

// Pointer returns the address of the memory, which never changes.
func (b *Buffer) Pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b.mem)) }

// Free gives the memory back. A second call does nothing.
func (b *Buffer) Free() error {
	if b.mem == nil {
		return nil
	}
	mem := b.mem
	b.mem = nil
	return unix.Munmap(mem)
}

// Pread reads len(p) bytes at offset off of fd into p without telling the Go
// scheduler, so that the call costs what it costs in C. It occupies its
// scheduler slot until the kernel answers: the goroutine should be locked to
// its thread, and GOMAXPROCS must leave a slot for the rest of the program.
// For direct I/O, p must come from Alloc. It returns the bytes read, fewer at
// the end of the file, and the error number, 0 for none.
//
//go:nosplit
func Pread(fd int, p []byte, off int64) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(off), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// Pwrite writes p at offset off of fd, in the same way as Pread reads. It
// returns the bytes written.
//
//go:nosplit
func Pwrite(fd int, p []byte, off int64) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_PWRITE64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(off), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// Nanotime returns the monotonic clock of the Go runtime in nanoseconds, from
// an arbitrary origin. Unlike time.Now and time.Since it cannot be held up by
// the scheduler between a system call and the reading of the clock. It does not
// follow the virtual time of testing/synctest.
//
//go:linkname Nanotime runtime.nanotime
func Nanotime() int64
