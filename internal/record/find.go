package record

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// minPrefix is the least length of an identifier that is not whole.
const minPrefix = 4

// Find returns the records that words stand for, in the order of the words and
// without repeating any. What a word is, in this order:
//
//   - a file that exists, if it has a slash in it or ends in .json or .jsonl,
//     see ReadFile;
//   - the identifier of a record;
//   - a label: all its records, the oldest first. It has to belong to one
//     drive, unless q.Drive says of which;
//   - the beginning of an identifier, of at least 4 letters, that only one has;
//   - a file in the current directory;
//   - several of these, with commas between.
//
// Files are taken as they are. Of the others only those that q chooses count.
// Errors are a *NotFoundError, an *AmbiguousError or those of files.
func (s *Store) Find(q Query, words ...string) ([]*Record, error) {
	f := &finder{store: s, query: q}
	var all []*Record
	for _, word := range words {
		found, err := f.find(word)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return distinct(all), nil
}

// distinct leaves out records that were there before.
func distinct(list []*Record) []*Record {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(r *Record) bool {
		again := r.ID != "" && seen[r.ID]
		seen[r.ID] = true
		return again
	})
}

// finder looks words up. It reads the store once, and not at all for files.
type finder struct {
	store  *Store
	query  Query
	loaded bool
	// headers are the records that count, faults why others may be missing.
	headers []*Record
	faults  []error
}

func (f *finder) find(word string) ([]*Record, error) {
	_, noFile := os.Stat(word)
	if looksLikeFile(word) && noFile == nil {
		return ReadFile(word)
	}
	found, err := f.inStore(word)
	switch {
	case err != nil || len(found) > 0:
		return found, err
	case noFile == nil:
		return ReadFile(word)
	case strings.Contains(word, ","):
		return f.several(word)
	case looksLikeFile(word):
		return nil, noFile
	}
	return nil, f.missing(word)
}

// looksLikeFile judges a word by its form.
func looksLikeFile(word string) bool {
	return strings.Contains(word, "/") || strings.HasSuffix(word, ".json") || strings.HasSuffix(word, ".jsonl")
}

// several finds each part of a list. Parts with nothing in them do not count.
func (f *finder) several(list string) ([]*Record, error) {
	var all []*Record
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		found, err := f.find(part)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, f.missing(list)
	}
	return all, nil
}

// inStore finds an identifier, a label or the beginning of an identifier; nil
// without an error if it is none of them.
func (f *finder) inStore(word string) ([]*Record, error) {
	if word == "" {
		return nil, nil
	}
	if err := f.load(); err != nil {
		return nil, err
	}
	if found := f.which(func(r *Record) bool { return r.ID == word }); len(found) > 0 {
		return f.bodies(found[:1])
	}
	if found := f.which(func(r *Record) bool { return r.Label == word }); len(found) > 0 {
		if err := oneDrive(word, found); err != nil {
			return nil, err
		}
		return f.bodies(found)
	}
	if len(word) < minPrefix {
		return nil, nil
	}
	found := f.which(func(r *Record) bool { return strings.HasPrefix(r.ID, word) })
	if len(found) > 1 {
		return nil, &AmbiguousError{Word: word, What: "record", Candidates: ids(found)}
	}
	return f.bodies(found)
}

// load reads the store. A word for several drives is an error.
func (f *finder) load() error {
	if f.loaded {
		return nil
	}
	f.headers, f.faults = f.store.Headers(f.query)
	f.loaded = true
	for _, err := range f.faults {
		if errors.Is(err, ErrAmbiguous) {
			return err
		}
	}
	return nil
}

func (f *finder) which(good func(*Record) bool) []*Record {
	return slices.DeleteFunc(slices.Clone(f.headers), func(r *Record) bool { return !good(r) })
}

// bodies reads records again, whole.
func (f *finder) bodies(headers []*Record) ([]*Record, error) {
	var list []*Record
	for _, h := range headers {
		r, err := f.store.read(h.Subject.Key(), h.ID)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// oneDrive is an error if records are of several drives.
func oneDrive(label string, found []*Record) error {
	drives := map[string]bool{}
	var subjects []Subject
	for _, r := range found {
		if key := r.Subject.Key(); !drives[key] {
			drives[key] = true
			subjects = append(subjects, r.Subject)
		}
	}
	if len(subjects) == 1 {
		return nil
	}
	return &AmbiguousError{Word: label, What: "label", Candidates: names(subjects)}
}

func ids(list []*Record) []string {
	var all []string
	for _, r := range list {
		all = append(all, r.ID)
	}
	return all
}

// shownNewest is how many records a NotFoundError names.
const shownNewest = 3

// missing says what there is instead of a word.
func (f *finder) missing(word string) error {
	if err := f.load(); err != nil {
		return err
	}
	e := &NotFoundError{Word: word, Unreadable: len(unreadable(slices.Clone(f.faults)))}
	for _, r := range f.headers {
		if label := printable(r.Label); label != "" && !slices.Contains(e.Labels, label) {
			e.Labels = append(e.Labels, label)
		}
	}
	slices.Sort(e.Labels)
	e.Near = nearest(word, e.Labels)
	newest := slices.Clone(f.headers[max(0, len(f.headers)-shownNewest):])
	slices.Reverse(newest)
	e.Newest = ids(newest)
	return e
}
