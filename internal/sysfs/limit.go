package sysfs

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Limit returns fsys with a limit for each read: one that takes longer than d
// fails with os.ErrDeadlineExceeded, so that a drive whose attributes hang
// (those of the link are read from the drive) cannot hold up the others. The
// read itself cannot be called back; it goes on and its result is dropped.
func Limit(fsys fs.FS, d time.Duration) fs.FS { return &limiter{fsys, d} }

type limiter struct {
	fsys fs.FS
	d    time.Duration
}

// within returns what f returns, or a time-out after d.
func within[T any](d time.Duration, op, name string, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.v, r.err
	case <-timer.C:
		var none T
		return none, &fs.PathError{Op: op, Path: name, Err: os.ErrDeadlineExceeded}
	}
}

// whole calls f with a tree that is read as it stands. Where reads have a limit
// all of f has it together, at the cost of one; only if that is exceeded, f is
// called again with a limit for each read, to learn what can be had.
func whole[T any](fsys fs.FS, f func(fs.FS) (T, error)) (T, error) {
	l, ok := fsys.(*limiter)
	if !ok {
		return f(fsys)
	}
	v, err := within(l.d, "read", ".", func() (T, error) { return f(l.fsys) })
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return f(fsys)
	}
	return v, err
}

// Open implements fs.FS. Reads of the open file have no limit.
func (l *limiter) Open(name string) (fs.File, error) {
	return within(l.d, "open", name, func() (fs.File, error) { return l.fsys.Open(name) })
}

// ReadFile implements fs.ReadFileFS.
func (l *limiter) ReadFile(name string) ([]byte, error) {
	return within(l.d, "read", name, func() ([]byte, error) { return fs.ReadFile(l.fsys, name) })
}

// ReadDir implements fs.ReadDirFS.
func (l *limiter) ReadDir(name string) ([]fs.DirEntry, error) {
	return within(l.d, "readdir", name, func() ([]fs.DirEntry, error) { return fs.ReadDir(l.fsys, name) })
}

// ReadLink implements fs.ReadLinkFS.
func (l *limiter) ReadLink(name string) (string, error) {
	return within(l.d, "readlink", name, func() (string, error) { return fs.ReadLink(l.fsys, name) })
}

// Lstat implements fs.ReadLinkFS.
func (l *limiter) Lstat(name string) (fs.FileInfo, error) {
	return within(l.d, "lstat", name, func() (fs.FileInfo, error) { return fs.Lstat(l.fsys, name) })
}
