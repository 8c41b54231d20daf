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

// Store is a directory of journals. Its methods may be called by several
// goroutines and processes at the same time.
type Store struct {
	dir string
	// bootFile is where the kernel has the identifier of this start.
	bootFile string
	// poll is the time between two looks of Follow.
	poll time.Duration
	// patience is how long others may create jobs before ErrBusy, pause the
	// time between two attempts.
	patience, pause time.Duration
	ops             ops
}

// ops is what a store does to the disk, so that tests can let it fail.
type ops struct {
	output  func(*os.File) output
	rename  func(old, new string) error
	syncDir func(dir string) error
}

// output is a journal that is written to.
type output interface {
	Write(b []byte) (int, error)
	Sync() error
	Truncate(size int64) error
}

// Open returns the store in a directory. Nothing is touched yet; the first job
// creates the directory.
func Open(dir string) *Store {
	return &Store{
		dir:      dir,
		bootFile: "/proc/sys/kernel/random/boot_id",
		poll:     200 * time.Millisecond,
		patience: 10 * time.Second,
		pause:    10 * time.Millisecond,
		ops: ops{
			output:  func(f *os.File) output { return f },
			rename:  os.Rename,
			syncDir: state.SyncDir,
		},
	}
}

// Dir returns the directory.
func (s *Store) Dir() string { return s.dir }

// Boot returns the kernel's identifier of the time since the machine was
// started, "" if it is not known.
func (s *Store) Boot() string {
	b, err := os.ReadFile(s.bootFile)
	if err != nil || len(b) > maxNameBytes {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// path returns the file of a job.
func (s *Store) path(id string) string { return filepath.Join(s.dir, id+suffix) }

// List returns all jobs, the newest last. A journal that cannot be read is an
// error that names it, beside the others. A directory that does not exist has
// none. The order is that of the identifiers: it is as good as the clock was.
func (s *Store) List() ([]Record, []error) {
	ids, err := s.ids()
	if err != nil {
		return nil, []error{err}
	}
	var records []Record
	var faults []error
	for _, id := range ids {
		rec, err := s.load(id)
		switch {
		case err == nil:
			records = append(records, *rec)
		case !errors.Is(err, fs.ErrNotExist):
			faults = append(faults, err)
		}
	}
	return records, faults
}

// Unfinished returns the jobs of a serial that have no entry Done and are not
// live: those that a crash broke off, the newest last. Journals that cannot be
// read are not among them; List tells which.
func (s *Store) Unfinished(serial string) []Record {
	all, _ := s.List()
	var list []Record
	for _, rec := range all {
		if rec.Serial == serial && !rec.Live && !rec.Ended() {
			list = append(list, rec)
		}
	}
	return list
}

// ids returns the identifiers of all jobs, the oldest first.
func (s *Store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id := idOf(e.Name()); id != "" {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// load reads the journal of a job.
func (s *Store) load(id string) (*Record, error) {
	f, err := s.open(id, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, _, err := s.record(f, id)
	if err != nil {
		return nil, err
	}
	live, err := state.Locked(f)
	if err != nil {
		return nil, err
	}
	// The last line may have been under way when it was read, and be whole now.
	if rec.Torn && !live {
		if rec, _, err = s.record(f, id); err != nil {
			return nil, err
		}
	}
	rec.Live = live
	rec.Torn = rec.Torn && !live
	return rec, nil
}

// open opens the file of a job. Anything but a regular file is refused.
func (s *Store) open(id string, flag int) (*os.File, error) {
	if err := checkName(id, ""); err != nil {
		return nil, err
	}
	// Without O_NONBLOCK the opening of a pipe would wait for its other end.
	f, err := os.OpenFile(s.path(id), flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: %w: not a regular file", f.Name(), ErrNotJournal)
	case info.Size() > MaxFileBytes:
		err = fmt.Errorf("%s: %w: %d bytes", f.Name(), ErrTooLarge, info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// record reads an open journal from its beginning up to its end of now, and
// returns where its last good line ends.
func (s *Store) record(f *os.File, id string) (*Record, int64, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	rec, good, err := read(io.NewSectionReader(f, 0, info.Size()))
	if err == nil && rec.ID != id {
		err = &ParseError{1, fmt.Errorf("%w: the header is of job %q", ErrNotJournal, rec.ID)}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", f.Name(), err)
	}
	rec.Path = f.Name()
	if boot := s.Boot(); boot != "" && rec.Boot != "" {
		restarted := boot != rec.Boot
		rec.Restarted = &restarted
	}
	return rec, good.at, nil
}
