package ioctl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lockPatience is how long a lock on a node is tried for. The device manager
	// holds one for a moment while it looks at a device.
	lockPatience = 3 * time.Second
	lockInterval = 50 * time.Millisecond
)

// OpenExclusive opens a device node for reading and writing, and for this
// process alone, until Close.
//
// A block device is opened with O_EXCL: the kernel refuses that while the device
// or one of its partitions is mounted, used as swap, or belongs to an array, a
// volume or another program that asked for the same, and refuses all of these
// as long as the device is open here. Those who open it without asking (O_EXCL is
// theirs to set) are not kept out. Beside that, and on a character device
// without it, the node is locked with flock, as programs that change partitions
// do; that binds only those who lock the same node. Errors match [ErrInUse]
// where another is in the way, after three seconds if it is the lock. A block
// device that the kernel holds read-only may open; see [Geometry].
//
// Reading and writing go past the page cache. A block device that refuses that
// takes commands, but [Device.ReadAt] and [Device.WriteAt] give [ErrCached].
//
// Closing a block device that was open for writing makes the device manager
// look at it again.
func OpenExclusive(path string) (*Device, error) { return openExclusive(path, lockPatience) }

func openExclusive(path string, patience time.Duration) (*Device, error) {
	const exclusive = os.O_RDWR | os.O_EXCL
	d, err := openDevice(path, flags{block: exclusive | unix.O_DIRECT, char: os.O_RDWR})
	if errors.Is(err, unix.EINVAL) {
		d, err = openDevice(path, flags{block: exclusive, char: os.O_RDWR})
	}
	if err != nil {
		return nil, err
	}
	if err := d.lock(patience); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// OpenDirect opens a block device for reading past the page cache. Errors match
// [ErrNotBlock] for a character device.
func OpenDirect(path string) (*Device, error) {
	d, err := openDevice(path, flags{block: os.O_RDONLY | unix.O_DIRECT, char: os.O_RDONLY})
	if err == nil && d.char {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: path, Err: ErrNotBlock}, d.Close())
	}
	return d, err
}

// lock takes the lock on the node, and tries again until patience is over.
func (d *Device) lock(patience time.Duration) error {
	end := time.Now().Add(patience)
	for {
		errno, err := d.flock()
		switch {
		case err != nil:
			return &fs.PathError{Op: "lock", Path: d.path, Err: err}
		case errno == 0:
			return nil
		case errno == unix.EINTR:
			continue
		case errno != unix.EWOULDBLOCK:
			return failure("lock", d.path, errno, ErrNotBlock)
		case !time.Now().Before(end):
			return &fs.PathError{Op: "lock", Path: d.path, Err: fmt.Errorf("%w: another has locked the node (%w)", ErrInUse, errno)}
		}
		time.Sleep(lockInterval)
	}
}

// flock tries once. The error is os.ErrClosed.
func (d *Device) flock() (errno unix.Errno, err error) {
	err = d.conn.Control(func(fd uintptr) {
		errors.As(unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB), &errno)
	})
	if err != nil {
		err = os.ErrClosed
	}
	return errno, err
}

// Duplicate returns a second descriptor of the same open file, for another
// process. What [OpenExclusive] holds is held until both are closed. A block
// device that is not open past the page cache gives [ErrCached].
func (d *Device) Duplicate() (*os.File, error) {
	if !d.char && !d.direct {
		return nil, &fs.PathError{Op: "duplicate", Path: d.path, Err: ErrCached}
	}
	second, err := -1, error(nil)
	if e := d.conn.Control(func(fd uintptr) { second, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) }); e != nil {
		return nil, &fs.PathError{Op: "duplicate", Path: d.path, Err: os.ErrClosed}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "duplicate", Path: d.path, Err: err}
	}
	return os.NewFile(uintptr(second), d.path), nil
}

// FlushBuffers makes the kernel write what it holds of the block device and
// forget it, so that the next reading comes from the device. It needs
// CAP_SYS_ADMIN. Errors match [ErrNotBlock] for other nodes.
func (d *Device) FlushBuffers() error {
	_, err := d.simple("flush buffers", reqBlockFlush(), nil, ErrNotBlock)
	return err
}

// Refresh makes the kernel look at what is behind the node again, as after a
// format: a block device forgets what it holds and reads its partition table, a
// controller looks for its namespaces. A generic node holds nothing.
func (d *Device) Refresh() error {
	if !d.char {
		return errors.Join(d.FlushBuffers(), d.RereadPartitions())
	}
	if err := d.Rescan(); !errors.Is(err, ErrNotController) {
		return err
	}
	return nil
}

// RereadPartitions makes the kernel read the partition table again. It needs
// CAP_SYS_ADMIN. Errors match [ErrInUse] if a partition is in use, [ErrNotBlock]
// for other nodes, and are EINVAL for a device that cannot have partitions.
func (d *Device) RereadPartitions() error {
	_, err := d.simple("reread partitions", reqBlockReread(), nil, ErrNotBlock)
	if errors.Is(err, unix.EBUSY) {
		return &fs.PathError{Op: "reread partitions", Path: d.path, Err: fmt.Errorf("%w (%w)", ErrInUse, unix.EBUSY)}
	}
	return err
}
