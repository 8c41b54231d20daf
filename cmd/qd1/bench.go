package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
)

func benchCommand() command {
	return command{
		name: "bench", args: "[DRIVE|DEVICE|FILE|DIRECTORY]", access: told, maxArgs: 1,
		short: "measure latency and rate of a drive, a block device, a file or a directory",
		help: `Measures around the page cache, in a process of its own. Without other flags:
random reads of 4 KiB at queue depth 1 for 5 seconds.

A drive, a device and a file are only read. In a DIRECTORY a file is made, filled
and removed, and may be written to. A raw drive is written to with --op write,
--op mix or --profile P --write only, after the checks of the guard and your
consent, by its full serial number: all its data are lost.

The result is kept (qd1 history shows what there is), that of a simulated drive
only with --save.

--profile LIST shows the profiles, --against list the figures of other drives.`,
		flags: slices.Concat(textFlags("json", "html", "markdown"), driveFlags(), benchFlags(), protocolFlags(), keepFlags(true), consentFlags()),
		run:   runBench,
	}
}

// benchFlags are the flags that say what is measured.
func benchFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "profile", Usage: "`NAME` of a set of workloads: qd1, cdm8, cdm8:nvme, … (--profile list)"},
		&cli.BoolFlag{Name: "write", DisableDefaultText: true, Usage: "let the profile write to a raw drive too"},
		&cli.StringFlag{Name: "engine", DefaultText: "psync; of a profile its own", Usage: "`ENGINE`: psync (one system call each), uring (io_uring), passthru (NVMe commands by io_uring), ioctl (NVMe commands, one at a time), ram (the host's ceiling), null (the tool's own cost), all (side by side)"},
		&cli.StringFlag{Name: "op", Value: "read", Usage: "`OPERATION`: read, write, mix"},
		&cli.IntFlag{Name: "read-percent", DefaultText: "70", Usage: "share of reads in a mix, `PERCENT`"},
		&cli.StringFlag{Name: "content", Value: "random", Usage: "`WHAT` is written: random, zero, or the random share of each sector, as 50%"},
		&cli.StringFlag{Name: "pattern", Value: "random", Usage: "`ORDER` of the offsets: random or sequential"},
		&cli.StringFlag{Name: "bs", Value: "4KiB", Usage: "block `SIZE`"},
		&cli.IntFlag{Name: "qd", Value: 1, Usage: "queue depth `N` of each worker"},
		&cli.IntFlag{Name: "workers", Value: 1, Usage: "number `N` of threads"},
		&cli.StringFlag{Name: "seconds", Usage: "measure for `TIME` (default 5 s, if neither --bytes nor --count is given)"},
		&cli.StringFlag{Name: "bytes", Usage: "end after `SIZE`"},
		&cli.Int64Flag{Name: "count", Usage: "end after `N` operations"},
		&cli.StringFlag{Name: "warmup", Usage: "run for `TIME` before measuring (default a fifth of --seconds, at most 0.5 s)"},
		&cli.StringFlag{Name: "size", Usage: "use only `SIZE` of the target, counted from --start, or make a file of that size; several, as 1GiB,32GiB, are measured one after the other"},
		&cli.StringFlag{Name: "start", Usage: "leave out the first `SIZE` of the target"},
		&cli.Float64Flag{Name: "rate", Usage: "start `N` operations a second, however fast the target is"},
		&cli.StringFlag{Name: "think-time", Usage: "pause for `TIME` after each operation"},
		&cli.BoolFlag{Name: "batch", DisableDefaultText: true, Usage: "submit all free requests at once"},
		&cli.BoolFlag{Name: "io-poll", DisableDefaultText: true, Usage: "let the kernel poll for completions (uring, passthru)"},
		&cli.BoolFlag{Name: "sq-poll", DisableDefaultText: true, Usage: "let a thread of the kernel poll for submissions (uring, passthru)"},
		&cli.BoolFlag{Name: "keep-going", DisableDefaultText: true, Usage: "go on whatever fails, and count it"},
		&cli.StringFlag{Name: "precondition", Value: "none", Usage: "`MODE` of what is written before: none, fill (once), pts (twice, then at random until steady)"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed `N` of the random offsets; without it a new one each time"},
		&cli.IntFlag{Name: "runs", DefaultText: "1; of a profile its own", Usage: "repeat `N` times"},
		&cli.StringFlag{Name: "interval", DefaultText: "that of the profile", Usage: "pause for `TIME` between rows; 0 for none"},
		&cli.StringFlag{Name: "sample", Value: "10s", Usage: "read the temperature every `TIME` meanwhile; 0 for never"},
		&cli.StringFlag{Name: "log", Usage: "write a line a second to `FILE`: CSV, or JSON Lines with histograms if it ends in .jsonl"},
		&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of the namespace of a drive; without it the first, and for writing the only one"},
		&cli.StringFlag{Name: "preset", Usage: "of --profile copy, the `SIZES` of the files: equal, photos, source-tree"},
		&cli.IntFlag{Name: "files", DefaultText: "64, or as the preset has them", Usage: "of --profile copy, their number `N`"},
		&cli.StringFlag{Name: "against", Usage: "show the figures of `REF` beside: a drive of --against list, a record, a label or a file"},
	}
}

func runBench(in *invocation) error {
	format, err := in.format("json", "html", "markdown")
	if err != nil {
		return err
	}
	if in.String("against") == listWord {
		return in.showReferences(format)
	}
	if strings.EqualFold(in.String("profile"), "list") {
		list := &report.ProfileList{Schema: report.ProfileListSchema, Profiles: profile.All()}
		return in.show(format, list, func(w io.Writer, s render.Style) error { return render.Profiles(w, list.Profiles, s) })
	}
	load, err := in.workload()
	if err != nil {
		return err
	}
	other, err := in.opponent()
	if err != nil {
		return err
	}
	m, err := in.newMeasurement(load)
	if err != nil {
		return err
	}
	defer m.close()
	if err := m.prepare(format); err != nil || m.shown {
		return err
	}
	err = m.run()
	if len(m.report.Results) == 0 && len(m.report.Copy) == 0 {
		return errors.Join(err, m.close())
	}
	m.markPartial(err)
	err = errors.Join(err, m.close())
	other.beside(m.report)
	m.keep()
	if e := in.show(format, m.report, func(w io.Writer, s render.Style) error { return render.Bench(w, m.report, s) }); e != nil {
		return e
	}
	return err
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
