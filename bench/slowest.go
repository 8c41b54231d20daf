package bench

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// maxSlowest is the number of slow operations that are kept.
const maxSlowest = 100

// slowOperation is one operation that took long.
type slowOperation struct {
	at      time.Duration // from the start of the part
	latency time.Duration
	offset  int64
	write   bool
}

// slowest keeps the slowest operations in fixed memory: a heap with the fastest
// of them at its top. It must be reset before its first use.
type slowest struct {
	// floor is what a latency must exceed to belong here.
	floor time.Duration
	n     int
	list  [maxSlowest]slowOperation
}

// reset empties s.
func (s *slowest) reset() { s.n, s.floor = 0, math.MinInt64 }

// set makes s a copy of o.
func (s *slowest) set(o *slowest) {
	s.n, s.floor = o.n, o.floor
	copy(s.list[:s.n], o.list[:o.n])
}

// merge adds what another worker kept.
func (s *slowest) merge(o *slowest) {
	for i := range o.n {
		if o.list[i].latency > s.floor {
			s.add(o.list[i])
		}
	}
}

// add keeps an operation that is slower than the floor.
//
//go:nosplit
func (s *slowest) add(x slowOperation) {
	if s.n < maxSlowest {
		s.up(x)
	} else {
		s.down(x)
	}
	if s.n == maxSlowest {
		s.floor = s.list[0].latency
	}
}

// up puts x into a heap that is not full.
//
//go:nosplit
func (s *slowest) up(x slowOperation) {
	i := s.n
	s.n++
	for i > 0 {
		parent := (i - 1) / 2
		if s.list[parent].latency <= x.latency {
			break
		}
		s.list[i] = s.list[parent]
		i = parent
	}
	s.list[i] = x
}

// down puts x in the place of the top.
//
//go:nosplit
func (s *slowest) down(x slowOperation) {
	i := 0
	for {
		child := 2*i + 1
		if child >= s.n {
			break
		}
		if child+1 < s.n && s.list[child+1].latency < s.list[child].latency {
			child++
		}
		if s.list[child].latency >= x.latency {
			break
		}
		s.list[i] = s.list[child]
		i = child
	}
	s.list[i] = x
}

// operations returns what is kept, the slowest first, the earlier one of equal
// ones first.
func (s *slowest) operations() []SlowOperation {
	sorted := slices.Clone(s.list[:s.n])
	slices.SortFunc(sorted, func(a, b slowOperation) int {
		return cmp.Or(cmp.Compare(b.latency, a.latency), cmp.Compare(a.at, b.at), cmp.Compare(a.offset, b.offset))
	})
	list := make([]SlowOperation, 0, len(sorted))
	for _, x := range sorted {
		list = append(list, SlowOperation{
			AtSeconds: math.Round(max(x.at, 0).Seconds()*1e6) / 1e6,
			LatencyUS: round3(float64(x.latency) / 1000),
			Offset:    x.offset,
			Write:     x.write,
		})
	}
	return list
}
