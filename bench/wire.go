package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// maxLine is the longest line of the protocol in bytes. A result with a full
// histogram is about 60 KB.
const maxLine = 1 << 20

// message is one line from the worker. Progress stands alone; a result, an
// error or both are the last line.
type message struct {
	Progress *Progress     `json:"progress,omitempty"`
	Result   *Result       `json:"result,omitempty"`
	Error    *errorMessage `json:"error,omitempty"`
}

// errorMessage carries an error so that errors.Is still works on the other
// side for the errors of this package and for error numbers.
type errorMessage struct {
	Text  string     `json:"text"`
	Hint  string     `json:"hint,omitempty"`
	Kinds []string   `json:"kinds,omitempty"`
	Errno unix.Errno `json:"errno,omitempty"`
}

// errorKinds names the errors that cross the process boundary.
func errorKinds() map[string]error {
	return map[string]error{
		"stalled":     ErrStalled,
		"gone":        ErrGone,
		"many_errors": ErrManyErrors,
		"interrupted": ErrInterrupted,
		"bad_job":     ErrBadJob,
	}
}

// encodeError returns nil for nil.
func encodeError(err error) *errorMessage {
	if err == nil {
		return nil
	}
	m := &errorMessage{Text: err.Error()}
	if e, ok := errors.AsType[*Error](err); ok {
		m.Hint = e.Hint
	}
	m.Errno, _ = errors.AsType[unix.Errno](err)
	for name, kind := range errorKinds() {
		if errors.Is(err, kind) {
			m.Kinds = append(m.Kinds, name)
		}
	}
	return m
}

// decode returns the error that m describes, nil for nil.
func (m *errorMessage) decode() error {
	if m == nil {
		return nil
	}
	var all []error
	known := errorKinds()
	for _, name := range m.Kinds {
		if kind := known[name]; kind != nil {
			all = append(all, kind)
		}
	}
	if m.Errno != 0 {
		all = append(all, m.Errno)
	}
	return &Error{Cause: m.Text, Hint: m.Hint, Err: errors.Join(all...)}
}

// decodeMessage reads one line and checks that it says one thing.
func decodeMessage(line []byte) (message, error) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return message{}, fmt.Errorf("%w: it sent a malformed line: %w", ErrWorker, err)
	}
	final := m.Result != nil || m.Error != nil
	if (m.Progress != nil) == final {
		return message{}, fmt.Errorf("%w: it sent a line that is neither progress nor an end", ErrWorker)
	}
	return m, nil
}

// last reports whether no line follows.
func (m message) last() bool { return m.Progress == nil }

// newLines returns a scanner that refuses lines longer than maxLine.
func newLines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	return s
}

// writeLine writes v as one line in one call of Write.
func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a line: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
