package sim

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
)

// MaxWrittenBytes is how much written data a drive keeps, 256 MiB.
const MaxWrittenBytes = 256 << 20

// ErrFull is a write of more than a simulated drive can keep; see
// [MaxWrittenBytes].
var ErrFull = errors.New("the simulated drive cannot keep more written data")

const pageBytes = 4096

// store is the data of the drive without any timing: generated, until they are
// written.
type store struct {
	size int64
	// base sets the data of one seed apart from those of another.
	base uint64
	// written is the number of pages; 0 spares readers the lock.
	written atomic.Int64
	limit   int

	mu    sync.RWMutex
	pages map[int64]*[pageBytes]byte
}

func newStore(size int64, seed uint64) *store {
	return &store{size: size, base: mix(seed + golden), limit: MaxWrittenBytes / pageBytes, pages: map[int64]*[pageBytes]byte{}}
}

// readAt fills p. The range must lie within the size.
func (s *store) readAt(p []byte, off int64) {
	if s.written.Load() == 0 {
		s.generate(p, off)
		return
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for len(p) > 0 {
		n := min(len(p), int(pageBytes-off%pageBytes))
		if page := s.pages[off/pageBytes]; page != nil {
			copy(p[:n], page[off%pageBytes:])
		} else {
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
	if s.missing(off, len(p)) > s.limit-len(s.pages) {
		return ErrFull
	}
	for len(p) > 0 {
		n := copy(s.page(off / pageBytes)[off%pageBytes:], p)
		p, off = p[n:], off+int64(n)
	}
	s.written.Store(int64(len(s.pages)))
	return nil
}

// missing returns how many pages of a range were never written.
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
		s.generate(page[:], i*pageBytes)
		s.pages[i] = page
	}
	return page
}

// generate fills p with the data that were never written: each aligned 8 bytes
// are a mix of their place and the seed.
func (s *store) generate(p []byte, off int64) {
	word := uint64(off) / 8
	if skip := int(off % 8); skip != 0 {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], s.word(word))
		p = p[copy(p, w[skip:]):]
		word++
	}
	for ; len(p) >= 8; p = p[8:] {
		binary.LittleEndian.PutUint64(p, s.word(word))
		word++
	}
	if len(p) > 0 {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], s.word(word))
		copy(p, w[:])
	}
}

// word returns aligned word i of the data that were never written. One
// multiplication is enough here: the words must differ, not be random.
func (s *store) word(i uint64) uint64 {
	x := s.base + i*golden
	return (x ^ x>>32) * 0xD6E8FEB86659FD93
}
