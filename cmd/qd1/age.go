package main

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/nvme"
)

func ageCommand() command {
	return command{
		name: "age", args: "DRIVE | status [ID] | resume ID | abandon ID", access: told, maxArgs: 2,
		short: "measure a drive before and after hours of a treatment",
		help: `Reads a drive or a block device one block at a time, treats it for --hours with a
probe each hour, reads it again in the same way, and says whether anything changed.

The modes idle and read write nothing. The mode mixed overwrites the drive, after the checks of
the guard and your consent, by its full serial number: all its data are lost. It writes no more
than --wear-budget. Every mode ends early if media errors or a critical warning come up, and
waits while the drive is above --temperature-limit.

Each step is kept. After Ctrl-C, a crash or a power cut "age resume ID" carries on; ID may be
the serial number. "age status" tells how far a job is, "age abandon ID" ends one with what it
has. Of a job that has ended, "age resume ID" shows the result again.`,
		flags: append(append(outputFlags("json", "html", "markdown"), driveFlags()...), append(ageFlags(), append(keepFlags(true), consentFlags()...)...)...),
		run:   runAge,
	}
}

// ageFlags are the flags that say what a new job does.
func ageFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Float64Flag{Name: "hours", DefaultText: "none", Usage: "treat the drive for `N` hours, without the time of probes and pauses"},
		&cli.StringFlag{Name: "mode", Value: string(aging.Idle), Usage: "`MODE`: idle (left alone), read, mixed (70 % reads, 30 % writes at random)"},
		&cli.IntFlag{Name: "runs", Value: aging.DefaultRuns, Usage: "measure `N` times before and after, at least 5"},
		&cli.StringFlag{Name: "seconds", DefaultText: "30; of a short treatment less", Usage: "measure for `TIME` in each run and probe"},
		&cli.StringFlag{Name: "probe-every", DefaultText: "1h; of a short treatment a third of it", Usage: "`TIME` of treatment between two probes"},
		&cli.Float64Flag{Name: "rate", Value: aging.DefaultMBPerS, Usage: "read, or read and write, `N` MB/s in the treatment"},
		&cli.StringFlag{Name: "engine", Value: bench.EngineUring, Usage: "`ENGINE` of the treatment: uring, or psync where the kernel has no io_uring"},
		&cli.StringFlag{Name: "size", Usage: "use only the first `SIZE` of the target"},
		&cli.StringFlag{Name: "wear-budget", DefaultText: "0.1%", Usage: "write at most `SHARE` of the rated endurance, such as 0.5%, or a size, such as 500GB"},
		&cli.IntFlag{Name: "temperature-limit", DefaultText: "5 K below the warning threshold, or 70", Usage: "wait while the drive is above `N` °C"},
		&cli.StringFlag{Name: "settle", DefaultText: "30m; of a short treatment half of it", Usage: "let the drive cool down for at most `TIME` before the second set; 0: not at all"},
		&cli.Float64Flag{Name: "min-effect", DefaultText: "2", Usage: "a change below `PERCENT` does not matter"},
		&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of the namespace of a drive; without it the first, and for writing the only one"},
	}
}

// The words that may stand in the place of a drive.
const (
	ageStatusWord  = "status"
	ageResumeWord  = "resume"
	ageAbandonWord = "abandon"
)

func runAge(in *invocation) error {
	format, err := in.format("json", "html", "markdown")
	if err != nil {
		return err
	}
	word := in.arg(0)
	known := word == ageStatusWord || word == ageResumeWord || word == ageAbandonWord
	switch {
	case !known && in.NArg() > 1:
		return usagef("too many arguments: %q", in.arg(1))
	case !known:
		return in.ageNew(format)
	}
	if err := in.notWith("age "+word+": the job has its own", "hours", "mode", "runs", "seconds", "probe-every", "rate", "engine", "size",
		"wear-budget", "temperature-limit", "settle", "min-effect", "namespace-id", "label"); err != nil {
		return err
	}
	switch word {
	case ageStatusWord:
		return in.ageStatus(format)
	case ageAbandonWord:
		return in.ageAbandon(format)
	}
	return in.ageResume(format)
}

// ageNew plans a job and does it.
func (in *invocation) ageNew(format string) error {
	o, err := in.ageOptions()
	if err != nil {
		return err
	}
	nsid, err := in.nsid()
	if err != nil {
		return err
	}
	j, err := in.openAged(in.arg(0), nsid)
	if err != nil {
		return err
	}
	defer j.close()
	p, err := aging.NewPlan(o, j.ratedBytes(), j.target(), j.state())
	if err != nil {
		return ageError(err)
	}
	shown, err := j.admit(format, p, in.arg(0))
	if shown || err != nil {
		return err
	}
	return j.work(format, func(d *aging.Deps) (*aging.Record, error) { return aging.Run(in.Context.Context, d, p) })
}

// ageOptions reads the flags of a new job.
func (in *invocation) ageOptions() (aging.Options, error) {
	o := aging.Options{
		Mode: aging.Mode(in.String("mode")), Runs: in.Int("runs"), MBPerS: in.Float64("rate"),
		TempMax: in.Int("temperature-limit"), Label: in.String("label"), MinEffectPercent: in.Float64("min-effect"),
		Engine: in.String("engine"),
	}
	hours := in.Float64("hours")
	if !in.IsSet("hours") || !(hours > 0 && hours <= 1000) {
		return o, usagef("--hours: how long the treatment lasts is needed, up to 1000")
	}
	o.Duration = time.Duration(hours * float64(time.Hour))
	if o.MinEffectPercent < 0 || o.MBPerS < 0 || o.Runs <= 0 || in.IsSet("temperature-limit") && o.TempMax <= 0 {
		return o, usagef("--runs, --rate, --min-effect and --temperature-limit are positive")
	}
	if o.Engine != bench.EngineUring && o.Engine != bench.EnginePsync {
		return o, usagef("--engine %s: uring or psync is needed", o.Engine)
	}
	if err := in.ageTimes(&o); err != nil {
		return o, err
	}
	if text := in.String("size"); text != "" {
		n, err := parseSize("size", text)
		if err != nil {
			return o, err
		}
		o.Span = n
	}
	if o.Mode != aging.Mixed {
		return o, in.notWith("--mode "+string(o.Mode)+", which writes nothing", "wear-budget", "yes", "expect-model", "expect-bytes", "destroy-signature", "pci")
	}
	return o, in.wearBudget(&o)
}

// ageTimes reads the flags that are times.
func (in *invocation) ageTimes(o *aging.Options) error {
	for flag, to := range map[string]*time.Duration{"seconds": &o.RunDuration, "probe-every": &o.Interval, "settle": &o.SettleMost} {
		d, err := in.duration(flag)
		if err != nil {
			return err
		}
		*to = d
		if in.IsSet(flag) && d == 0 && flag != "settle" {
			return usagef("--%s is more than 0", flag)
		}
	}
	if in.IsSet("settle") && o.SettleMost == 0 {
		o.SettleMost = -1
	}
	return nil
}

// wearBudget reads a share of the rated endurance, or a size.
func (in *invocation) wearBudget(o *aging.Options) error {
	text := in.String("wear-budget")
	if text == "" {
		return nil
	}
	share, isShare := strings.CutSuffix(text, "%")
	if isShare {
		v, err := parsePercent(share)
		if err != nil {
			return usagef("--wear-budget %s: a share such as 0.5%% or a size such as 500GB is needed", text)
		}
		o.WearPercent = v
		return nil
	}
	n, err := parseSize("wear-budget", text)
	if err == nil && n == 0 {
		err = usagef("--wear-budget %s: more than 0 is needed", text)
	}
	o.WearBytes = n
	return err
}

// ageStatus shows how far a job is.
func (in *invocation) ageStatus(format string) error {
	_, s, err := findAge(in.arg(1))
	if err != nil {
		return err
	}
	return in.show(format, s, func(w io.Writer, style render.Style) error { return render.AgeStatus(w, s, style) })
}

// ageResume carries on with a job, or shows the result of one that has ended.
func (in *invocation) ageResume(format string) error {
	s, err := in.namedAge()
	if err != nil {
		return err
	}
	resume := func(d *aging.Deps) (*aging.Record, error) { return aging.Resume(in.Context.Context, d, s.Job) }
	if s.Live || s.Ended {
		return (&ageJob{in: in, keepsWhole: s.Ended}).work(format, resume)
	}
	j, err := in.openAged(agedSelector(s.Plan), nvme.NSID(s.Plan.Target.Target.NSID))
	if err != nil {
		return err
	}
	defer j.close()
	shown, err := j.admit(format, s.Plan, s.Serial)
	if shown || err != nil {
		return err
	}
	return j.work(format, resume)
}

// ageAbandon ends a job with what it has.
func (in *invocation) ageAbandon(format string) error {
	s, err := in.namedAge()
	if err != nil {
		return err
	}
	j := &ageJob{in: in, keepsWhole: s.Ended}
	return j.work(format, func(d *aging.Deps) (*aging.Record, error) { return aging.Abandon(in.Context.Context, d, s.Job) })
}

// namedAge is the job that is named.
func (in *invocation) namedAge() (*aging.Status, error) {
	if in.arg(1) == "" {
		return nil, usagef("age %s needs the ID of the job, or the serial number of its drive; qd1 age status shows the newest", in.arg(0))
	}
	_, s, err := findAge(in.arg(1))
	return s, err
}

// ageError gives what can be wrong with a job its exit status.
func ageError(err error) error {
	if errors.Is(err, aging.ErrOptions) {
		return usagef("%w", err)
	}
	return err
}

// parsePercent reads a share in percent, such as "0.5".
func parsePercent(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && !(v > 0 && v <= 100) {
		err = strconv.ErrRange
	}
	return v, err
}
