package main

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

func TestFailureWarnings(t *testing.T) {
	result := func(row int, failed int64, partial bool) report.BenchResult {
		r := report.BenchResult{Row: row, Result: bench.Result{Operations: 100, Errors: failed, Partial: partial}}
		if failed > 0 {
			r.ErrorDetails = []bench.ErrorKind{{Error: "EIO", Count: failed}}
			r.ErrorOffsets = []bench.ErrorOffset{{Offset: 8192, Count: failed}}
		}
		return r
	}
	rows := []report.BenchRow{{Label: "read"}, {Label: "write"}, {Label: "mix"}}
	results := []report.BenchResult{result(0, 0, false), result(0, 3, false), result(1, 0, false), result(2, 10, true)}
	want := []string{"read: 3 of 203 operations failed (EIO, first at byte 8192): look at the drive's error log and the kernel log"}
	if diff := cmp.Diff(want, failureWarnings(rows, results)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAlignmentWarning(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	sys := fstest.MapFS{
		"class/block/nvme0n1/start": file("63\n"),

		"class/block/nvme0n1p1/partition": file("1\n"), "class/block/nvme0n1p1/start": file("2048\n"),
		"class/block/nvme0n1p2/partition": file("2\n"), "class/block/nvme0n1p2/start": file("63\n"),
		"class/block/nvme0n1p3/partition": file("3\n"), "class/block/nvme0n1p3/start": file("x\n"),
		"class/block/nvme0n1p4/partition": file("4\n"),
	}
	for device, want := range map[string]string{
		"nvme0n1": "", "nvme0n1p1": "", "nvme0n1p3": "", "nvme0n1p4": "", "gone": "",
		"nvme0n1p2": "nvme0n1p2 begins at byte 32256 of its disk, which is no multiple of 4096: blocks of 4 KiB lie across two pages of the medium",
	} {
		if got := alignmentWarning(sys, device); got != want {
			t.Errorf("%s: got %q, want %q", device, got, want)
		}
	}
}
