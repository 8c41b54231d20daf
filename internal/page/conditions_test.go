package page

import (
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
	"qd1.example/qd1/internal/sysfs"
)

// plainText has blanks in place of those that keep a number and its unit
// together.
func plainText(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

func TestTemperatureText(t *testing.T) {
	state := func(c int) *conditions.DriveState {
		return &conditions.DriveState{Health: &conditions.Health{Celsius: &c}}
	}
	readings := func(all ...int) (list []conditions.Point[conditions.Heat]) {
		for i, c := range all {
			list = append(list, conditions.Point[conditions.Heat]{Seconds: float64(i), Value: conditions.Heat{Celsius: &c}})
		}
		return list
	}
	tests := []struct {
		name string
		set  func(*report.Conditions)
		want string
	}{
		{"nothing", func(*report.Conditions) {}, ""},
		{"no health", func(c *report.Conditions) { c.Before = &conditions.DriveState{} }, ""},
		{"both ends", func(c *report.Conditions) { c.Before, c.After = state(36), state(52) }, "36 °C at the start, 52 °C at the end"},
		{"readings", func(c *report.Conditions) { c.Temperatures = readings(-5, -7) }, "highest reading -5 °C"},
		{"a reading that failed", func(c *report.Conditions) { c.Temperatures = []conditions.Point[conditions.Heat]{{}} }, ""},
		{"throttled", func(c *report.Conditions) { c.Changes = &conditions.Changes{Throttled: new(true)} }, "THROTTLED by heat"},
		{"not throttled", func(c *report.Conditions) { c.After, c.Changes = state(40), &conditions.Changes{Throttled: new(false)} }, "40 °C at the end, not throttled"},
		{"not known", func(c *report.Conditions) { c.Changes = &conditions.Changes{} }, ""},
	}
	for _, tt := range tests {
		var c report.Conditions
		tt.set(&c)
		if got := plainText(temperatureText(&c)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLinkText(t *testing.T) {
	for _, tt := range []struct {
		link sysfs.Link
		want string
	}{
		{sysfs.Link{}, ""},
		{sysfs.Link{SpeedGTs: new(8.0)}, ""},
		{sysfs.Link{SpeedGTs: new(8.0), Width: new(4)}, "PCIe 8 GT/s x4"},
		{sysfs.Link{SpeedGTs: new(8.0), Width: new(4), MaxSpeedGTs: new(8.0), MaxWidth: new(4)}, "PCIe 8 GT/s x4"},
		{sysfs.Link{SpeedGTs: new(2.5), Width: new(1), MaxSpeedGTs: new(16.0), MaxWidth: new(4)}, "PCIe 2.5 GT/s x1, the drive can 16 GT/s x4"},
	} {
		if got := plainText(linkText(&tt.link)); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.link, got, tt.want)
		}
	}
	for _, b := range []*conditions.Block{nil, {}, {NVMe: &conditions.NVMe{}}} {
		if got := linkOfBlock(b); got != "" {
			t.Errorf("a link that is not known is %q", got)
		}
	}
}

func TestTargetText(t *testing.T) {
	for _, tt := range []struct {
		target bench.Target
		want   string
	}{
		{bench.Target{}, ""},
		{bench.Target{Path: "/dev/nvme0n1", Bytes: 960197124096, BlockBytes: 512}, "/dev/nvme0n1, 960 GB, blocks of 512 bytes"},
		{bench.Target{Path: "/mnt/file", Bytes: 1 << 30}, "/mnt/file, 1.07 GB"},
	} {
		if got := plainText(targetText(&report.BenchReport{Target: report.BenchTarget{Target: tt.target}})); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.target, got, tt.want)
		}
	}
}

func TestWorkloadText(t *testing.T) {
	row := report.BenchRow{Job: bench.Job{Op: bench.OpWrite, Pattern: bench.Sequential, BlockBytes: 128 << 10, QueueDepth: 4}}
	if got := plainText(workloadText(&report.BenchReport{Rows: []report.BenchRow{row}})); got != "sequential write of 128 KiB, queue depth 4, 1 worker" {
		t.Errorf("one row: %q", got)
	}
	if got := workloadText(&report.BenchReport{Rows: []report.BenchRow{row, row}}); got != "" {
		t.Errorf("two rows: %q", got)
	}
}

// TestEnginesText holds that each engine stands there once, with its flags.
func TestEnginesText(t *testing.T) {
	b := &report.BenchReport{}
	for _, r := range []bench.Result{{Engine: "psync"}, {Engine: "uring", EngineFlags: []string{"io-poll"}}, {Engine: "psync"}} {
		b.Results = append(b.Results, report.BenchResult{Result: r})
	}
	if got := enginesText(b); got != "psync; uring, io-poll" {
		t.Errorf("engines %q", got)
	}
}

func TestTransferredText(t *testing.T) {
	for _, tt := range []struct {
		read, written int64
		want          string
	}{{0, 0, ""}, {5e9, 0, "10 GB read"}, {0, 1e6, "2 MB written"}, {5e9, 1e6, "10 GB read, 2 MB written"}} {
		one := report.BenchResult{Result: bench.Result{BytesRead: tt.read, BytesWritten: tt.written}}
		if got := plainText(transferredText(&report.BenchReport{Results: []report.BenchResult{one, one}})); got != tt.want {
			t.Errorf("%d read, %d written twice: %q, want %q", tt.read, tt.written, got, tt.want)
		}
	}
}

func TestHostTexts(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"no block device", blockText(nil), ""},
		{"a partition", blockText(&conditions.Block{Device: "nvme0n1p1", Kind: "partition"}), "nvme0n1p1, partition, no scheduler"},
		{"no file system", fileSystemText(nil), ""},
		{"a file system", fileSystemText(&conditions.FileSystem{Type: "xfs"}), "xfs"},
		{"no processor", processorText(&conditions.Host{}), ""},
		{"one processor", plainText(processorText(&conditions.Host{CPUs: new(1), Virtualised: new(false)})), "1 CPU"},
		{"no supply", supplyText(nil), ""},
		{"mains", supplyText(new(true)), "mains"},
		{"battery", supplyText(new(false)), "BATTERY, which may slow the computer down"},
		{"kernel", kernelText(&conditions.Host{Kernel: new("6.12.1"), Arch: "arm64"}), "6.12.1, arm64"},
		{"held", wakeUpText(&report.Conditions{Conditions: conditions.Conditions{CPULatencyHeld: true}}), "kept fast: /dev/cpu_dma_latency held at 0 µs"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// TestConditionFactsAreKnown holds that no condition is shown without a value,
// and that what was prepared is.
func TestConditionFactsAreKnown(t *testing.T) {
	b := &report.BenchReport{}
	for _, f := range conditionFacts(b) {
		if f.Name != "CPU wake-up" && f.Value != absent {
			t.Errorf("of nothing, %s is %q", f.Name, f.Value)
		}
	}
	b.Precondition = &scratch.Preconditioned{Mode: "pts", BytesWritten: 3e12}
	found := false
	for _, f := range conditionFacts(b) {
		found = found || f.Name == "prepared" && plainText(f.Value) == "pts, 3 TB written"
	}
	if !found {
		t.Error("what was prepared is not shown")
	}
}
