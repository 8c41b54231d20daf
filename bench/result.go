package bench

import (
	"cmp"
	"math"
	"time"
)

// endedComplete is Result.Ended of a run that was not cut short.
const endedComplete = "complete"

// The values of Result.Submission.
const (
	submissionOne   = "one"
	submissionBatch = "batch"
)

// Result is what one run measured. Numbers are rounded to 3 decimals, Seconds
// to 6.
type Result struct {
	Name       string  `json:"name"`
	Engine     string  `json:"engine"`
	Op         Op      `json:"op"`
	Pattern    Pattern `json:"pattern"`
	BlockBytes int     `json:"block_bytes"`
	QueueDepth int     `json:"queue_depth"`
	Workers    int     `json:"workers"`
	// Seconds of the measured part, to the last completion in it, or with a
	// rate or a think time to the end of the last pause.
	Seconds float64 `json:"seconds"`
	// Operations that succeeded in the measured part.
	Operations int64   `json:"operations"`
	IOPS       float64 `json:"iops"`
	// MBPerS is in 10^6 bytes a second.
	MBPerS  float64 `json:"mb_per_s"`
	Latency Latency `json:"latency_us"`
	// LatencyCI95 has the confidence interval of each percentile that is given.
	LatencyCI95 LatencyIntervals `json:"latency_ci95_us"`
	// Corrected is the latency from when an operation was due, of a job with a
	// rate: what a user waits that does not slow down with the drive.
	Corrected *Latency `json:"corrected_latency_us,omitempty"`
	// Reads and Writes are the two halves of a mix.
	Reads  *Half `json:"reads,omitempty"`
	Writes *Half `json:"writes,omitempty"`
	// BytesRead from the target and BytesWritten to it, the warm-up included.
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`
	// CPUPerOp and UserPerOp are the processor time of the worker threads for
	// each operation in µs, in all and in user mode; system mode is the
	// difference. Nil: not known.
	CPUPerOp  *float64 `json:"cpu_us_per_op"`
	UserPerOp *float64 `json:"user_us_per_op"`
	// BlankPercent is the share of reads that gave nothing but zeros.
	// Blocks that were never written are answered without a look at the
	// medium, so a share of more than about 1 makes the figures doubtful.
	BlankPercent *float64 `json:"blank_percent"`
	// RatedPercent is the result as a share of what the maker states. It is
	// nil here; whoever knows the drive fills it in.
	RatedPercent *float64 `json:"rated_percent"`
	// Errors is the number of failed requests, those of the warm-up included.
	Errors       int64       `json:"errors"`
	ErrorDetails []ErrorKind `json:"error_details,omitempty"`
	// Cached is false: no engine reads through the page cache.
	Cached bool `json:"cached"`
	// Submission is "one" or "batch", and EngineFlags what the engine uses of
	// the kernel, such as "registered buffers".
	Submission  string   `json:"submission"`
	EngineFlags []string `json:"engine_flags,omitempty"`
	ReadPercent *int     `json:"read_percent,omitempty"`
	Content     string   `json:"content,omitempty"`
	RatePerS    float64  `json:"rate_per_s,omitempty"`
	ThinkTimeUS float64  `json:"think_time_us,omitempty"`
	StartBytes  int64    `json:"start_bytes,omitempty"`
	// Slowest are the slowest operations, at most 100, the slowest first.
	Slowest []SlowOperation `json:"slowest,omitempty"`
	// ErrorOffsets are the offsets that failed, at most 64, in order.
	ErrorOffsets  []ErrorOffset `json:"error_offsets,omitempty"`
	WarmupSeconds float64       `json:"warmup_seconds"`
	Seed          uint64        `json:"seed"`
	SpanBytes     int64         `json:"span_bytes"`
	// CPU is the one that the first worker was pinned to. Nil: not pinned.
	CPU            *int `json:"cpu"`
	CPULatencyHeld bool `json:"cpu_latency_held"`
	// Partial is true if the run ended before the job said; Ended says why.
	Partial bool   `json:"partial"`
	Ended   string `json:"ended"`
	// Histogram has all latencies in ns. In a result put together from progress
	// after the worker was lost it is the sum of the intervals, or nil.
	Histogram *Histogram `json:"histogram,omitempty"`
}

// Latency sums up latencies in µs. A figure is nil if nothing was measured, a
// percentile also if fewer than 10 samples lie beyond it.
type Latency struct {
	Min   *float64 `json:"min"`
	Mean  *float64 `json:"mean"`
	P50   *float64 `json:"p50"`
	P90   *float64 `json:"p90"`
	P99   *float64 `json:"p99"`
	P999  *float64 `json:"p999"`
	P9999 *float64 `json:"p9999"`
	Max   *float64 `json:"max"`
}

// LatencyIntervals are 95 % confidence intervals in µs, nil where the
// percentile is.
type LatencyIntervals struct {
	P50   *[2]float64 `json:"p50"`
	P90   *[2]float64 `json:"p90"`
	P99   *[2]float64 `json:"p99"`
	P999  *[2]float64 `json:"p999"`
	P9999 *[2]float64 `json:"p9999"`
}

// Half is the reads or the writes of a mix.
type Half struct {
	Operations int64      `json:"operations"`
	IOPS       float64    `json:"iops"`
	MBPerS     float64    `json:"mb_per_s"`
	Latency    Latency    `json:"latency_us"`
	Histogram  *Histogram `json:"histogram,omitempty"`
}

// SlowOperation is one operation that took long.
type SlowOperation struct {
	// AtSeconds is when it was submitted, from the start of the measured part.
	AtSeconds float64 `json:"at_seconds"`
	LatencyUS float64 `json:"latency_us"`
	Offset    int64   `json:"offset"`
	Write     bool    `json:"write,omitempty"`
}

// ErrorOffset is one place where requests failed.
type ErrorOffset struct {
	Offset int64 `json:"offset"`
	Count  int64 `json:"count"`
}

// ErrorKind is one way in which requests failed.
type ErrorKind struct {
	// Error is the symbol of the errno ("EIO") or the text of the error.
	Error string `json:"error"`
	Count int64  `json:"count"`
	// FirstOffset is where it happened first, in bytes.
	FirstOffset int64 `json:"first_offset"`
}

// samplesBeyond is the least number of samples above a percentile that makes
// it worth a number.
const samplesBeyond = 10

// LatencyOf sums up h.
func LatencyOf(h *Histogram) Latency { return latencyOf(h, new(figures)) }

// figures is the memory that a Latency points to.
type figures [8]float64

// put keeps a latency of ns and returns where it is in µs.
func (f *figures) put(i int, ns float64) *float64 {
	f[i] = round3(ns / 1000)
	return &f[i]
}

// latencyOf sums up h in the memory given.
func latencyOf(h *Histogram, f *figures) Latency {
	if h.count == 0 {
		return Latency{}
	}
	return Latency{
		Min:   f.put(0, float64(h.min)),
		Mean:  f.put(1, h.Mean()),
		P50:   f.percentile(2, h, 5000),
		P90:   f.percentile(3, h, 9000),
		P99:   f.percentile(4, h, 9900),
		P999:  f.percentile(5, h, 9990),
		P9999: f.percentile(6, h, 9999),
		Max:   f.put(7, float64(h.max)),
	}
}

// percentile returns the latency at p/10000, nil if it rests on too few
// samples.
func (f *figures) percentile(i int, h *Histogram, p uint64) *float64 {
	if !enough(h, p) {
		return nil
	}
	return f.put(i, float64(h.Quantile(float64(p)/10000)))
}

// enough reports whether enough samples lie beyond the percentile p/10000.
func enough(h *Histogram, p uint64) bool { return h.count >= samplesBeyond*10000/(10000-p) }

// micros turns ns into µs.
func micros(ns float64) *float64 { return new(round3(ns / 1000)) }

func round3(v float64) float64 { return math.Round(v*1000) / 1000 }

// per returns n per second over d, 0 for no time.
func per(n float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return round3(n / d.Seconds())
}

// blankResult returns the result of a job that has not run.
func blankResult(t Target, j Job) *Result {
	r := &Result{
		Name:          j.Label(),
		Engine:        j.Engine,
		Op:            j.Op,
		Pattern:       j.Pattern,
		BlockBytes:    j.BlockBytes,
		QueueDepth:    j.QueueDepth,
		Workers:       j.Workers,
		Submission:    submissionOne,
		RatePerS:      j.Rate,
		ThinkTimeUS:   round3(float64(j.ThinkTime) / 1000),
		StartBytes:    j.Start,
		WarmupSeconds: round3(j.Warmup.Seconds()),
		Seed:          j.Seed,
		SpanBytes:     t.span(j),
		Ended:         endedComplete,
	}
	if j.Batch {
		r.Submission = submissionBatch
	}
	if j.writes() {
		r.Content = cmp.Or(j.Content, contentRandom)
	}
	if j.Op == OpMix {
		r.ReadPercent = new(j.readPercent())
	}
	return r
}

// fill takes the figures of all workers together.
func (r *Result) fill(t *tally) {
	r.Histogram = t.all(&Histogram{})
	r.Seconds = math.Round(t.elapsed.Seconds()*1e6) / 1e6
	r.Operations = r.Histogram.Count()
	r.IOPS = per(float64(r.Operations), t.elapsed)
	r.MBPerS = per(float64(r.Operations)*float64(r.BlockBytes)/1e6, t.elapsed)
	r.Latency = LatencyOf(r.Histogram)
	r.LatencyCI95 = LatencyIntervalsOf(r.Histogram)
	r.BytesRead, r.BytesWritten = t.moved()
	r.Errors = t.errors.total
	r.ErrorDetails = t.errors.list()
	r.ErrorOffsets = t.errors.sortedOffsets()
	r.Slowest = t.slowest.operations()
	r.fillHalves(t)
	r.fillShares(t)
}

// fillHalves takes what only a mix or a rate has.
func (r *Result) fillHalves(t *tally) {
	if t.writes != nil {
		r.Reads, r.Writes = r.half(&t.latency, t.elapsed), r.half(t.writes, t.elapsed)
	}
	if t.corrected != nil {
		r.Corrected = new(LatencyOf(t.corrected))
	}
}

// half sums up the reads or the writes of a mix.
func (r *Result) half(h *Histogram, elapsed time.Duration) *Half {
	n := float64(h.Count())
	return &Half{
		Operations: h.Count(),
		IOPS:       per(n, elapsed),
		MBPerS:     per(n*float64(r.BlockBytes)/1e6, elapsed),
		Latency:    LatencyOf(h),
		Histogram:  h,
	}
}

// fillShares takes the figures that are a share of the operations.
func (r *Result) fillShares(t *tally) {
	reads := t.latency.Count()
	if r.Op != OpWrite && reads > 0 {
		r.BlankPercent = new(round3(100 * float64(t.blank) / float64(reads)))
	}
	if n := float64(r.Operations); n > 0 && t.usage.total() > 0 {
		r.CPUPerOp = micros(float64(t.usage.total()) / n)
		r.UserPerOp = micros(float64(t.usage.user) / n)
	}
}

// end marks the result as partial because of err, if there is one.
func (r *Result) end(err error) {
	if err != nil {
		r.Partial, r.Ended = true, err.Error()
	}
}
