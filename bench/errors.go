package bench

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// The reasons for which a run ends early. A result that comes with one of them
// is partial.
var (
	// ErrStalled: no request was completed within the limit. A thread may
	// still wait in the kernel, so the process may be unable to exit.
	ErrStalled = errors.New("the drive does not answer")
	// ErrGone: the device has left the system.
	ErrGone = errors.New("the drive is gone")
	// ErrManyErrors: too many requests in a row failed.
	ErrManyErrors = errors.New("too many errors in a row")
	// ErrInterrupted: the context ended.
	ErrInterrupted = errors.New("interrupted")
	// ErrWorker: the worker process ended, fell silent or sent nonsense.
	ErrWorker = errors.New("the worker failed")
)

// Error is a failure with a next step for the user.
type Error struct {
	Cause string // what failed and why
	Hint  string // what to do about it; may be empty
	Err   error  // for errors.Is; may be nil
}

// Error returns the cause.
func (e *Error) Error() string { return e.Cause }

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

func stalled(age time.Duration) error {
	return &Error{
		Cause: fmt.Sprintf("the drive did not answer for %.1f s", age.Seconds()),
		Hint:  "look at the kernel log for time-outs and resets of this drive",
		Err:   ErrStalled,
	}
}

// errorName returns the symbol of an error number, or the text of any other
// error.
func errorName(err error) string {
	if name, ok := errnoName(err); ok {
		return name
	}
	return err.Error()
}

// errnoName returns the symbol of the error number in err, if there is one. It
// does not allocate.
func errnoName(err error) (string, bool) {
	errno, ok := errors.AsType[unix.Errno](err)
	if !ok {
		return "", false
	}
	name := unix.ErrnoName(errno)
	return name, name != ""
}
