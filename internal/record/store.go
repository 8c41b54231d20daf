package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"qd1.example/qd1/internal/state"
)

// suffix ends the name of the file of each record.
const suffix = ".json"

// lockName is the file whose lock those hold who write in a folder.
const lockName = ".lock"

// Store is a directory of records. Its methods may be called by several
// goroutines and processes at the same time.
type Store struct {
	dir string
	// patience is how long others may write before ErrBusy, pause the time
	// between two attempts.
	patience, pause time.Duration
	newID           func(time.Time) string
	ops             ops
}

// ops is what a store does to the disk, so that tests can let it fail.
type ops struct {
	makeDir func(dir string) error
	lock    func(path string) (io.Closer, error)
	write   func(path string, data []byte, mode fs.FileMode) error
	remove  func(path string) error
	syncDir func(dir string) error
}

// Open returns the store in a directory. Nothing is touched yet; the first
// Save creates the directory.
func Open(dir string) *Store {
	return &Store{
		dir:      dir,
		patience: 30 * time.Second,
		pause:    5 * time.Millisecond,
		newID:    NewID,
		ops:      ops{state.Make, state.Lock, state.WriteFile, os.Remove, state.SyncDir},
	}
}

// Dir returns the directory.
func (s *Store) Dir() string { return s.dir }

// Save keeps a record and returns its file. When it returns nil, the record is
// on stable storage. Schema, Time and ID are set if they are not; Time becomes
// UTC. Nothing that exists is changed: ErrExists if another record has the
// identifier. To save the same record again does nothing, so Save can be
// repeated after an error.
//
// The error matches syscall.ENOSPC for a full disk, fs.ErrPermission,
// syscall.EROFS, state.ErrUnsafe, ErrBusy, ErrNoSubject or ErrTooLarge.
func (s *Store) Save(r *Record) (path string, err error) {
	for given := r.ID != ""; ; r.ID = "" {
		s.complete(r)
		path, err = s.save(r)
		if given || !errors.Is(err, ErrExists) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("the record was not kept: %w", err)
	}
	r.File = path
	return path, nil
}

// complete sets what the caller left out.
func (s *Store) complete(r *Record) {
	if r.Schema == "" {
		r.Schema = Schema
	}
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	r.Time = r.Time.UTC()
	if r.ID == "" {
		r.ID = s.newID(r.Time)
	}
}

func (s *Store) save(r *Record) (string, error) {
	data, err := encode(r)
	if err != nil {
		return "", err
	}
	path, _, err := s.put(r, data)
	return path, err
}

// put writes the file of a record, unless it is there.
func (s *Store) put(r *Record, data []byte) (path string, added bool, err error) {
	if len(data) > MaxBytes {
		return "", false, fmt.Errorf("the record: %w: %d bytes", ErrTooLarge, len(data))
	}
	key := r.Subject.Key()
	if err := s.ops.makeDir(s.folder(key)); err != nil {
		return "", false, err
	}
	unlock, err := s.alone(key)
	if err != nil {
		return "", false, err
	}
	defer unlock.Close()
	path = s.path(key, r.ID)
	old, err := readFile(path, MaxBytes)
	switch {
	case err == nil && bytes.Equal(oneLine(old), data):
		return path, false, s.ops.syncDir(s.folder(key))
	case err == nil:
		return "", false, fmt.Errorf("%s: %w", r.ID, ErrExists)
	case !errors.Is(err, fs.ErrNotExist):
		return "", false, err
	}
	if err := s.ops.write(path, data, 0o600); err != nil {
		return "", false, err
	}
	return path, true, nil
}

// alone waits until no other writes in the folder of a subject, and removes
// what a crash left there before it was whole. All that is written under such
// a name is written by those who are alone.
func (s *Store) alone(key string) (io.Closer, error) {
	dir := s.folder(key)
	for end := time.Now().Add(s.patience); ; time.Sleep(s.pause) {
		l, err := s.ops.lock(filepath.Join(dir, lockName))
		if err == nil {
			s.sweep(dir)
			return l, nil
		}
		if !errors.Is(err, state.ErrLocked) {
			return nil, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%s: %w", dir, ErrBusy)
		}
	}
}

// sweep removes files that never became whole.
func (s *Store) sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the write that follows tells
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), state.TempPrefix) {
			_ = s.ops.remove(filepath.Join(dir, e.Name())) // the next one tries again
		}
	}
}

// folder returns the folder of a subject.
func (s *Store) folder(key string) string { return filepath.Join(s.dir, key) }

// path returns the file of a record.
func (s *Store) path(key, id string) string { return filepath.Join(s.folder(key), id+suffix) }
