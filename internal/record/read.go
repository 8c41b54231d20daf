package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"golang.org/x/sys/unix"
)

// headBytes is how much of a file is read for its header.
const headBytes = 4096

// readHeader is read without the body, of which it only sees the end. A file
// that does not look as Save writes it is read whole.
func (s *Store) readHeader(key, id string) (*Record, error) {
	path := s.path(key, id)
	r, err := quick(path)
	if r == nil && err == nil {
		r, err = s.read(key, id)
	}
	if err != nil {
		return nil, err
	}
	if err := r.belongs(key, id); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.Body, r.File = nil, path
	return r, nil
}

// quick reads the beginning and the end of a file. It returns nil without an
// error for one that has to be read whole.
func quick(path string) (*Record, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > MaxBytes {
		return nil, err
	}
	head, end := make([]byte, headBytes), make([]byte, len(recordEnd))
	n, err := f.ReadAt(head, 0)
	if err == nil || errors.Is(err, io.EOF) {
		_, err = f.ReadAt(end, max(0, info.Size()-int64(len(end))))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(end) != recordEnd {
		return nil, nil
	}
	return header(head[:n]), nil
}

// How the body begins and a record ends as encode writes it. Within a text of
// JSON the quotation marks would have a backslash before them.
const (
	bodyBegin = `,"body":{`
	recordEnd = "}}\n"
)

// header decodes a record up to its body, nil if that does not work.
func header(head []byte) *Record {
	i := bytes.Index(head, []byte(bodyBegin))
	if i < 0 {
		return nil
	}
	r, err := decode(append(head[:i:i], bodyBegin+"}}"...))
	if err != nil {
		return nil
	}
	return r
}

// inOrder reports whether header finds all of a record in its line, so that
// nothing of it stands behind the body.
func inOrder(r *Record, data []byte) bool {
	h := header(data[:min(len(data), headBytes)])
	if h == nil {
		return true
	}
	whole := *r
	h.Body, whole.Body = nil, nil
	return reflect.DeepEqual(*h, whole)
}

// open opens a file, whatever it is. Anything but a regular file is refused.
func open(path string) (*os.File, error) {
	// Without O_NONBLOCK the opening of a pipe would wait for its other end.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: not a regular file", path, ErrNotRecord)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readFile reads a regular file of at most so many bytes.
func readFile(path string, most int64) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: %w: more than %d bytes", path, ErrTooLarge, most)
	}
	return data, err
}
