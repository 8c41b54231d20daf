package sim

import "slices"

// interval is a range from a first position up to, but without, an end.
type interval struct{ from, to int64 }

// intervals is a set of positions, kept as ranges that rise and do not touch.
type intervals []interval

// after returns the index of the first range that ends after a position.
func (s intervals) after(at int64) int {
	i, _ := slices.BinarySearchFunc(s, at, func(r interval, at int64) int {
		if r.to <= at {
			return -1
		}
		return 1
	})
	return i
}

// contains reports whether a position is in the set.
func (s intervals) contains(at int64) bool {
	i := s.after(at)
	return i < len(s) && s[i].from <= at
}

// first returns the lowest position of the set in a range, and whether there
// is one.
func (s intervals) first(from, to int64) (int64, bool) {
	i := s.after(from)
	if from >= to || i == len(s) || s[i].from >= to {
		return 0, false
	}
	return max(s[i].from, from), true
}

// add puts a range into the set.
func (s intervals) add(from, to int64) intervals {
	if from >= to {
		return s
	}
	i := s.after(from - 1) // One that ends where this begins joins it.
	j := i
	for ; j < len(s) && s[j].from <= to; j++ {
		from, to = min(from, s[j].from), max(to, s[j].to)
	}
	return slices.Replace(s, i, j, interval{from, to})
}

// remove takes a range out of the set.
func (s intervals) remove(from, to int64) intervals {
	if from >= to {
		return s
	}
	i := s.after(from)
	j := i
	var rest [2]interval
	n := 0
	for ; j < len(s) && s[j].from < to; j++ {
		if s[j].from < from {
			rest[n] = interval{s[j].from, from}
			n++
		}
		if s[j].to > to {
			rest[n] = interval{to, s[j].to}
			n++
		}
	}
	return slices.Replace(s, i, j, rest[:n]...)
}

// size returns the number of positions in the set.
func (s intervals) size() int64 {
	var n int64
	for _, r := range s {
		n += r.to - r.from
	}
	return n
}
