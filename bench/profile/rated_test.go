package profile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

// optane is roughly the rating of a 900P.
var optane = Rated{ReadMBs: 2500, WriteMBs: 2000, ReadIOPS: 550000, WriteIOPS: 500000, ReadLatencyUS: 10, WriteLatencyUS: 10}

func TestRatedFigureOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		job  bench.Job
		want RatedFigure
	}{
		{"SEQ1M Q8T1", bench.Job{Op: "read", Pattern: "sequential", BlockBytes: 1 << 20, QueueDepth: 8, Workers: 1}, RatedReadMBs},
		{"SEQ1M Q8T1 write", bench.Job{Op: "write", Pattern: "sequential", BlockBytes: 1 << 20, QueueDepth: 8, Workers: 1}, RatedWriteMBs},
		{"SEQ128K Q32T1", bench.Job{Op: "read", Pattern: "sequential", BlockBytes: 128 << 10, QueueDepth: 32, Workers: 1}, RatedReadMBs},
		{"SEQ1M Q1T1", bench.Job{Op: "read", Pattern: "sequential", BlockBytes: 1 << 20, QueueDepth: 1, Workers: 1}, NoRatedFigure},
		{"SEQ64K Q32", bench.Job{Op: "read", Pattern: "sequential", BlockBytes: 64 << 10, QueueDepth: 32, Workers: 1}, NoRatedFigure},
		{"RND1M Q8", bench.Job{Op: "read", Pattern: "random", BlockBytes: 1 << 20, QueueDepth: 8, Workers: 1}, NoRatedFigure},
		{"RND4K Q32T1", bench.Job{Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 32, Workers: 1}, RatedReadIOPS},
		{"RND4K Q8T8 write", bench.Job{Op: "write", Pattern: "random", BlockBytes: 4096, QueueDepth: 8, Workers: 8}, RatedWriteIOPS},
		{"RND4K Q8T1", bench.Job{Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 8, Workers: 1}, NoRatedFigure},
		{"RND4K Q1T1", bench.Job{Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 1, Workers: 1}, RatedReadLatency},
		{"RND4K Q1T1 write", bench.Job{Op: "write", Pattern: "random", BlockBytes: 4096, QueueDepth: 1, Workers: 1}, RatedWriteLatency},
		{"RND4K Q1T2", bench.Job{Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 1, Workers: 2}, NoRatedFigure},
		{"RND8K Q1T1", bench.Job{Op: "read", Pattern: "random", BlockBytes: 8192, QueueDepth: 1, Workers: 1}, NoRatedFigure},
		{"mix", bench.Job{Op: "mix", Pattern: "random", BlockBytes: 4096, QueueDepth: 32, Workers: 1}, NoRatedFigure},
		{"pauses", bench.Job{Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 1, Workers: 1, ThinkTime: 1}, NoRatedFigure},
		{"a rate", bench.Job{Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 32, Workers: 1, Rate: 1000}, NoRatedFigure},
	} {
		if got := RatedFigureOf(tt.job); got != tt.want {
			t.Errorf("%s is compared with %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCompare(t *testing.T) {
	seq := shape{"", bench.Sequential, 1 << 20, 8, 1}
	deep := shape{"", bench.Random, 4096, 32, 1}
	one := shape{"", bench.Random, 4096, 1, 1}
	for _, tt := range []struct {
		name   string
		shape  shape
		op     bench.Op
		figure Figure
		want   Comparison
	}{
		// Measured figures of a 900P: 4 KiB random writes at 2 % of the rating.
		{"random write before", deep, bench.OpWrite, Figure{MBPerS: 41, IOPS: 10010}, Comparison{RatedWriteIOPS, 500000, 10010, 2.002, HostLimited}},
		{"random write after", deep, bench.OpWrite, Figure{MBPerS: 65, IOPS: 15869}, Comparison{RatedWriteIOPS, 500000, 15869, 3.174, HostLimited}},
		{"random read", deep, bench.OpRead, Figure{MBPerS: 561, IOPS: 136963}, Comparison{RatedReadIOPS, 550000, 136963, 24.902, Plausible}},
		{"sequential read", seq, bench.OpRead, Figure{MBPerS: 2522, IOPS: 2405}, Comparison{RatedReadMBs, 2500, 2522, 100.88, Plausible}},
		{"sequential write", seq, bench.OpWrite, Figure{MBPerS: 2571, IOPS: 2452}, Comparison{RatedWriteMBs, 2000, 2571, 128.55, Plausible}},
		{"memory", seq, bench.OpRead, Figure{MBPerS: 45000, IOPS: 42915}, Comparison{RatedReadMBs, 2500, 45000, 1800, AboveRated}},
		{"latency", one, bench.OpRead, Figure{LatencyUS: new(13.5)}, Comparison{RatedReadLatency, 10, 13.5, 74.074, Plausible}},
		{"blank blocks", one, bench.OpRead, Figure{LatencyUS: new(0.6)}, Comparison{RatedReadLatency, 10, 0.6, 1666.667, AboveRated}},
		{"far too slow", one, bench.OpWrite, Figure{LatencyUS: new(400.0)}, Comparison{RatedWriteLatency, 10, 400, 2.5, HostLimited}},
	} {
		got := optane.Compare(tt.shape.row(tt.op, time.Second, PickBest).Job, &tt.figure)
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCompareWithout(t *testing.T) {
	one := shape{"", bench.Random, 4096, 1, 1}.row(bench.OpRead, time.Second, PickBest).Job
	eight := shape{"", bench.Random, 4096, 8, 1}.row(bench.OpRead, time.Second, PickBest).Job
	deep := shape{"", bench.Random, 4096, 32, 1}.row(bench.OpRead, time.Second, PickBest).Job
	for _, tt := range []struct {
		name   string
		rated  Rated
		job    bench.Job
		figure *Figure
	}{
		{"no figure", optane, one, nil},
		{"nothing rated", Rated{}, one, &Figure{LatencyUS: new(10.0)}},
		{"no such rating", optane, eight, &Figure{IOPS: 1}},
		{"no latency", optane, one, &Figure{IOPS: 1}},
		{"nothing measured", optane, deep, &Figure{}},
	} {
		if got := tt.rated.Compare(tt.job, tt.figure); got != nil {
			t.Errorf("%s: %+v, want nothing", tt.name, got)
		}
	}
}

func TestExpected(t *testing.T) {
	for _, tt := range []struct {
		name     string
		rated    Rated
		job      bench.Job
		low, top float64
	}{
		{"one at a time is bound by latency", optane, shape{"", "random", 4096, 1, 1}.row("read", 0, "").Job, 80_000, 100_000},
		{"many are bound by the rated IOPS", optane, shape{"", "random", 4096, 128, 4}.row("read", 0, "").Job, 550_000, 550_000},
		{"large blocks by the rated MB/s", optane, shape{"", "sequential", 1 << 20, 8, 1}.row("write", 0, "").Job, 1907, 1908},
		{"nothing is known", Rated{}, shape{"", "sequential", 1 << 20, 8, 1}.row("read", 0, "").Job, 6675, 6676},
		{"a pause", optane, bench.Job{Op: "read", BlockBytes: 4096, QueueDepth: 1, Workers: 1, ThinkTime: time.Second}, 0.99, 1},
		{"a rate", optane, bench.Job{Op: "read", BlockBytes: 4096, QueueDepth: 32, Workers: 1, Rate: 500}, 500, 500},
	} {
		if got := tt.rated.expected(tt.job); got < tt.low || got > tt.top {
			t.Errorf("%s: %g a second, want %g to %g", tt.name, got, tt.low, tt.top)
		}
	}
}
