package ioctl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/nvme"
)

// Device is an open NVMe device node: of a controller (/dev/nvme0) or of a
// namespace (/dev/nvme0n1, /dev/ng0n1). Its methods may be called at the same
// time by several goroutines.
type Device struct {
	path string
	file *os.File
	conn syscall.RawConn
	// char says that the node is a character device.
	char bool
	// direct says that reading and writing go past the page cache.
	direct bool
	call   kernel
	// only32 says for each queue that the kernel has no 64-bit result.
	only32 [2]atomic.Bool
	// abandoned counts the calls that outlived their Submit.
	abandoned atomic.Int64
}

// Open opens a device node for reading; NVMe commands need no more, and a
// block device that was open for writing would be probed again when it is
// closed. Anything but a block or character device is refused before it is
// opened. Errors match fs.ErrNotExist and fs.ErrPermission, and ErrNotLive and
// ErrGone for a controller that the kernel does not serve now.
func Open(path string) (*Device, error) {
	return openDevice(path, flags{block: os.O_RDONLY, char: os.O_RDONLY})
}

// flags are the open flags for each kind of node.
type flags struct{ block, char int }

// openDevice opens a device node.
func openDevice(path string, f flags) (*Device, error) {
	file, char, err := openNode(path, f)
	if err != nil {
		return nil, err
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Device{path: path, file: file, conn: conn, char: char, direct: !char && f.block&unix.O_DIRECT != 0, call: system}, nil
}

// openNode opens a block or character device and says which it is. The type is
// looked at before opening, because opening a pipe waits for its other end, and
// again after, because the name may have changed hands.
func openNode(path string, f flags) (file *os.File, char bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if err := checkNode(path, info.Mode()); err != nil {
		return nil, false, err
	}
	char = isChar(info)
	flag := f.block
	if char {
		flag = f.char
	}
	if file, err = os.OpenFile(path, flag|unix.O_CLOEXEC, 0); err != nil {
		return nil, false, openFailure(err)
	}
	info, err = file.Stat()
	if err == nil {
		err = checkNode(path, info.Mode())
	}
	if err == nil && isChar(info) != char {
		err = &fs.PathError{Op: "open", Path: path, Err: errChanged}
	}
	if err != nil {
		return nil, false, errors.Join(err, file.Close())
	}
	return file, char, nil
}

// errChanged is a node that another took the place of while it was opened.
var errChanged = errors.New("the node has changed")

func isChar(info fs.FileInfo) bool { return info.Mode()&fs.ModeCharDevice != 0 }

// openFailure says what the kernel means when it does not open a node.
func openFailure(err error) error {
	var p *fs.PathError
	var errno unix.Errno
	if !errors.As(err, &p) || !errors.As(p.Err, &errno) {
		return err
	}
	switch errno {
	case unix.EAGAIN:
		return &fs.PathError{Op: p.Op, Path: p.Path, Err: fmt.Errorf("%w (%w)", ErrNotLive, errno)}
	case unix.EBUSY:
		return &fs.PathError{Op: p.Op, Path: p.Path, Err: fmt.Errorf("%w (%w)", ErrInUse, errno)}
	}
	return failure(p.Op, p.Path, errno, ErrNotNVMe)
}

// checkNode returns nil for a block or character device.
func checkNode(path string, mode fs.FileMode) error {
	if mode&fs.ModeDevice != 0 {
		return nil
	}
	kind := "a special file"
	switch {
	case mode.IsRegular():
		kind = "a regular file"
	case mode.IsDir():
		kind = "a directory"
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w: it is %s", ErrNotNVMe, kind)}
}

// Path returns the path that Open was given.
func (d *Device) Path() string { return d.path }

// Close closes the node. A call that is still in the kernel keeps the
// descriptor until it returns; Close does not wait for it. Later calls of any
// method fail with os.ErrClosed.
func (d *Device) Close() error { return d.file.Close() }

// NSID asks the kernel which namespace the node is. It needs a namespace
// node: errors match ErrNotNamespace otherwise.
func (d *Device) NSID() (nvme.NSID, error) {
	r, err := d.simple("namespace identifier", reqID(), nil, ErrNotNamespace)
	return nvme.NSID(r), err
}

// Reset resets the controller and returns when it is up again. Commands that
// are under way are taken back (ErrCancelled). It needs a controller node.
func (d *Device) Reset() error {
	_, err := d.simple("controller reset", reqReset(), nil, ErrNotController)
	return err
}

// SubsystemReset resets the whole NVM subsystem, all its controllers
// included. It needs the controller node of a controller that supports it;
// errors match ErrNotController otherwise.
func (d *Device) SubsystemReset() error {
	_, err := d.simple("subsystem reset", reqSubsysReset(), nil, ErrNotController)
	return err
}

// Rescan makes the kernel look at the namespaces again, as after a format or
// the creation of a namespace. It needs a controller node.
func (d *Device) Rescan() error {
	_, err := d.simple("rescan", reqRescan(), nil, ErrNotController)
	return err
}

// simple makes one call and turns an error number into an error.
func (d *Device) simple(op string, req uintptr, arg unsafe.Pointer, notty error) (uint32, error) {
	r, errno, err := d.ioctl(req, arg)
	if err != nil {
		return 0, &fs.PathError{Op: op, Path: d.path, Err: err}
	}
	if errno != 0 {
		return 0, failure(op, d.path, errno, notty)
	}
	return uint32(r), nil
}

// ioctl makes one call while it holds the descriptor, so that Close cannot
// let another file have its number. The error is os.ErrClosed.
func (d *Device) ioctl(req uintptr, arg unsafe.Pointer) (r uintptr, errno unix.Errno, err error) {
	err = d.conn.Control(func(fd uintptr) { r, errno = d.call(fd, req, arg) })
	if err != nil {
		err = os.ErrClosed
	}
	return r, errno, err
}
