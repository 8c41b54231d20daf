package record

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// OverviewSchema is the name and version of the JSON object of an Overview.
const OverviewSchema = "qd1.subjects/1"

// Overview is what there are records of.
type Overview struct {
	Schema string    `json:"schema"`
	Tool   Tool      `json:"tool"`
	Time   time.Time `json:"time"`
	// Directory is where the records are, whether it exists or not.
	Directory string `json:"directory"`
	// Subjects are sorted by the time of the newest record, the newest last.
	Subjects   []Kept       `json:"subjects"`
	Unreadable []Unreadable `json:"unreadable"`
}

// Kept is a subject with the number and times of its records.
type Kept struct {
	Key     string  `json:"key"`
	Subject Subject `json:"subject"`
	Records int     `json:"records"`
	// Kinds has the number of each kind.
	Kinds map[string]int `json:"kinds"`
	First time.Time      `json:"first"`
	Last  time.Time      `json:"last"`
}

// Overview counts the records of each subject that a query chooses.
func (s *Store) Overview(q Query) *Overview {
	headers, faults := s.Headers(q)
	o := &Overview{Schema: OverviewSchema, Directory: s.dir, Subjects: []Kept{}, Unreadable: append([]Unreadable{}, unreadables(faults)...)}
	at := map[string]int{}
	for _, r := range headers {
		key := r.Subject.Key()
		i, ok := at[key]
		if !ok {
			i, at[key] = len(o.Subjects), len(o.Subjects)
			o.Subjects = append(o.Subjects, Kept{Key: key, Kinds: map[string]int{}, First: r.Time})
		}
		k := &o.Subjects[i]
		k.Subject, k.Last = r.Subject, r.Time
		k.Records++
		k.Kinds[r.Kind]++
	}
	slices.SortStableFunc(o.Subjects, func(a, b Kept) int { return a.Last.Compare(b.Last) })
	return o
}

// Lookup returns the subject that a word names as in [Query].Drive. The error
// matches ErrNotFound or ErrAmbiguous, or is that of the directory.
func (s *Store) Lookup(word string) (Subject, error) {
	if word == "" {
		return Subject{}, fmt.Errorf("%q: %w", word, ErrNotFound)
	}
	keys, faults := s.keys(word)
	if len(keys) == 0 {
		if faults = unreadable(faults); len(faults) > 0 { // Ambiguous, or the directory cannot be read.
			return Subject{}, faults[0]
		}
		return Subject{}, s.unknown(word)
	}
	subject, err := s.subject(keys[0])
	switch serial := (Subject{Serial: word}); {
	case err == nil && subject.empty():
		return Subject{}, s.unknown(word)
	case err != nil && serial.Key() == keys[0]: // None can be read, but they are of this drive.
		return serial, nil
	}
	return subject, err
}

// unknown says that there are no records of a drive, and what may have been
// meant.
func (s *Store) unknown(word string) error {
	subjects, _ := s.Subjects()
	var names []string
	for _, x := range subjects {
		names = append(names, x.serial())
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	text := fmt.Sprintf("there are no records of %s", printable(word))
	if near := nearest(word, names); near != "" {
		text += fmt.Sprintf("; did you mean %s?", printable(near))
	}
	return &unknownError{text}
}

// unknownError is a drive without records.
type unknownError struct{ text string }

func (e *unknownError) Error() string { return e.text }
func (e *unknownError) Unwrap() error { return ErrNotFound }

// tail reports whether a word is the last part of a path, or of the path of a
// program with its arguments.
func tail(path, word string) bool { return len(word) >= 2 && strings.HasSuffix(path, "/"+word) }
