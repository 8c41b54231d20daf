package profile

import (
	"math"

	"qd1.example/qd1/bench"
)

// Sample is what is known of one second of a run.
type Sample struct {
	// Seconds from the start of the measured part to the end of this second.
	Seconds float64
	// MBPerS is the rate in this second, 0 for one in which nothing came.
	MBPerS float64
	// P99US is the 99th percentile of the latency in this second, µs. Nil: too
	// few operations.
	P99US *float64
	// Celsius is the composite temperature and Throttles the count of
	// transitions into thermal management, from any start. They are nil in every
	// second in which they were not read, and where the drive does not tell them:
	// a reading that is repeated until the next one would be taken for many.
	Celsius   *int
	Throttles *uint64
	// BytesWritten from the start of the measured part. 0: the run only reads.
	BytesWritten int64
}

// SampleOf returns the sample of the interval that a progress of j tells of. The
// temperature and the throttling are in it if the engine tells them. ok is false
// for the warm-up and where no time has passed.
func SampleOf(p bench.Progress, j bench.Job) (s Sample, ok bool) {
	if p.WarmingUp || p.IntervalSeconds <= 0 {
		return Sample{}, false
	}
	s.Seconds = p.Seconds
	s.BytesWritten = int64(math.Round(float64(p.Operations) * float64(j.BlockBytes) * writeShare(j)))
	if p.Interval != nil {
		s.MBPerS, _ = RateOf(p, j.BlockBytes)
		if p99 := bench.LatencyOf(p.Interval).P99; p99 != nil {
			s.P99US = new(*p99)
		}
	}
	if t := p.Telemetry; t != nil {
		s.Celsius, s.Throttles = new(t.Celsius), new(t.Throttles)
	}
	return s, true
}

// ratesOf returns the MB/s of each second.
func ratesOf(samples []Sample) []float64 {
	rates := make([]float64, len(samples))
	for i := range samples {
		rates[i] = samples[i].MBPerS
	}
	return rates
}

// leastP99 is how many seconds must have a 99th percentile.
const leastP99 = 3

// medianP99 returns the median of the 99th percentiles of the seconds, nil if
// there are too few.
func medianP99(samples []Sample) *float64 {
	var all []float64
	for _, s := range samples {
		if s.P99US != nil {
			all = append(all, *s.P99US)
		}
	}
	if len(all) < leastP99 {
		return nil
	}
	return new(round(median(all)))
}
