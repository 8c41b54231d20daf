package profile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

// planOf plans a profile on a target of 1 TiB, or a given one.
func planOf(t *testing.T, name string, o Options, target ...bench.Target) *Plan {
	t.Helper()
	p, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	target = append(target, bench.Target{Bytes: 1 << 40, BlockBytes: 512})
	plan, err := p.Plan(target[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// sequence writes the steps as "pause label #run duration".
func sequence(p *Plan) []string {
	var s []string
	for _, step := range p.Steps {
		s = append(s, fmt.Sprintf("%v %s #%d %v", step.Pause, p.Rows[step.Row].SizedLabel, step.Run, step.Job.Duration))
	}
	return s
}

func TestPlanSequence(t *testing.T) {
	for _, tt := range []struct {
		name    string
		profile string
		o       Options
		want    []string
	}{
		{"a pass that does not count, the runs, a pause between rows", "cdm8:demo", Options{}, []string{
			"0s SEQ1M Q8T1 read #0 5s", "0s SEQ1M Q8T1 read #1 5s", "0s SEQ1M Q8T1 read #2 5s", "0s SEQ1M Q8T1 read #3 5s", "0s SEQ1M Q8T1 read #4 5s", "0s SEQ1M Q8T1 read #5 5s",
			"5s SEQ1M Q8T1 write #0 5s", "0s SEQ1M Q8T1 write #1 5s", "0s SEQ1M Q8T1 write #2 5s", "0s SEQ1M Q8T1 write #3 5s", "0s SEQ1M Q8T1 write #4 5s", "0s SEQ1M Q8T1 write #5 5s",
		}},
		{"read-only", "cdm8:real", Options{ReadOnly: true, Runs: 1}, []string{
			"0s SEQ1M Q1T1 read #0 5s", "0s SEQ1M Q1T1 read #1 5s",
			"5s RND4K Q1T1 read #0 5s", "0s RND4K Q1T1 read #1 5s",
		}},
		{"other times", "cdm8:demo", Options{Runs: 2, Duration: time.Second, Interval: 2 * time.Second}, []string{
			"0s SEQ1M Q8T1 read #0 1s", "0s SEQ1M Q8T1 read #1 1s", "0s SEQ1M Q8T1 read #2 1s",
			"2s SEQ1M Q8T1 write #0 1s", "0s SEQ1M Q8T1 write #1 1s", "0s SEQ1M Q8T1 write #2 1s",
		}},
		{"no pauses", "cdm8:demo", Options{Runs: 1, Interval: -1}, []string{
			"0s SEQ1M Q8T1 read #0 5s", "0s SEQ1M Q8T1 read #1 5s",
			"0s SEQ1M Q8T1 write #0 5s", "0s SEQ1M Q8T1 write #1 5s",
		}},
		{"several sizes", "cdm8:demo", Options{Runs: 1, Sizes: []int64{1 << 30, 32 << 30}, ReadOnly: true}, []string{
			"0s SEQ1M Q8T1 read, 1 GiB #0 5s", "0s SEQ1M Q8T1 read, 1 GiB #1 5s",
			"5s SEQ1M Q8T1 read, 32 GiB #0 5s", "0s SEQ1M Q8T1 read, 32 GiB #1 5s",
		}},
		{"without a pass that does not count", "qd1", Options{Runs: 2}, []string{
			"0s RND4K Q1T1 read #1 30s", "0s RND4K Q1T1 read #2 30s",
		}},
	} {
		if diff := cmp.Diff(tt.want, sequence(planOf(t, tt.profile, tt.o))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestPlanOptions(t *testing.T) {
	plan := planOf(t, "cdm8:mix", Options{ReadPercent: 30, Engine: bench.EnginePsync, Seed: 100, Sizes: []int64{4 << 30}})
	for i, s := range plan.Steps {
		mixed := s.Job.Op == bench.OpMix
		if s.Job.Engine != bench.EnginePsync || s.Job.Seed != 100+uint64(i) || s.Job.Span != 4<<30 || (s.Job.ReadPercent == 30) != mixed {
			t.Errorf("step %d: %+v", i, s.Job)
		}
		if s.Discard() != (i%6 == 0) {
			t.Errorf("step %d is run %d: does not count is %v", i, s.Run, s.Discard())
		}
	}
	if got := plan.Rows[8].SizedLabel; got != "SEQ1M Q8T1 mix R30/W70" {
		t.Errorf("label %q", got)
	}
	if plan.FileBytes != 4<<30 {
		t.Errorf("a file of %d bytes", plan.FileBytes)
	}
}

func TestPlanLeavesTheProfileAlone(t *testing.T) {
	p, err := Lookup("cdm8")
	if err != nil {
		t.Fatal(err)
	}
	before := *p.clone()
	if _, err := p.Plan(bench.Target{}, Options{Runs: 1, Duration: time.Second, Engine: "x", Sizes: []int64{2 << 30}, ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, *p); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestPlanShortensTheWarmup(t *testing.T) {
	if j := planOf(t, "qd1", Options{Duration: time.Second}).Steps[0].Job; j.Duration != time.Second || j.Warmup != time.Second {
		t.Errorf("%v after %v", j.Duration, j.Warmup)
	}
	if j := planOf(t, "wake", Options{Duration: time.Second}).Steps[0].Job; j.Duration != 0 || j.Operations != 20000 {
		t.Errorf("a row that ends by its number: %v, %d operations", j.Duration, j.Operations)
	}
}

func TestPlanLeavesOut(t *testing.T) {
	for _, tt := range []struct {
		name    string
		profile string
		target  bench.Target
		o       Options
		rows    int
		reason  string // of the first row that is left out
	}{
		{"blocks that a 4 KiB drive cannot do", "sweep", bench.Target{Bytes: 1 << 40, BlockBytes: 4096}, Options{}, 36, "512 B are no multiple of the 4096 bytes"},
		{"blocks that an engine cannot do", "sweep", bench.Target{Bytes: 1 << 40}, Options{MaxBlockBytes: 1 << 20}, 24, "2 MiB are larger than the 1 MiB that are possible"},
		{"blocks larger than the target", "sweep", bench.Target{Bytes: 8 << 20}, Options{}, 30, "12 MiB are larger than the target"},
		{"blocks larger than the size", "sweep", bench.Target{}, Options{Sizes: []int64{1 << 20}}, 24, "larger than the size of the test"},
		{"workers", "iometer", bench.Target{}, Options{CPUs: 2}, 20, "it has 4 workers, the host has 2 CPUs"},
		{"other programs start all their threads", "cdm8:nvme", bench.Target{}, Options{CPUs: 2}, 8, ""},
		{"writes", "cdm8", bench.Target{}, Options{ReadOnly: true}, 4, "it writes"},
		{"all of it", "cdm8", bench.Target{}, Options{}, 8, ""},
	} {
		plan := planOf(t, tt.profile, tt.o, tt.target)
		if len(plan.Rows) != tt.rows {
			t.Errorf("%s: %d rows, want %d", tt.name, len(plan.Rows), tt.rows)
		}
		switch {
		case tt.reason == "" && len(plan.Skipped) > 0:
			t.Errorf("%s: left out %v", tt.name, plan.Skipped)
		case tt.reason != "" && (len(plan.Skipped) == 0 || !strings.Contains(plan.Skipped[0].Reason, tt.reason)):
			t.Errorf("%s: left out %v, want %q", tt.name, plan.Skipped, tt.reason)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	for _, tt := range []struct {
		name, profile, want string
		target              bench.Target
		o                   Options
	}{
		{"no row is left", "txbench:write", "no row that can be run: it writes", bench.Target{}, Options{ReadOnly: true}},
		{"no size is large enough", "cdm8:demo", "no row that can be run: a block is larger", bench.Target{}, Options{Sizes: []int64{4096}}},
		{"the target is too small", "cdm8", "size of 32 GiB: the target has 1 GiB", bench.Target{Bytes: 1 << 30}, Options{Sizes: []int64{1 << 30, 32 << 30}}},
		{"negative size", "cdm8", "a size is not positive", bench.Target{}, Options{Sizes: []int64{-1}}},
		{"negative runs", "cdm8", "-1 runs", bench.Target{}, Options{Runs: -1}},
		{"negative duration", "cdm8", "a duration is negative", bench.Target{}, Options{Duration: -1}},
		{"a mix of reads only", "cdm8:mix", "100 % of reads", bench.Target{}, Options{ReadPercent: 100}},
		{"a duration that no job may have", "cdm8:demo", "SEQ1M Q8T1 read: invalid job: a duration is too long", bench.Target{}, Options{Duration: 2000 * time.Hour}},
	} {
		p, err := Lookup(tt.profile)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Plan(tt.target, tt.o)
		if !errors.Is(err, bench.ErrBadJob) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestPlanOnASmallTarget(t *testing.T) {
	plan := planOf(t, "cdm3", Options{}, bench.Target{Bytes: 100<<20 + 512})
	if len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "not the 1000 MiB of the profile") {
		t.Errorf("notes %v", plan.Notes)
	}
	if j := plan.Steps[0].Job; j.Span != 100<<20+512 || j.TotalBytes != 100<<20 {
		t.Errorf("span %d, %d bytes in all", j.Span, j.TotalBytes)
	}
	if plan := planOf(t, "qd1", Options{}); plan.Steps[0].Job.Span != 0 || plan.FileBytes != 4<<30 || len(plan.Notes) != 0 {
		t.Errorf("qd1: span %d, file of %d bytes, %v", plan.Steps[0].Job.Span, plan.FileBytes, plan.Notes)
	}
}

func TestFigures(t *testing.T) {
	plan := planOf(t, "cdm8:demo", Options{Runs: 2, ReadOnly: true, Sizes: []int64{1 << 30, 2 << 30}})
	results := []*bench.Result{run(999, 1, 1), run(100, 40, 40), run(200, 50, 50), run(999, 1, 1), nil}
	got := plan.Figures(results)
	if len(got) != 2 || got[1] != nil {
		t.Fatalf("got %+v, want a figure for the first row only", got)
	}
	f := got[0]
	if f.MBPerS != 200 || f.RateRun != 2 || f.LatencyRun != 1 || f.Runs != 2 || f.Row != "SEQ1M Q8T1 read, 1 GiB" || f.SizeBytes != 1<<30 {
		t.Errorf("got %+v", f)
	}
	if got := plan.Figures(make([]*bench.Result, 100)); len(got) != 2 || got[0] != nil {
		t.Errorf("of failed runs: %v", got)
	}
}

func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		name          string
		profile       string
		o             Options
		low, top      time.Duration
		written, read float64 // bytes, ± 2 %
	}{
		// 8 rows of 6 runs of 5 s, 7 pauses of 5 s.
		{"cdm8", "cdm8", Options{}, 275 * time.Second, 275 * time.Second, 30 * (2e9 + 1.96e9 + 2.048e9 + 0.339e9), 30 * (2.5e9 + 2.44e9 + 2.25e9 + 0.352e9)},
		{"reads only", "cdm8", Options{ReadOnly: true}, 135 * time.Second, 135 * time.Second, 0, 30 * (2.5e9 + 2.44e9 + 2.25e9 + 0.352e9)},
		// 12 s each, 30 % written of the rated writes.
		{"mix", "cdm8:real+mix", Options{Runs: 1, Interval: -1}, 60 * time.Second, 60 * time.Second, 10 * 1.3 * (1.96e9 + 0.339e9), 10*(2.44e9+0.352e9) + 10*0.7*(1.96e9+0.339e9)},
		// Bound by size: the sequential row takes 0.4 s and not a minute.
		{"by size", "cdm3", Options{Runs: 1, Interval: -1}, 8 * time.Second, 10 * time.Second, 4 * 1048576000, 4 * 1048576000},
		{"with a warm-up", "qd1", Options{}, 192 * time.Second, 192 * time.Second, 0, 192 * 0.352e9},
		{"wake ends in about 30 s", "wake", Options{}, 25 * time.Second, 35 * time.Second, 0, 32250 * 4096},
		{"sustained", "txbench", Options{}, 200 * time.Second, 200 * time.Second, 0, 200 * 2.5e9},
	} {
		got := planOf(t, tt.profile, tt.o).Estimate(optane)
		if got.Duration < tt.low || got.Duration > tt.top {
			t.Errorf("%s takes %v, want %v to %v", tt.name, got.Duration, tt.low, tt.top)
		}
		if !near(got.BytesWritten, tt.written) || !near(got.BytesRead, tt.read) {
			t.Errorf("%s writes %d and reads %d bytes, want %g and %g", tt.name, got.BytesWritten, got.BytesRead, tt.written, tt.read)
		}
	}
}

func near(got int64, want float64) bool {
	return float64(got) >= 0.98*want && float64(got) <= 1.02*want
}

func TestRemaining(t *testing.T) {
	plan := planOf(t, "cdm8:demo", Options{})
	for _, tt := range []struct {
		step int
		want time.Duration
	}{{-1, 65 * time.Second}, {0, 65 * time.Second}, {6, 35 * time.Second}, {11, 5 * time.Second}, {12, 0}, {99, 0}} {
		if got := plan.Remaining(tt.step, Rated{}).Duration; got != tt.want {
			t.Errorf("from step %d: %v, want %v", tt.step, got, tt.want)
		}
	}
}
