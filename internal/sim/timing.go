package sim

import "time"

// timing is how long accesses take. It is a pure model: the same access of the
// same drive always takes the same time.
type timing struct {
	// read and write are the medians of a 4 KiB access.
	read, write time.Duration
	// bytesPerSecond is the rate of the transfer, which all accesses share.
	bytesPerSecond int64
	seed           uint64
}

// medianBytes is the access size that the medians are for.
const medianBytes = 4096

// quantile is a point of the distribution of latencies: a share of all
// accesses is at most that multiple of the median.
type quantile struct{ share, multiple float64 }

// quantiles is the distribution, between the points linear. It has the shape
// of a first generation Optane drive: narrow, with a short tail.
func quantiles() [9]quantile {
	return [...]quantile{
		{0, 0.94}, {0.1, 0.97}, {0.5, 1}, {0.9, 1.05}, {0.99, 1.25},
		{0.999, 1.6}, {0.9999, 2.6}, {0.99999, 4}, {1, 5},
	}
}

// multiple returns the multiple of the median at a share of accesses from 0
// to 1.
func multiple(share float64) float64 {
	points := quantiles()
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if share <= b.share {
			return a.multiple + (b.multiple-a.multiple)*(share-a.share)/(b.share-a.share)
		}
	}
	return points[len(points)-1].multiple
}

// access returns the time of access number n, of the given median and size,
// on a drive that does nothing else.
func (t *timing) access(median time.Duration, n uint64, bytes int) time.Duration {
	share := float64(mix(t.seed+n*golden)>>11) / (1 << 53)
	d := time.Duration(float64(median) * multiple(share))
	return max(d+t.transfer(bytes)-t.transfer(medianBytes), t.transfer(bytes))
}

// transfer returns the time to move bytes between drive and host.
func (t *timing) transfer(bytes int) time.Duration {
	return time.Duration(int64(bytes) * int64(time.Second) / t.bytesPerSecond)
}

// schedule returns when an access that begins now ends, and until when it
// occupies the transfer, which is free from busy on. All are nanoseconds.
func (t *timing) schedule(now, busy, access int64, bytes int) (end, busyUntil int64) {
	busyUntil = max(now, busy) + int64(t.transfer(bytes))
	return max(now+access, busyUntil), busyUntil
}

// golden is 2^64 divided by the golden ratio: multiples of it are spread
// evenly.
const golden = 0x9E3779B97F4A7C15

// mix spreads the bits of x over the whole word (the output function of the
// generator SplitMix64 by Steele, Lea and Flood).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
