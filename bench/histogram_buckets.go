package bench

import (
	"iter"
	"time"
)

// Bucket is how many durations from Low to below High a Histogram counted. Of
// the outermost buckets in use, Low is not below the minimum and High not more
// than 1 ns above the maximum.
type Bucket struct {
	Low, High time.Duration
	Count     int64
}

// Buckets yields the buckets that are not empty, the smallest durations first,
// for those who draw the distribution.
func (h *Histogram) Buckets() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		for i := bucketOf(h.min); h.count > 0 && i <= bucketOf(h.max); i++ {
			if h.buckets[i] == 0 {
				continue
			}
			low, width := bounds(i)
			last := min(low+(width-1), h.max)
			if !yield(Bucket{time.Duration(max(low, h.min)), time.Duration(last) + 1, int64(h.buckets[i])}) {
				return
			}
		}
	}
}
