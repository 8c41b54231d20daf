package reference

// Metric names what a figure measures.
type Metric string

// The metrics.
const (
	MeanLatency Metric = "mean"     // mean latency in µs
	P50Latency  Metric = "p50"      // median latency in µs
	P99Latency  Metric = "p99"      // 99th percentile of the latency in µs
	P99999      Metric = "p99999"   // 99.999th percentile of the latency in µs
	IOPS        Metric = "iops"     // operations a second
	MBPerS      Metric = "mb_per_s" // 10^6 bytes a second
	Seconds     Metric = "seconds"  // how long something took
)

// Unit returns the unit of the metric.
func (m Metric) Unit() string {
	switch m {
	case IOPS:
		return "IOPS"
	case MBPerS:
		return "MB/s"
	case Seconds:
		return "s"
	}
	return "µs"
}

// higherIsBetter tells rates from times.
func (m Metric) higherIsBetter() bool { return m == IOPS || m == MBPerS }

// Software is what lies between the program and the drive.
type Software string

// The kinds of software.
const (
	Linux       Software = "Linux"
	LinuxPolled Software = "Linux, polled"
	Windows     Software = "Windows"
	// NoSoftware is that of a rating, which counts the drive alone.
	NoSoftware Software = ""
)

// Workload is the shape of what was measured. The zero value is that of a figure
// that Test describes.
type Workload struct {
	// Op is "read" or "write", Pattern "random" or "sequential".
	Op      string `json:"op"`
	Pattern string `json:"pattern"`
	// BlockBytes is the size of an operation. 0: not known.
	BlockBytes int `json:"block_bytes"`
	// QueueDepth is the number in flight for each of the Workers. 0: not known.
	QueueDepth int `json:"queue_depth"`
	Workers    int `json:"workers"`
}

// QD1Read returns the workload of the headline figure: random reads of 4 KiB,
// one at a time.
func QD1Read() Workload { return random("read", 1) }

// random is 4 KiB random with so many in flight, sequential 128 KiB in order.
func random(op string, depth int) Workload { return Workload{op, "random", 4096, depth, 1} }

func sequential(op string, depth int) Workload {
	return Workload{op, "sequential", 128 << 10, depth, 1}
}

// known reports whether nothing of the shape is missing.
func (w Workload) known() bool {
	return w.Op != "" && w.Pattern != "" && w.BlockBytes > 0 && w.QueueDepth > 0 && w.Workers > 0
}

// inFlight is the number of operations under way at a time.
func (w Workload) inFlight() int { return w.QueueDepth * w.Workers }

// like reports whether two workloads are the same: how the number in flight is
// divided among workers makes no difference here.
func (w Workload) like(o Workload) bool {
	return w.known() && o.known() && w.Op == o.Op && w.Pattern == o.Pattern && w.BlockBytes == o.BlockBytes && w.inFlight() == o.inFlight()
}

// Figure is one number that somebody published of a drive.
type Figure struct {
	Model  string  `json:"model"`
	Metric Metric  `json:"metric"`
	Value  float64 `json:"value"`
	Workload
	// Test says what was done if it was no such workload, "" if it was.
	Test string `json:"test,omitempty"`
	// Software is that below the program, Conditions what else is known.
	Software   Software `json:"software"`
	Conditions string   `json:"conditions,omitempty"`
	// Date is when it was published, as 2024-08-30, 2018 or "" for not known.
	Date   string `json:"date,omitempty"`
	Source string `json:"source"`
	// Rated says that the maker states it and nobody measured it.
	Rated bool `json:"rated,omitempty"`
	// Indicative says that the value is rough or could not be checked.
	Indicative bool `json:"indicative,omitempty"`
	// Doubtful says why the drive cannot have reached it by itself, "" if it can.
	Doubtful string `json:"doubtful,omitempty"`
}

// In returns the figure as another metric, as far as it follows from it: rates
// from each other, and from rates with one operation in flight the mean latency
// and back. ok is false if it does not.
func (f Figure) In(m Metric) (value float64, ok bool) {
	switch {
	case f.Metric == m:
		return f.Value, true
	case f.Test != "" || f.Value <= 0 || f.BlockBytes == 0:
		return 0, false
	}
	iops, ok := f.iops()
	switch {
	case !ok:
		return 0, false
	case m == IOPS:
		return iops, true
	case m == MBPerS:
		return iops * float64(f.BlockBytes) / 1e6, true
	case m == MeanLatency && f.inFlight() == 1:
		return 1e6 / iops, true
	}
	return 0, false
}

// iops returns the operations a second that the figure means.
func (f Figure) iops() (iops float64, ok bool) {
	switch {
	case f.Metric == IOPS:
		return f.Value, true
	case f.Metric == MBPerS:
		return f.Value * 1e6 / float64(f.BlockBytes), true
	case f.Metric == MeanLatency && f.inFlight() == 1:
		return 1e6 / f.Value, true
	}
	return 0, false
}
