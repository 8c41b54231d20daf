package record

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of this package.
var (
	// ErrNotRecord is a file or an object that is no record.
	ErrNotRecord = errors.New("not a record of qd1")
	// ErrDamaged is a record that is cut off or does not hold together.
	ErrDamaged = errors.New("damaged record")
	// ErrVersion is a record of another version of the format.
	ErrVersion = errors.New("made by another version of qd1")
	// ErrTooLarge is a record beyond MaxBytes.
	ErrTooLarge = errors.New("too large")
	// ErrExists is an identifier that another record has.
	ErrExists = errors.New("another record has this identifier")
	// ErrBusy is a folder in which others wrote all the time.
	ErrBusy = errors.New("the records are busy")
	// ErrNoSubject is a record that names neither a serial nor a path.
	ErrNoSubject = errors.New("a record needs the serial of its drive, or a path")
	// ErrNotFound is a word that stands for no record. It comes as a
	// [*NotFoundError] where what exists is known.
	ErrNotFound = errors.New("no such record")
	// ErrAmbiguous is a word that stands for more than one. It comes as an
	// [*AmbiguousError].
	ErrAmbiguous = errors.New("ambiguous")
	// ErrReferences is a record that stays and cannot be read, so that what it
	// refers to is not known.
	ErrReferences = errors.New("what this record refers to is not known")
	// ErrUnlimited is a Prune that would leave nothing.
	ErrUnlimited = errors.New("neither a number to keep nor a time is given")
)

// NotFoundError says what there is instead.
type NotFoundError struct {
	// Word is what was looked for.
	Word string
	// Near is a name that it may have meant, "" if none is near.
	Near string
	// Labels are those that exist, Newest the identifiers of the last records,
	// both of the drive if one was given.
	Labels, Newest []string
	// Unreadable is the number of files that could not be read.
	Unreadable int
}

// Error names the word and what exists.
func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no record, label or file is named %q", e.Word)
	if e.Near != "" {
		fmt.Fprintf(&b, "; did you mean %q?", e.Near)
	}
	switch {
	case len(e.Newest) == 0:
		b.WriteString("; there are no records yet")
	case len(e.Labels) > 0:
		fmt.Fprintf(&b, "; labels: %s", strings.Join(e.Labels, ", "))
	}
	if len(e.Newest) > 0 {
		fmt.Fprintf(&b, "; newest records: %s", strings.Join(e.Newest, ", "))
	}
	if e.Unreadable > 0 {
		fmt.Fprintf(&b, "; files that could not be read: %d", e.Unreadable)
	}
	return b.String()
}

// Unwrap returns ErrNotFound.
func (e *NotFoundError) Unwrap() error { return ErrNotFound }

// AmbiguousError says what a word may stand for.
type AmbiguousError struct {
	// Word is what was looked for, What it was taken for: "label", "record" or
	// "drive".
	Word, What string
	// Candidates are drives (see Subject.String), or identifiers of records.
	Candidates []string
}

// Error names the word and the candidates.
func (e *AmbiguousError) Error() string {
	if e.What == "label" {
		return fmt.Sprintf("the label %q belongs to several drives, choose one of them: %s", e.Word, strings.Join(e.Candidates, ", "))
	}
	return fmt.Sprintf("the %s %q is ambiguous: %s", e.What, e.Word, strings.Join(e.Candidates, ", "))
}

// Unwrap returns ErrAmbiguous.
func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// LineError is a fault in a line of Import.
type LineError struct {
	// Line is its number, from 1.
	Line int
	// Err is the cause.
	Err error
}

// Error names the line and the cause.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }
