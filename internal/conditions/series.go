package conditions

import "slices"

// Point is a value of a series and when it began, in seconds from the start.
type Point[T any] struct {
	Seconds float64 `json:"seconds"`
	Value   T       `json:"value"`
}

// Series is a series over time in constant memory. When it is full, each two
// neighbours become one, and from then on each point stands for twice as many
// values: a run of three hours takes the memory of one of three seconds.
type Series[T any] struct {
	points []Point[T]
	merge  func(earlier, later T) T
	// each is how many values a point stands for, last how many the last one has
	// so far.
	each, last int
}

// fewestPoints is the smallest capacity of a series.
const fewestPoints = 2

// NewSeries returns a series of up to capacity points, at least 2. merge makes
// one value of two; it must be associative, so a mean needs its weight in T.
func NewSeries[T any](capacity int, merge func(earlier, later T) T) *Series[T] {
	return &Series[T]{points: make([]Point[T], 0, max(capacity, fewestPoints)), merge: merge, each: 1}
}

// Add adds a value at a time that is not before the last one. It does not
// allocate.
func (s *Series[T]) Add(seconds float64, v T) {
	if len(s.points) > 0 && s.last < s.each {
		end := &s.points[len(s.points)-1]
		end.Value = s.merge(end.Value, v)
		s.last++
		return
	}
	if len(s.points) == cap(s.points) {
		s.halve()
		if s.last < s.each {
			s.Add(seconds, v)
			return
		}
	}
	s.points = append(s.points, Point[T]{seconds, v})
	s.last = 1
}

// halve merges neighbours. A point that is left over at the end becomes one that
// is not full.
func (s *Series[T]) halve() {
	n := len(s.points)
	for i := 0; i < n; i += 2 {
		p := s.points[i]
		if i+1 < n {
			p.Value = s.merge(p.Value, s.points[i+1].Value)
		}
		s.points[i/2] = p
	}
	clear(s.points[(n+1)/2:])
	s.points = s.points[:(n+1)/2]
	s.last = s.each
	if n%2 == 0 {
		s.last *= 2
	}
	s.each *= 2
}

// Points returns a copy of the points in order of time. The last one may stand
// for fewer values than the others.
func (s *Series[T]) Points() []Point[T] { return slices.Clone(s.points) }

// Each returns how many values a point stands for: 1 until the series has been
// full, then 2, 4 and so on.
func (s *Series[T]) Each() int { return s.each }
