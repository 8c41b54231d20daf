package journal

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"qd1.example/qd1/internal/state"
)

// Job is a job that this process holds. Its methods may be called by several
// goroutines at the same time.
type Job struct {
	// ID names the job, Serial the drive.
	ID, Kind, Serial string

	store *Store
	mu    sync.Mutex
	file  *os.File
	out   output
	// size is where the last good line ends; excess says that something lies
	// behind it which has to go before the next line.
	size   int64
	excess bool
	// reserved says that space is set aside.
	reserved bool
	// broken is why the file is not written to any more.
	broken error
	closed bool
}

// Append adds an entry; data is anything that encodes as JSON, nil for
// nothing. When it returns nil, the entry is on stable storage. After an error
// that matches ErrNoSpace it can be tried again, and after ErrTooLarge with
// less data; after ErrUnreliable every further Append fails, and whether the
// entry will be read later is not known. ErrClosed is the other error.
func (j *Job) Append(st State, data any) error {
	raw, err := rawData(data)
	if err != nil {
		return fmt.Errorf("entry %s of the journal: %w", st, err)
	}
	if st == "" {
		return errors.New("an entry of the journal needs a state")
	}
	line, err := marshal(Entry{
		Time: time.Now().UTC(), State: st, PID: os.Getpid(), Boot: j.store.Boot(), Data: raw,
	})
	if err != nil {
		return fmt.Errorf("entry %s of the journal: %w", st, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(line); err != nil {
		return fmt.Errorf("entry %s of the journal %s: %w", st, j.ID, err)
	}
	return nil
}

// write writes a line with one call and syncs it.
func (j *Job) write(line []byte) error {
	switch {
	case j.closed:
		return ErrClosed
	case j.broken != nil:
		return j.broken
	case j.size+int64(len(line)) > MaxFileBytes:
		return fmt.Errorf("%w: the journal is full", ErrTooLarge)
	}
	if err := j.cutBack(); err != nil {
		return j.fail(err)
	}
	if _, err := j.out.Write(line); err != nil {
		j.excess = true
		if err := noSpace(err); errors.Is(err, ErrNoSpace) {
			_ = j.cutBack() // the next one tries again
			return err
		}
		return j.fail(err)
	}
	// A sync that failed must not be repeated: the kernel may have dropped what
	// it could not write, and would report success.
	if err := j.out.Sync(); err != nil {
		return j.fail(err)
	}
	j.size += int64(len(line))
	return nil
}

// cutBack removes what lies behind the last good line.
func (j *Job) cutBack() error {
	if !j.excess {
		return nil
	}
	err := j.out.Truncate(j.size)
	j.excess = err != nil
	return err
}

// fail keeps a cause for all that comes.
func (j *Job) fail(err error) error {
	j.broken = fmt.Errorf("%w: %w", ErrUnreliable, err)
	return j.broken
}

// Close gives the job back: it is no longer live. A second call does nothing.
func (j *Job) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if j.reserved && !j.excess && j.broken == nil {
		_ = j.out.Truncate(j.size) // gives back what was set aside
	}
	return errors.Join(state.UnlockFile(j.file), j.file.Close())
}

// Resume takes over a job that no process holds, and returns it with what its
// journal tells, as it was found. A line that is cut goes when the first entry
// is appended, not before. The error is a *LiveError if a process works on the
// job or on another one for its serial, and matches fs.ErrNotExist if there is
// no such job. A job that has ended can be taken over too.
func (s *Store) Resume(id string) (*Job, *Record, error) {
	f, err := s.open(id, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, nil, err
	}
	alone, err := s.alone()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	defer alone.Close()
	rec, size, err := s.take(f, id)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	j := &Job{
		ID: id, Kind: rec.Kind, Serial: rec.Serial,
		store: s, file: f, out: s.ops.output(f), size: size, excess: rec.Torn,
	}
	j.reserved = reserve(f) == nil
	return j, rec, nil
}

// attempts is how often the lock of a job is tried, since those who only look
// at it hold it for a moment.
const attempts = 20

// take locks an open journal and reads it. If it fails, the lock is free when
// the file is closed.
func (s *Store) take(f *os.File, id string) (*Record, int64, error) {
	err := state.LockFile(f)
	for n := 1; n < attempts && errors.Is(err, state.ErrLocked); n++ {
		time.Sleep(s.pause)
		err = state.LockFile(f)
	}
	if errors.Is(err, state.ErrLocked) {
		return nil, 0, s.held(f, id)
	}
	if err != nil {
		return nil, 0, err
	}
	rec, size, err := s.record(f, id)
	if err == nil {
		err = s.checkFree(rec.Serial, id)
	}
	if err != nil {
		return nil, 0, errors.Join(err, state.UnlockFile(f))
	}
	return rec, size, nil
}

// held describes the job that another process holds.
func (s *Store) held(f *os.File, id string) error {
	rec, _, err := s.record(f, id)
	if err != nil {
		return &LiveError{ID: id}
	}
	return &LiveError{ID: id, Serial: rec.Serial, PID: rec.PID}
}
