package compare

import (
	"math/rand/v2"
	"slices"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
)

// figures are those of one run.
type figures struct {
	iops, p50, p99, p999 float64
}

// single returns figures of a drive with that latency in µs.
func single(us float64) figures { return figures{1e6 / us, us, 1.5 * us, 3 * us} }

// result makes a run; a figure of 0 is none.
func (f figures) result(row, run int) report.BenchResult {
	r := report.BenchResult{Row: row, Run: run}
	r.Operations, r.IOPS, r.MBPerS = 1000, f.iops, f.iops*4096/1e6
	r.CPULatencyHeld = true
	for _, l := range []struct {
		v  float64
		to **float64
	}{{f.p50, &r.Latency.P50}, {f.p50, &r.Latency.Mean}, {f.p99, &r.Latency.P99}, {f.p999, &r.Latency.P999}} {
		if l.v > 0 {
			*l.to = new(l.v)
		}
	}
	return r
}

// qd1 is the workload of most tests.
func qd1() bench.Job {
	return bench.Job{Engine: "psync", Op: bench.OpRead, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1}
}

// made makes a result with a row for each list of runs.
func made(rows ...[]figures) *report.BenchReport {
	r := &report.BenchReport{Schema: report.BenchSchema, Time: "2026-01-02T03:04:05Z", Tool: report.Tool{Name: "qd1", Version: "1"}}
	r.Target.Name = "/dev/nvme0n1"
	r.Drive = &report.Identity{Serial: "A1", Model: "M", Firmware: "1"}
	r.Conditions.Kernel, r.Conditions.Governor = new("6.12"), new("performance")
	r.Conditions.CPULatencyHeld = true
	r.Conditions.Subject = conditions.Subject{Serial: "A1", Firmware: "1"}
	for i, runs := range rows {
		r.Rows = append(r.Rows, report.BenchRow{Label: "row " + string(rune('A'+i)), Job: qd1()})
		for j, f := range runs {
			r.Results = append(r.Results, f.result(i, j+1))
		}
	}
	return r
}

// runs returns n runs around a latency in µs with a noise in percent.
func runs(r *rand.Rand, n int, us, noisePercent float64) []figures {
	var list []figures
	for range n {
		list = append(list, single(us*(1+noisePercent/100*r.NormFloat64())))
	}
	return list
}

// steady returns as many runs as there are offsets, in hundredths of a percent
// around a latency in µs.
func steady(us float64, offsets ...float64) []figures {
	var list []figures
	for _, o := range offsets {
		list = append(list, single(us*(1+o/1e4)))
	}
	return list
}

// six are six runs that lie close together.
func six(us float64) []figures { return steady(us, 0, 3, -5, 8, -2, 6) }

func one(r *report.BenchReport) []*report.BenchReport { return []*report.BenchReport{r} }

// verdicts lists the verdict of each row, "" for none.
func verdicts(c *Comparison) []Verdict {
	var list []Verdict
	for _, r := range c.Rows {
		if r.Verdict == nil {
			list = append(list, "")
			continue
		}
		list = append(list, *r.Verdict)
	}
	return list
}

// find returns a row.
func find(t *testing.T, c *Comparison, label, metric string) Row {
	t.Helper()
	i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Label == label && r.Metric == metric })
	if i < 0 {
		t.Fatalf("there is no row %s %s", label, metric)
	}
	return c.Rows[i]
}
