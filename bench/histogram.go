package bench

import (
	"math/bits"
	"time"
)

const (
	subBucketBits = 6
	subBuckets    = 1 << subBucketBits
	bucketCount   = (63-subBucketBits-1)*subBuckets + 2*subBuckets
)

// Histogram counts durations in nanoseconds, from 0 to the largest
// time.Duration, in 64 buckets an octave. Below 128 ns every value has its own
// bucket. Above, a quantile is at most 1/128 (0.78 %) away from the sample at
// that rank. Count, minimum, mean and maximum are exact.
//
// The zero value is empty and ready for use. No method but the JSON ones
// allocates. A Histogram must not be used by several goroutines at once.
type Histogram struct {
	count   uint64
	sum     uint64
	min     int64
	max     int64
	buckets [bucketCount]uint64
}

// Add counts one duration. A negative one counts as 0.
//
//go:nosplit
func (h *Histogram) Add(d time.Duration) {
	v := max(int64(d), 0)
	if h.count == 0 || v < h.min {
		h.min = v
	}
	if v > h.max {
		h.max = v
	}
	h.count++
	h.sum += uint64(v)
	h.buckets[bucketOf(v)]++
}

// Merge adds all counts of o.
func (h *Histogram) Merge(o *Histogram) {
	if o.count == 0 {
		return
	}
	if h.count == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.count += o.count
	h.sum += o.sum
	for i := bucketOf(o.min); i <= bucketOf(o.max); i++ {
		h.buckets[i] += o.buckets[i]
	}
}

// set makes h a copy of o.
func (h *Histogram) set(o *Histogram) {
	if h.count > 0 {
		clear(h.buckets[bucketOf(h.min) : bucketOf(h.max)+1])
	}
	h.count, h.sum, h.min, h.max = o.count, o.sum, o.min, o.max
	if o.count > 0 {
		first, end := bucketOf(o.min), bucketOf(o.max)+1
		copy(h.buckets[first:end], o.buckets[first:end])
	}
}

// difference makes h what a counts and b, an earlier state of a, does not. Its
// minimum and maximum are those of a if they are new, or else the middle of their
// buckets.
func (h *Histogram) difference(a, b *Histogram) {
	h.Reset()
	if a.count == b.count {
		return
	}
	h.count, h.sum = a.count-b.count, a.sum-b.sum
	first, last := -1, 0
	for i := bucketOf(a.min); i <= bucketOf(a.max); i++ {
		if h.buckets[i] = a.buckets[i] - b.buckets[i]; h.buckets[i] == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	h.min = min(max(midpoint(first), a.min), a.max)
	h.max = min(max(midpoint(last), a.min), a.max)
	if b.count == 0 || a.min < b.min {
		h.min = a.min
	}
	if a.max > b.max {
		h.max = a.max
	}
}

// Reset empties the histogram.
func (h *Histogram) Reset() { *h = Histogram{} }

// Count returns the number of durations added.
func (h *Histogram) Count() int64 { return int64(h.count) }

// Min returns the smallest duration, 0 if there is none.
func (h *Histogram) Min() time.Duration { return time.Duration(h.min) }

// Max returns the largest duration, 0 if there is none.
func (h *Histogram) Max() time.Duration { return time.Duration(h.max) }

// Mean returns the arithmetic mean in nanoseconds, 0 if there is none.
func (h *Histogram) Mean() float64 {
	if h.count == 0 {
		return 0
	}
	return float64(h.sum) / float64(h.count)
}

// Quantile returns the duration at the rank q·count, counted from the smallest
// and rounded up: the smallest duration that at least the share q does not
// exceed. q is limited to 0…1. An empty histogram gives 0.
func (h *Histogram) Quantile(q float64) time.Duration {
	if h.count == 0 {
		return 0
	}
	rank := h.rank(q)
	switch rank {
	case 1:
		return h.Min()
	case h.count:
		return h.Max()
	}
	return time.Duration(min(max(midpoint(h.bucketAt(rank)), h.min), h.max))
}

// bucketAt returns the bucket that holds the sample at a rank, from 1 to count.
func (h *Histogram) bucketAt(rank uint64) int {
	last := bucketOf(h.max)
	var seen uint64
	for i := bucketOf(h.min); i < last; i++ {
		if seen += h.buckets[i]; seen >= rank {
			return i
		}
	}
	return last
}

// rank returns ceil(q·count), at least 1 and at most count.
func (h *Histogram) rank(q float64) uint64 {
	q = min(max(q, 0), 1)
	exact := q * float64(h.count)
	rank := uint64(exact)
	if float64(rank) < exact-1e-9*exact {
		rank++
	}
	return min(max(rank, 1), h.count)
}

// bucketOf returns the bucket of v, which is not negative.
func bucketOf(v int64) int {
	if v < subBuckets {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - subBucketBits - 1
	return shift*subBuckets + int(v>>shift)
}

// bounds returns the smallest value of bucket i and the number of values in it.
func bounds(i int) (low, width int64) {
	if i < 2*subBuckets {
		return int64(i), 1
	}
	shift := i/subBuckets - 1
	return int64(i-shift*subBuckets) << shift, 1 << shift
}

// midpoint returns the value in the middle of bucket i.
func midpoint(i int) int64 {
	low, width := bounds(i)
	return low + width/2
}
