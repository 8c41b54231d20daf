package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/state"
)

// lockName is the file whose lock those hold who create or take over a job.
const lockName = ".lock"

// reserveBytes is set aside on the disk for each job, so that a disk that
// others fill up meanwhile does not keep the answer of the drive out of the
// journal.
const reserveBytes = 256 << 10

// Create begins a job for the drive with a serial and holds it: until Close or
// the end of the process it is live. Kind is a word such as "erase", header is
// anything that encodes as JSON, nil for nothing. When Create returns, the
// journal with its header is on stable storage; there is no entry yet.
//
// The error is a *LiveError if a process works on that serial. ErrBusy,
// ErrNoSerial, ErrNoSpace and ErrTooLarge are the others that are not of the
// operating system. What an unfinished job left behind does not matter.
func (s *Store) Create(kind, serial string, header any, now time.Time) (*Job, error) {
	if strings.TrimSpace(serial) == "" {
		return nil, ErrNoSerial
	}
	data, err := rawData(header)
	if err != nil {
		return nil, fmt.Errorf("header of the journal: %w", err)
	}
	if err := state.Make(s.dir); err != nil {
		return nil, err
	}
	alone, err := s.alone()
	if err != nil {
		return nil, err
	}
	defer alone.Close()
	if err := s.checkFree(serial, ""); err != nil {
		return nil, err
	}
	s.sweep()
	return s.begin(kind, serial, data, now)
}

// alone waits until no other creates or takes over a job in this store.
func (s *Store) alone() (io.Closer, error) {
	for end := time.Now().Add(s.patience); ; time.Sleep(s.pause) {
		l, err := state.Lock(filepath.Join(s.dir, lockName))
		if !errors.Is(err, state.ErrLocked) {
			return l, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%s: %w", s.dir, ErrBusy)
		}
	}
}

// checkFree returns a *LiveError if any job but one is live for a serial.
func (s *Store) checkFree(serial, but string) error {
	ids, err := s.ids()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if id == but {
			continue
		}
		if err := s.checkJob(id, serial); err != nil {
			return err
		}
	}
	return nil
}

// checkJob returns a *LiveError if a job is live for a serial. A live job
// whose header cannot be read is judged by its identifier.
func (s *Store) checkJob(id, serial string) error {
	f, err := s.open(id, os.O_RDONLY)
	if err != nil {
		return s.ignore(id, serial, err)
	}
	defer f.Close()
	if live, err := state.Locked(f); !live {
		return err
	}
	return s.liveError(f, id, serial)
}

// ignore drops the error of a journal that cannot be opened, unless it may be
// of this serial.
func (s *Store) ignore(id, serial string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || !ofSerial(id, serial) {
		return nil
	}
	return err
}

// liveError describes a live job, nil if it is one of another serial.
func (s *Store) liveError(f *os.File, id, serial string) error {
	rec, _, err := s.record(f, id)
	switch {
	case err == nil && rec.Serial == serial:
		return &LiveError{ID: id, Serial: rec.Serial, PID: rec.PID}
	case err != nil && ofSerial(id, serial):
		return &LiveError{ID: id}
	}
	return nil
}

// ofSerial reports whether an identifier may be of a job for a serial.
func ofSerial(id, serial string) bool { return strings.HasSuffix(id, "-"+cleanSerial(serial)) }

// sweep removes files that a crash left behind before they were whole. All
// that is written under such a name is written by those who are alone.
func (s *Store) sweep() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), state.TempPrefix) {
			_ = os.Remove(filepath.Join(s.dir, e.Name())) // the next one tries again
		}
	}
}

// begin writes a journal under a temporary name, locked from its first moment,
// and gives it its name when the header is stable.
func (s *Store) begin(kind, serial string, data []byte, now time.Time) (*Job, error) {
	id := s.freeID(now, serial)
	line, err := marshal(header{
		Schema: Schema, ID: id, Kind: kind, Serial: serial, Time: now.UTC(),
		PID: os.Getpid(), Boot: s.Boot(), Data: data,
	})
	if err != nil {
		return nil, fmt.Errorf("header of the journal: %w", err)
	}
	temp := filepath.Join(s.dir, state.TempPrefix+id)
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, noSpace(err)
	}
	j := &Job{ID: id, Kind: kind, Serial: serial, store: s, file: f, out: s.ops.output(f)}
	if err := j.publish(temp, line); err != nil {
		_ = os.Remove(temp)
		_ = os.Remove(s.path(id))
		return nil, errors.Join(fmt.Errorf("create journal %s: %w", s.path(id), err), j.Close())
	}
	return j, nil
}

// publish makes a file with a temporary name the journal of a job.
func (j *Job) publish(temp string, line []byte) error {
	if err := state.LockFile(j.file); err != nil {
		return err
	}
	if err := reserve(j.file); err != nil {
		return noSpace(err)
	}
	j.reserved = true
	if err := j.write(line); err != nil {
		return err
	}
	if err := j.store.ops.rename(temp, j.store.path(j.ID)); err != nil {
		return noSpace(err)
	}
	return noSpace(j.store.ops.syncDir(j.store.dir))
}

// freeID returns an identifier that no job has, later by milliseconds if
// others were created at the same time.
func (s *Store) freeID(now time.Time, serial string) string {
	for ; ; now = now.Add(time.Millisecond) {
		id := newID(now, serial)
		if _, err := os.Lstat(s.path(id)); err != nil {
			return id
		}
	}
}

// reserve sets space aside behind the end of a file, where the file system can
// do that.
func reserve(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = conn.Control(func(fd uintptr) {
		result = unix.Fallocate(int(fd), unix.FALLOC_FL_KEEP_SIZE, 0, reserveBytes)
	})
	if errors.Is(result, unix.ENOSPC) || errors.Is(result, unix.EDQUOT) {
		return &fs.PathError{Op: "reserve", Path: f.Name(), Err: result}
	}
	return err
}

// noSpace makes a full disk match ErrNoSpace.
func noSpace(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}
