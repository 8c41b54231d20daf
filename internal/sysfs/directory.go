package sysfs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Directory returns the tree in a directory of the host, such as /sys. It is as
// [os.DirFS], but reads an attribute by three system calls: a report reads
// hundreds of them.
func Directory(root string) fs.FS { return directory{os.DirFS(root), root} }

type directory struct {
	fs.FS
	root string
}

// attributeBytes is what the kernel writes of an attribute at most, but for
// binary ones.
const attributeBytes = 4096

// ReadFile implements fs.ReadFileFS.
func (d directory) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	fd, err := retried(func() (int, error) {
		return unix.Open(filepath.Join(d.root, name), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var b [attributeBytes]byte // Not on the heap: most attributes are short.
	n, err := retried(func() (int, error) { return unix.Read(fd, b[:]) })
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	case n == len(b):
		return fs.ReadFile(d.FS, name) // It may be longer.
	}
	return bytes.Clone(b[:n]), nil
}

// ReadDir implements fs.ReadDirFS.
func (d directory) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.FS, name) }

// ReadLink implements fs.ReadLinkFS.
func (d directory) ReadLink(name string) (string, error) { return fs.ReadLink(d.FS, name) }

// Lstat implements fs.ReadLinkFS.
func (d directory) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(d.FS, name) }

// retried calls f again when a signal came in between.
func retried(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
