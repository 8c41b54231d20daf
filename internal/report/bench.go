package report

import "qd1.example/qd1/bench"

// BenchSchema is the name and version of the JSON object of a BenchReport.
const BenchSchema = "qd1.bench/1"

// BenchReport is the outcome of the bench command: what was measured, and
// under which conditions.
type BenchReport struct {
	Schema     string         `json:"schema"`
	Tool       Tool           `json:"tool"`
	Time       string         `json:"time"`
	Label      *string        `json:"label"`
	Simulated  bool           `json:"simulated"`
	Drive      *Identity      `json:"drive"`
	Target     BenchTarget    `json:"target"`
	Conditions Conditions     `json:"conditions"`
	Results    []bench.Result `json:"results"`
	Series     []SeriesPoint  `json:"series"`
}

// BenchTarget names what was read.
type BenchTarget struct {
	// Name is the drive or the path, Detail its serial or kind.
	Name   string `json:"name"`
	Detail string `json:"detail"`
	bench.Target
}

// Conditions are what a result depends on beside the drive. null means that
// the host does not show it.
type Conditions struct {
	HostFacts
	CPUModel       string  `json:"cpu_model"`
	CPUs           int     `json:"cpus"`
	Governor       *string `json:"governor"`
	CPULatencyHeld bool    `json:"cpu_latency_held"`
	Scheduler      *string `json:"scheduler"`
}

// SeriesPoint is the state of a run at one moment, about once a second.
type SeriesPoint struct {
	Run        int     `json:"run"`
	Seconds    float64 `json:"seconds"`
	Operations int64   `json:"operations"`
	IOPS       float64 `json:"iops"`
	MBPerS     float64 `json:"mb_per_s"`
	Errors     int64   `json:"errors"`
}
