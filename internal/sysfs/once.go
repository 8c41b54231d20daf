package sysfs

import (
	"io/fs"
	"sync"
)

// Once returns fsys for one look at it: what was read or found missing is not
// read again. Select and Read together read much twice.
func Once(fsys fs.FS) fs.FS { return &once{FS: fsys, seen: map[string]any{}} }

type once struct {
	fs.FS
	mu   sync.Mutex
	seen map[string]any // by operation and path
}

type answer[T any] struct {
	value T
	err   error
}

// remember returns what read has answered the first time. Two who ask at the same
// time may both read.
func remember[T any](o *once, op, name string, read func() (T, error)) (T, error) {
	key := op + name
	o.mu.Lock()
	known, ok := o.seen[key].(answer[T])
	o.mu.Unlock()
	if ok {
		return known.value, known.err
	}
	v, err := read()
	o.mu.Lock()
	o.seen[key] = answer[T]{v, err}
	o.mu.Unlock()
	return v, err
}

// ReadFile implements fs.ReadFileFS. What it returns must not be changed.
func (o *once) ReadFile(name string) ([]byte, error) {
	return remember(o, "read ", name, func() ([]byte, error) { return fs.ReadFile(o.FS, name) })
}

// ReadDir implements fs.ReadDirFS.
func (o *once) ReadDir(name string) ([]fs.DirEntry, error) {
	return remember(o, "list ", name, func() ([]fs.DirEntry, error) { return fs.ReadDir(o.FS, name) })
}

// ReadLink implements fs.ReadLinkFS.
func (o *once) ReadLink(name string) (string, error) {
	return remember(o, "link ", name, func() (string, error) { return fs.ReadLink(o.FS, name) })
}

// Lstat implements fs.ReadLinkFS.
func (o *once) Lstat(name string) (fs.FileInfo, error) {
	return remember(o, "stat ", name, func() (fs.FileInfo, error) { return fs.Lstat(o.FS, name) })
}
