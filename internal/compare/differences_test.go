package compare

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
)

// warm sets the temperature at the start.
func warm(r *report.BenchReport, celsius int) *report.BenchReport {
	r.Conditions.Before = &conditions.DriveState{Health: &conditions.Health{Celsius: &celsius}}
	return r
}

// disturb marks runs as disturbed by others.
func disturb(r *report.BenchReport, runs ...int) {
	for _, i := range runs {
		r.Results[i].OtherIO = &conditions.OtherIO{Known: true, Disturbed: true}
	}
}

// TestBlocked: what blocks takes P and verdict away, and leaves the figures.
func TestBlocked(t *testing.T) {
	b, a := made(six(100)), made(six(111))
	a.Conditions.Governor, a.Conditions.Scheduler, b.Conditions.Scheduler = new("powersave"), new("bfq"), new("none")
	c := Bench(one(b), one(a), Options{})
	if want := []string{"governor", "scheduler"}; !slices.Equal(c.BlockedBy, want) {
		t.Fatalf("blocked by %q, want %q", c.BlockedBy, want)
	}
	if c.Overall != NotComparable || c.Summary != "not comparable: governor and scheduler differ" {
		t.Errorf("answer is %s, %q", c.Overall, c.Summary)
	}
	for _, r := range c.Rows {
		if r.Verdict != nil || r.P != nil || r.PHolm != nil || r.RunsNeeded != nil || len(r.BlockedBy) != 2 || r.ChangePercent == nil || r.CI95Percent == nil {
			t.Errorf("row is %+v", r)
		}
	}
	if r := c.Rows[0]; r.Reason != "not comparable: governor and scheduler differ" {
		t.Errorf("reason is %q", r.Reason)
	}
	if len(c.Attributions) != 0 {
		t.Errorf("a change is explained that nobody knows: %+v", c.Attributions)
	}
}

// TestChangedOnPurpose: what was to be compared does not block.
func TestChangedOnPurpose(t *testing.T) {
	b, a := made(six(100)), made(six(111))
	a.Conditions.Subject.Firmware = "2"
	a.Conditions.Kernel = new("6.18")
	c := Bench(one(b), one(a), Options{Changed: []string{"firmware"}})
	if want := []string{"kernel"}; !slices.Equal(c.BlockedBy, want) {
		t.Errorf("blocked by %q, want %q", c.BlockedBy, want)
	}
	c = Bench(one(b), one(a), Options{Changed: []string{"firmware", "kernel"}})
	if c.Overall != AllWorse || len(c.BlockedBy) != 0 || len(c.Differences) != 2 || !c.Differences[0].Changed {
		t.Errorf("got %s, %+v", c.Overall, c.Differences)
	}
}

// TestDifferences: the sides, each within itself, and what is no condition.
func TestDifferences(t *testing.T) {
	tests := []struct {
		name   string
		change func(b, a []*report.BenchReport)
		want   []string
	}{
		{"nothing", func(_, _ []*report.BenchReport) {}, nil},
		{"the version", func(_, a []*report.BenchReport) { a[0].Tool.Version, a[1].Tool.Version = "2", "2" }, []string{"version of qd1: 1, 2 (note)"}},
		{"the model", func(_, a []*report.BenchReport) { a[0].Drive.Model, a[1].Drive.Model = "N", "N" }, []string{"model: M, N (blocks)"}},
		{"simulated", func(_, a []*report.BenchReport) { a[0].Simulated, a[1].Simulated = true, true }, []string{"simulated: no, yes (blocks)"}},
		{"the target", func(_, a []*report.BenchReport) { a[0].Target.Name, a[1].Target.Name = "x", "x" }, []string{"target: /dev/nvme0n1, x (note)"}},
		{"the length of a run", func(_, a []*report.BenchReport) {
			for _, r := range a {
				r.Rows[0].Job.Duration, r.Rows[0].Job.Operations, r.Rows[0].Job.TotalBytes = 1500*time.Millisecond, 400, 1<<20
			}
		}, []string{"length of a run: -, 1.5 s or 400 operations or 1048576 bytes (note)"}},
		{"no drive", func(_, a []*report.BenchReport) { a[0].Drive, a[1].Drive = nil, nil }, []string{"model: M, - (note)"}},
		{"within the first", func(b, _ []*report.BenchReport) { b[1].Conditions.Kernel = new("6.18") }, []string{"kernel: 6.12, 6.18 (blocks) within before"}},
		{"within the second", func(_, a []*report.BenchReport) { a[1].Conditions.Kernel = new("6.18") }, []string{"kernel: 6.12, 6.18 (blocks) within after"}},
		{
			"warm and cold within one", func(b, a []*report.BenchReport) {
				warm(b[0], 30)
				warm(b[1], 38)
				warm(a[0], 34)
				warm(a[1], 34)
			}, []string{startTemperature + ": 30, 38 (note) within before"},
		},
		{
			"warmer by the median", func(b, a []*report.BenchReport) {
				warm(b[0], 30)
				warm(b[1], 32)
				warm(a[0], 36)
				warm(a[1], 38)
			}, []string{startTemperature + ": 31, 37 (blocks)"},
		},
	}
	for _, tt := range tests {
		b := []*report.BenchReport{made(six(100)), made(six(100))}
		a := []*report.BenchReport{made(six(100)), made(six(100))}
		tt.change(b, a)
		var got []string
		for _, d := range Bench(b, a, Options{}).Differences {
			got = append(got, written(d))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func written(d Difference) string {
	or := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	text := d.What + ": " + or(d.Before) + ", " + or(d.After) + " (" + string(d.Severity) + ")"
	if d.Within != "" {
		text += " within " + d.Within
	}
	return text
}

// TestInputsStay: nothing that is handed in is changed.
func TestInputsStay(t *testing.T) {
	b, b2, a := warm(made(six(100)), 30), warm(made(six(100)), 40), warm(made(six(100)), 35)
	Bench([]*report.BenchReport{b, b2}, one(a), Options{})
	if diff := cmp.Diff(warm(made(six(100)), 30), b); diff != "" {
		t.Errorf("a result was changed (-want +got):\n%s", diff)
	}
}

// TestOtherWorkload: a label is not enough, the workload must be the same.
func TestOtherWorkload(t *testing.T) {
	tests := []struct {
		want   string
		change func(*bench.Job)
	}{
		{"operation (read, write)", func(j *bench.Job) { j.Op = bench.OpWrite }},
		{"pattern (random, sequential)", func(j *bench.Job) { j.Pattern = bench.Sequential }},
		{"block size in bytes (4096, 512)", func(j *bench.Job) { j.BlockBytes = 512 }},
		{"queue depth (1, 4)", func(j *bench.Job) { j.QueueDepth = 4 }},
		{"workers (1, 2)", func(j *bench.Job) { j.Workers = 2 }},
		{"engine (psync, uring)", func(j *bench.Job) { j.Engine = "uring" }},
		{"share of reads (0, 50)", func(j *bench.Job) { j.ReadPercent = 50 }},
		{"content (, zero)", func(j *bench.Job) { j.Content = "zero" }},
		{"rate (0, 100)", func(j *bench.Job) { j.Rate = 100 }},
		{"pause (0s, 1ms)", func(j *bench.Job) { j.ThinkTime = time.Millisecond }},
		{"batch (false, true)", func(j *bench.Job) { j.Batch = true }},
		{"polling ([false false], [true false])", func(j *bench.Job) { j.IOPoll = true }},
		{"first byte (0, 4096)", func(j *bench.Job) { j.Start = 4096 }},
		{"span in bytes (0, 1024)", func(j *bench.Job) { j.Span = 1024 }},
	}
	for _, tt := range tests {
		b, a := made(six(100), six(100)), made(six(111), six(111))
		tt.change(&a.Rows[0].Job)
		a.Rows[0].Job.Seed, a.Rows[1].Job.Duration = 7, time.Hour
		c := Bench(one(b), one(a), Options{})
		r := find(t, c, "row A", "latency_p50")
		if !slices.Equal(r.BlockedBy, []string{tt.want}) || r.Verdict != nil {
			t.Errorf("blocked by %q, want %q", r.BlockedBy, tt.want)
		}
		if r := find(t, c, "row B", "latency_p50"); r.Verdict == nil || *r.Verdict != Worse {
			t.Errorf("%s: the other row is %+v", tt.want, r)
		}
	}
}

// TestMixedSide: one label that stands for two workloads within a side.
func TestMixedSide(t *testing.T) {
	b, b2 := made(six(100)), made(six(100))
	b2.Rows[0].Job.QueueDepth = 2
	c := Bench([]*report.BenchReport{b, b2}, one(made(six(100))), Options{})
	if r := c.Rows[0]; r.Verdict != nil || !slices.Equal(r.BlockedBy, []string{"queue depth (1, 2)"}) {
		t.Errorf("row is %+v", r)
	}
}

// TestCachedOnOneSide: what a cache answered is not compared with what it did
// not.
func TestCachedOnOneSide(t *testing.T) {
	b, a := made(six(100)), made(six(50))
	for i := range a.Results {
		a.Results[i].OtherIO = &conditions.OtherIO{Cached: new(true)}
	}
	c := Bench(one(b), one(a), Options{})
	if r := c.Rows[0]; r.Verdict != nil || !strings.Contains(r.Reason, "answered by a cache (no, yes)") {
		t.Errorf("row is %+v", r)
	}
	if want := "after, row A: 6 of 6 runs were not all answered by the device"; !slices.Contains(c.Warnings, want) {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// TestNames: what differs can be named as the point of the comparison, the
// conditions and the parameters of the workload.
func TestNames(t *testing.T) {
	b, a := made(six(12)), made(six(13.2))
	a.Conditions.Kernel, a.Rows[0].Job.QueueDepth = new("6.18"), 4
	c := Bench(one(b), one(a), Options{})
	if got := c.Names(); !slices.Equal(got, []string{"kernel", "queue depth"}) || c.Overall != NotComparable {
		t.Errorf("names are %q, answer %s", got, c.Overall)
	}
	if c := Bench(one(b), one(a), Options{Changed: []string{"kernel"}}); c.Overall != NotComparable || c.Rows[0].BlockedBy[0] != "queue depth (1, 4)" {
		t.Errorf("answer is %s, %q", c.Overall, c.Rows[0].BlockedBy)
	}
	if c := Bench(one(b), one(a), Options{Changed: []string{"kernel", "queue depth"}}); c.Overall != AllWorse || len(c.Rows[0].BlockedBy) != 0 {
		t.Errorf("answer is %s, %q", c.Overall, c.Rows[0].BlockedBy)
	}
	if got := Bench(one(b), one(b), Options{}).Names(); len(got) != 0 {
		t.Errorf("the same has the differences %q", got)
	}
}
