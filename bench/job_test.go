package bench

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQD1Read(t *testing.T) {
	for _, tt := range []struct {
		seconds          float64
		duration, warmup time.Duration
	}{
		{0.5, 500 * time.Millisecond, 100 * time.Millisecond},
		{2, 2 * time.Second, 400 * time.Millisecond},
		{30, 30 * time.Second, 500 * time.Millisecond},
	} {
		j := QD1Read(tt.seconds)
		if err := j.Validate(); err != nil {
			t.Errorf("QD1Read(%g): %v", tt.seconds, err)
		}
		if j.Duration != tt.duration || j.Warmup != tt.warmup {
			t.Errorf("QD1Read(%g) takes %v after %v, want %v after %v", tt.seconds, j.Duration, j.Warmup, tt.duration, tt.warmup)
		}
		if j.BlockBytes != 4096 || j.QueueDepth != 1 || j.Workers != 1 || j.Pattern != Random || j.Engine != EnginePsync {
			t.Errorf("QD1Read(%g) is another workload: %+v", tt.seconds, j)
		}
	}
}

func TestValidateNamesTheFault(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*Job)
	}{
		{"no engine", func(j *Job) { j.Engine = "" }},
		{`operation "trim"`, func(j *Job) { j.Op = "trim" }},
		{`content "noise"`, func(j *Job) { j.Content = "noise" }},
		{`content "0%"`, func(j *Job) { j.Content = "0%" }},
		{`content "101%"`, func(j *Job) { j.Content = "101%" }},
		{`content "+5%"`, func(j *Job) { j.Content = "+5%" }},
		{"for a mix only", func(j *Job) { j.ReadPercent = 70 }},
		{"share of reads of 100 %", func(j *Job) { j.Op, j.ReadPercent = OpMix, 100 }},
		{"share of reads of -1 %", func(j *Job) { j.Op, j.ReadPercent = OpMix, -1 }},
		{"rate of -1", func(j *Job) { j.Rate = -1 }},
		{"rate of NaN", func(j *Job) { j.Rate = math.NaN() }},
		{"rate of +Inf", func(j *Job) { j.Rate = math.Inf(1) }},
		{"rate of 0.0001", func(j *Job) { j.Rate = 0.0001 }},
		{"think time of -1ns", func(j *Job) { j.ThinkTime = -1 }},
		{"think time of 2h", func(j *Job) { j.ThinkTime = 2 * time.Hour }},
		{"exclude each other", func(j *Job) { j.Rate, j.ThinkTime = 1, 1 }},
		{`engine "psync" does not poll`, func(j *Job) { j.IOPoll = true }},
		{`engine "null" does not poll`, func(j *Job) { j.Engine, j.SQPoll = EngineNull, true }},
		{"start at byte 512", func(j *Job) { j.Start = 512 }},
		{"limit is negative", func(j *Job) { j.Start = -4096 }},
		{`pattern "zigzag"`, func(j *Job) { j.Pattern = "zigzag" }},
		{"block size of 0", func(j *Job) { j.BlockBytes = 0 }},
		{"block size of 1000", func(j *Job) { j.BlockBytes = 1000 }},
		{"block size of -4096", func(j *Job) { j.BlockBytes = -4096 }},
		{"block size of 2147483648", func(j *Job) { j.BlockBytes = 1 << 31 }},
		{"queue depth 0", func(j *Job) { j.QueueDepth = 0 }},
		{"queue depth 65537", func(j *Job) { j.QueueDepth = 65537 }},
		{"0 workers", func(j *Job) { j.Workers = 0 }},
		{"1025 workers", func(j *Job) { j.Workers = 1025 }},
		{"duration is negative", func(j *Job) { j.Duration = -1 }},
		{"duration is negative", func(j *Job) { j.Warmup = -1 }},
		{"duration is negative", func(j *Job) { j.StallLimit = -1 }},
		{"duration is too long", func(j *Job) { j.Duration = 1 << 62 }},
		{"limit is negative", func(j *Job) { j.Operations = -1 }},
		{"limit is negative", func(j *Job) { j.MaxErrors = -2 }},
		{"no end", func(j *Job) { j.Duration = 0 }},
		{"less than one block", func(j *Job) { j.TotalBytes = 4095 }},
		{"span of 512 bytes is less", func(j *Job) { j.Span = 512 }},
		{"bytes of buffers", func(j *Job) { j.BlockBytes, j.QueueDepth = 1<<30, 8 }},
		{"bytes of buffers", func(j *Job) { j.Op, j.BlockBytes, j.QueueDepth = OpMix, 1<<30, 3 }},
	} {
		j := QD1Read(1)
		tt.change(&j)
		err := j.Validate()
		if !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want an invalid job that says %q", err, tt.want)
		}
	}
}

func TestValidateAccepts(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"write":                func(j *Job) { j.Op = OpWrite },
		"mix":                  func(j *Job) { j.Op, j.ReadPercent = OpMix, 99 },
		"content of a half":    func(j *Job) { j.Op, j.Content = OpWrite, "50%" },
		"all content":          func(j *Job) { j.Op, j.Content = OpWrite, "100%" },
		"zeros":                func(j *Job) { j.Op, j.Content = OpWrite, "zero" },
		"rate":                 func(j *Job) { j.Rate = 1000 },
		"think time":           func(j *Job) { j.ThinkTime = time.Second },
		"errors do not end it": func(j *Job) { j.MaxErrors = -1 },
		"polled":               func(j *Job) { j.Engine, j.IOPoll, j.SQPoll = EngineUring, true, true },
		"start":                func(j *Job) { j.Start, j.Span = 8192, 4096 },
	} {
		j := QD1Read(1)
		change(&j)
		if err := j.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTargetCheck(t *testing.T) {
	for _, tt := range []struct {
		name   string
		target Target
		change func(*Job)
		want   string // empty: fits
	}{
		{"fits", Target{Bytes: 1 << 20, BlockBytes: 4096}, nil, ""},
		{"alignment not known", Target{Bytes: 1 << 20}, nil, ""},
		{"exactly one block", Target{Bytes: 4096, BlockBytes: 512}, nil, ""},
		{"empty", Target{Path: "x"}, nil, "x: size is 0 bytes"},
		{"too small", Target{Bytes: 4095, BlockBytes: 512}, nil, "less than one block"},
		{"block too small", Target{Bytes: 1 << 20, BlockBytes: 8192}, nil, "not a multiple of the 8192 bytes"},
		{"span too large", Target{Bytes: 8192, BlockBytes: 512}, func(j *Job) { j.Span = 16384 }, "span of 16384"},
		{"last block", Target{Bytes: 8192, BlockBytes: 512}, func(j *Job) { j.Start, j.Span = 4096, 4096 }, ""},
		{"span goes beyond the end", Target{Bytes: 8192, BlockBytes: 512}, func(j *Job) { j.Start, j.Span = 4096, 8192 }, "span of 8192 bytes from byte 4096"},
		{"start beyond the end", Target{Bytes: 8192, BlockBytes: 512}, func(j *Job) { j.Start = 8192 }, "start at byte 8192"},
		{"start and span are huge", Target{Bytes: 8192, BlockBytes: 512}, func(j *Job) { j.Start, j.Span = 1<<62, 1<<62 }, "start at byte"},
		{"write", Target{Path: "x", Bytes: 8192}, func(j *Job) { j.Op = OpWrite }, "x must not be written to"},
		{"mix", Target{Path: "x", Bytes: 8192, Kind: BlockTarget, Descriptor: 9}, func(j *Job) { j.Op = OpMix }, "x must not be written to"},
		{"device without a claim", Target{Path: "x", Bytes: 8192, Kind: BlockTarget, Writable: true}, func(j *Job) { j.Op = OpWrite }, "claimed"},
		{"device with a claim", Target{Bytes: 8192, Kind: BlockTarget, Writable: true, Descriptor: 9}, func(j *Job) { j.Op = OpWrite }, ""},
		{"writable file", Target{Bytes: 8192, Kind: FileTarget, Writable: true}, func(j *Job) { j.Op = OpMix }, ""},
		{"reads of what is writable", Target{Bytes: 8192, Kind: BlockTarget, Writable: true}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := QD1Read(1)
			if tt.change != nil {
				tt.change(&j)
			}
			err := tt.target.check(j)
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v, want no error", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTargetSpanIsWholeBlocks(t *testing.T) {
	target := Target{Bytes: 1<<20 + 700}
	j := QD1Read(1)
	if got := target.span(j); got != 1<<20 {
		t.Errorf("span of the whole target is %d, want %d", got, 1<<20)
	}
	j.Start = 8192
	if got := target.span(j); got != 1<<20-8192 {
		t.Errorf("span from byte 8192 is %d, want %d", got, 1<<20-8192)
	}
	j.Span = 10_000
	if got := target.span(j); got != 8192 {
		t.Errorf("span of 10000 bytes is %d, want 8192", got)
	}
}

func TestShare(t *testing.T) {
	j := QD1Read(1)
	j.Workers, j.Operations, j.TotalBytes = 3, 100, 11*4096
	got := []int64{j.share(0), j.share(1), j.share(2)}
	if diff := cmp.Diff([]int64{4, 4, 3}, got); diff != "" {
		t.Errorf("shares of 11 operations (-want +got):\n%s", diff)
	}
}

func TestLabel(t *testing.T) {
	for _, tt := range []struct {
		job  Job
		want string
	}{
		{Job{Pattern: Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1}, "RND4K Q1T1"},
		{Job{Pattern: Sequential, BlockBytes: 1 << 20, QueueDepth: 8, Workers: 1}, "SEQ1M Q8T1"},
		{Job{Pattern: Random, BlockBytes: 512, QueueDepth: 32, Workers: 16}, "RND512B Q32T16"},
		{Job{Name: "boot", Pattern: Random, BlockBytes: 512}, "boot"},
	} {
		if got := tt.job.Label(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestSpecSurvivesJSON(t *testing.T) {
	want := Spec{
		Target: Target{Kind: BlockTarget, Path: "/dev/nvme0n1", Bytes: 960_197_124_096, BlockBytes: 512, Writable: true, Descriptor: 3, Generic: "/dev/ng0n1", NSID: 1},
		Job: Job{
			Name: "n", Engine: EnginePsync, Op: OpRead, Pattern: Sequential, BlockBytes: 4096, QueueDepth: 2, Workers: 3,
			Duration: 4, Warmup: 5, Operations: 6, TotalBytes: 7, Span: 8, Seed: 1<<64 - 1, CPUs: []int{9},
			HoldCPULatency: true, StallLimit: 10, MaxErrors: 11, ReadPercent: 12, Content: "13%", Rate: 14.5, ThinkTime: 15,
			Batch: true, IOPoll: true, SQPoll: true, Start: 16,
		},
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Spec
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

func TestWorkerEnv(t *testing.T) {
	want := []string{"GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=5"}
	if diff := cmp.Diff(want, WorkerEnv(4)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
