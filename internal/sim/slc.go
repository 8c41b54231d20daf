package sim

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
)

// slcCache is the part of a NAND drive that is written with one bit a cell, and
// thus fast. It is a property of the drive.
type slcCache struct {
	// bytes is how much is written at full speed. 0 is a drive without one.
	bytes int64
	// slower is how many times longer writes take while it is full.
	slower int64
	// rest is how long the drive waits after the last write until it begins to
	// empty the cache, bytesPerSecond how fast it then does.
	rest           time.Duration
	bytesPerSecond int64
}

// The cache of a drive of which nothing else is said. All values are chosen: a
// cache of this kind takes up to a third of a drive, and what lies behind it is
// 3 to 15 times slower.
const (
	slcBytes   = 64 << 30
	slcSlower  = 12
	slcRest    = time.Second
	slcEmptied = 2_000_000_000
)

// newSLC returns a cache of that size.
func newSLC(bytes int64) slcCache {
	return slcCache{bytes: bytes, slower: slcSlower, rest: slcRest, bytesPerSecond: slcEmptied}
}

// slcState is how full the cache is.
type slcState struct {
	slcCache
	mu   sync.Mutex
	used int64
	// last is the end of the last write, in the medium's time.
	last time.Duration
}

// write puts a write that begins now into the cache if there is room. begin
// starts it, taking slower times as long as it would in the cache.
func (s *slcState) write(now time.Duration, bytes int, begin func(slower int64) (end, took time.Duration)) (end, took time.Duration) {
	if s.bytes == 0 {
		return begin(1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.empty(now - s.last - s.rest)
	slower := s.slower
	if s.used+int64(bytes) <= s.bytes {
		s.used += int64(bytes)
		slower = 1
	}
	end, took = begin(slower)
	s.last = max(s.last, end)
	return end, took
}

// empty makes as much room as an idle time is enough for.
func (s *slcState) empty(idle time.Duration) {
	if idle <= 0 || s.used == 0 {
		return
	}
	if idle.Seconds()*float64(s.bytesPerSecond) >= float64(s.used) {
		s.used = 0
		return
	}
	s.used -= int64(idle.Seconds() * float64(s.bytesPerSecond))
}

// setCache sets the size of the cache.
func setCache(p *parameters, value string) error {
	bytes, err := parseBytes(value)
	p.change(func(to *personality) { to.slc = newSLC(bytes) })
	return err
}

// parseBytes parses a number of bytes, which may have a binary unit, as in
// 8GiB.
func parseBytes(value string) (int64, error) {
	number, shift := value, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if rest, ok := strings.CutSuffix(value, unit); ok {
			number, shift = rest, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err == nil && (n < 0 || n > mostSize>>shift) {
		err = errors.New("not between 0 and 1024TiB")
	}
	return n << shift, err
}
