package nsjob

import (
	"bytes"
	"context"
	"io"
	"slices"
)

// Samples are places of a trimmed range, read before and afterwards.
type Samples struct {
	// Count is how many places were read, Bytes how many bytes of each.
	Count int `json:"count"`
	Bytes int `json:"bytes_each"`
	// Zero, Ones, Unchanged and Other say what they read as afterwards. What reads
	// as zeroes or ones is not counted as unchanged.
	Zero      int `json:"zero"`
	Ones      int `json:"ones"`
	Unchanged int `json:"unchanged"`
	Other     int `json:"other"`
	// Unreadable is how many could not be read: drives can be told to answer reads
	// of deallocated blocks with an error.
	Unreadable int `json:"unreadable"`
}

// mostSamples is how many places are read, sampleBytes how much of each.
const (
	mostSamples = 64
	sampleBytes = 4096
)

// Sampler reads the same places of a range before and after.
type Sampler struct {
	size   uint64
	places []uint64
	before [][]byte
}

// NewSampler chooses places that are spread evenly over the range, the first and
// the last block among them.
func (t *Trim) NewSampler() *Sampler {
	s := &Sampler{size: max(sampleBytes, t.LBABytes)}
	s.size = min(s.size, t.Length)
	spare := (t.Length - s.size) / t.LBABytes
	n := min(spare+1, mostSamples)
	for i := range n {
		at := uint64(0)
		if n > 1 {
			at = uint64(float64(spare) * float64(i) / float64(n-1))
		}
		s.places = append(s.places, t.Start+min(at, spare)*t.LBABytes)
	}
	s.places = slices.Compact(s.places)
	return s
}

// Before reads the places. What cannot be read has nothing to compare with.
func (s *Sampler) Before(ctx context.Context, r io.ReaderAt) error {
	for _, at := range s.places {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.before = append(s.before, s.read(r, at))
	}
	return nil
}

// read reads one place, nil if that fails.
func (s *Sampler) read(r io.ReaderAt, at uint64) []byte {
	b := make([]byte, s.size)
	if n, _ := r.ReadAt(b, int64(at)); n < len(b) {
		return nil
	}
	return b
}

// After reads the places again and compares.
func (s *Sampler) After(ctx context.Context, r io.ReaderAt) (*Samples, error) {
	all := &Samples{Count: len(s.places), Bytes: int(s.size)}
	for i, at := range s.places {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var before []byte
		if i < len(s.before) {
			before = s.before[i]
		}
		all.count(before, s.read(r, at))
	}
	return all, nil
}

// count adds one place.
func (s *Samples) count(before, now []byte) {
	switch {
	case now == nil:
		s.Unreadable++
	case uniform(now, 0):
		s.Zero++
	case uniform(now, 0xFF):
		s.Ones++
	case bytes.Equal(before, now):
		s.Unchanged++
	default:
		s.Other++
	}
}

func uniform(b []byte, value byte) bool {
	return !slices.ContainsFunc(b, func(x byte) bool { return x != value })
}

// Kept says how many samples are not what the drive promises: blocks that it has
// not deallocated, or not yet. It promises nothing where ok is false.
func (s *Samples) Kept(p Promise) (n int, ok bool) {
	switch p.Reads {
	case ReadsZeroes:
		return s.Count - s.Unreadable - s.Zero, true
	case ReadsOnes:
		return s.Count - s.Unreadable - s.Ones, true
	}
	return 0, false
}
