package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// lines splits a journal into its lines without ever holding more than one.
type lines struct {
	r   *bufio.Reader
	buf []byte
	// number is the number of the line that next returned, at the offset of
	// the byte behind it.
	number int
	at     int64
}

// newLines goes on behind a line with a number whose end is at an offset.
func newLines(r io.Reader, number int, at int64) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), number: number, at: at}
}

// next returns the next line, whole if it has its end. It is valid until the
// next call. At the end the error is io.EOF.
func (l *lines) next() (line []byte, whole bool, err error) {
	l.number++
	l.buf = l.buf[:0]
	for {
		piece, err := l.r.ReadSlice('\n')
		l.buf = append(l.buf, piece...)
		l.at += int64(len(piece))
		if len(l.buf) > MaxLineBytes || l.at > MaxFileBytes {
			return nil, false, &ParseError{l.number, ErrTooLarge}
		}
		switch {
		case err == nil:
			return l.buf, true, nil
		case err == io.EOF && len(l.buf) > 0:
			return l.buf, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

// last reports whether nothing comes behind the line that next returned.
func (l *lines) last() bool {
	_, err := l.r.Peek(1)
	return err == io.EOF
}

// header reads the first line.
func (l *lines) header() (*header, error) {
	line, whole, err := l.next()
	switch {
	case err == io.EOF:
		return nil, fmt.Errorf("%w: it is empty", ErrNotJournal)
	case err != nil:
		return nil, err
	}
	h, err := parseHeader(line)
	if err == nil && !whole {
		err = fmt.Errorf("%w: the header is cut", ErrNotJournal)
	}
	if err != nil {
		return nil, &ParseError{l.number, err}
	}
	return h, nil
}

// place is the end of the last line that was good.
type place struct {
	number int
	at     int64
}

// entries reads entries and calls each for every one, up to the end of the
// file. Torn says that behind the good place there is a line that is cut or
// no entry: a write that did not come to its end leaves either, since the
// pieces of a line reach the disk in any order. Such a line with others behind
// it is a *ParseError.
func (l *lines) entries(each func(Entry) error) (good place, torn bool, err error) {
	good = place{l.number, l.at}
	for {
		line, whole, err := l.next()
		if err == io.EOF {
			return good, false, nil
		}
		if err != nil {
			return good, false, err
		}
		e, err := parseEntry(line)
		if !whole || err != nil && l.last() {
			return good, true, nil
		}
		if err != nil {
			return good, false, &ParseError{l.number, err}
		}
		good = place{l.number, l.at}
		if err := each(e); err != nil {
			return good, false, err
		}
	}
}

// read reads a journal.
func read(r io.Reader) (*Record, place, error) {
	l := newLines(r, 0, 0)
	h, err := l.header()
	if err != nil {
		return nil, place{}, err
	}
	rec := newRecord(h)
	good, torn, err := l.entries(func(e Entry) error {
		rec.add(e)
		return nil
	})
	if err != nil {
		return nil, place{}, err
	}
	rec.Torn = torn
	return rec, good, nil
}
