package profile

import (
	"math"
	"time"

	"qd1.example/qd1/bench"
)

// Estimate says beforehand what a plan takes.
type Estimate struct {
	// Duration of all runs and pauses. The making of a file is not in it.
	Duration time.Duration `json:"duration_ns"`
	// BytesRead and BytesWritten by the runs, as much as a drive of that rating
	// could do in the time. The making of a file is not in it.
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`
}

// Estimate returns what the plan takes on a drive with these rated figures, or
// on a fast one where they are not known.
func (p *Plan) Estimate(r Rated) Estimate {
	return estimate(p.Steps, r)
}

// Remaining is the estimate for the steps from the given one on, for a display
// of progress.
func (p *Plan) Remaining(step int, r Rated) Estimate {
	return estimate(p.Steps[min(max(step, 0), len(p.Steps)):], r)
}

func estimate(steps []Step, r Rated) Estimate {
	var e Estimate
	for _, s := range steps {
		j := s.Job
		rate := r.expected(j)
		measured, operations := j.Duration, limit(j)
		if end := operations / rate; measured == 0 || end < measured.Seconds() {
			measured = time.Duration(end * float64(time.Second))
		}
		operations = min(operations, measured.Seconds()*rate) + j.Warmup.Seconds()*rate
		e.Duration += s.Pause + j.Warmup + measured
		bytes := operations * float64(j.BlockBytes)
		written := bytes * writeShare(j)
		e.BytesWritten += int64(math.Round(written))
		e.BytesRead += int64(math.Round(bytes - written))
	}
	return e
}

// limit returns the number of operations that ends the measured part of j.
func limit(j bench.Job) float64 {
	n := math.Inf(1)
	if j.Operations > 0 {
		n = float64(j.Operations)
	}
	if j.TotalBytes > 0 {
		n = min(n, float64(j.TotalBytes/int64(j.BlockBytes)))
	}
	return n
}

// writeShare returns the share of writes in j.
func writeShare(j bench.Job) float64 {
	switch j.Op {
	case bench.OpWrite:
		return 1
	case bench.OpMix:
		return 1 - float64(Row{Job: j}.readPercent())/100
	}
	return 0
}
