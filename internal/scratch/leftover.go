package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Leftover is a file or directory that a run made and could not remove, because
// it was killed.
type Leftover struct {
	Path string `json:"path"`
	// Bytes of the file, or of all files in the directory.
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	// Directory: it is one of the copy workload.
	Directory bool `json:"directory,omitempty"`
}

// ErrInUse is wrapped by the error of [Leftover.Remove] if a run has the file.
var ErrInUse = errors.New("in use")

// Leftovers lists what earlier runs of this user left in dir and no run uses. On
// filesystems without locks it finds nothing.
func Leftovers(dir string) ([]Leftover, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for leftovers: %w", err)
	}
	var found []Leftover
	for _, e := range entries {
		if !ours(e.Name()) {
			continue
		}
		l := Leftover{Path: filepath.Join(dir, e.Name())}
		if l.examine(func() error { return nil }) == nil {
			found = append(found, l)
		}
	}
	return found, nil
}

// Remove removes l if nobody has begun to use it. A leftover that is gone is no
// error.
func (l Leftover) Remove() error {
	err := l.examine(func() error { return os.RemoveAll(l.Path) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// examine takes the lock of l, fills in what it is, and does f under the lock.
func (l *Leftover) examine(f func() error) error {
	file, err := l.open()
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := lock(file); err != nil {
		return fmt.Errorf("%s: %w: %w", l.Path, ErrInUse, err)
	}
	l.Bytes, l.Modified, l.Directory = info.Size(), info.ModTime(), info.IsDir()
	if l.Directory {
		l.Bytes = treeBytes(l.Path)
	}
	return f()
}

// open opens a regular file or a directory of this user, and nothing by a link.
func (l *Leftover) open() (*os.File, error) {
	info, err := os.Lstat(l.Path)
	if err != nil {
		return nil, err
	}
	if !l.made(info) {
		return nil, fmt.Errorf("%s was not made by a run of this user", l.Path)
	}
	flags := os.O_RDWR // A lock over NFS needs it.
	if info.IsDir() {
		flags = os.O_RDONLY | unix.O_DIRECTORY
	}
	return os.OpenFile(l.Path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// made reports whether a file of this name can only be ours.
func (l *Leftover) made(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	own := ok && int(st.Uid) == os.Geteuid()
	return own && ours(filepath.Base(l.Path)) && (info.Mode().IsRegular() && st.Nlink == 1 || info.IsDir())
}

// treeBytes adds up the files below a directory, as far as they can be seen.
func treeBytes(dir string) int64 {
	var sum int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
