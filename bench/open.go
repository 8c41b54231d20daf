package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// opened is the target of an engine, open for direct I/O.
type opened struct {
	fd   int
	path string
	// ours says that the engine opened fd and must close it.
	ours bool
}

// openDirect opens the target of s for the direct I/O of an engine: read-only
// unless the job writes.
func openDirect(s Spec, engine string) (opened, error) {
	t := s.Target
	if t.Kind != BlockTarget && t.Kind != FileTarget {
		return opened{}, badJob("engine %q cannot open a target of kind %q", engine, t.Kind)
	}
	if err := mayWrite(s); err != nil {
		return opened{}, err
	}
	o := opened{fd: t.Descriptor, path: t.Path}
	if t.Descriptor == 0 || t.Writable && !s.writing() {
		fd, err := openQuietly(t.Path, accessOf(s)|unix.O_DIRECT|unix.O_CLOEXEC)
		if err != nil {
			return opened{}, openError(t.Path, err)
		}
		o.fd, o.ours = fd, true
	}
	if err := o.check(s); err != nil {
		_ = o.close()
		return opened{}, err
	}
	return o, nil
}

// openQuietly opens a path so that a read does not look at the time of the last
// access, where the caller may say so (open(2): the owner of the file, or root).
func openQuietly(path string, flags int) (int, error) {
	fd, err := unix.Open(path, flags|unix.O_NOATIME, 0)
	if err == unix.EPERM {
		return unix.Open(path, flags, 0)
	}
	return fd, err
}

// mayWrite refuses a job that writes where nobody has said that it may. A block
// device is written to only through the descriptor that was claimed for it.
func mayWrite(s Spec) error {
	switch {
	case !s.writing():
		return nil
	case !s.Target.Writable:
		return badJob("%s must not be written to", s.Target.Path)
	case s.Target.Kind == BlockTarget && s.Target.Descriptor == 0:
		return badJob("%s: a device is written to only through a claimed descriptor, and there is none", s.Target.Path)
	}
	return nil
}

// accessOf returns the access mode that the job needs.
func accessOf(s Spec) int {
	if s.writing() {
		return unix.O_RDWR
	}
	return unix.O_RDONLY
}

// openError says what a failed open means and what to do.
func openError(path string, err error) error {
	e := &Error{Cause: fmt.Sprintf("open %s: %v", path, err), Err: err}
	switch {
	case errors.Is(err, unix.EINVAL):
		e.Cause = fmt.Sprintf("open %s: the filesystem refuses direct I/O (EINVAL)", path)
		e.Hint = "I/O through the page cache would measure memory: use a file on the drive's own filesystem (ext4, xfs) or the block device"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		e.Hint = "permission for " + path + " is needed: run as root or as a member of the node's group"
	case errors.Is(err, unix.EROFS):
		e.Cause = fmt.Sprintf("open %s: the filesystem is read-only (EROFS)", path)
		e.Hint = "a benchmark that writes needs a filesystem that is mounted read-write"
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
		e.Hint = "the node exists but no device answers behind it"
	}
	return e
}

// check compares what is open with what the target says and the job needs.
func (o opened) check(s Spec) error {
	var st unix.Stat_t
	if err := unix.Fstat(o.fd, &st); err != nil {
		return fmt.Errorf("stat %s: %w", o.path, err)
	}
	want := uint32(unix.S_IFREG)
	if s.Target.Kind == BlockTarget {
		want = unix.S_IFBLK
	}
	if st.Mode&unix.S_IFMT != want {
		return &Error{Cause: fmt.Sprintf("%s is not of kind %q", o.path, s.Target.Kind), Err: ErrBadJob}
	}
	if s.Target.Descriptor != 0 {
		if err := o.checkDescriptor(s, &st); err != nil {
			return err
		}
	}
	if s.Target.Kind == FileTarget {
		return checkFilesystem(o.fd, o.path)
	}
	return nil
}

// checkDescriptor makes sure that what is open is the target's descriptor or the
// same file or device, and that a descriptor of others does direct I/O and
// allows what the job does.
func (o opened) checkDescriptor(s Spec, st *unix.Stat_t) error {
	given, other := unix.Stat_t{}, unix.Stat_t{}
	if err := unix.Fstat(s.Target.Descriptor, &given); err != nil {
		return fmt.Errorf("%w: descriptor %d of %s: %w", ErrBadJob, s.Target.Descriptor, o.path, err)
	}
	if err := unix.Stat(o.path, &other); err != nil {
		return &Error{Cause: fmt.Sprintf("%s is not there any more: %v", o.path, err), Err: errors.Join(ErrGone, err)}
	}
	if !same(st, &given) || !same(st, &other) {
		return badJob("descriptor %d is not %s", s.Target.Descriptor, o.path)
	}
	if o.ours {
		return nil
	}
	flags, err := unix.FcntlInt(uintptr(o.fd), unix.F_GETFL, 0)
	switch {
	case err != nil:
		return fmt.Errorf("flags of descriptor %d: %w", o.fd, err)
	case flags&unix.O_DIRECT == 0:
		return badJob("descriptor %d of %s is not open for direct I/O", o.fd, o.path)
	case s.writing() && flags&unix.O_ACCMODE != unix.O_RDWR:
		return badJob("descriptor %d of %s is not open for reading and writing", o.fd, o.path)
	}
	return nil
}

// same reports whether two results of stat are of one device, or of one file.
func same(a, b *unix.Stat_t) bool {
	if a.Mode&unix.S_IFMT != b.Mode&unix.S_IFMT {
		return false
	}
	if a.Mode&unix.S_IFMT == unix.S_IFBLK {
		return a.Rdev == b.Rdev
	}
	return a.Dev == b.Dev && a.Ino == b.Ino
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

// gone reports whether the target has no size any more or no name.
func (o opened) gone() bool {
	size, err := unix.Seek(o.fd, 0, io.SeekEnd)
	if err != nil || size <= 0 {
		return true
	}
	_, err = os.Lstat(o.path)
	return errors.Is(err, fs.ErrNotExist)
}

// shared returns the same open target for an engine that must not close it.
func (o opened) shared() opened { return opened{fd: o.fd, path: o.path} }

// close closes what the engine opened itself. A second call does nothing.
func (o *opened) close() error {
	if !o.ours {
		return nil
	}
	o.ours = false
	return unix.Close(o.fd)
}
