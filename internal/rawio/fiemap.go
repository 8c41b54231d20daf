package rawio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The flags of FIEMAP that are used here: what is asked for, and what an extent
// is (linux/fiemap.h, Documentation/filesystems/fiemap.rst).
const (
	FiemapSync         = 0x1    // asked: write delayed data back first
	FiemapLast         = 0x1    // the last extent of the file
	FiemapUnknown      = 0x2    // the place is not known
	FiemapDelalloc     = 0x4    // not yet placed; the data are in the page cache
	FiemapEncoded      = 0x8    // compressed or encrypted
	FiemapNotAligned   = 0x100  // does not lie on whole blocks
	FiemapInline       = 0x200  // the data lie in the metadata
	FiemapTail         = 0x400  // the data share a block with those of other files
	FiemapUnwritten    = 0x800  // allocated, never written: reads as zeros
	FiemapShared       = 0x2000 // shared with other files
	fiemapRequest      = 0xC020660B
	fiemapHeaderWords  = 4
	fiemapExtentWords  = 7
	fiemapMostExtents  = 1 << 16
	fiemapMappedOffset = 20 // fm_mapped_extents
)

// FiemapExtent is one extent of a file, struct fiemap_extent of
// linux/fiemap.h, 56 bytes.
type FiemapExtent struct {
	Logical  uint64 // bytes from the start of the file
	Physical uint64 // bytes from the start of the device
	Length   uint64 // bytes
	_        [2]uint64
	Flags    uint32
	_        [3]uint32
}

// fiemapHeader is struct fiemap of linux/fiemap.h without its extents.
type fiemapHeader struct {
	start, length                 uint64
	flags, mapped, count, reserve uint32
}

// The sizes and places that the kernel expects.
var (
	_ [8 * fiemapExtentWords]byte = [unsafe.Sizeof(FiemapExtent{})]byte{}
	_ [8 * fiemapHeaderWords]byte = [unsafe.Sizeof(fiemapHeader{})]byte{}
	_ [fiemapMappedOffset]byte    = [unsafe.Offsetof(fiemapHeader{}.mapped)]byte{}
)

// Fiemap asks the filesystem where length bytes from start of fd lie. It fills
// extents in the order of the file and returns their number; holes have none.
// The extents reach from the one that holds start on, and not beyond the last
// one of the file. flags is 0 or FiemapSync. The errors of filesystems that
// cannot tell are EOPNOTSUPP and ENOTTY, and EBADR for flags that they lack.
func Fiemap(fd int, start, length uint64, flags uint32, extents []FiemapExtent) (int, error) {
	count := min(len(extents), fiemapMostExtents)
	words := make([]uint64, fiemapHeaderWords+fiemapExtentWords*count)
	header := (*fiemapHeader)(unsafe.Pointer(unsafe.SliceData(words)))
	*header = fiemapHeader{start: start, length: length, flags: flags, count: uint32(count)}
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), fiemapRequest, uintptr(unsafe.Pointer(header)))
		if errno == 0 {
			break
		}
		if errno != unix.EINTR {
			return 0, errno
		}
	}
	n := min(int(header.mapped), count)
	if count == 0 {
		return int(header.mapped), nil
	}
	first := (*FiemapExtent)(unsafe.Pointer(&words[fiemapHeaderWords]))
	copy(extents, unsafe.Slice(first, n))
	return n, nil
}
