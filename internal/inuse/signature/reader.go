package signature

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Bounds of one scan.
const (
	// pageBytes is the unit of reading and of the cache, unless a logical block
	// is larger.
	pageBytes = 4096
	// cacheBytes is what the cache holds before it is emptied.
	cacheBytes = 4 << 20
	// longestRead is the longest piece that a probe may ask for.
	longestRead = 1 << 20
	// readLimit is what one scan reads before it gives up.
	readLimit = 64 << 20
	// failureLimit is how many failed reads end a scan: each of a dying drive
	// can take a minute.
	failureLimit = 64
)

var (
	errFailures = errors.New("too many places cannot be read, the rest was not looked at")
	errAmount   = errors.New("there is too much to read, the rest was not looked at")
)

// reader reads pages of a device that are aligned to its blocks and keeps
// them, so that probes can ask for any few bytes.
type reader struct {
	ctx   context.Context
	from  io.ReaderAt
	size  int64
	block int64
	page  int64
	// pages are what was read, by offset. bad are the blocks that cannot be
	// read, by offset.
	pages map[int64][]byte
	bad   map[int64]error
	// read counts the bytes read; failures the calls that failed; stopped is
	// why nothing is read any more; skipped is what else was not looked at.
	read     int64
	failures int
	stopped  error
	skipped  error
}

func newReader(ctx context.Context, from io.ReaderAt, size int64, block int) *reader {
	return &reader{
		ctx: ctx, from: from, size: size,
		block: int64(block), page: max(pageBytes, int64(block)),
		pages: map[int64][]byte{}, bad: map[int64]error{},
	}
}

// bytes returns n bytes at off, nil if they are not all within the device and
// readable.
func (r *reader) bytes(off int64, n int) []byte {
	if n <= 0 || n > longestRead || off < 0 || off > r.size-int64(n) {
		return nil
	}
	end := off + int64(n)
	first := off - off%r.page
	if !r.fill(first, end) || r.anyBad(off, end) {
		return nil
	}
	out := make([]byte, 0, n)
	for at := first; at < end; at += r.page {
		p := r.pages[at]
		out = append(out, p[max(off-at, 0):min(end-at, int64(len(p)))]...)
	}
	return out
}

// fill reads the pages of a range that are not in the cache, neighbours
// together.
func (r *reader) fill(first, end int64) bool {
	if int64(len(r.pages))*r.page > cacheBytes {
		clear(r.pages)
	}
	for at := first; at < end; {
		if r.pages[at] != nil {
			at += r.page
			continue
		}
		to := at + r.page
		for to < end && r.pages[to] == nil {
			to += r.page
		}
		if !r.load(at, min(to, r.size)) {
			r.forget(at, to)
			return false
		}
		at = to
	}
	return true
}

// forget drops the pages of a range, of which some may be read only in part.
func (r *reader) forget(from, to int64) {
	for at := from; at < to; at += r.page {
		delete(r.pages, at)
	}
}

// load reads a range into the cache; if that fails, page by page and block by
// block, so that one bad block hides no other.
func (r *reader) load(from, to int64) bool {
	if !r.may(to - from) {
		return false
	}
	buf := make([]byte, to-from)
	err := r.readAt(buf, from)
	step := r.page
	if err != nil && to-from <= r.page {
		step = r.block
	}
	if err != nil && to-from <= r.block {
		r.bad[from] = err
		r.failures++
		err = nil
	}
	if err == nil {
		r.keep(buf, from)
		return true
	}
	for at := from; at < to; at += step {
		if !r.load(at, min(at+step, to)) {
			return false
		}
	}
	return true
}

// keep puts what was read into the cache; a block of a page goes to its place.
func (r *reader) keep(buf []byte, from int64) {
	for at := from; at < from+int64(len(buf)); {
		first := at - at%r.page
		p := r.pages[first]
		if p == nil {
			p = make([]byte, min(r.page, r.size-first))
			r.pages[first] = p
		}
		at += int64(copy(p[at-first:], buf[at-from:]))
	}
}

// may reports whether n more bytes may be read.
func (r *reader) may(n int64) bool {
	switch {
	case r.stopped != nil:
	case r.ctx.Err() != nil:
		r.stopped = r.ctx.Err()
	case r.failures >= failureLimit:
		r.stopped = errFailures
	case r.read+n > readLimit:
		r.stopped = errAmount
	}
	return r.stopped == nil
}

// readAt is ReadAt whose error is nil exactly if all was read.
func (r *reader) readAt(buf []byte, off int64) error {
	n, err := r.from.ReadAt(buf, off)
	r.read += int64(n)
	switch {
	case n == len(buf):
		return nil
	case err == nil, errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

// anyBad reports whether a block of a range cannot be read.
func (r *reader) anyBad(off, end int64) bool {
	if len(r.bad) == 0 {
		return false
	}
	for at := off - off%r.block; at < end; at += r.block {
		if r.bad[at] != nil {
			return true
		}
	}
	return false
}

// err returns what could not be read, one error a run of blocks, and what
// was not looked at.
func (r *reader) err() error {
	offsets := make([]int64, 0, len(r.bad))
	for off := range r.bad {
		offsets = append(offsets, off)
	}
	slices.SortFunc(offsets, cmp.Compare[int64])
	var all []error
	for i := 0; i < len(offsets); {
		j := i + 1
		for j < len(offsets) && offsets[j] == offsets[j-1]+r.block {
			j++
		}
		bytes := offsets[j-1] + r.block - offsets[i]
		all = append(all, fmt.Errorf("cannot read %d bytes at %d: %w", bytes, offsets[i], r.bad[offsets[i]]))
		i = j
	}
	return errors.Join(append(all, r.skipped, r.stopped)...)
}
