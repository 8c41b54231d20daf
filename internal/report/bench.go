package report

import (
	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/launch"
	"qd1.example/qd1/internal/protocol"
	"qd1.example/qd1/internal/scratch"
)

// BenchSchema is the name and version of the JSON object of a BenchReport.
const BenchSchema = "qd1.bench/1"

// BenchReport is the outcome of the bench command: what was measured, and
// under which conditions.
type BenchReport struct {
	Schema string  `json:"schema"`
	Tool   Tool    `json:"tool"`
	Time   string  `json:"time"`
	Label  *string `json:"label"`
	// Record is the identifier under which the result is kept, "" if it is not.
	Record    string      `json:"record,omitempty"`
	Simulated bool        `json:"simulated"`
	Drive     *Identity   `json:"drive"`
	Target    BenchTarget `json:"target"`
	// Partial says that not all runs that were asked for went to their end, Ended
	// why, where that is known.
	Partial bool   `json:"partial"`
	Ended   string `json:"ended,omitempty"`
	// Profile is nil for a workload that was made of flags.
	Profile *BenchProfile `json:"profile"`
	// Warnings are sentences on what makes the figures other than they look.
	Warnings   []string   `json:"warnings"`
	Conditions Conditions `json:"conditions"`
	// SelfUS is what qd1 itself needs for each operation in µs, measured with an
	// engine that completes everything at once, right before; nil: not measured.
	SelfUS *float64 `json:"self_us_per_op"`
	// Precondition is what was written before the measurement, nil for nothing.
	Precondition *scratch.Preconditioned `json:"precondition"`
	// Pilot is what short runs before told of the noise.
	Pilot []PilotRow `json:"pilot,omitempty"`
	// Turns is the order of the runs, nil unless they were interleaved.
	Turns []protocol.Turn `json:"turns,omitempty"`
	// Control is nil unless a row was measured twice.
	Control *protocol.Control `json:"control,omitempty"`
	// Against is what the figures stand beside, nil for nothing.
	Against *Against `json:"against,omitempty"`
	// Rows are the workloads, each with the figure of its runs.
	Rows    []BenchRow    `json:"rows"`
	Results []BenchResult `json:"results"`
	// Layers say what the parts of the way to the drive cost; nil unless all
	// engines were measured.
	Layers []LayerCost          `json:"layers,omitempty"`
	Copy   []scratch.CopyResult `json:"copy,omitempty"`
	Series []SeriesPoint        `json:"series"`
}

// BenchTarget names what was measured.
type BenchTarget struct {
	// Name is the drive or the path, Detail its serial or kind.
	Name   string `json:"name"`
	Detail string `json:"detail"`
	bench.Target
}

// BenchProfile is the profile that the rows are of.
type BenchProfile struct {
	Name    string            `json:"name"`
	Title   string            `json:"title"`
	Skipped []profile.Skipped `json:"skipped"`
}

// BenchRow is one workload.
type BenchRow struct {
	Label string    `json:"label"`
	Job   bench.Job `json:"job"`
	// Figure is nil if nothing was measured.
	Figure *profile.Figure `json:"figure"`
	// Rated is nil if the maker states no such figure.
	Rated     *profile.Comparison `json:"rated"`
	Sustained *profile.Sustained  `json:"sustained"`
	// FileSystemCost is what the row costs more than the same one of the device
	// below the file, which follows it; nil unless that was measured.
	FileSystemCost *profile.Cost `json:"file_system_cost"`
	// ControlOf is the index of the row that this one repeats, nil for others.
	ControlOf *int `json:"control_of,omitempty"`
	// Noise is how much the runs differ, nil for fewer than 2; Drift their trend,
	// nil for fewer than 5.
	Noise *protocol.Noise `json:"noise"`
	Drift *protocol.Drift `json:"drift"`
	// Against are the figures that stand beside.
	Against []Beside `json:"against,omitempty"`
}

// PilotRow is the noise of a row by short runs.
type PilotRow struct {
	Row   int    `json:"row"`
	Label string `json:"label"`
	// Seconds is how long each run was at most.
	Seconds float64 `json:"seconds"`
	protocol.Noise
}

// BenchResult is one run.
type BenchResult struct {
	// Row is the index in BenchReport.Rows, Run counts from 1.
	Row int `json:"row"`
	Run int `json:"run"`
	// Start is when the run began, and how warm the drive was; nil: not known.
	Start *protocol.Start `json:"start"`
	bench.Result
	// OtherIO is nil for a target without statistics.
	OtherIO *conditions.OtherIO `json:"other_io"`
}

// LayerCost is what one part of the way between a program and the drive costs.
type LayerCost struct {
	Layer string `json:"layer"`
	// Engine is the one that shows it, Without the one that it is compared with,
	// "" for a figure by itself.
	Engine  string `json:"engine"`
	Without string `json:"without,omitempty"`
	// MedianUS is the median latency, or the difference of two.
	MedianUS float64 `json:"median_us"`
}

// Conditions are what a result depends on beside the drive. null means that
// the host does not show it.
type Conditions struct {
	conditions.Conditions
	// Filesystem is what a file lies on, Extents where its blocks are.
	Filesystem *conditions.FileSystem `json:"filesystem"`
	Extents    *scratch.Extents       `json:"extents"`
	// Blank is what samples of a device show.
	Blank *scratch.Blank `json:"blank"`
}

// SeriesPoint is the state of a run at one moment, about once a second. Of a
// long measurement, neighbours are joined.
type SeriesPoint struct {
	Row        int     `json:"row"`
	Run        int     `json:"run"`
	Seconds    float64 `json:"seconds"`
	Operations int64   `json:"operations"`
	IOPS       float64 `json:"iops"`
	MBPerS     float64 `json:"mb_per_s"`
	Errors     int64   `json:"errors"`
}

// BenchPlan is what a benchmark that writes would do to a drive, looked at by
// the guard.
type BenchPlan struct {
	Schema    string         `json:"schema"`
	Tool      Tool           `json:"tool"`
	Time      string         `json:"time"`
	Simulated bool           `json:"simulated"`
	Identity  guard.Identity `json:"identity"`
	Radius    []guard.Member `json:"radius"`
	Checks    []guard.Check  `json:"checks"`
	Phrase    string         `json:"phrase"`
	// Workloads are the names of the rows that write, SpanBytes how far from
	// its start the namespace is written to.
	Workloads []string `json:"workloads"`
	SpanBytes int64    `json:"span_bytes"`
	// WrittenBytes are written at most, as far as it can be estimated, and
	// WearPercent is their share of the rated endurance; nil: not known.
	WrittenBytes int64    `json:"written_bytes"`
	WearPercent  *float64 `json:"wear_percent"`
	Seconds      float64  `json:"seconds"`
	Refused      bool     `json:"refused"`
}

// BenchPlanSchema is the name and version of the JSON object of a BenchPlan.
const BenchPlanSchema = "qd1.bench-plan/1"

// LaunchSchema is the name and version of the JSON object of a LaunchReport.
const LaunchSchema = "qd1.launch/1"

// LaunchReport is the outcome of the launch command: one of the two.
type LaunchReport struct {
	Schema string  `json:"schema"`
	Tool   Tool    `json:"tool"`
	Time   string  `json:"time"`
	Label  *string `json:"label"`
	// Record is the identifier under which the result is kept, "" if it is not.
	Record string         `json:"record,omitempty"`
	Launch *launch.Result `json:"launch"`
	Boot   *launch.Boot   `json:"boot"`
}
