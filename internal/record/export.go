package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
)

// Export writes records as JSON Lines, the oldest first. It returns how many
// were written, and what could not be read; an error of the writer is the last
// one and ends it.
func (s *Store) Export(w io.Writer, q Query) (int, []error) {
	headers, faults := s.Headers(q)
	n := 0
	for _, h := range headers {
		_, data, err := s.readRaw(h.Subject.Key(), h.ID)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if _, err := w.Write(oneLine(data)); err != nil {
			return n, append(faults, err)
		}
		n++
	}
	return n, faults
}

// Import keeps the records of JSON Lines, each as Save does. It returns how
// many were new; those that are already there do not count, so an import can be
// repeated. A bad line is a *LineError, and does not keep the good ones out.
// Only what the next line would meet as well, such as a full disk, ends it.
func (s *Store) Import(r io.Reader) (int, []error) {
	var faults []error
	added := 0
	lines := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; number++ {
		line, err := readLine(lines, MaxBytes)
		last := err != nil && !errors.Is(err, ErrTooLarge)
		isNew := false
		if err == nil || errors.Is(err, io.EOF) {
			isNew, err = s.importLine(line)
		}
		if isNew {
			added++
		}
		if err != nil {
			faults = append(faults, &LineError{number, err})
		}
		if last || hopeless(err) {
			return added, faults
		}
	}
}

// hopeless reports whether an error will meet the next record as well.
func hopeless(err error) bool {
	all := []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, ErrBusy}
	return slices.ContainsFunc(all, func(e error) bool { return errors.Is(err, e) })
}

// importLine keeps the record of one line. Empty lines are none.
func (s *Store) importLine(line []byte) (added bool, err error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return false, nil
	}
	r, err := decode(line)
	if err != nil {
		return false, err
	}
	data := oneLine(line)
	if !inOrder(r, data) {
		if data, err = encode(r); err != nil {
			return false, err
		}
	}
	_, added, err = s.put(r, data)
	return added, err
}

// readLine reads a line of at most so many bytes. Of a longer one nothing is
// kept, with ErrTooLarge. The last line comes with io.EOF, empty if the text ends
// with a line break or with a line that is too long.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	tooLarge := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLarge = tooLarge || len(line)+len(part) > most; tooLarge {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLarge && (err == nil || errors.Is(err, io.EOF)):
			return nil, fmt.Errorf("the line: %w: more than %d bytes", ErrTooLarge, most)
		default:
			return line, err
		}
	}
}
