package report

import (
	"math"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/protocol"
)

// RunMetric is the figure by which the runs of a workload are judged: the median
// latency of one operation at a time, the rate of others.
func RunMetric(j *bench.Job) reference.Metric {
	return runMetric(j.QueueDepth, j.Workers, j.Rate, j.ThinkTime > 0)
}

func runMetric(depth, workers int, rate float64, pauses bool) reference.Metric {
	if depth*workers == 1 || rate > 0 || pauses {
		return reference.P50Latency
	}
	return reference.MBPerS
}

// RunValue is that figure of a run in µs or MB/s, nil if it has none.
func RunValue(r *bench.Result) *float64 {
	if runMetric(r.QueueDepth, r.Workers, r.RatePerS, r.ThinkTimeUS > 0) == reference.P50Latency {
		return r.Latency.P50
	}
	if r.MBPerS <= 0 {
		return nil
	}
	return &r.MBPerS
}

// RunStep is the smallest difference between two such figures near a value that a
// run can show: the width of a bucket of its histogram, which has 64 in each
// octave of nanoseconds. 0: any.
func RunStep(m reference.Metric, value float64) float64 {
	if m != reference.P50Latency || value <= 0 {
		return 0
	}
	const buckets, nanoseconds = 64, 1000
	return math.Exp2(math.Floor(math.Log2(value*nanoseconds))) / buckets / nanoseconds
}

// RunNoise is the noise of the runs of a workload, for a comparison of so many
// with so many runs a side, nil for too few of them.
func RunNoise(j *bench.Job, values []float64, planned, workloads int) *protocol.Noise {
	if len(values) == 0 {
		return nil
	}
	m := RunMetric(j)
	return protocol.NoiseOf(string(m), values, RunStep(m, values[0]), planned, workloads)
}

// RunValues returns the figures of the runs of a row that went to their end, in
// their order, with the time at which each began, seconds. They are nil if a run
// has none.
func (b *BenchReport) RunValues(row int) (seconds, values []float64) {
	for i := range b.Results {
		r := &b.Results[i]
		if r.Row != row || r.Partial {
			continue
		}
		v := RunValue(&r.Result)
		if v == nil {
			return nil, nil
		}
		at := float64(r.Run)
		if r.Start != nil {
			at = r.Start.AtSeconds
		}
		seconds, values = append(seconds, at), append(values, *v)
	}
	return seconds, values
}
