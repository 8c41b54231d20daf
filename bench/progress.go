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
	// Interval the latencies in it; nil if there is nothing new. Its count and
	// mean are exact, its minimum and maximum as exact as its quantiles.
	IntervalSeconds float64    `json:"interval_seconds"`
	Interval        *Histogram `json:"interval,omitempty"`
	// SilentSeconds is the time since any request was completed. More than a
	// few seconds mean that the drive does not answer.
	SilentSeconds float64 `json:"silent_seconds"`
	// Telemetry is the state of the drive, from an engine that is a [Telemeter];
	// nil from the others.
	Telemetry *Telemetry `json:"telemetry,omitempty"`
}

// Observer receives progress about once a second, always on the goroutine that
// called [Run] or [Converse]. It should return quickly. What a Progress points to
// is used again: an observer that keeps one must copy that.
type Observer func(Progress)

// reporter makes progress of totals. What it makes lies in its own memory, which
// it uses again, because it runs where nothing is ever collected.
type reporter struct {
	job      Job
	all      Histogram // of a mix
	before   Histogram // at the last progress of this part
	interval Histogram
	figures  figures
	reported time.Duration // of this part
	measures bool

	// drive, unless it is nil, tells the state of the drive.
	drive     Telemeter
	telemetry Telemetry
}

// newReporter returns the reporter of a run.
func newReporter(j Job) *reporter { return &reporter{job: j} }

// ask notes the engine if it can tell the state of its drive.
func (r *reporter) ask(e Engine) { r.drive, _ = e.(Telemeter) }

// progress describes the totals t at a time of the run. It is valid until the
// next call.
func (r *reporter) progress(t *tally, now, silent time.Duration) Progress {
	j, all := &r.job, t.all(&r.all)
	n := all.Count()
	p := Progress{
		WarmingUp:      !t.measuring,
		Seconds:        round3(t.elapsed.Seconds()),
		PlannedSeconds: round3(j.Duration.Seconds()),
		Operations:     n,
		IOPS:           per(float64(n), t.elapsed),
		MBPerS:         per(float64(n)*float64(j.BlockBytes)/1e6, t.elapsed),
		Latency:        latencyOf(all, &r.figures),
		Errors:         t.errors.total,
		SilentSeconds:  round3(silent.Seconds()),
	}
	if !t.measuring {
		p.PlannedSeconds = round3(j.Warmup.Seconds())
	}
	if j.Operations > 0 || j.TotalBytes > 0 {
		p.PlannedOperations = j.limit()
	}
	r.since(t, all)
	p.IntervalSeconds = round3(r.intervalTime(t, now, silent).Seconds())
	if r.interval.Count() > 0 {
		p.Interval = &r.interval
	}
	if r.drive != nil {
		var ok bool
		if r.telemetry, ok = r.drive.Telemetry(); ok {
			p.Telemetry = &r.telemetry
		}
	}
	return p
}

// since finds what is new since the last progress of this part.
func (r *reporter) since(t *tally, all *Histogram) {
	if t.measuring != r.measures {
		r.measures, r.reported = t.measuring, 0
		r.before.Reset()
	}
	r.interval.difference(all, &r.before)
	r.before.set(all)
}

// intervalTime returns the time that the interval covers and begins the next.
// While the drive is silent, it is the time that passes; otherwise that to the
// last completion, as for Seconds.
func (r *reporter) intervalTime(t *tally, now, silent time.Duration) time.Duration {
	to := t.elapsed
	if silent >= time.Second {
		to = now - t.began
	}
	d := max(to-r.reported, 0)
	r.reported += d
	return d
}
