package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
)

// measured is a benchmark of one workload with runs of these medians in µs.
func measured(label string, medians ...float64) *report.BenchReport {
	r := &report.BenchReport{Schema: report.BenchSchema, Time: "2026-01-02T03:04:05Z", Label: &label}
	r.Drive = &report.Identity{Model: "INTEL SSDPE21D960GA", Serial: "A1", Firmware: "E2010480"}
	r.Target.Name = "/dev/nvme0n1"
	r.Conditions.Kernel, r.Conditions.CPULatencyHeld = new("6.12.1"), true
	r.Conditions.Subject = conditions.Subject{Serial: "A1", Firmware: "E2010480"}
	r.Rows = []report.BenchRow{{Label: "RND4K Q1T1 read", Job: bench.Job{Engine: "psync", Op: bench.OpRead, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1}}}
	for i, us := range medians {
		h := new(bench.Histogram)
		for n := range 3000 {
			h.Add(time.Duration(us * 1000 * (1 + 0.1*float64(n%7)/7)))
		}
		h.Add(time.Duration(40 * us * 1000))
		x := report.BenchResult{Run: i + 1}
		x.Operations, x.IOPS, x.MBPerS, x.BytesRead, x.Histogram, x.Latency = h.Count(), 1e6/us, 4096/us, h.Count()*4096, h, bench.LatencyOf(h)
		x.CPUPerOp, x.CPULatencyHeld = new(2.5), true
		r.Results = append(r.Results, x)
	}
	return r
}

// typed reads a benchmark of testdata.
func typed(t *testing.T, name string) *report.BenchReport {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	r := new(report.BenchReport)
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func compared(before, after *report.BenchReport, o compare.Options) *compare.Comparison {
	return compare.Bench([]*report.BenchReport{before}, []*report.BenchReport{after}, o)
}

// comparisons are of every kind, by the name of their golden file.
func comparisons(t *testing.T) map[string]*compare.Comparison {
	t.Helper()
	before, after := measured("before", 12, 12.01, 11.99, 12.02, 12, 11.98), measured("aged", 13.2, 13.21, 13.19, 13.22, 13.2, 13.18)
	other := measured("other", 12.5, 12.51, 12.52)
	other.Conditions.Kernel, other.Conditions.Scheduler, other.Warnings = new("6.18.2"), new("mq-deadline"), []string{"the drive is hot"}
	other.Rows = append(other.Rows, report.BenchRow{Label: "RND4K Q1T1 write", Job: bench.Job{Op: bench.OpWrite, BlockBytes: 4096, QueueDepth: 1, Workers: 1}})
	other.Results = append(other.Results, report.BenchResult{Row: 1, Run: 1, Result: bench.Result{IOPS: 80000, BytesWritten: 4e9}})
	other.Simulated = true
	mixed := measured("mixed", 12, 12.01, 11.99)
	mixed.Conditions.Kernel = new("6.18.2")
	counted := measured("counted", 12, 12.01, 11.99, 12.02, 12, 11.98)
	counted.Precondition = nil
	return map[string]*compare.Comparison{
		"worse":     compared(before, after, compare.Options{}),
		"unchanged": compared(before, counted, compare.Options{}),
		"table":     compared(typed(t, "table-before.json"), typed(t, "table-after.json"), compare.Options{}),
		"blocked":   compared(before, other, compare.Options{}),
		"purpose":   compare.Bench([]*report.BenchReport{before}, []*report.BenchReport{after, mixed}, compare.Options{Changed: []string{"kernel"}}),
		"nothing":   compare.Bench(nil, nil, compare.Options{}),
	}
}

func compareText(t *testing.T, c *compare.Comparison, width int) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return Compare(b, c, Style{Width: width}) })
}

func TestCompareText(t *testing.T) {
	for name, c := range comparisons(t) {
		for _, width := range []int{80, 120} {
			golden(t, fmt.Sprintf("compare-%s-%d.txt", name, width), compareText(t, c, width))
		}
	}
}

// TestCompareFits: no line is wider than the terminal.
func TestCompareFits(t *testing.T) {
	for name, c := range comparisons(t) {
		for width := 40; width <= 160; width += 5 {
			fits(t, fmt.Sprintf("%s, %d columns", name, width), compareText(t, c, width), width)
		}
	}
}

func fits(t *testing.T, name, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := displayWidth(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%s: a line has %d: %q", name, n, line)
		}
	}
}

// TestVerdictWords: each verdict in words, with the reason that is not in the
// row anyway.
func TestVerdictWords(t *testing.T) {
	verdict := func(v compare.Verdict) *compare.Verdict { return &v }
	tests := []struct {
		row          compare.Row
		word, reason string
	}{
		{compare.Row{Reason: "not comparable: kernel differs"}, "not comparable", "not comparable: kernel differs"},
		{compare.Row{Verdict: verdict(compare.Better), ChangePercent: new(-5.0), Reason: "between -6 % and -4 %"}, "better", ""},
		{compare.Row{Verdict: verdict(compare.Worse), ChangePercent: new(1.0), Reason: "between +0.5 % and +2.5 %: it may be less than the 2 % that matter"}, "worse", "it may be less than the 2 % that matter"},
		{compare.Row{Verdict: verdict(compare.NoChange), ChangePercent: new(0.1), CI95Percent: &[2]float64{-1.21, 2.01}, Reason: "a change is ruled out"}, "no change ≥ 2.1 %", ""},
		{compare.Row{Verdict: verdict(compare.NoChange), CI95Percent: &[2]float64{-0.312, 0.1}}, "no change ≥ 0.32 %", ""},
		{compare.Row{Verdict: verdict(compare.NoChange), CI95Percent: &[2]float64{0, 0}}, "no change ≥ 0.01 %", ""},
		{compare.Row{Verdict: verdict(compare.NoChange)}, "no change ≥ ?", ""},
		{
			compare.Row{Verdict: verdict(compare.NotEnoughRuns), RunsNeeded: new(6), Before: compare.Sample{N: 3}, After: compare.Sample{N: 4}, Reason: "3 runs before and 4 after: p is 0.06 at least; it takes at least 6 runs a side"},
			"not enough runs: 3 and 4, 6 needed", "3 runs before and 4 after: p is 0.06 at least",
		},
		{compare.Row{Verdict: verdict(compare.NotEnoughRuns), Reason: "a value is not positive"}, "not enough runs: 0 and 0", "a value is not positive"},
		{
			compare.Row{Verdict: verdict(compare.NotEnoughRuns), ChangePercent: new(1.0), Reason: "between -4 % and +5 %: neither a change is shown nor that it is less than 2 %; at a noise of 9 % not even 1000 runs a side would tell"},
			"not enough runs: 0 and 0, more than 1 000 needed", "neither a change is shown nor that it is less than 2 %",
		},
	}
	for _, tt := range tests {
		got := strings.ReplaceAll(verdictPiece(&tt.row, 0).text, nbsp, " ")
		if reason := reasonText(&tt.row, 2); got != tt.word || reason != tt.reason {
			t.Errorf("got %q, %q, want %q, %q", got, reason, tt.word, tt.reason)
		}
	}
}

// TestSteps: what a histogram cannot tell apart is not ruled out.
func TestSteps(t *testing.T) {
	ladders := []compare.Ladder{{Label: "A"}}
	row := compare.Row{Label: "A", Metric: "latency_p50", Before: compare.Sample{Median: 12}}
	if got := stepOf(&row, ladders); got < 1.06 || got > 1.07 { // 128 ns of 12 µs
		t.Errorf("the step is %v %%, want 1.067 %%", got)
	}
	if got := ruledOut(&[2]float64{0, 0.01}, stepOf(&row, ladders)); got != "1.1"+nbsp+"%" {
		t.Errorf("ruled out is %s", got)
	}
	if got := stepOf(&row, nil); got != 0 {
		t.Errorf("without a histogram the step is %v", got)
	}
	for _, none := range []compare.Row{{Label: "A", Metric: "iops", Before: row.Before}, {Label: "A", Metric: "latency_p50"}, {Label: "B", Metric: "latency_p50", Before: row.Before}} {
		if got := stepOf(&none, ladders); got != 0 {
			t.Errorf("%+v: the step is %v", none, got)
		}
	}
}

func TestCompareNumbers(t *testing.T) {
	tests := []struct{ got, want string }{
		{median(12), "12.00"}, {median(0.5), "0.500"}, {median(396.24), "396.2"}, {median(1208.6), "1 209"}, {median(82271.4), "82 271"},
		{change(0), "0.00 %"}, {change(-0.004), "0.00 %"}, {change(0.26), "+0.26 %"}, {change(-9.876), "-9.88 %"}, {change(58.53), "+58.5 %"}, {change(9.996), "+10.0 %"},
		{probability(1), "1"}, {probability(0.00216), "0.0022"}, {probability(1e-6), "< 0.0001"},
		{intervalCell(nil), "–"}, {intervalCell(&[2]float64{-1, 12.34}), "-1.00 to +12.3"},
		{toSecond("2026-01-02T03:04:05.678Z"), "2026-01-02T03:04:05Z"}, {toSecond("today"), "today"},
		{percentileName("p50"), "p50"}, {percentileName("p9999"), "p99.99"}, {percentileName("max"), "max"},
		{metricText(&compare.Row{Metric: "mb_per_s", Unit: "MB/s"}), "MB/s"}, {metricText(&compare.Row{Metric: "latency_p999", Unit: "µs"}), "p99.9 µs"}, {metricText(&compare.Row{Metric: "new", Unit: "W"}), "new W"},
	}
	for _, tt := range tests {
		if got := strings.ReplaceAll(tt.got, nbsp, " "); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestCompareCost: what the drive went through between the sides is part of the
// cost.
func TestCompareCost(t *testing.T) {
	c := &compare.Comparison{}
	c.Cost.Before = compare.SideCost{BytesWritten: 5e9, PreparedBytes: 1e12, DriveBytesWritten: new(uint64(6e9)), DriveBytesRead: new(uint64(1e9))}
	c.Cost.After = compare.SideCost{BytesWritten: 4e9, DriveBytesWritten: new(uint64(7e9))}
	c.Cost.Between = &conditions.Changes{BytesWritten: new(uint64(2e12)), Facts: []string{"media errors rose by 1"}}
	c.Cost.PowerOnHours = new(uint64(3))
	got := compareText(t, c, 100)
	for _, want := range []string{"written                5 GB before, 4 GB after", "prepared               1 TB before, 0 B after", "drive counted written  6 GB before, 7 GB after", "between                3 power-on hours · 2 TB written · media errors rose by 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "counted read") {
		t.Errorf("what one side does not know is there:\n%s", got)
	}
}
