package sim

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
)

// MaxWrittenBytes is how much written data a drive keeps, 256 MiB. Blocks of
// zeroes do not count.
const MaxWrittenBytes = 256 << 20

// ErrFull is a write of more than a simulated drive can keep; see
// [MaxWrittenBytes].
var ErrFull = errors.New("the simulated drive cannot keep more written data")

const pageBytes = 4096

// unitBytes is the resolution of what cannot be read, the smallest block.
const unitBytes = 512

// maxVolatilePages is the size of the volatile write cache, 16 MiB in pages.
// What does not fit reaches the medium.
const maxVolatilePages = 4096

// room is how many pages of written data a drive can still keep.
type room struct{ left atomic.Int64 }

func newRoom() *room {
	r := new(room)
	r.left.Store(MaxWrittenBytes / pageBytes)
	return r
}

// store is the data of a namespace without any timing: generated, until they
// are written.
type store struct {
	size int64
	data generator
	room *room
	// plain is true as long as all data are generated, which spares readers the
	// lock.
	plain atomic.Bool

	mu    sync.RWMutex
	pages map[int64]*[pageBytes]byte
	// zero has the pages that read as zeroes, bad the units that cannot be
	// read.
	zero, bad intervals
	// gone is set once the namespace has another store: a write that was under
	// way is lost.
	gone bool
	// cached is set where a volatile write cache is on. before then has what
	// the pages had that a loss of power takes back.
	cached bool
	before map[int64]*[pageBytes]byte
	// spare are pages that before had, at most as many as it can have.
	spare []*[pageBytes]byte
	// under, unless it is nil, is the store before an erase, and left says
	// which of its pages are still there, nil for none. See layer.go.
	under *store
	left  func(page int64) bool
	// track notes what is read and written, nil for nothing.
	track *track
}

func newStoreIn(size int64, g generator, r *room) *store {
	s := &store{size: size, data: g, room: r, pages: map[int64]*[pageBytes]byte{}, before: map[int64]*[pageBytes]byte{}}
	s.plain.Store(true)
	return s
}

// touch notes that the data are not the generated ones any more. The lock must
// be held.
func (s *store) touch() { s.plain.Store(false) }

// generate fills p with the data that were never written.
func (s *store) generate(p []byte, off int64) { s.data.fill(p, off) }

// readAt fills p. The range must lie within the size.
func (s *store) readAt(p []byte, off int64) {
	if s.plain.Load() {
		s.generate(p, off)
		return
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.read(p, off)
}

// read is readAt with the lock held.
func (s *store) read(p []byte, off int64) {
	for len(p) > 0 {
		n := min(len(p), int(pageBytes-off%pageBytes))
		switch page := s.pages[off/pageBytes]; {
		case page != nil:
			copy(p[:n], page[off%pageBytes:])
		case s.zero.contains(off / pageBytes):
			clear(p[:n])
		case s.left != nil && s.left(off/pageBytes):
			s.under.readAt(p[:n], off)
		default:
			s.generate(p[:n], off)
		}
		p, off = p[n:], off+int64(n)
	}
}

// writeAt keeps p. The range must lie within the size. With an error nothing
// was kept.
func (s *store) writeAt(p []byte, off int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(p) == 0 || s.gone {
		return nil
	}
	if err := s.reserve(off, len(p)); err != nil {
		return err
	}
	s.touch()
	s.bad = s.bad.remove(off/unitBytes, units(off+int64(len(p))))
	for len(p) > 0 {
		n := min(len(p), int(pageBytes-off%pageBytes))
		s.writePage(p[:n], off)
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// writePage keeps data of one page.
func (s *store) writePage(p []byte, off int64) {
	i := off / pageBytes
	s.remember(i)
	s.track.wrote(i)
	if len(p) == pageBytes && allZero(p) {
		s.drop(i)
		s.zero = s.zero.add(i, i+1)
		return
	}
	copy(s.page(i)[off%pageBytes:], p)
}

// reserve reports whether a write fits, and gives back an error if not.
func (s *store) reserve(off int64, length int) error {
	if n := int64(s.missing(off, length)); n > s.room.left.Load() {
		return ErrFull
	}
	return nil
}

// missing returns how many pages of a range are not kept.
func (s *store) missing(off int64, length int) int {
	n := 0
	for i := off / pageBytes; i*pageBytes < off+int64(length); i++ {
		if s.pages[i] == nil {
			n++
		}
	}
	return n
}

// page returns a page to write into, with its data as they were.
func (s *store) page(i int64) *[pageBytes]byte {
	page := s.pages[i]
	if page == nil {
		page = new([pageBytes]byte)
		s.read(page[:], i*pageBytes)
		s.zero = s.zero.remove(i, i+1)
		s.pages[i] = page
		s.room.left.Add(-1)
	}
	return page
}

// drop forgets a kept page.
func (s *store) drop(i int64) {
	if s.pages[i] != nil {
		delete(s.pages, i)
		s.room.left.Add(1)
	}
}

// clearAt makes a range read as zeroes. The range must lie within the size.
func (s *store) clearAt(off, length int64) error {
	first, last := (off+pageBytes-1)/pageBytes, (off+length)/pageBytes
	if first >= last { // No whole page: at most the parts of two.
		return s.writeAt(make([]byte, length), off)
	}
	if err := s.writeAt(make([]byte, first*pageBytes-off), off); err != nil {
		return err
	}
	if err := s.writeAt(make([]byte, off+length-last*pageBytes), last*pageBytes); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearPages(first, last)
	return nil
}

// clearPages makes whole pages read as zeroes. With a volatile cache that
// counts as written through: a range may be the whole medium.
func (s *store) clearPages(first, last int64) {
	s.touch()
	const unitsOfPage = pageBytes / unitBytes
	s.bad = s.bad.remove(first*unitsOfPage, last*unitsOfPage)
	s.zero = s.zero.add(first, last)
	for i := range s.pages {
		if first <= i && i < last {
			s.drop(i)
		}
	}
	for i, old := range s.before {
		if first <= i && i < last {
			s.spare = append(s.spare, old)
			delete(s.before, i)
		}
	}
}

// spoil makes a range of bytes unreadable until it is written.
func (s *store) spoil(off, length int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touch()
	s.bad = s.bad.add(off/unitBytes, units(off+length))
}

// unreadable returns the first byte of a range that cannot be read.
func (s *store) unreadable(off, length int64) (int64, bool) {
	if s.plain.Load() {
		return 0, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	at, found := s.bad.first(off/unitBytes, units(off+length))
	return at * unitBytes, found
}

// zeroBytes returns how many bytes are deallocated: they read as zeroes and
// are not kept.
func (s *store) zeroBytes() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.zero.size() * pageBytes
}

// release gives the room of all kept pages back, those of the stores below
// among them: the store is used no more.
func (s *store) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.left.Add(int64(len(s.pages)))
	s.pages, s.gone = map[int64]*[pageBytes]byte{}, true
	if s.under != nil {
		s.under.release()
		s.under, s.left = nil, nil
	}
}

// units returns a place in units, rounded up.
func units(off int64) int64 { return (off + unitBytes - 1) / unitBytes }

// allZero reports whether p, at most a page, has only zeroes.
func allZero(p []byte) bool {
	var zero [pageBytes]byte
	return bytes.Equal(p, zero[:len(p)])
}

// wipe makes the first pages read as zeroes, whatever they had.
func (s *store) wipe(pages int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearPages(0, pages)
}

// keptBytes returns how many bytes of written data are kept.
func (s *store) keptBytes() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return int64(len(s.pages)) * pageBytes
}
