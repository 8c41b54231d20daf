package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/state"
)

// MaxKeptBytes is the size of the largest file that a job keeps, 256 MiB.
const MaxKeptBytes = 256 << 20

// Keep puts data on stable storage beside the journal, for the owner alone,
// under a name of letters, digits, dots, "_" and "-". It replaces what was
// there. The errors match ErrBadName, ErrClosed, ErrNoSpace, ErrTooLarge.
func (j *Job) Keep(name string, data []byte) error {
	path, err := j.keptPath(name)
	if err != nil {
		return err
	}
	if len(data) > MaxKeptBytes {
		return fmt.Errorf("keep %s: %w: %d bytes", name, ErrTooLarge, len(data))
	}
	alone, err := j.store.alone()
	if err != nil {
		return err
	}
	defer alone.Close()
	return noSpace(state.WriteFile(path, data, 0o600))
}

// Kept returns what was kept under a name. The error matches fs.ErrNotExist if
// there is nothing, and ErrBadName, ErrClosed or ErrTooLarge.
func (j *Job) Kept(name string) ([]byte, error) {
	path, err := j.keptPath(name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxKeptBytes {
		return nil, fmt.Errorf("%s: %w: %d bytes", path, ErrTooLarge, info.Size())
	}
	return io.ReadAll(io.LimitReader(f, MaxKeptBytes))
}

// Drop overwrites with zeros what was kept under a name and removes it, with
// nothing left to do if there is nothing. Overwriting does not reach what the
// file system or the drive has copied elsewhere. A file that cannot be
// overwritten is removed all the same, with the error.
func (j *Job) Drop(name string) error {
	path, err := j.keptPath(name)
	if err != nil {
		return err
	}
	err = wipe(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := errors.Join(err, os.Remove(path)); err != nil {
		return fmt.Errorf("drop %s: %w", name, err)
	}
	return j.store.ops.syncDir(j.store.dir)
}

// keptPath returns the file for a name, while the job is open.
func (j *Job) keptPath(name string) (string, error) {
	if err := checkName(name, "."); err != nil {
		return "", err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return "", ErrClosed
	}
	return filepath.Join(j.store.dir, j.ID+".keep."+name), nil
}

// wipe overwrites a file with zeros.
func wipe(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	zeros := make([]byte, 64<<10)
	for left := int64(0); err == nil && left < info.Size(); left += int64(len(zeros)) {
		_, err = f.Write(zeros[:min(int64(len(zeros)), info.Size()-left)])
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
