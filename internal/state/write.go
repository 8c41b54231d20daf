package state

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TempPrefix begins the names of files that are not whole yet. A crash may
// leave one behind; the owner of a directory may remove them while nobody
// writes there.
const TempPrefix = ".qd1-"

// WriteFile writes a file so that at any moment, a crash and a power failure
// included, its name stands for the whole old content or the whole new one,
// and after it returned nil for the new one. It has exactly the mode given. An
// error leaves the old file; only if the directory could not be synced in the
// end may it already be the new one. A full disk matches syscall.ENOSPC. A
// symbolic link is replaced, not followed.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	return writeFile(disk{}, path, data, mode)
}

// fileOps is what writeFile does to the disk, one method a step.
type fileOps interface {
	create(path string) (tempFile, error)
	rename(old, new string) error
	remove(path string) error
	syncDir(dir string) error
}

// tempFile is a file under its temporary name.
type tempFile interface {
	Write(b []byte) (int, error)
	Chmod(mode fs.FileMode) error
	Sync() error
	Close() error
}

func writeFile(ops fileOps, path string, data []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	temp := filepath.Join(dir, TempPrefix+rand.Text())
	if err := fill(ops, temp, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := ops.rename(temp, path); err != nil {
		_ = ops.remove(temp)
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := ops.syncDir(dir); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// fill creates the temporary file and makes its content stable. An error
// leaves no file.
func fill(ops fileOps, temp string, data []byte, mode fs.FileMode) error {
	f, err := ops.create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = ops.remove(temp)
	}
	return err
}

// disk is the real one.
type disk struct{}

func (disk) create(path string) (tempFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (disk) rename(old, new string) error { return os.Rename(old, new) }
func (disk) remove(path string) error     { return os.Remove(path) }
func (disk) syncDir(dir string) error     { return SyncDir(dir) }
