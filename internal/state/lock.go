package state

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Lock takes the lock of a file, which it creates if it is missing, and holds
// it until Close or the end of the process, however it ends. It does not wait:
// the error matches ErrLocked if another holds it. The file stays, since
// removing it would let two hold a lock of the same name.
//
// The lock is advisory (flock): it binds only those who ask for it. Processes
// that are started meanwhile do not inherit it.
func Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := LockFile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &lock{file: f}, nil
}

type lock struct {
	once sync.Once
	file *os.File
	err  error
}

// Close gives the lock back. A second call does nothing.
func (l *lock) Close() error {
	l.once.Do(func() { l.err = errors.Join(UnlockFile(l.file), l.file.Close()) })
	return l.err
}

// LockFile takes the lock of an open file for this descriptor alone, without
// waiting. The error matches ErrLocked if another descriptor has it, be it of
// this process.
func LockFile(f *os.File) error { return flock(f, unix.LOCK_EX) }

// UnlockFile gives the lock back. Closing the file does so too, but not while
// a process that is just being started still has a copy of the descriptor.
func UnlockFile(f *os.File) error { return flock(f, unix.LOCK_UN) }

// Locked reports whether another descriptor has the lock that LockFile takes.
// It holds a shared lock for a moment, which makes a LockFile at that moment
// fail.
func Locked(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, UnlockFile(f)
}

// flock makes the call without waiting for the lock.
func flock(f *os.File, how int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	if err := conn.Control(func(fd uintptr) { result = uninterrupted(int(fd), how) }); err != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: os.ErrClosed}
	}
	if errors.Is(result, unix.EWOULDBLOCK) {
		result = ErrLocked
	}
	if result != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: result}
	}
	return nil
}

// uninterrupted repeats a call that a signal broke off.
func uninterrupted(fd, how int) error {
	for {
		if err := unix.Flock(fd, how|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}
