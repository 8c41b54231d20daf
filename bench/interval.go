package bench

import "math"

// standardErrors is how many of them a 95 % interval reaches to each side.
const standardErrors = 1.96

// LatencyIntervalsOf returns the confidence intervals of the percentiles that
// [LatencyOf] gives. Each reaches from one order statistic to another, those at
// the ranks Np ± 1.96·√(Np(1−p)) of the N samples, and is widened to the whole
// buckets that they fall into. It makes no assumption about the shape of the
// distribution, but takes the samples for independent. Latencies of one run are
// not quite that, so the interval says how well this run determined its own
// percentile, and less than how much another run would differ.
func LatencyIntervalsOf(h *Histogram) LatencyIntervals {
	return LatencyIntervals{
		P50:   percentileInterval(h, 5000),
		P90:   percentileInterval(h, 9000),
		P99:   percentileInterval(h, 9900),
		P999:  percentileInterval(h, 9990),
		P9999: percentileInterval(h, 9999),
	}
}

// percentileInterval returns the interval of the percentile p/10000 in µs, nil
// where percentile is.
func percentileInterval(h *Histogram, p uint64) *[2]float64 {
	if !enough(h, p) {
		return nil
	}
	n, q := float64(h.count), float64(p)/10000
	half := standardErrors * math.Sqrt(n*q*(1-q))
	low := uint64(max(math.Floor(n*q-half), 1))
	high := uint64(min(math.Ceil(n*q+half), n))
	from, _ := bounds(h.bucketAt(low))
	to, width := bounds(h.bucketAt(high))
	to += width - 1
	return &[2]float64{
		round3(float64(max(from, h.min)) / 1000),
		round3(float64(min(to, h.max)) / 1000),
	}
}
