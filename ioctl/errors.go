package ioctl

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Errors of this package. They stand beside the error number in the chain, so
// that errors.Is finds both.
var (
	// ErrNotNVMe is a node whose driver does not know NVMe commands.
	ErrNotNVMe = errors.New("not an NVMe device node")
	// ErrNotNamespace is a node that is not a namespace's: I/O commands and
	// NSID need a block or generic node, such as /dev/nvme0n1 or /dev/ng0n1.
	ErrNotNamespace = errors.New("not an NVMe namespace node")
	// ErrNotController is a node that is not a controller's, such as
	// /dev/nvme0, or a controller without this kind of reset.
	ErrNotController = errors.New("not an NVMe controller node, or the controller cannot do this")
	// ErrGone is a drive that was removed or that the kernel has given up.
	ErrGone = errors.New("the drive is gone")
	// ErrNotLive is a controller that the kernel does not open now: it is being
	// set up or reset, or it is dead.
	ErrNotLive = errors.New("the controller is resetting or dead")
	// ErrCancelled is a command that the kernel took back: its time-out
	// passed, or the controller was reset under it.
	ErrCancelled = errors.New("the kernel cancelled the command (timed out, or the controller was reset)")
	// ErrIO is a command that the kernel could not bring to the device.
	ErrIO = errors.New("the kernel could not run the command")
	// ErrInUse is a device that somebody has for himself: a mounted file system,
	// swap, an array, a volume manager, or a program with a lock on the node.
	ErrInUse = errors.New("the device is in use")
	// ErrBusy is a device with too many calls that never came back; see
	// [MaxAbandoned].
	ErrBusy = errors.New("too many earlier commands have not come back")
)

// failure returns errno of operation op on path as an error. notty is what
// "inappropriate ioctl" means for this operation.
func failure(op, path string, errno unix.Errno, notty error) error {
	return &fs.PathError{Op: op, Path: path, Err: explain(errno, notty)}
}

// explain puts the sentinel for errno in front of it.
func explain(errno unix.Errno, notty error) error {
	switch errno {
	case unix.ENOTTY:
		return fmt.Errorf("%w (%w)", notty, errno)
	case unix.ENODEV, unix.ENXIO:
		return fmt.Errorf("%w (%w)", ErrGone, errno)
	case unix.EINTR:
		return fmt.Errorf("%w (%w)", ErrCancelled, errno)
	case unix.EIO:
		return fmt.Errorf("%w (%w)", ErrIO, errno)
	}
	return errno
}
