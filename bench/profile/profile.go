package profile

import (
	"fmt"
	"strings"
	"time"

	"qd1.example/qd1/bench"
)

// Profile is one named set of workloads.
type Profile struct {
	// Name is the first part of the name, as "cdm8", and Variant the rest, as
	// "nvme+peak". "": the default.
	Name    string `json:"name"`
	Variant string `json:"variant,omitempty"`
	// Title is the program that it follows, or what it is.
	Title string `json:"title"`
	// Description is one sentence for a list.
	Description string `json:"description"`
	// Rows in the order in which they are run.
	Rows []Row `json:"rows"`
	// Runs of each row that count.
	Runs int `json:"runs"`
	// Prepare is the length of a run before the first of each row that does not
	// count. 0: there is none.
	Prepare time.Duration `json:"prepare_ns,omitempty"`
	// Interval is the pause between rows. There is none between the runs of a
	// row.
	Interval time.Duration `json:"interval_ns,omitempty"`
	// SizeBytes is the size of the test file, or the span on a device. 0: all
	// of the target.
	SizeBytes int64 `json:"size_bytes,omitempty"`
	// FileBytes is the size of a file that is made for the profile where
	// SizeBytes is 0.
	FileBytes int64 `json:"file_bytes,omitempty"`
}

// Row is one workload of a profile.
type Row struct {
	// Name as on the screen of the original, as "SEQ1M Q8T1". Reading and
	// writing rows have the same; [Row.Label] tells them apart.
	Name string `json:"name"`
	// Job has no span and no total size; a plan fills them in.
	Job bench.Job `json:"job"`
	// Runs that count. 0: those of the profile.
	Runs int `json:"runs,omitempty"`
	// Pick is how the figure is chosen from the runs.
	Pick Pick `json:"pick"`
	// WholeSize says that a run ends when as many bytes as the size of the
	// test were transferred, if its time is not over before.
	WholeSize bool `json:"whole_size,omitempty"`
	// Series says that the result is a row a second, see [Sustain].
	Series bool `json:"series,omitempty"`
}

// Pick is how one figure is made from several runs.
type Pick string

// The ways to choose. Each takes its rate and its latency independently of the
// other.
const (
	// PickBest takes the highest rate and the lowest mean latency.
	PickBest Pick = "best"
	// PickMedian takes the median of the rates and of the median latencies.
	PickMedian Pick = "median"
	// PickMean takes the mean of the rates and of the mean latencies.
	PickMean Pick = "mean"
)

// ID returns the name by which [Lookup] finds the profile.
func (p *Profile) ID() string {
	if p.Variant == "" {
		return p.Name
	}
	return p.Name + ":" + p.Variant
}

// Writes reports whether any row writes.
func (p *Profile) Writes() bool {
	for _, r := range p.Rows {
		if r.Writes() {
			return true
		}
	}
	return false
}

// Writes reports whether the row writes.
func (r Row) Writes() bool { return r.Job.Op != bench.OpRead }

// Label returns the name with the operation, as "SEQ1M Q8T1 read" or
// "RND4K Q1T1 mix R70/W30".
func (r Row) Label() string {
	if r.Job.Op == bench.OpMix {
		reads := r.readPercent()
		return fmt.Sprintf("%s mix R%d/W%d", r.Name, reads, 100-reads)
	}
	return r.Name + " " + string(r.Job.Op)
}

// readPercent returns the share of reads in a mix.
func (r Row) readPercent() int {
	if r.Job.ReadPercent == 0 {
		return defaultReadPercent
	}
	return r.Job.ReadPercent
}

// defaultReadPercent is the share of reads where a job does not say.
const defaultReadPercent = 70

// shape is the part of a row that its readers and its writers share.
type shape struct {
	name                  string
	pattern               bench.Pattern
	block, depth, workers int
}

// row makes a row that runs for d.
func (s shape) row(op bench.Op, d time.Duration, pick Pick) Row {
	j := bench.Job{
		Name:           s.name,
		Engine:         engineFor(s.depth, s.workers),
		Op:             op,
		Pattern:        s.pattern,
		BlockBytes:     s.block,
		QueueDepth:     s.depth,
		Workers:        s.workers,
		Duration:       d,
		HoldCPULatency: true,
	}
	if op == bench.OpMix {
		j.ReadPercent = defaultReadPercent
	}
	return Row{Name: s.name, Job: j, Pick: pick}
}

// engineFor returns the engine of a workload: one request at a time is fastest
// with a plain system call.
func engineFor(depth, workers int) string {
	if depth > 1 || workers > 1 {
		return bench.EngineUring
	}
	return bench.EnginePsync
}

// rowsOf makes all rows of the first operation, then all of the next.
func rowsOf(shapes []shape, d time.Duration, pick Pick, ops ...bench.Op) []Row {
	var rows []Row
	for _, op := range ops {
		for _, s := range shapes {
			rows = append(rows, s.row(op, d, pick))
		}
	}
	return rows
}

// sizeName writes a size in the largest binary unit that divides it.
func sizeName(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; n >= 1024 && n%1024 == 0 && i < len(units)-1; i++ {
		n /= 1024
	}
	return strings.Join([]string{fmt.Sprint(n), units[i]}, " ")
}
