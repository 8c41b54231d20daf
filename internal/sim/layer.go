package sim

import "sync"

// A store that a lying erase made lies over the one before it: some of its
// pages are still those of the old one. So is the store of a drive that gives
// old data from a cache, of which no page is.

// trackedPages is how many pages a store remembers as the last ones that were
// written.
const trackedPages = MaxWrittenBytes / pageBytes

// track is what a host did with a store, for lies that depend on it. A nil
// track notes nothing.
type track struct {
	mu sync.Mutex
	// seen has the pages that were read, 64 to a word.
	seen map[int64]uint64
	// recent has the pages that were written, the last one at its end. They may
	// repeat.
	recent []int64
}

func newTrack() *track { return &track{seen: map[int64]uint64{}} }

// read notes a read.
func (t *track) read(off, length int64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for page := off / pageBytes; page*pageBytes < off+length; page++ {
		t.seen[page/64] |= 1 << (page % 64)
	}
}

// wasRead reports whether any part of a page was read.
func (t *track) wasRead(page int64) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen[page/64]>>(page%64)&1 != 0
}

// wrote notes that a page was written.
func (t *track) wrote(page int64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.recent) >= 2*trackedPages {
		t.recent = t.recent[:copy(t.recent, t.recent[trackedPages:])]
	}
	t.recent = append(t.recent, page)
}

// lastWritten returns the pages that were written last, at most so many; 0
// means all that are remembered.
func (t *track) lastWritten(most int) map[int64]bool {
	last := map[int64]bool{}
	if t == nil {
		return last
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.recent) - 1; i >= 0 && (most == 0 || len(last) < most); i-- {
		last[t.recent[i]] = true
	}
	return last
}

// over lays a new store over an old one, of which the pages for which left
// returns true stay visible; left may be nil. It must be called before anybody
// uses the new one.
func (s *store) over(old *store, left func(page int64) bool) {
	s.under, s.left = old, left
	s.touch()
	old.mu.Lock()
	defer old.mu.Unlock()
	if old.left == nil && old.under != nil { // Nobody can see it any more.
		old.under.release()
		old.under = nil
	}
}

// leave takes the place of the store before it. What is left of that one can be
// read, but not written any more; if nothing is, its room is free again.
func (s *store) leave(old *store) {
	s.mu.RLock()
	kept := s.under == old
	s.mu.RUnlock()
	if !kept {
		old.release()
		return
	}
	old.mu.Lock()
	defer old.mu.Unlock()
	old.gone = true
}

// detach gives up the store below, which lives on.
func (s *store) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under, s.left = nil, nil
}

// hasOld reports whether the store lies over another one.
func (s *store) hasOld() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.under != nil
}

// readOld fills p with what a cache has that nobody told of the erase: the data
// of the store below, but for pages that were written since.
func (s *store) readOld(p []byte, off int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for len(p) > 0 {
		n, page := min(len(p), int(pageBytes-off%pageBytes)), off/pageBytes
		if s.under != nil && s.pages[page] == nil && !s.zero.contains(page) {
			s.under.readAt(p[:n], off)
		}
		p, off = p[n:], off+int64(n)
	}
}
