package sim

// setCached turns the volatile write cache on or off. Turning it off writes
// everything to the medium.
func (s *store) setCached(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cached = on
	clear(s.before)
}

// flush writes everything to the medium.
func (s *store) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.before)
}

// remember keeps what a page has before a write that only the cache gets. A
// cache that is full is written to the medium first.
func (s *store) remember(i int64) {
	if !s.cached || s.before[i] != nil {
		return
	}
	if len(s.before) >= maxVolatilePages {
		clear(s.before)
	}
	old := new([pageBytes]byte)
	s.read(old[:], i*pageBytes)
	s.before[i] = old
}

// losePower takes back what only the cache had.
func (s *store) losePower() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, old := range s.before {
		*s.page(i) = *old
	}
	clear(s.before)
}
