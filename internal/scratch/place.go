package scratch

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

const (
	// leastReserve is what stays free on a filesystem, or reservePercent of its
	// size if that is more.
	leastReserve   = 256 << 20
	reservePercent = 1
)

// calls are the system calls whose failures the tests cannot all provoke.
type calls struct {
	filesystem func(path string) (Filesystem, error)
	statfs     func(path string, st *unix.Statfs_t) error
	direct     func(fd int) error
	nocow      func(fd int) error
	fallocate  func(fd int, bytes int64) error
	pwrite     func(fd int, p []byte, offset int64) (int, error)
	fsync      func(fd int) error
}

// kernel returns the real calls.
func kernel() calls {
	return calls{
		filesystem: FilesystemOf,
		statfs:     unix.Statfs,
		direct:     setDirect,
		nocow:      setNoCOW,
		fallocate:  func(fd int, bytes int64) error { return unix.Fallocate(fd, 0, 0, bytes) },
		pwrite:     unix.Pwrite,
		fsync:      unix.Fsync,
	}
}

// place is a directory in which files are made.
type place struct {
	calls
	dir        string // absolute
	root       *os.Root
	filesystem Filesystem
}

// openPlace takes a directory that can be written to and is on a drive.
func openPlace(c calls, dir string) (*place, error) {
	p := &place{calls: c, dir: dir}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, accessError(dir, Filesystem{}, err)
	case !info.IsDir():
		return nil, &bench.Error{Cause: dir + " is not a directory", Hint: "name a directory to make a test file in, or measure the file itself, which is only read"}
	}
	if p.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if p.filesystem, err = c.filesystem(dir); err != nil {
		return nil, err
	}
	if err := onDrive(dir, p.filesystem); err != nil {
		return nil, err
	}
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return nil, accessError(dir, p.filesystem, err)
	}
	if p.root, err = os.OpenRoot(dir); err != nil {
		return nil, accessError(dir, p.filesystem, err)
	}
	return p, nil
}

// onDrive refuses filesystems in memory.
func onDrive(path string, f Filesystem) error {
	if !f.inMemory() {
		return nil
	}
	return &bench.Error{
		Cause: fmt.Sprintf("%s lies on %s: memory would be measured, not a drive", path, f.Type),
		Hint:  "name a directory on the drive, such as one in /var/tmp or your home",
		Err:   ErrMemory,
	}
}

// room checks that bytes fit and the reserve stays free. reserve: 0 is the
// default, below 0 none.
func (p *place) room(bytes, reserve int64) error {
	var st unix.Statfs_t
	if err := p.statfs(p.dir, &st); err != nil {
		return fmt.Errorf("free space of %s: %w", p.dir, err)
	}
	unit := int64(st.Frsize)
	if unit == 0 {
		unit = int64(st.Bsize)
	}
	free := int64(st.Bavail) * unit
	if reserve == 0 {
		reserve = max(int64(st.Blocks)/100*reservePercent*unit, leastReserve)
	}
	reserve = max(reserve, 0)
	if bytes <= free-reserve {
		return nil
	}
	return &bench.Error{
		Cause: fmt.Sprintf("%s has %s free, %s would be needed: %s for the test and %s that stay free", p.dir, size(free), size(bytes+reserve), size(bytes), size(reserve)),
		Hint:  "make room or use a smaller size",
		Err:   ErrSpace,
	}
}

// close gives up the directory.
func (p *place) close() error { return p.root.Close() }

// setDirect turns on direct I/O of an open file.
func setDirect(fd int) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_DIRECT)
	return err
}

// noCOW is the attribute FS_NOCOW_FL of linux/fs.h.
const noCOW = 0x00800000

// setNoCOW makes an empty file one whose blocks are overwritten in place,
// without checksums and compression.
func setNoCOW(fd int) error {
	flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, int(flags|noCOW))
}
