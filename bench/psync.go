package bench

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// psync reads one block at a time with pread64.
type psync struct {
	fd      int
	path    string
	shared  bool
	pending Event
	busy    bool
}

// OpenPsync opens a block device or regular file for direct reads, one at a
// time. The target is opened read-only.
func OpenPsync(t Target) (Engine, error) {
	fd, err := openDirect(t, EnginePsync)
	if err != nil {
		return nil, err
	}
	return &psync{fd: fd, path: t.Path}, nil
}

// openDirect opens t for the direct reads of an engine.
func openDirect(t Target, engine string) (int, error) {
	if t.Kind != BlockTarget && t.Kind != FileTarget {
		return -1, badJob("engine %q cannot read a target of kind %q", engine, t.Kind)
	}
	fd, err := unix.Open(t.Path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, openError(t.Path, err)
	}
	if err := checkOpen(fd, t); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// openError says what a failed open means and what to do.
func openError(path string, err error) error {
	e := &Error{Cause: fmt.Sprintf("open %s: %v", path, err), Err: err}
	switch {
	case errors.Is(err, unix.EINVAL):
		e.Cause = fmt.Sprintf("open %s: the filesystem refuses direct I/O (EINVAL)", path)
		e.Hint = "a read through the page cache would measure memory: use a file on the drive's own filesystem (ext4, xfs) or the block device"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		e.Hint = "read permission on " + path + " is needed: run as root or as a member of the node's group"
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
		e.Hint = "the node exists but no device answers behind it"
	}
	return e
}

// checkOpen compares what was opened with what the target says.
func checkOpen(fd int, t Target) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("stat %s: %w", t.Path, err)
	}
	want := uint32(unix.S_IFREG)
	if t.Kind == BlockTarget {
		want = unix.S_IFBLK
	}
	if st.Mode&unix.S_IFMT != want {
		return &Error{Cause: fmt.Sprintf("%s is not of kind %q", t.Path, t.Kind), Err: ErrBadJob}
	}
	if t.Kind == FileTarget {
		return checkFilesystem(fd, t.Path)
	}
	return nil
}

// checkFilesystem refuses files that live in memory: newer kernels accept
// direct I/O on them.
func checkFilesystem(fd int, path string) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return fmt.Errorf("statfs %s: %w", path, err)
	}
	if st.Type == unix.TMPFS_MAGIC || st.Type == unix.RAMFS_MAGIC {
		return &Error{
			Cause: path + " is on a filesystem in memory",
			Hint:  "use a file on the drive's own filesystem or the block device",
			Err:   ErrBadJob,
		}
	}
	return nil
}

// MaxQueueDepth returns 1.
func (p *psync) MaxQueueDepth() int { return 1 }

// Submit reads the first request.
//
//go:nosplit
func (p *psync) Submit(requests []Request) (int, error) {
	if p.busy || len(requests) == 0 {
		return 0, nil
	}
	r := &requests[0]
	n, errno := rawio.Pread(p.fd, r.Data, r.Offset)
	for errno == unix.EINTR {
		n, errno = rawio.Pread(p.fd, r.Data, r.Offset)
	}
	p.pending.Buffer, p.pending.Bytes, p.pending.Err = r.Buffer, n, nil
	if errno != 0 {
		p.pending.Err = errno
	}
	p.busy = true
	return 1, nil
}

// Reap returns the completion of the request that Submit took.
//
//go:nosplit
func (p *psync) Reap(events []Event, _ int) (int, error) {
	return reapOne(events, &p.pending, &p.busy)
}

// Fork returns another engine on the same open file.
func (p *psync) Fork() (Engine, error) {
	return &psync{fd: p.fd, path: p.path, shared: true}, nil
}

// Gone reports whether the device has no size any more or its node is missing.
func (p *psync) Gone() bool { return isMissing(p.fd, p.path) }

// isMissing reports whether an open file has no size any more or no name.
func isMissing(fd int, path string) bool {
	size, err := unix.Seek(fd, 0, io.SeekEnd)
	if err != nil || size <= 0 {
		return true
	}
	_, err = os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// Close closes the file.
func (p *psync) Close() error {
	if p.shared {
		return nil
	}
	return unix.Close(p.fd)
}
