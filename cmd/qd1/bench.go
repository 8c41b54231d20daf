package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
)

func benchCommand() command {
	return command{
		name: "bench", args: "[DRIVE|DEVICE|FILE]", access: reads, maxArgs: 1,
		short: "read latency and rate of a drive, a block device or a file",
		help: `Reads around the page cache, in a process of its own. It never writes.
Without other flags: random reads of 4 KiB at queue depth 1 for 5 seconds.`,
		flags: append(append(textFlags("json"), driveFlags()...),
			&cli.StringFlag{Name: "engine", Value: bench.EnginePsync, Usage: "`ENGINE`: psync (pread, one at a time) or null (the tool's own cost)"},
			&cli.StringFlag{Name: "op", Value: "read", Usage: "`OPERATION`: read"},
			&cli.StringFlag{Name: "pattern", Value: "random", Usage: "`ORDER` of the offsets: random or sequential"},
			&cli.StringFlag{Name: "bs", Value: "4KiB", Usage: "block `SIZE`"},
			&cli.IntFlag{Name: "qd", Value: 1, Usage: "queue depth `N` of each worker"},
			&cli.IntFlag{Name: "workers", Value: 1, Usage: "number `N` of threads"},
			&cli.StringFlag{Name: "seconds", Usage: "measure for `TIME` (default 5 s, if neither --bytes nor --count is given)"},
			&cli.StringFlag{Name: "bytes", Usage: "end after reading `SIZE`"},
			&cli.Int64Flag{Name: "count", Usage: "end after `N` reads"},
			&cli.StringFlag{Name: "warmup", Usage: "read for `TIME` before measuring (default a fifth of --seconds, at most 0.5 s)"},
			&cli.StringFlag{Name: "size", Usage: "read only the first `SIZE` of the target"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed `N` of the random offsets; without it a new one each time"},
			&cli.IntFlag{Name: "runs", Value: 1, Usage: "repeat `N` times"},
			&cli.StringFlag{Name: "label", Usage: "`TEXT` to keep with the result"}),
		run: runBench,
	}
}

func runBench(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	job, err := in.benchJob()
	if err != nil {
		return err
	}
	b, err := in.benchTarget()
	if err != nil {
		return err
	}
	b.Conditions = conditions(blockNode(&b.Target.Target))
	err = in.measure(b, job)
	if len(b.Results) == 0 {
		return err
	}
	if e := in.show(format, b, func(w io.Writer, s render.Style) error { return render.Bench(w, b, s) }); e != nil {
		return e
	}
	return err
}

func blockNode(t *bench.Target) string {
	if t.Kind == bench.BlockTarget {
		return t.Path
	}
	return ""
}

// benchJob makes the job of the flags.
func (in *invocation) benchJob() (bench.Job, error) {
	j := bench.Job{
		Engine: in.String("engine"), Op: bench.Op(in.String("op")), Pattern: bench.Pattern(in.String("pattern")),
		QueueDepth: in.Int("qd"), Workers: in.Int("workers"), Operations: in.Int64("count"), Seed: in.Uint64("seed"),
		HoldCPULatency: true,
	}
	if in.Int("runs") < 1 || in.Int("runs") > 1000 {
		return j, usagef("--runs %d: 1 to 1000 is possible", in.Int("runs"))
	}
	timeout, err := in.timeout()
	if err != nil {
		return j, err
	}
	j.StallLimit = timeout
	if err := in.benchSizes(&j); err != nil {
		return j, err
	}
	if err := in.benchTimes(&j); err != nil {
		return j, err
	}
	if err := j.Validate(); err != nil {
		return j, usagef("%w", err)
	}
	return j, nil
}

func (in *invocation) benchSizes(j *bench.Job) error {
	var block int64
	for flag, to := range map[string]*int64{"bs": &block, "bytes": &j.TotalBytes, "size": &j.Span} {
		if text := in.String(flag); text != "" {
			n, err := parseSize(flag, text)
			if err != nil {
				return err
			}
			*to = n
		}
	}
	j.BlockBytes = int(min(block, 1<<40))
	return nil
}

func (in *invocation) benchTimes(j *bench.Job) error {
	seconds := in.String("seconds")
	if seconds == "" && j.TotalBytes == 0 && j.Operations == 0 {
		seconds = "5"
	}
	for flag, v := range map[string]struct {
		text string
		to   *time.Duration
	}{"seconds": {seconds, &j.Duration}, "warmup": {in.String("warmup"), &j.Warmup}} {
		if v.text == "" {
			continue
		}
		d, err := parseDuration(v.text)
		if err != nil {
			return usagef("--%s %s: a time such as 3, 0.5 or 200ms is needed", flag, v.text)
		}
		*v.to = d
	}
	if in.String("warmup") == "" {
		j.Warmup = min(j.Duration/5, 500*time.Millisecond)
	}
	return nil
}

// benchTarget finds out what to read: a file or a block device by its path,
// anything else as a drive.
func (in *invocation) benchTarget() (*report.BenchReport, error) {
	b := &report.BenchReport{Schema: report.BenchSchema, Tool: tool(), Time: in.env.now().UTC().Format(time.RFC3339Nano), Series: []report.SeriesPoint{}}
	if label := in.String("label"); label != "" {
		b.Label = &label
	}
	selector := in.arg(0)
	if info, err := os.Stat(selector); err == nil && info.Mode().IsRegular() {
		t, err := bench.OpenFileTarget(selector)
		b.Target = report.BenchTarget{Name: selector, Detail: "a file", Target: t}
		return b, err
	}
	if isBlockDevice(selector) {
		return b, in.deviceTarget(b, selector)
	}
	return b, in.driveTarget(b, selector)
}

func isBlockDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeDevice != 0 && info.Mode()&os.ModeCharDevice == 0
}

// deviceTarget reads exactly the block device that was named, a partition too.
// If it belongs to an NVMe drive that may be asked, the result says which.
func (in *invocation) deviceTarget(b *report.BenchReport, path string) error {
	t, err := deviceTarget(path)
	if err != nil {
		return err
	}
	b.Target = report.BenchTarget{Name: path, Detail: "a block device", Target: *t}
	if _, err := sysfs.Select(hostSysfs(), path); err != nil {
		return nil
	}
	s, done, err := in.begin()
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	nameDrive(b, s)
	return nil
}

// driveTarget opens a drive to learn what to read of it, and who it is.
func (in *invocation) driveTarget(b *report.BenchReport, selector string) error {
	s, done, err := in.begin()
	if err != nil {
		return err
	}
	defer done()
	if s.Drive.Target == nil {
		why := cmp.Or(s.Drive.WhyNoTarget, "a capture has no data to read")
		return failf("name a drive, a block device or a file that can be read", "%s: %s", selector, why)
	}
	b.Target.Target = *s.Drive.Target
	nameDrive(b, s)
	return nil
}

// nameDrive says whose figures these are.
func nameDrive(b *report.BenchReport, s *report.Session) {
	b.Simulated, b.Drive = s.Drive.Simulated, &s.Identity
	b.Target.Name, b.Target.Detail = orSelector(s.Identity.Model, s.Drive.Selector), "serial "+s.Identity.Serial
}

func orSelector(s, selector string) string {
	if strings.TrimSpace(s) == "" {
		return selector
	}
	return s
}

// measure does the runs and keeps what each gave, a partial one too.
func (in *invocation) measure(b *report.BenchReport, job bench.Job) error {
	p := in.env.startProgress()
	defer p.end()
	for run := 1; run <= in.Int("runs"); run++ {
		p.step(fmt.Sprintf("starting run %d of %d", run, in.Int("runs")))
		res, err := in.env.runWorker(in.Context.Context, bench.Spec{Target: b.Target.Target, Job: job}, func(x bench.Progress) {
			p.bench(x)
			if !x.WarmingUp {
				b.Series = append(b.Series, report.SeriesPoint{Run: run, Seconds: x.Seconds, Operations: x.Operations, IOPS: x.IOPS, MBPerS: x.MBPerS, Errors: x.Errors})
			}
		})
		if res != nil && (res.Operations > 0 || err == nil) {
			b.Conditions.CPULatencyHeld = res.CPULatencyHeld
			b.Results = append(b.Results, *res)
		}
		if err != nil {
			return benchError(err)
		}
	}
	return nil
}

// benchError gives jobs that cannot run their exit status.
func benchError(err error) error {
	var known *bench.Error
	if errors.Is(err, bench.ErrBadJob) {
		hint := ""
		if errors.As(err, &known) {
			hint = known.Hint
		}
		return &exitError{status: exitUsage, err: err, hint: hint}
	}
	return err
}
