package bench

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Op is what a job does with each block.
type Op string

// The operations. A mix is of reads and writes in random order.
const (
	OpRead  Op = "read"
	OpWrite Op = "write"
	OpMix   Op = "mix"
)

// Pattern is the order of the offsets.
type Pattern string

// The patterns. Random offsets are uniform over the blocks of the span, with
// repetition. Sequential offsets start at the beginning, or at an equal share
// of the span for each worker, and wrap.
const (
	Random     Pattern = "random"
	Sequential Pattern = "sequential"
)

// The names of the engines in this package.
const (
	EnginePsync    = "psync"    // one pread64 at a time, O_DIRECT
	EngineUring    = "uring"    // io_uring, O_DIRECT
	EnginePassthru = "passthru" // io_uring commands on the generic node: no block layer
	EngineIoctl    = "ioctl"    // one I/O command at a time through the NVMe ioctl
	EngineNull     = "null"     // completes without I/O: the harness's own cost
	EngineRAM      = "ram"      // copies memory: the ceiling of the host
)

const (
	maxBlockBytes     = 1 << 30
	maxQueueDepth     = 1 << 16
	maxWorkers        = 1 << 10
	defaultMaxErrors  = 10
	defaultStallLimit = 30 * time.Second
	maxDuration       = 1000 * time.Hour
	maxWarmup         = time.Hour
	maxThinkTime      = time.Hour
	minRate           = 1e-3
	maxRate           = 1e9
	// defaultReadPercent is the share of reads in a mix that does not say.
	defaultReadPercent = 70
)

// Job is one workload. It ends when the first of Duration, Operations and
// TotalBytes is reached; at least one must be given.
type Job struct {
	// Name of the result; empty: made from the other fields, as "RND4K Q1T1".
	Name string `json:"name,omitempty"`
	// Engine is the name of the engine, for whoever opens it and the result.
	Engine     string  `json:"engine"`
	Op         Op      `json:"op"`
	Pattern    Pattern `json:"pattern"`
	BlockBytes int     `json:"block_bytes"`
	// QueueDepth is the number of requests that each worker keeps in flight.
	QueueDepth int `json:"queue_depth"`
	// Workers is the number of threads.
	Workers int `json:"workers"`
	// ReadPercent is the share of reads in a mix. 0: 70.
	ReadPercent int `json:"read_percent,omitempty"`
	// Content is what is written: "random", "zero", or the share of each
	// 512 bytes that is random and the rest zeros, as "50%". No two written
	// blocks are equal unless they are zero. "": "random".
	Content string `json:"content,omitempty"`
	// Rate is the number of operations a second that all workers together
	// start, in even intervals. 0: as many as the queue depth allows. With a
	// rate, latencies are also counted from when an operation was due; what was
	// due but could not start before the end counts nowhere.
	Rate float64 `json:"rate_per_s,omitempty"`
	// ThinkTime is how long a worker pauses after a completion before it
	// submits again. One that keeps several requests in flight waits for all of
	// them, pauses, and submits as many again.
	ThinkTime time.Duration `json:"think_time_ns,omitempty"`
	// Batch lets the engine take all free buffers in one submission. false:
	// one by one, because a queue that is refilled in batches is answered in
	// waves.
	Batch bool `json:"batch,omitempty"`
	// IOPoll lets the kernel poll for completions instead of waiting for an
	// interrupt, SQPoll lets a thread of the kernel poll for submissions. Both
	// are for the engines uring and passthru, which say what is missing.
	IOPoll bool `json:"io_poll,omitempty"`
	SQPoll bool `json:"sq_poll,omitempty"`
	// Duration of the measured part. 0: no limit by time.
	Duration time.Duration `json:"duration_ns"`
	// Warmup comes before the measured part and is left out of the result.
	Warmup time.Duration `json:"warmup_ns"`
	// Operations and TotalBytes limit the measured part of all workers
	// together. 0: no such limit.
	Operations int64 `json:"operations,omitempty"`
	TotalBytes int64 `json:"total_bytes,omitempty"`
	// Start is the first byte that offsets may have, a multiple of BlockBytes.
	Start int64 `json:"start_bytes,omitempty"`
	// Span limits the offsets to as many bytes from Start. 0: all of the target.
	Span int64 `json:"span_bytes,omitempty"`
	// Seed of the random offsets. 0: one is chosen and stands in the result.
	Seed uint64 `json:"seed,omitempty"`
	// CPUs to pin the workers to, in turn. Empty: the highest-numbered CPUs
	// that the process may use.
	CPUs []int `json:"cpus,omitempty"`
	// HoldCPULatency keeps the CPUs out of idle states that are slow to leave
	// (see [HoldCPULatency]). The result says whether it was possible.
	HoldCPULatency bool `json:"hold_cpu_latency"`
	// StallLimit is the longest time without any completion before the run
	// ends with what it has. 0: 30 s, the kernel's time-out of an NVMe command.
	StallLimit time.Duration `json:"stall_limit_ns,omitempty"`
	// MaxErrors is the number of consecutive failed requests that ends the
	// run. 0: 10. -1: none does.
	MaxErrors int `json:"max_errors,omitempty"`
}

// QD1Read returns the job behind the headline figure: random reads of 4 KiB,
// one at a time, measured for the given seconds after a warm-up of a fifth of
// that, at most 0.5 s.
func QD1Read(seconds float64) Job {
	d := time.Duration(seconds * float64(time.Second))
	return Job{
		Engine:         EnginePsync,
		Op:             OpRead,
		Pattern:        Random,
		BlockBytes:     4096,
		QueueDepth:     1,
		Workers:        1,
		Duration:       d,
		Warmup:         min(d/5, 500*time.Millisecond),
		HoldCPULatency: true,
	}
}

// memory returns the size of all buffers in bytes.
func (j Job) memory() int64 {
	return int64(j.Workers) * int64(j.buffers()) * int64(j.stride())
}

// buffers returns the number of buffers of a worker: one for each request in
// flight, and in a mix one more for it to be a write.
func (j Job) buffers() int {
	if j.Op == OpMix {
		return 2 * j.QueueDepth
	}
	return j.QueueDepth
}

// writes reports whether the job writes.
func (j Job) writes() bool { return j.Op == OpWrite || j.Op == OpMix }

// readPercent returns the share of reads in a mix.
func (j Job) readPercent() int {
	if j.ReadPercent > 0 {
		return j.ReadPercent
	}
	return defaultReadPercent
}

// stride returns the distance between buffers: each starts at a page of 4096
// bytes.
func (j Job) stride() int { return (j.BlockBytes + 4095) &^ 4095 }

// limit returns the number of operations that ends the measured part.
func (j Job) limit() int64 {
	n := int64(math.MaxInt64)
	if j.Operations > 0 {
		n = j.Operations
	}
	if j.TotalBytes > 0 {
		n = min(n, j.TotalBytes/int64(j.BlockBytes))
	}
	return n
}

// share returns the part of limit that worker i does.
func (j Job) share(i int) int64 {
	n, w := j.limit(), int64(j.Workers)
	if n == math.MaxInt64 {
		return n
	}
	share := n / w
	if int64(i) < n%w {
		share++
	}
	return share
}

// timed reports whether the end of the job is known beforehand, and planned
// when it is, counted from the start of the warm-up.
func (j Job) timed() bool            { return j.Duration > 0 }
func (j Job) planned() time.Duration { return j.Warmup + j.Duration }

func (j Job) stallLimit() time.Duration {
	if j.StallLimit > 0 {
		return j.StallLimit
	}
	return defaultStallLimit
}

func (j Job) maxErrors() int {
	switch {
	case j.MaxErrors < 0:
		return math.MaxInt
	case j.MaxErrors > 0:
		return j.MaxErrors
	}
	return defaultMaxErrors
}

// Label returns Name or a name made from the workload, as "RND4K Q1T1".
func (j Job) Label() string {
	if j.Name != "" {
		return j.Name
	}
	order := "RND"
	if j.Pattern == Sequential {
		order = "SEQ"
	}
	return fmt.Sprintf("%s%s Q%dT%d", order, shortSize(j.BlockBytes), j.QueueDepth, j.Workers)
}

// shortSize writes a size in the largest binary unit that divides it.
func shortSize(n int) string {
	switch {
	case n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "M"
	case n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "K"
	}
	return strconv.Itoa(n) + "B"
}
