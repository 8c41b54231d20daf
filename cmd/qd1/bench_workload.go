package main

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/scratch"
)

// engineAll is the word for all engines side by side.
const engineAll = "all"

// workload is what the flags ask for.
type workload struct {
	profile *profile.Profile
	options profile.Options
	// named says that the profile is one that people know, layers that all
	// engines are to be measured.
	named, layers bool
	// copies says that it is the workload of copying files.
	copies       bool
	write        bool
	precondition scratch.Mode
	// keepGoing and stall are for every job.
	keepGoing bool
	stall     time.Duration
	// sample is the time between readings of the temperature, 0 for none.
	sample time.Duration
}

// copyProfile is the name of the profile that is not of jobs.
const copyProfile = "copy"

// workload reads the flags.
func (in *invocation) workload() (*workload, error) {
	w := &workload{write: in.Bool("write"), keepGoing: in.Bool("keep-going"), precondition: scratch.Mode(in.String("precondition"))}
	var err error
	if w.stall, err = in.timeout(); err != nil {
		return nil, err
	}
	if w.sample, err = in.duration("sample"); err != nil {
		return nil, err
	}
	if in.IsSet("runs") && (in.Int("runs") < 1 || in.Int("runs") > 1000) {
		return nil, usagef("--runs %d: 1 to 1000 is possible", in.Int("runs"))
	}
	modes := []scratch.Mode{scratch.PreconditionNone, scratch.PreconditionFill, scratch.PreconditionPTS}
	if !slices.Contains(modes, w.precondition) {
		return nil, usagef("--precondition %s: none, fill or pts is needed", w.precondition)
	}
	if err := in.sizes(&w.options); err != nil {
		return nil, err
	}
	w.options.Runs, w.options.Seed = in.Int("runs"), in.Uint64("seed")
	if in.IsSet("files") && in.Int("files") < 1 {
		return nil, usagef("--files %d: 1 or more is needed", in.Int("files"))
	}
	if in.String("profile") != copyProfile {
		if err := in.notWith("anything but --profile copy", "files", "preset"); err != nil {
			return nil, err
		}
	}
	switch name := in.String("profile"); name {
	case "":
		return w, in.adHoc(w)
	case copyProfile:
		w.copies = true
		return w, in.notWith("--profile copy", "engine", "op", "pattern", "qd", "count", "seconds", "rate", "think-time", "precondition", "write",
			"interleave", "control", "start-temp-max", "settle", "against")
	default:
		return w, in.namedProfile(w, name)
	}
}

// notWith refuses flags that a choice leaves no room for.
func (in *invocation) notWith(choice string, flags ...string) error {
	for _, f := range flags {
		if in.IsSet(f) {
			return usagef("--%s does not go with %s", f, choice)
		}
	}
	return nil
}

// namedProfile is a profile with what the flags change of it.
func (in *invocation) namedProfile(w *workload, name string) error {
	err := in.notWith("--profile", "op", "content", "pattern", "bs", "qd", "workers", "bytes", "count", "warmup", "start", "rate", "think-time", "batch")
	if err != nil {
		return err
	}
	if w.profile, err = profile.Lookup(name); err != nil {
		var known *bench.Error
		if errors.As(err, &known) {
			known.Hint += "; and " + copyProfile
		}
		return benchError(err)
	}
	w.named = true
	o := &w.options
	o.Engine, o.ReadPercent, o.CPUs = in.String("engine"), in.Int("read-percent"), runtime.NumCPU()
	if o.Engine == engineAll {
		return usagef("--engine all does not go with --profile: it measures one workload in all ways")
	}
	if o.Duration, err = in.duration("seconds"); err != nil {
		return err
	}
	if o.Interval, err = in.duration("interval"); err != nil {
		return err
	}
	if in.IsSet("interval") && o.Interval == 0 {
		o.Interval = -1
	}
	for i := range w.profile.Rows {
		w.complete(&w.profile.Rows[i].Job, in)
	}
	return nil
}

// complete sets what the flags say of every job.
func (w *workload) complete(j *bench.Job, in *invocation) {
	j.StallLimit, j.HoldCPULatency = w.stall, true
	j.IOPoll, j.SQPoll = in.Bool("io-poll"), in.Bool("sq-poll")
	if w.keepGoing {
		j.MaxErrors = -1
	}
}

// adHoc is one workload, made of flags.
func (in *invocation) adHoc(w *workload) error {
	if err := in.notWith("a single workload", "interval", "write"); err != nil {
		return err
	}
	j, err := in.benchJob(w)
	if err != nil {
		return err
	}
	w.profile = &profile.Profile{Runs: max(w.options.Runs, 1), Rows: []profile.Row{{Name: j.Label(), Job: j, Pick: profile.PickMedian}}}
	if in.String("engine") == engineAll {
		w.layers = true
		w.profile.Rows = engineRows(j)
	}
	return nil
}

// engineRows is one workload with each engine that can do it.
func engineRows(j bench.Job) []profile.Row {
	var rows []profile.Row
	for _, e := range []string{bench.EngineNull, bench.EngineRAM, bench.EnginePsync, bench.EngineUring, bench.EngineIoctl, bench.EnginePassthru} {
		j.Engine = e
		rows = append(rows, profile.Row{Name: e, Job: j, Pick: profile.PickMedian})
	}
	return rows
}

// benchJob makes the job of the flags.
func (in *invocation) benchJob(w *workload) (bench.Job, error) {
	j := bench.Job{
		Engine: in.String("engine"), Op: bench.Op(in.String("op")), Pattern: bench.Pattern(in.String("pattern")),
		QueueDepth: in.Int("qd"), Workers: in.Int("workers"), Operations: in.Int64("count"),
		Rate: in.Float64("rate"), Batch: in.Bool("batch"),
	}
	w.complete(&j, in)
	switch {
	case j.Engine == "" || j.Engine == engineAll:
		j.Engine = bench.EnginePsync
		if j.QueueDepth > 1 {
			j.Engine = bench.EngineUring
		}
	}
	if j.Op != bench.OpRead {
		j.Content = in.String("content")
	} else if err := in.notWith("--op read", "content"); err != nil {
		return j, err
	}
	if err := in.mixShare(&j); err != nil {
		return j, err
	}
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

func (in *invocation) mixShare(j *bench.Job) error {
	if !in.IsSet("read-percent") {
		return nil
	}
	if n := in.Int("read-percent"); n < 1 || n > 99 {
		return usagef("--read-percent %d: 1 to 99 is possible", n)
	}
	if j.Op != bench.OpMix {
		return usagef("--read-percent is of --op mix")
	}
	j.ReadPercent = in.Int("read-percent")
	return nil
}

// sizes reads the sizes of the test, of which there may be several.
func (in *invocation) sizes(o *profile.Options) error {
	text := in.String("size")
	if text == "" {
		return nil
	}
	for _, word := range strings.Split(text, ",") {
		n, err := parseSize("size", strings.TrimSpace(word))
		if err != nil {
			return err
		}
		o.Sizes = append(o.Sizes, n)
	}
	return nil
}

// mostBlock is the largest block size.
const mostBlock = 1 << 30

func (in *invocation) benchSizes(j *bench.Job) error {
	var block int64
	for flag, to := range map[string]*int64{"bs": &block, "bytes": &j.TotalBytes, "start": &j.Start} {
		if text := in.String(flag); text != "" {
			n, err := parseSize(flag, text)
			if err != nil {
				return err
			}
			*to = n
		}
	}
	if block > mostBlock {
		return usagef("--bs %s: at most %s is possible", in.String("bs"), sizeText(mostBlock))
	}
	j.BlockBytes = int(block)
	return nil
}

func (in *invocation) benchTimes(j *bench.Job) error {
	for flag, to := range map[string]*time.Duration{"seconds": &j.Duration, "warmup": &j.Warmup, "think-time": &j.ThinkTime} {
		d, err := in.duration(flag)
		if err != nil {
			return err
		}
		*to = d
	}
	if !in.IsSet("seconds") && j.TotalBytes == 0 && j.Operations == 0 {
		j.Duration = 5 * time.Second
	}
	if !in.IsSet("warmup") {
		j.Warmup = min(j.Duration/5, 500*time.Millisecond)
	}
	return nil
}

// duration reads a flag that is a time, 0 where it is not given.
func (in *invocation) duration(flag string) (time.Duration, error) {
	text := in.String(flag)
	if text == "" {
		return 0, nil
	}
	d, err := parseDuration(text)
	if err != nil {
		return 0, usagef("--%s %s: a time such as 3, 0.5 or 200ms is needed", flag, text)
	}
	return d, nil
}
