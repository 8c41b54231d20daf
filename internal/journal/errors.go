package journal

import (
	"errors"
	"fmt"
)

// Errors of this package.
var (
	// ErrNotJournal is a file that does not begin with the header of a journal.
	ErrNotJournal = errors.New("not a journal of qd1")
	// ErrVersion is a journal of another version of the format.
	ErrVersion = errors.New("made by another version of qd1")
	// ErrTooLarge is a line or a file beyond the bounds of this package.
	ErrTooLarge = errors.New("too large")
	// ErrLive is a job, or a serial, that a process works on. It comes as a
	// [*LiveError].
	ErrLive = errors.New("a job is under way")
	// ErrBusy is a directory in which others created jobs all the time.
	ErrBusy = errors.New("the journal is busy")
	// ErrNoSerial is a job that names no drive.
	ErrNoSerial = errors.New("a job needs the serial of its drive")
	// ErrBadName is an identifier of a job or a name of a file that is none.
	ErrBadName = errors.New("not a valid name")
	// ErrClosed is the use of a job after its Close.
	ErrClosed = errors.New("the job is closed")
	// ErrNoSpace is a full disk, or a quota. The entry was not written; it can
	// be tried again.
	ErrNoSpace = errors.New("no space for the journal")
	// ErrUnreliable is a file that could not be written or synced: what is on
	// the disk is not known, and nothing is written any more.
	ErrUnreliable = errors.New("the journal is unreliable")
)

// LiveError says which job is under way.
type LiveError struct {
	// ID and Serial are of the job; they are "" where its header could not be
	// read.
	ID, Serial string
	// PID is the process that wrote its last line, 0 if it is not known.
	PID int
}

// Error names job and process.
func (e *LiveError) Error() string {
	return fmt.Sprintf("%v for serial %s: job %s, process %d", ErrLive, e.Serial, e.ID, e.PID)
}

// Unwrap returns ErrLive.
func (e *LiveError) Unwrap() error { return ErrLive }

// ParseError is a fault in a journal.
type ParseError struct {
	// Line is the number of the line, from 1.
	Line int
	// Err is the cause.
	Err error
}

// Error names the line and the cause.
func (e *ParseError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }
