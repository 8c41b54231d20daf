package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Query chooses records. Its zero value chooses all.
type Query struct {
	// Drive is a key (see Subject.Key), a serial or the end of one, or the path
	// of what has no serial or its last part; "" for all. Real drives come before simulated ones of
	// the same serial: those are chosen by key.
	Drive string
	// Kind and Label are exact, "" for all.
	Kind, Label string
	// Since is the earliest time, zero for all.
	Since time.Time
}

// matches looks at all but the drive.
func (q Query) matches(r *Record) bool {
	return (q.Kind == "" || q.Kind == r.Kind) && (q.Label == "" || q.Label == r.Label) && !r.Time.Before(q.Since)
}

// List returns records, the oldest first. What cannot be read is an error that
// names the file, beside the others. A drive or a directory that does not
// exist has none; a word for several drives is an *AmbiguousError.
func (s *Store) List(q Query) ([]*Record, []error) {
	return s.collect(q, s.read)
}

// Headers is List without the bodies, so that thousands need little time and
// memory. It does not see what is damaged inside of a body.
func (s *Store) Headers(q Query) ([]*Record, []error) {
	return s.collect(q, s.readHeader)
}

// reader reads one record of a folder.
type reader func(key, id string) (*Record, error)

func (s *Store) collect(q Query, read reader) ([]*Record, []error) {
	var list []*Record
	faults := s.walk(q, read, func(r *Record) { list = append(list, r) })
	slices.SortStableFunc(list, older)
	return list, faults
}

// older sorts by time, and by identifier those of the same time.
func older(a, b *Record) int {
	if c := a.Time.Compare(b.Time); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// walk reads the records of a query one after the other, in no order of time
// across drives.
func (s *Store) walk(q Query, read reader, each func(*Record)) []error {
	keys, faults := s.keys(q.Drive)
	for _, key := range keys {
		ids, errs := s.ids(key)
		faults = append(faults, errs...)
		for _, id := range ids {
			r, err := read(key, id)
			switch {
			case err == nil && q.matches(r):
				each(r)
			case present(err) != nil:
				faults = append(faults, err)
			}
		}
	}
	return faults
}

// present returns an error unless it is that of a file that was just removed.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Load returns the record with an identifier or the only one whose identifier
// begins so. Errors match ErrNotFound and ErrAmbiguous, or are those of the
// file.
func (s *Store) Load(id string) (*Record, error) {
	keys, faults := s.allKeys()
	type place struct{ key, id string }
	var found []place
	for _, key := range keys {
		ids, errs := s.ids(key)
		faults = append(faults, errs...)
		for _, have := range ids {
			if id != "" && strings.HasPrefix(have, id) {
				found = append(found, place{key, have})
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.Join(append([]error{fmt.Errorf("%q: %w", id, ErrNotFound)}, unreadable(faults)...)...)
	case 1:
		return s.read(found[0].key, found[0].id)
	}
	var ids []string
	for _, f := range found {
		ids = append(ids, f.id)
	}
	slices.Sort(ids)
	return nil, &AmbiguousError{Word: id, What: "record", Candidates: ids}
}

// unreadable returns the errors that may hide records, and not those of files
// that are none.
func unreadable(faults []error) []error {
	return slices.DeleteFunc(faults, func(err error) bool { return errors.Is(err, ErrNotRecord) })
}

// ids returns the identifiers of a subject, the oldest first. Hidden files do
// not count.
func (s *Store) ids(key string) ([]string, []error) {
	dir := s.folder(key)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, []error{err}
	}
	var ids []string
	var faults []error
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case ok && validID(id):
			ids = append(ids, id)
		default:
			faults = append(faults, fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), ErrNotRecord))
		}
	}
	return ids, faults
}

// read reads one record of the store. It must be what its name and its folder
// say.
func (s *Store) read(key, id string) (*Record, error) {
	r, _, err := s.readRaw(key, id)
	return r, err
}

// readRaw is read, with the content of the file.
func (s *Store) readRaw(key, id string) (*Record, []byte, error) {
	path := s.path(key, id)
	data, err := readFile(path, MaxBytes)
	if err != nil {
		return nil, nil, err
	}
	r, err := decode(data)
	if err == nil {
		err = r.belongs(key, id)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	r.File = path
	return r, data, nil
}

// belongs is an error unless a record is what its folder and its name say.
func (r *Record) belongs(key, id string) error {
	if r.ID != id {
		return fmt.Errorf("%w: it is record %s", ErrDamaged, r.ID)
	}
	if r.Subject.Key() != key {
		return fmt.Errorf("%w: it belongs to %s", ErrDamaged, r.Subject.Key())
	}
	return nil
}
