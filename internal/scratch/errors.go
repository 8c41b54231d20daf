package scratch

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

// What the errors of this package wrap, besides errors of the system.
var (
	// ErrMemory: the filesystem is in memory, so no drive would be measured.
	ErrMemory = errors.New("the filesystem is in memory")
	// ErrReadOnly: the filesystem cannot be written to.
	ErrReadOnly = errors.New("the filesystem is read-only")
	// ErrSpace: the filesystem, or the quota of the user, has too little room.
	ErrSpace = errors.New("too little space")
	// ErrNotDirect: the page cache cannot be left out.
	ErrNotDirect = errors.New("no direct I/O")
)

// accessError says why a directory cannot be used.
func accessError(dir string, f Filesystem, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &bench.Error{Cause: dir + " does not exist", Hint: "name a directory on the drive that is to be measured", Err: err}
	case errors.Is(err, unix.EROFS):
		return &bench.Error{
			Cause: fmt.Sprintf("%s cannot be written to: the %s filesystem is mounted read-only", dir, f.Type),
			Hint:  "mount it for writing, or measure a file that exists, which is only read",
			Err:   fmt.Errorf("%w: %w", ErrReadOnly, err),
		}
	case errors.Is(err, fs.ErrPermission):
		return &bench.Error{Cause: dir + " may not be written to by this user", Hint: "name a directory of your own, or run as root", Err: err}
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// writeError says why writing ended after done of bytes.
func writeError(p *place, done, bytes int64, err error) error {
	how := fmt.Sprintf("%s of %s were written", size(done), size(bytes))
	switch {
	case errors.Is(err, unix.ENOSPC):
		return &bench.Error{
			Cause: fmt.Sprintf("the %s filesystem of %s is full: %s", p.filesystem.Type, p.dir, how),
			Hint:  "make room or use a smaller size; what was written has been removed",
			Err:   fmt.Errorf("%w: %w", ErrSpace, err),
		}
	case errors.Is(err, unix.EDQUOT):
		return &bench.Error{
			Cause: fmt.Sprintf("the quota on %s is used up: %s", p.dir, how),
			Hint:  "use a smaller size; what was written has been removed",
			Err:   fmt.Errorf("%w: %w", ErrSpace, err),
		}
	case errors.Is(err, unix.EINVAL) && done == 0:
		return notDirect(p.dir, p.filesystem, err)
	case errors.Is(err, unix.EROFS):
		return accessError(p.dir, p.filesystem, err)
	}
	return fmt.Errorf("%s: %s: %w", p.dir, how, err)
}

// notDirect says that a filesystem refuses direct I/O.
func notDirect(path string, f Filesystem, err error) error {
	return &bench.Error{
		Cause: fmt.Sprintf("%s lies on %s, which refuses direct I/O: the page cache would be measured", path, f.Type),
		Hint:  "use a file or directory on another filesystem, or the block device itself",
		Err:   fmt.Errorf("%w: %w", ErrNotDirect, err),
	}
}

// size writes a number of bytes in the largest binary unit that it reaches.
func size(n int64) string {
	unit, name := int64(1), "bytes"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n < unit<<10 {
			break
		}
		unit, name = unit<<10, next
	}
	if n%unit == 0 {
		return fmt.Sprintf("%d %s", n/unit, name)
	}
	return fmt.Sprintf("%.1f %s", float64(n)/float64(unit), name)
}
