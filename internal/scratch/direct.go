package scratch

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/rawio"
)

// Direct is what direct I/O on a file needs.
type Direct struct {
	// OffsetBytes is what offsets and sizes are multiples of, and MemoryBytes
	// what addresses are (statx(2), STATX_DIOALIGN). 0: the kernel does not say.
	OffsetBytes int `json:"offset_bytes"`
	MemoryBytes int `json:"memory_bytes"`
}

// CheckDirect opens the regular file at path for reading by direct I/O and reads
// its first 4096 bytes. The error wraps [ErrNotDirect] and names the filesystem
// if it refuses.
func CheckDirect(path string) (Direct, error) {
	return checkDirect(path, func(path string) (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	}, unix.Pread)
}

func checkDirect(path string, open func(string) (int, error), pread func(int, []byte, int64) (int, error)) (Direct, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Direct{}, err
	}
	if !info.Mode().IsRegular() {
		return Direct{}, &bench.Error{Cause: path + " is not a regular file", Hint: "name a file that is filled with data"}
	}
	fd, err := open(path)
	if err != nil {
		return Direct{}, directError(path, err)
	}
	defer unix.Close(fd)
	b, err := rawio.Alloc(leastUnit)
	if err != nil {
		return Direct{}, err
	}
	defer b.Free()
	if _, err := pread(fd, b.Bytes()[:leastUnit], 0); err != nil {
		return Direct{}, directError(path, err)
	}
	return alignmentOf(fd), nil
}

// directError tells a refusal of direct I/O from other failures.
func directError(path string, err error) error {
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EOPNOTSUPP) {
		return fmt.Errorf("read %s: %w", path, err)
	}
	f, ferr := FilesystemOf(path)
	if ferr != nil {
		f.Type = "a filesystem"
	}
	return notDirect(path, f, err)
}

// alignmentOf asks the kernel, which tells since 6.1 on most filesystems.
func alignmentOf(fd int) Direct {
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &st); err != nil || st.Mask&unix.STATX_DIOALIGN == 0 {
		return Direct{}
	}
	return Direct{OffsetBytes: int(st.Dio_offset_align), MemoryBytes: int(st.Dio_mem_align)}
}
