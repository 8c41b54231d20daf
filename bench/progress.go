package bench

import "time"

// Progress is a copy of the running totals of a run.
type Progress struct {
	// WarmingUp: the totals are of the warm-up and will not count. Errors do.
	WarmingUp bool `json:"warming_up"`
	// Seconds from the start of the part to its last completion, at most 0.1 s
	// behind.
	Seconds float64 `json:"seconds"`
	// PlannedSeconds of this part; 0: its end is not known beforehand.
	PlannedSeconds float64 `json:"planned_seconds"`
	Operations     int64   `json:"operations"`
	// PlannedOperations of the measured part; 0: no such limit.
	PlannedOperations int64   `json:"planned_operations"`
	IOPS              float64 `json:"iops"`
	MBPerS            float64 `json:"mb_per_s"`
	Latency           Latency `json:"latency_us"`
	Errors            int64   `json:"errors"`
	// IntervalSeconds is the time since the last progress of this part, and
	// Interval the latencies in it; nil if there is nothing new.
	IntervalSeconds float64    `json:"interval_seconds"`
	Interval        *Histogram `json:"interval,omitempty"`
	// SilentSeconds is the time since any request was completed. More than a
	// few seconds mean that the drive does not answer.
	SilentSeconds float64 `json:"silent_seconds"`
}

// Observer receives progress about once a second, always on the goroutine that
// called [Run] or [Converse]. It should return quickly.
type Observer func(Progress)

// progressOf describes the totals t.
func progressOf(j Job, t *tally, silent time.Duration) Progress {
	n := t.operations()
	p := Progress{
		WarmingUp:      !t.measuring,
		Seconds:        round3(t.elapsed.Seconds()),
		PlannedSeconds: round3(j.Duration.Seconds()),
		Operations:     n,
		IOPS:           per(float64(n), t.elapsed),
		MBPerS:         per(float64(n)*float64(j.BlockBytes)/1e6, t.elapsed),
		Latency:        LatencyOf(t.all(&Histogram{})),
		Errors:         t.errors.total,
		SilentSeconds:  round3(silent.Seconds()),
	}
	if !t.measuring {
		p.PlannedSeconds = round3(j.Warmup.Seconds())
	}
	if j.Operations > 0 || j.TotalBytes > 0 {
		p.PlannedOperations = j.limit()
	}
	return p
}
