package scratch

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/rawio"
)

// How it was found out where a file lies.
const (
	MethodFiemap = "fiemap" // the filesystem told each extent
	MethodSeek   = "seek"   // only holes are known (SEEK_HOLE)
	MethodNone   = "none"   // nothing is known
)

const (
	// extentsAtOnce is how many extents are asked for in one call.
	extentsAtOnce = 512
	// doubtfulPercent is the share of what the medium is not asked for that
	// makes figures doubtful.
	doubtfulPercent = 1.0
	// smallFragment is the mean size of pieces, in bytes, below which a
	// sequential read is not one to the drive.
	smallFragment = 1 << 20
)

// Extents sums up where the bytes of a file lie. All sizes are in bytes of the
// part of the file that was asked about.
type Extents struct {
	// Method is how it was found out: "fiemap", "seek" or "none".
	Method string `json:"method"`
	// Span is the size of the part.
	Span int64 `json:"span_bytes"`
	// Count of extents, and Fragments of them that do not lie behind the one
	// before on the device. Only FIEMAP tells them.
	Count     int `json:"extents"`
	Fragments int `json:"fragments"`
	// Written lie on the device. By SEEK_HOLE these are all that is not a hole.
	Written int64 `json:"written_bytes"`
	// Unwritten are allocated and were never written, Hole are not even
	// allocated. Both read as zeros and are answered by the filesystem.
	Unwritten int64 `json:"unwritten_bytes"`
	Hole      int64 `json:"hole_bytes"`
	// Inline lie in the metadata and Delalloc still in the page cache.
	Inline   int64 `json:"inline_bytes"`
	Delalloc int64 `json:"delalloc_bytes"`
	// Encoded are compressed or encrypted by the filesystem.
	Encoded int64 `json:"encoded_bytes"`
	// Shared are also part of another file, and of one of the sizes above.
	Shared int64 `json:"shared_bytes"`
	// UntouchedPercent is the share of the part that is read without asking the
	// medium: unwritten, holes, inline and delayed. Nil: not known.
	UntouchedPercent *float64 `json:"untouched_percent"`
}

// CheckReadable tells where length bytes from start of the regular file at path
// lie; a length of 0 goes to its end. The file is opened for reading only. Data
// that are still in the page cache are written back first.
func CheckReadable(path string, start, length int64) (Extents, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Extents{}, err
	}
	if !info.Mode().IsRegular() {
		return Extents{}, &bench.Error{Cause: path + " is not a regular file", Hint: "a device has no extents; samples of its blocks can be taken"}
	}
	f, err := os.Open(path)
	if err != nil {
		return Extents{}, err
	}
	defer f.Close()
	e, err := extentsOf(f, start, length)
	if err != nil {
		return e, fmt.Errorf("%s: where it lies: %w", path, err)
	}
	return e, nil
}

// extentsOf is CheckReadable of an open file.
func extentsOf(f *os.File, start, length int64) (Extents, error) {
	info, err := f.Stat()
	if err != nil {
		return Extents{}, err
	}
	if length == 0 {
		length = info.Size() - start
	}
	if start < 0 || length < 0 || start > info.Size()-length {
		return Extents{}, fmt.Errorf("%d bytes from %d are not in a file of %d", length, start, info.Size())
	}
	return survey(fileMap{int(f.Fd())}, start, start+length)
}

// mapper is what a filesystem can tell about an open file.
type mapper interface {
	extents(start, length uint64, into []rawio.FiemapExtent) (int, error)
	seek(offset int64, whence int) (int64, error)
}

// fileMap asks the kernel.
type fileMap struct{ fd int }

func (m fileMap) extents(start, length uint64, into []rawio.FiemapExtent) (int, error) {
	return rawio.Fiemap(m.fd, start, length, rawio.FiemapSync, into)
}

func (m fileMap) seek(offset int64, whence int) (int64, error) {
	return unix.Seek(m.fd, offset, whence)
}

// survey sums up the part of a file from start to end.
func survey(m mapper, start, end int64) (Extents, error) {
	e := Extents{Method: MethodFiemap, Span: end - start}
	err := e.fromFiemap(m, start, end)
	if unsupported(err) {
		e = Extents{Method: MethodSeek, Span: end - start}
		err = e.fromSeek(m, start, end)
	}
	if unsupported(err) {
		return Extents{Method: MethodNone, Span: end - start}, nil
	}
	if err != nil {
		return Extents{}, err
	}
	if e.Span > 0 {
		e.UntouchedPercent = new(100 * float64(e.Unwritten+e.Hole+e.Inline+e.Delalloc) / float64(e.Span))
	}
	return e, nil
}

// unsupported reports whether a filesystem lacks a call.
func unsupported(err error) bool {
	for _, e := range []error{unix.EOPNOTSUPP, unix.ENOTTY, unix.ENOSYS, unix.EBADR, unix.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// fromFiemap adds up the extents from start to end.
func (e *Extents) fromFiemap(m mapper, start, end int64) error {
	list := make([]rawio.FiemapExtent, extentsAtOnce)
	at, last := start, rawio.FiemapExtent{}
	for at < end {
		n, err := m.extents(uint64(at), uint64(end-at), list)
		if err != nil {
			return err
		}
		before := at
		for _, x := range list[:n] {
			at = e.add(x, last, at, end)
			last = x
		}
		if n == 0 || at == before || last.Flags&rawio.FiemapLast != 0 {
			break
		}
	}
	e.Hole += max(end-at, 0)
	return nil
}

// add counts the part of x, which comes after last, that lies between at and
// end, and the hole before it. It returns where that part ends.
func (e *Extents) add(x, last rawio.FiemapExtent, at, end int64) int64 {
	from, to := max(int64(x.Logical), at), min(int64(x.Logical+x.Length), end)
	if to <= from {
		return at
	}
	e.Hole += from - at
	e.Count++
	if !follows(last, x) {
		e.Fragments++
	}
	n := to - from
	*e.class(x.Flags) += n
	if x.Flags&rawio.FiemapShared != 0 {
		e.Shared += n
	}
	return to
}

// class returns the size that an extent with these flags belongs to.
func (e *Extents) class(flags uint32) *int64 {
	switch {
	case flags&(rawio.FiemapInline|rawio.FiemapTail) != 0:
		return &e.Inline
	case flags&rawio.FiemapDelalloc != 0:
		return &e.Delalloc
	case flags&rawio.FiemapUnwritten != 0:
		return &e.Unwritten
	case flags&rawio.FiemapEncoded != 0:
		return &e.Encoded
	}
	return &e.Written
}

// follows reports whether b lies right behind a, in the file and on the device.
func follows(a, b rawio.FiemapExtent) bool {
	return a.Length > 0 && a.Physical+a.Length == b.Physical && a.Logical+a.Length == b.Logical
}

// fromSeek tells holes from the rest.
func (e *Extents) fromSeek(m mapper, start, end int64) error {
	for at := start; at < end; {
		data, err := m.seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			data, err = end, nil // No more data.
		}
		if err != nil {
			return err
		}
		data = min(max(data, at), end)
		e.Hole += data - at
		if data == end {
			return nil
		}
		hole, err := m.seek(data, unix.SEEK_HOLE)
		if err != nil {
			return err
		}
		if hole <= data {
			return io.ErrNoProgress
		}
		at = min(hole, end)
		e.Written += at - data
	}
	return nil
}

// Warnings says in sentences what makes figures of this part doubtful.
func (e Extents) Warnings() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if e.Method == MethodNone {
		add("The filesystem does not tell where the file lies: it is not known whether all of it is read from the medium.")
	}
	if e.UntouchedPercent != nil && *e.UntouchedPercent > doubtfulPercent {
		add("%.1f %% of the file are not read from the medium (%s never written, %s holes, %s in metadata, %s not yet written back): the figures are too good.",
			*e.UntouchedPercent, size(e.Unwritten), size(e.Hole), size(e.Inline), size(e.Delalloc))
	}
	if e.Encoded > 0 {
		add("The filesystem compresses or encrypts %s of the file: its figures are not those of the drive.", size(e.Encoded))
	}
	if e.Shared > 0 {
		add("%s of the file are shared with other files, so blocks that are written move elsewhere.", size(e.Shared))
	}
	if e.Fragments > 1 && e.Span/int64(e.Fragments) < smallFragment {
		add("The file lies in %d pieces of %s on average: a sequential read is not one for the drive.", e.Fragments, size(e.Span/int64(e.Fragments)))
	}
	return list
}
