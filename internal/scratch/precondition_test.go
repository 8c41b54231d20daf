package scratch

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

// written is what a job of a plan writes.
type written struct {
	pattern     bench.Pattern
	block       int
	depth       int
	start, span int64
	total       int64
	seconds     float64
}

func jobsOf(p Plan) []written {
	var list []written
	for _, s := range p.Steps {
		j := s.Job
		list = append(list, written{j.Pattern, j.BlockBytes, j.QueueDepth, j.Start, j.Span, j.TotalBytes, j.Duration.Seconds()})
	}
	return list
}

func TestPrecondition(t *testing.T) {
	const gib = 1 << 30
	deep := PreconditionOptions{Engine: bench.EngineUring}
	tests := []struct {
		name        string
		mode        Mode
		span        int64
		o           PreconditionOptions
		want        []written
		bytes, most int64
	}{
		{"none", PreconditionNone, gib, deep, nil, 0, 0},
		{"fill", PreconditionFill, gib, deep, []written{{bench.Sequential, mib, 8, 0, gib, gib, 0}}, gib, gib},
		{"fill one deep", PreconditionFill, gib, PreconditionOptions{}, []written{{bench.Sequential, mib, 1, 0, gib, gib, 0}}, gib, gib},
		{"fill of an odd size", PreconditionFill, gib + 8192, deep, []written{
			{bench.Sequential, mib, 8, 0, gib, gib, 0}, {bench.Sequential, 4096, 8, gib, 8192, 8192, 0},
		}, gib + 8192, gib + 8192},
		{"fill of a very odd size", PreconditionFill, gib + 1024, deep, []written{
			{bench.Sequential, mib, 8, 0, gib, gib, 0}, {bench.Sequential, 512, 8, gib, 1024, 1024, 0},
		}, gib + 1024, gib + 1024},
		{"fill from an odd start", PreconditionFill, gib, PreconditionOptions{Engine: bench.EngineUring, Start: 64 << 10}, []written{
			{bench.Sequential, 64 << 10, 8, 64 << 10, gib, gib, 0},
		}, gib, gib},
		{"fill of a small span", PreconditionFill, 12288, deep, []written{
			{bench.Sequential, 8192, 8, 0, 8192, 8192, 0}, {bench.Sequential, 4096, 8, 8192, 4096, 4096, 0},
		}, 12288, 12288},
		{"pts", PreconditionPTS, gib, deep, []written{
			{bench.Sequential, 128 << 10, 32, 0, gib, gib, 0},
			{bench.Sequential, 128 << 10, 32, 0, gib, gib, 0},
			{bench.Random, 4096, 32, 0, gib, gib, 60},
		}, 2 * gib, 27 * gib},
		{"pts with a rate", PreconditionPTS, 100 * gib, PreconditionOptions{Engine: bench.EngineUring, Round: 10 * time.Second, MostMBPerS: 409.6, Rule: SteadyRule{Rounds: 10}}, []written{
			{bench.Sequential, 128 << 10, 32, 0, 100 * gib, 100 * gib, 0},
			{bench.Sequential, 128 << 10, 32, 0, 100 * gib, 100 * gib, 0},
			{bench.Random, 4096, 32, 0, 100 * gib, 4096e6, 10},
		}, 200 * gib, 200*gib + 10*4096e6},
	}
	for _, tt := range tests {
		p, err := Precondition(tt.mode, tt.span, 0, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := jobsOf(p); !slices.Equal(got, tt.want) {
			t.Errorf("%s: jobs are %+v, want %+v", tt.name, got, tt.want)
		}
		if p.Bytes != tt.bytes || p.MostBytes != tt.most || p.WearPercent != nil || p.MostWearPercent != nil {
			t.Errorf("%s: %d to %d bytes, want %d to %d, and no wear", tt.name, p.Bytes, p.MostBytes, tt.bytes, tt.most)
		}
		for _, s := range p.Steps {
			if err := s.Job.Validate(); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			if s.Job.Op != bench.OpWrite || s.Job.Start%int64(s.Job.BlockBytes) != 0 || (s.Until != nil) != (s.Job.Pattern == bench.Random) {
				t.Errorf("%s: step %+v", tt.name, s)
			}
		}
	}
}

func TestPreconditionWear(t *testing.T) {
	p, err := Precondition(PreconditionPTS, 1e12/4096*4096, 600e12, PreconditionOptions{})
	if err != nil || math.Abs(*p.WearPercent-1.0/3) > 1e-6 || math.Abs(*p.MostWearPercent-4.5) > 1e-6 {
		t.Errorf("wear of %v to %v %%, %v, want 0.333 to 4.5", *p.WearPercent, *p.MostWearPercent, err)
	}
}

func TestPreconditionRefuses(t *testing.T) {
	for _, tt := range []struct {
		mode  Mode
		span  int64
		start int64
	}{{"all", mib, 0}, {"", mib, 0}, {PreconditionFill, 0, 0}, {PreconditionFill, mib + 1, 0}, {PreconditionFill, mib, -4096}} {
		if _, err := Precondition(tt.mode, tt.span, 0, PreconditionOptions{Start: tt.start}); err == nil {
			t.Errorf("%q of %d bytes from %d is possible", tt.mode, tt.span, tt.start)
		}
	}
}

// TestPlanRun carries a plan out on a drive that slows down for some rounds.
func TestPlanRun(t *testing.T) {
	plan, err := Precondition(PreconditionPTS, 1<<30, 0, PreconditionOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var seeds []uint64
	var told []int
	run := func(_ context.Context, j bench.Job) (*bench.Result, error) {
		r := &bench.Result{BytesWritten: j.TotalBytes, IOPS: 5000}
		if j.Pattern == bench.Random {
			seeds = append(seeds, j.Seed)
			r.IOPS += 50000 / float64(len(seeds)*len(seeds)*len(seeds))
		}
		return r, nil
	}
	got, err := plan.Run(t.Context(), run, func(w Window) { told = append(told, w.Round) })
	if err != nil || !got.Steady || got.Partial || len(got.Rounds) != len(seeds) || len(told) != len(seeds) {
		t.Fatalf("%+v, %v, told %v", got, err, told)
	}
	if len(seeds) != 9 || got.BytesWritten != int64(2+9)<<30 {
		t.Errorf("%d rounds and %d bytes, want 9 and %d", len(seeds), got.BytesWritten, int64(11)<<30)
	}
	slices.Sort(seeds)
	if len(slices.Compact(seeds)) != 9 {
		t.Error("rounds write to the same places")
	}
}

func TestPlanRunNeverSteady(t *testing.T) {
	plan, _ := Precondition(PreconditionPTS, mib, 0, PreconditionOptions{})
	n := 0.0
	got, err := plan.Run(t.Context(), func(context.Context, bench.Job) (*bench.Result, error) {
		n++
		return &bench.Result{IOPS: 1000 * n}, nil
	}, nil)
	if err != nil || got.Steady || got.Partial || len(got.Rounds) != 25 {
		t.Errorf("%d rounds, steady %t, %v, want 25 and not", len(got.Rounds), got.Steady, err)
	}
}

func TestPlanRunFails(t *testing.T) {
	plan, _ := Precondition(PreconditionFill, mib, 0, PreconditionOptions{})
	for _, tt := range []struct {
		result  *bench.Result
		err     error
		written int64
	}{
		{nil, unix.EIO, 0},
		{&bench.Result{BytesWritten: 5}, unix.EIO, 5},
		{&bench.Result{BytesWritten: 7, Partial: true, Ended: "interrupted"}, nil, 7},
		{nil, nil, 0},
	} {
		got, err := plan.Run(t.Context(), func(context.Context, bench.Job) (*bench.Result, error) { return tt.result, tt.err }, nil)
		if err == nil || tt.err != nil && !errors.Is(err, tt.err) || !got.Partial || got.BytesWritten != tt.written {
			t.Errorf("%+v, %v, want partial, %d bytes and %v", got, err, tt.written, tt.err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := plan.Run(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}
