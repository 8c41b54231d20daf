package record

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// Prune removes old records and returns them without bodies, the oldest first;
// with dry it only says which. Of those that q chooses, the newest keep of each
// drive stay, and all from the time before on, which may be zero for no such
// limit. ErrUnlimited if neither is given.
//
// What a record that stays refers to stays as well: the identifiers that stand
// in its body, and of an age record all records with its label on its drive.
// Files that cannot be read stay. A record that stays and turns out to be damaged
// when its references are looked for is ErrReferences: nothing is removed then.
func (s *Store) Prune(q Query, keep int, before time.Time, dry bool) ([]*Record, []error) {
	if keep <= 0 && before.IsZero() {
		return nil, []error{ErrUnlimited}
	}
	// Others refer to them, whatever q says of those.
	all, faults := s.Headers(Query{Drive: q.Drive})
	doomed := doomed(all, q, keep, before)
	if err := s.spare(all, doomed); err != nil {
		return nil, append(faults, err)
	}
	var gone []*Record
	for _, r := range all {
		if !doomed[r.ID] {
			continue
		}
		if !dry {
			if err := s.remove(r); err != nil {
				faults = append(faults, err)
				continue
			}
		}
		gone = append(gone, r)
	}
	return gone, faults
}

// doomed returns the identifiers of those that are chosen, beyond the newest
// of each drive, and old enough. The list is sorted by time.
func doomed(all []*Record, q Query, keep int, before time.Time) map[string]bool {
	set := map[string]bool{}
	kept := map[string]int{}
	var stay []string
	for _, r := range slices.Backward(all) {
		old := q.matches(r) && (before.IsZero() || r.Time.Before(before))
		if q.matches(r) {
			kept[r.Subject.Key()]++
		}
		if old && kept[r.Subject.Key()] > keep {
			set[r.ID] = true
		} else {
			stay = append(stay, r.ID)
		}
	}
	// Two folders may have the same identifier if files were copied by hand.
	for _, id := range stay {
		delete(set, id)
	}
	return set
}

// spare takes out what those that stay refer to, and what that refers to in
// turn. A record that cannot be read any more may refer to anything.
func (s *Store) spare(all []*Record, doomed map[string]bool) error {
	looked := map[string]bool{}
	for again := true; again; {
		again = false
		for _, r := range all {
			if doomed[r.ID] || looked[r.ID] {
				continue
			}
			looked[r.ID], again = true, true
			if err := s.spareFor(r, all, doomed); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) spareFor(keeper *Record, all []*Record, doomed map[string]bool) error {
	whole, err := s.read(keeper.Subject.Key(), keeper.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrReferences, err)
	}
	named := map[string]bool{}
	idsIn(whole.Body, named)
	for id := range named {
		delete(doomed, id)
	}
	if keeper.Kind != "age" || keeper.Label == "" {
		return nil
	}
	for _, r := range all {
		if r.Label == keeper.Label && r.Subject.Key() == keeper.Subject.Key() {
			delete(doomed, r.ID)
		}
	}
	return nil
}

// remove removes one record. It is no error if it is gone.
func (s *Store) remove(r *Record) error {
	key := r.Subject.Key()
	l, err := s.alone(key)
	if err != nil {
		return fmt.Errorf("remove %s: %w", r.ID, err)
	}
	defer l.Close()
	if err := s.ops.remove(r.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", r.ID, err)
	}
	return s.ops.syncDir(s.folder(key))
}
