package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Errors of this package.
var (
	// ErrNoDir is a user who has no state directory: no home directory is known.
	ErrNoDir = errors.New("no state directory: neither XDG_STATE_HOME nor a home directory is set")
	// ErrUnsafe is a directory whose files others could exchange.
	ErrUnsafe = errors.New("the directory is not safe")
	// ErrLocked is a file that another holds the lock of.
	ErrLocked = errors.New("locked by another process")
)

// Dir returns the directory that results are kept in, whether it exists or
// not: qd1 in XDG_STATE_HOME if that is an absolute path, else /var/lib/qd1
// for root (uid 0), else .local/state/qd1 in the home directory.
//
// Source: XDG Base Directory Specification, version 0.8, Environment variables.
func Dir(getenv func(string) string, uid int, home string) (string, error) {
	if xdg := getenv("XDG_STATE_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "qd1"), nil
	}
	if uid == 0 {
		return "/var/lib/qd1", nil
	}
	if !filepath.IsAbs(home) {
		return "", ErrNoDir
	}
	return filepath.Join(home, ".local", "state", "qd1"), nil
}

// dirMode is the mode of directories that Make creates.
const dirMode fs.FileMode = 0o700

// Make creates a directory and what is missing above it, for the owner alone
// and on stable storage. A directory that is already there must belong to the
// user or to root and must not be writable by everybody: ErrUnsafe otherwise.
func Make(dir string) error {
	if err := makeAll(filepath.Clean(dir)); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	owner := os.Geteuid()
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(s.Uid)
	}
	if why := unsafeDir(info.Mode(), owner, os.Geteuid()); why != "" {
		return fmt.Errorf("%s: %w: %s", dir, ErrUnsafe, why)
	}
	return nil
}

// unsafeDir says why others could exchange the files of a directory, "" if
// only its owner and its group can.
func unsafeDir(mode fs.FileMode, owner, user int) string {
	switch {
	case owner != user && owner != 0:
		return fmt.Sprintf("it belongs to user %d", owner)
	case mode.Perm()&0o002 != 0:
		return "everybody may write to it"
	}
	return ""
}

// makeAll creates a directory and those above it, each one synced into the one
// that holds it. One that exists is left as it is.
func makeAll(dir string) error {
	err := os.Mkdir(dir, dirMode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeAll(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, dirMode)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return SyncDir(filepath.Dir(dir))
}

// SyncDir makes the names in a directory stable: what was created, renamed or
// removed there stays so after a crash. A file system that cannot sync
// directories is left to its own rules.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
