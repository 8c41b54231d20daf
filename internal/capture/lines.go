package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lines splits a capture into its lines without ever holding more than one.
type lines struct {
	r *bufio.Reader
	// number is the number of the line that next returned.
	number int
	// last tells that this line had no line end.
	last bool
	// most is the length of the longest line.
	most int
	buf  []byte
}

func newLines(r io.Reader, most int) *lines {
	return &lines{r: bufio.NewReaderSize(r, maxHeaderBytes), most: most}
}

const byteOrderMark = "\xEF\xBB\xBF"

// next returns the next line that is not empty, without white space around it.
// It is valid until the next call. At the end the error is io.EOF.
func (l *lines) next() ([]byte, error) {
	for {
		b, err := l.read()
		if err != nil {
			return nil, err
		}
		if l.number == 1 {
			b = bytes.TrimPrefix(b, []byte(byteOrderMark))
		}
		if b = bytes.TrimSpace(b); len(b) > 0 {
			return b, nil
		}
	}
}

// read returns one line. A line that cannot be one of a capture is refused at
// its first piece, so that junk without line ends is not collected.
func (l *lines) read() ([]byte, error) {
	l.number++
	l.buf = l.buf[:0]
	for {
		piece, err := l.r.ReadSlice('\n')
		if err == nil && len(l.buf) == 0 {
			return piece, nil
		}
		l.buf = append(l.buf, piece...)
		switch {
		case err == nil:
			return l.buf, nil
		case err == io.EOF && len(l.buf) > 0:
			l.last = true
			return l.buf, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		if err := l.check(); err != nil {
			return nil, err
		}
	}
}

// check says what is wrong with a line that is not whole yet.
func (l *lines) check() error {
	switch {
	case l.number == 1:
		return ErrNotCapture
	case !isObject(l.buf):
		return errNotObject
	case len(l.buf) > l.most:
		return fmt.Errorf("%w: longer than %d MiB", ErrTooLarge, l.most>>20)
	}
	return nil
}

// isObject reports whether b begins as a JSON object does.
func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{'
}

var errNotObject = errors.New("not a JSON object")
