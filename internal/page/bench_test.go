package page

import (
	"io"
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
)

func benchPage(t *testing.T, b *report.BenchReport) string {
	t.Helper()
	text := written(t, func(w io.Writer) error { return Bench(w, b) })
	wellMade(t, text)
	return text
}

func TestBench(t *testing.T) {
	b := benchOf("before", 7, 12)
	b.Warnings = []string{"the drive is warm"}
	text := benchPage(t, b)
	has(t, text, "<title>Benchmark of Intel Optane SSD 905P 960 GB</title>", "“before” · INTEL SSDPE21D960GA · serial SERIAL0001 · firmware E2010480",
		"The drive is warm.", "Figures", "median latency µs", "RND4K Q1T1 read", "Latency", "how often which latency", "140\u00a0000\u00a0operations", "percentiles",
		"All 7 runs together", "The runs", "Rate of each run", "its 95\u00a0% interval", "run 7", "Conditions", "960\u00a0GB", "random read of 4\u00a0KiB, queue depth 1, 1\u00a0worker", "6.12.1", "qd1 1.2.3 · 2026-01-02 03:04:05 UTC")
	lacks(t, text, "SIMULATED", "PARTIAL", "Over time")
	if n := strings.Count(text, "<svg viewBox=\"0 0 420"); n != 5 {
		t.Errorf("the page has %d pictures, want 5", n)
	}
}

func TestBenchOfOneRun(t *testing.T) {
	b := benchOf("once", 1, 12)
	b.Simulated = true
	text := benchPage(t, b)
	has(t, text, "SIMULATED: no real drive stands behind these figures.", "The bars are 95\u00a0% intervals.")
	lacks(t, text, "Rate of each run")
}

func TestBenchOfFewRuns(t *testing.T) {
	has(t, benchPage(t, benchOf("few", 3, 12)), "Its 95\u00a0% interval takes 6 runs.")
}

// profileOf is a benchmark of several rows, a writing one among them.
func profileOf() *report.BenchReport {
	b := benchOf("", 0, 12)
	b.Profile = &report.BenchProfile{Name: "cdm8", Title: "CrystalDiskMark 8.0", Skipped: []profile.Skipped{{Label: "SEQ1M Q8T1 write", Reason: "it writes"}, {Label: "SEQ1M Q1T1 write", Reason: "it writes"}}}
	b.Rows = nil
	for i, r := range []struct {
		label string
		op    bench.Op
		bytes int
		depth int
		us    float64
	}{{"SEQ1M Q8T1 read", bench.OpRead, 1 << 20, 8, 3000}, {"RND4K Q32T1 write", bench.OpWrite, 4096, 32, 60}, {"RND4K Q1T1 read", bench.OpRead, 4096, 1, 12}} {
		b.Rows = append(b.Rows, report.BenchRow{Label: r.label, Job: bench.Job{Op: r.op, Pattern: bench.Random, BlockBytes: r.bytes, QueueDepth: r.depth, Workers: 1}})
		for run := 1; run <= 3; run++ {
			b.Results = append(b.Results, resultOf(i, run, latencies(5000, r.us, uint64(run))))
		}
		b.Rows[i].Figure = figureOf(b, i)
	}
	b.Rows[2].Rated = &profile.Comparison{Rated: 10, Measured: 12, Percent: 83.3}
	return b
}

func TestBenchOfProfile(t *testing.T) {
	text := benchPage(t, profileOf())
	has(t, text, "cdm8, CrystalDiskMark 8.0", "Left out (it writes): SEQ1M Q8T1 write, SEQ1M Q1T1 write.", "MB/s of each row", "83.3\u00a0% of rated", "The line across a bar is what the maker states",
		`data-head="% of rated" class="n">83.3`,
		"RND4K Q1T1 read: how often which latency", "SEQ1M Q8T1 read: how often which latency", "Each run beside the median of its row")
	has(t, text, `class="bar s0"`, `class="bar s1"`)
}

// TestBenchPicturesFew holds that of many rows only some are drawn, those that
// people feel first.
func TestBenchPicturesFew(t *testing.T) {
	b := profileOf()
	for range 10 {
		b.Rows = append(b.Rows, b.Rows[0])
		b.Results = append(b.Results, b.Results[0])
		b.Results[len(b.Results)-1].Row = len(b.Rows) - 1
	}
	got := pictured(b)
	if len(got) != mostPictured || got[0] != 2 || got[1] != 0 {
		t.Errorf("pictured rows %v, want 2, 0 and two others", got)
	}
	has(t, benchPage(t, b), "Drawn for 4 of 13 rows")
}

func TestBenchRemarks(t *testing.T) {
	b := profileOf()
	b.Rows[0].Figure.Partial = true
	b.Rows[1].Figure = nil
	b.Rows[2].Rated.Plausibility = profile.HostLimited
	b.Rows[2].FileSystemCost = &profile.Cost{RatePercent: -12.5, LatencyUS: new(1.5)}
	b.Warnings = []string{"the same", "the same"}
	b.Copy = []scratch.CopyResult{{Warnings: []string{"copied through the cache"}, Files: 2, Bytes: 3e9, Preset: scratch.PresetPhotos, Runs: []scratch.CopyRun{{MBPerS: 500, Partial: true}}}}
	b.Layers = []report.LayerCost{{Layer: "kernel", Engine: "psync", Without: "null", MedianUS: 1.25}, {Layer: "qd1", Engine: "null", MedianUS: 0.2}}
	b.SelfUS = new(0.25)
	b.Precondition = &scratch.Preconditioned{Mode: "fill", BytesWritten: 5e9}
	text := benchPage(t, b)
	has(t, text, "The same.", "Copied through the cache.", "PARTIAL: every run was cut short", "nothing was measured", "host-limited: this cannot be a figure of the drive alone",
		"the file system costs −12.5\u00a0% of the rate, 1.5\u00a0µs an operation", "Where the time goes", "psync less null", "1.25", "Copying files", "2\u00a0files, 3\u00a0GB, photos", "PARTIAL: not all files were copied",
		"0.25\u00a0µs of each operation", "fill, 5\u00a0GB written")
	if n := strings.Count(text, "The same."); n != 1 {
		t.Errorf("a warning stands there %d times", n)
	}
}

func TestRunRemarks(t *testing.T) {
	b := benchOf("remarks", 2, 12)
	r := &b.Results[0]
	r.Partial, r.Ended, r.Errors, r.BlankPercent, r.OtherIO = true, "the drive stalled", 3, new(55.0), &conditions.OtherIO{Known: true, Disturbed: true}
	has(t, benchPage(t, b), "PARTIAL, ended early: the drive stalled", "3\u00a0failed requests", "55\u00a0% of the blocks were never written", "DISTURBED")
}

// TestBenchOfNothing holds that a page without data says so.
func TestBenchOfNothing(t *testing.T) {
	text := benchPage(t, &report.BenchReport{})
	has(t, text, "Benchmark of unknown target", "Nothing was measured.")
	lacks(t, text, "<svg")
	b := benchOf("empty", 0, 12)
	text = benchPage(t, b)
	has(t, text, "nothing was measured")
	lacks(t, text, "<svg")
}

// TestBenchWithoutHistogram holds that results of which the histogram was lost
// have figures and no pictures of latency.
func TestBenchWithoutHistogram(t *testing.T) {
	b := benchOf("", 2, 12)
	for i := range b.Results {
		b.Results[i].Histogram = nil
	}
	text := benchPage(t, b)
	lacks(t, text, "how often which latency")
	has(t, text, "Rate of each run")
}

func TestDriveName(t *testing.T) {
	tests := []struct {
		b    report.BenchReport
		want string
	}{
		{report.BenchReport{}, "unknown target"},
		{report.BenchReport{Target: report.BenchTarget{Name: "/mnt"}}, "/mnt"},
		{report.BenchReport{Drive: &report.Identity{Model: "M"}}, "M"},
		{report.BenchReport{Drive: &report.Identity{Model: "M", MarketingName: new("N")}}, "N"},
		{report.BenchReport{Drive: &report.Identity{MarketingName: new("")}}, "drive of unknown model"},
	}
	for _, tt := range tests {
		if got := driveName(&tt.b); got != tt.want {
			t.Errorf("driveName = %q, want %q", got, tt.want)
		}
	}
	file := &report.BenchReport{Target: report.BenchTarget{Name: "/mnt/x", Detail: "a file on ext4"}}
	if got := benchLead(file); got != "a file on ext4" {
		t.Errorf("lead of a file = %q", got)
	}
}

// sustained is a benchmark of one long run that falls after 20 s.
func sustained() *report.BenchReport {
	b := benchOf("", 1, 300)
	b.Rows[0].Label, b.Rows[0].Job.BlockBytes = "SEQ128K Q4T1 read", 128<<10
	operations := int64(0)
	for second := 1; second <= 60; second++ {
		if operations += 20000; second > 20 {
			operations -= 12000
		}
		b.Series = append(b.Series, report.SeriesPoint{Row: 0, Run: 1, Seconds: float64(second), Operations: operations})
		if second%5 == 0 {
			b.Conditions.Temperatures = append(b.Conditions.Temperatures, conditions.Point[conditions.Heat]{Seconds: float64(second), Value: conditions.Heat{Celsius: new(40 + second/2)}})
		}
	}
	b.Rows[0].Sustained = &profile.Sustained{MaxMBPerS: 2621, MeanMBPerS: 1572, MinMBPerS: 1049, Seconds: 60, Onset: &profile.Onset{Second: 20, BeforeMBPerS: 2621, AfterMBPerS: 1049, DropPercent: 60}}
	return b
}

func TestSustained(t *testing.T) {
	b := sustained()
	points := rates(b, 0, 1, 0.131072)
	if len(points) != 60 || points[0].Y < 2621 || points[0].Y > 2622 || points[40].Y < 1048 || points[40].Y > 1049 {
		t.Errorf("%d rates, the first %v, a late one %v; want 60, 2621 and 1049", len(points), points[0], points[40])
	}
	text := benchPage(t, b)
	has(t, text, "Over time", "SEQ128K Q4T1 read: MB/s over time", "temperature", "°C", "falls after 20\u00a0s", "After 20\u00a0s the rate falls by 60\u00a0%, from 2\u00a0621\u00a0MB/s to 1\u00a0049\u00a0MB/s.",
		"highest 2\u00a0621, mean 1\u00a0572, lowest 1\u00a0049\u00a0MB/s, over 60\u00a0s", "after 20\u00a0s, 60\u00a0% lower", "highest reading 70\u00a0°C")
	b.Rows[0].Sustained.Cause = &profile.Cause{Text: "the drive held itself back for heat"}
	b.Rows[0].Sustained.Plateau = &profile.Plateau{Second: 21, MBPerS: 1040, LowMBPerS: 1000, HighMBPerS: 1100}
	b.Rows[0].Sustained.Recovery = &profile.Recovery{Second: 30, Times: 2, Seconds: 5}
	b.Rows[0].Sustained.P99BeforeUS, b.Rows[0].Sustained.P99AfterUS = new(400.0), new(900.0)
	has(t, benchPage(t, b), "The drive held itself back for heat.", "1\u00a0040\u00a0MB/s from second 21 on", "2\u00a0times, for 5\u00a0s together, first in second 30", "400\u00a0µs before, 900\u00a0µs after")
	b.Rows[0].Sustained.Onset = nil
	b.Rows[0].Sustained.Cause = nil
	text = benchPage(t, b)
	has(t, text, "The rate did not fall for good in 60\u00a0s.")
	lacks(t, text, "falls after")
}

// TestRatesSkipWhatIsNone holds that a series that starts anew or stands still
// gives no rate.
func TestRatesSkipWhatIsNone(t *testing.T) {
	b := &report.BenchReport{Series: []report.SeriesPoint{
		{Run: 1, Seconds: 1, Operations: 100}, {Run: 1, Seconds: 1, Operations: 200}, {Run: 1, Seconds: 2, Operations: 150}, {Run: 1, Seconds: 3, Operations: 250}, {Run: 2, Seconds: 1, Operations: 7}, {Row: 1, Run: 1, Seconds: 1, Operations: 9},
	}}
	got := rates(b, 0, 1, 1)
	if len(got) != 2 || got[0].Y != 100 || got[1].Y != 100 || got[1].X != 3 {
		t.Errorf("rates = %v, want 100 at 1 s and 100 at 3 s", got)
	}
}

// TestSeriesOfSmallBlocks holds that small blocks are told in IOPS, and that
// several runs are drawn over each other without a temperature.
func TestSeriesOfSmallBlocks(t *testing.T) {
	b := sustained()
	b.Rows[0].Job.BlockBytes = 4096
	for _, p := range b.Series {
		p.Run = 2
		b.Series = append(b.Series, p)
	}
	b.Results = append(b.Results, b.Results[0])
	b.Results[1].Run = 2
	text := benchPage(t, b)
	has(t, text, "IOPS over time", "run 1", "run 2")
	lacks(t, text, `class="line heat"`)
}

func TestConditions(t *testing.T) {
	b := benchOf("", 1, 12)
	c := &b.Conditions
	c.CPUModel, c.CPUs, c.Governor, c.Virtualised, c.OnMains, c.CPULatencyHeld = new("Intel i7"), new(8), new("performance"), new(true), new(false), true
	c.Mitigations, c.KernelParameters = new("off"), []string{"idle=poll"}
	c.Before = &conditions.DriveState{Health: &conditions.Health{Celsius: new(36)}}
	c.After = &conditions.DriveState{Health: &conditions.Health{Celsius: new(52)}}
	c.Changes = &conditions.Changes{Throttled: new(true), Facts: []string{"it became warmer by 16 °C"}}
	c.Filesystem = &conditions.FileSystem{Type: "ext4", Source: "/dev/nvme0n1p1"}
	c.Block = blockOf(b)
	has(t, benchPage(t, b), "36\u00a0°C at the start, 52\u00a0°C at the end, THROTTLED by heat", "it became warmer by 16 °C", "PCIe 8\u00a0GT/s x2, the drive can 8\u00a0GT/s x4", "nvme0n1, nvme, scheduler none, write cache write through",
		"ext4, /dev/nvme0n1p1", "Intel i7, 8\u00a0CPUs, governor performance, virtual machine", "kept fast", "BATTERY", "6.12.1, amd64, mitigations off, idle=poll")
	c.Changes.Throttled, c.OnMains, c.CPULatencyHeld, c.Block.Scheduler = new(false), new(true), false, nil
	has(t, benchPage(t, b), "not throttled", "no scheduler", "as found", "mains")
}
