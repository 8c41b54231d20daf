package bench

import "math/rand/v2"

// splitMix is the random generator SplitMix64 (Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014): one number costs less than
// the loop notices, and 2^64 of them differ. Its value is its state.
type splitMix uint64

// newSplitMix returns the generator of one worker: a place of its own in the one
// cycle of numbers.
func newSplitMix(seed uint64, worker int) splitMix {
	return splitMix(rand.NewPCG(seed, uint64(worker)).Uint64())
}

// next returns the next number.
//
//go:nosplit
func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
