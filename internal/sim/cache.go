package sim

// setCached turns the volatile write cache on or off. Turning it off writes
// everything to the medium.
func (s *store) setCached(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cached = on
	s.forget()
}

// flush writes everything to the medium.
func (s *store) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
}

// forget empties the volatile cache. Its pages are used again: a benchmark
// writes gigabytes a second in a process that collects no garbage.
func (s *store) forget() {
	for _, old := range s.before {
		s.spare = append(s.spare, old)
	}
	clear(s.before)
}

// spared returns a page to remember in, with any data.
func (s *store) spared() *[pageBytes]byte {
	last := len(s.spare) - 1
	if last < 0 {
		return new([pageBytes]byte)
	}
	page := s.spare[last]
	s.spare = s.spare[:last]
	return page
}

// remember keeps what a page has before a write that only the cache gets. A
// cache that is full is written to the medium first.
func (s *store) remember(i int64) {
	if !s.cached || s.before[i] != nil {
		return
	}
	if len(s.before) >= maxVolatilePages {
		s.forget()
	}
	old := s.spared()
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
	s.forget()
}
