package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Subjects returns what there are records of, each as in its newest record
// that can be read, sorted by key.
func (s *Store) Subjects() ([]Subject, []error) {
	keys, faults := s.allKeys()
	var list []Subject
	for _, key := range keys {
		subject, err := s.subject(key)
		switch {
		case err != nil:
			faults = append(faults, err)
		case !subject.empty():
			list = append(list, subject)
		}
	}
	return list, faults
}

// subject looks at the newest record of a folder, or at one before if that
// cannot be read. It is empty if the folder is, and the error is that of the
// newest if none can be read.
func (s *Store) subject(key string) (Subject, error) {
	ids, _ := s.ids(key) // List tells
	var first error
	for i := len(ids) - 1; i >= 0; i-- {
		r, err := s.readHeader(key, ids[i])
		if err == nil {
			return r.Subject, nil
		}
		if first == nil {
			first = err
		}
	}
	return Subject{}, first
}

// allKeys returns the names of the folders, sorted.
func (s *Store) allKeys() ([]string, []error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{err}
	}
	var keys []string
	var faults []error
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			keys = append(keys, e.Name())
		default:
			faults = append(faults, fmt.Errorf("%s: %w", filepath.Join(s.dir, e.Name()), ErrNotRecord))
		}
	}
	return keys, faults
}

// keys returns the folder of the drive that a word names, none if there is
// none, or all folders for "".
func (s *Store) keys(drive string) ([]string, []error) {
	all, faults := s.allKeys()
	if drive == "" || len(all) == 0 { // Without any it may be that the directory cannot be read.
		return all, faults
	}
	if key := (Subject{Serial: drive}).Key(); slices.Contains(all, key) {
		return []string{key}, nil
	}
	if slices.Contains(all, drive) {
		return []string{drive}, nil
	}
	return s.search(drive, all)
}

// search looks into the records for a drive: what it names exactly, before
// that of which it is the end of the serial; real before simulated.
func (s *Store) search(drive string, keys []string) ([]string, []error) {
	var found [4][]Subject
	for _, key := range keys {
		subject, err := s.subject(key)
		if err != nil {
			continue // its folder may be named by its key
		}
		exact, loose := subject.is(drive)
		switch {
		case exact && !subject.Simulated:
			found[0] = append(found[0], subject)
		case exact:
			found[1] = append(found[1], subject)
		case loose && !subject.Simulated:
			found[2] = append(found[2], subject)
		case loose:
			found[3] = append(found[3], subject)
		}
	}
	for _, f := range found {
		switch {
		case len(f) == 1:
			return []string{f[0].Key()}, nil
		case len(f) > 1:
			return nil, []error{&AmbiguousError{Word: drive, What: "drive", Candidates: names(f)}}
		}
	}
	return nil, nil
}

// names describes subjects with what chooses each: the key, where it is not
// its serial.
func names(subjects []Subject) []string {
	var list []string
	for _, s := range subjects {
		name := s.String()
		if key := s.Key(); key != s.serial() {
			name += " [" + key + "]"
		}
		list = append(list, name)
	}
	return list
}
