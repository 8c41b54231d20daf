package main

import (
	"context"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart"
)

func reportCommand() command {
	return command{
		name: "report", args: "[DRIVE]", access: reads, maxArgs: 1,
		short: "the one report: verdict, reasons, life, errors, firmware, link, heat, QD1 latency",
		help: `DRIVE is a device node, a PCI address, a serial number or its end, an EUI-64 or
NGUID, sim:PROFILE (a simulated drive) or replay:FILE (a capture). Without it,
the only drive. It may also be a FILE, a pipe, or - (standard input), with
what smartctl, nvme-cli (text or JSON) or CrystalDiskInfo printed: a report on
what a seller posted. A SATA disk such as /dev/sda is read too, to compare.`,
		flags: append(append(append(textFlags("json", "html"), driveFlags()...), keepFlags(false)...),
			&cli.StringFlag{Name: "bench", Value: "quick", Usage: "`LENGTH` of the QD1 read benchmark: quick (about 3 s), long (about 30 s), off"},
			&cli.StringFlag{Name: "as", Usage: "judge it as what it was sold as: `CONDITION` is new or used"},
			vendorLogsFlag(),
			&cli.StringFlag{Name: "drivedb", Usage: "look models up in `FILE` first, then in the built-in database"},
			&cli.StringFlag{Name: "drive", Usage: "of a file with several drives the one with this `NUMBER` or serial number"},
			&cli.BoolFlag{Name: "brief", DisableDefaultText: true, Usage: "only the verdict and what it rests on, at most 25 lines"},
			&cli.BoolFlag{Name: "exit-code", DisableDefaultText: true, Usage: "exit with 3 on a verdict of return, 4 if something could not be read or measured whole; what a dump lacks does not count"}),
		run: runReport,
	}
}

func runReport(in *invocation) error {
	format, err := in.format("json", "html")
	if err != nil {
		return err
	}
	opt, err := in.reportOptions()
	if err != nil {
		return err
	}
	r, err := in.collect(in.openReported, opt)
	if err != nil {
		return err
	}
	if in.Context.Context.Err() == nil {
		r.Record = in.keep("report", record.Subject{}, r, false)
	}
	err = in.show(format, r, func(w io.Writer, s render.Style) error {
		if in.Bool("brief") {
			return render.Brief(w, r, s)
		}
		return render.Report(w, r, s)
	})
	if err != nil {
		return err
	}
	return outcome(in, r)
}

// reportOptions checks the flags that say what is read and how it is judged.
func (in *invocation) reportOptions() (report.Options, error) {
	job, err := reportJob(in.String("bench"))
	if err != nil {
		return report.Options{}, err
	}
	logs, err := vendorLogChoice(in.String("vendor-logs"))
	if err != nil {
		return report.Options{}, err
	}
	as := in.String("as")
	for _, name := range []string{"as", "drivedb", "drive"} {
		if in.IsSet(name) && in.String(name) == "" {
			return report.Options{}, usagef("--%s= needs a value", name)
		}
	}
	if as != "" && as != smart.AsNew && as != smart.AsUsed {
		return report.Options{}, usagef("--as=%s: new or used is needed", as)
	}
	models, err := openModels(in.String("drivedb"))
	return report.Options{Bench: job, VendorLogs: logs, As: as, Models: models}, err
}

func vendorLogsFlag() cli.Flag {
	return &cli.StringFlag{Name: "vendor-logs", Value: "safe", Usage: "log pages of the vendor: `WHICH` is off, safe, or all (also those that reading sets to zero)"}
}

func vendorLogChoice(name string) (report.VendorLogChoice, error) {
	choice, ok := map[string]report.VendorLogChoice{
		"off": report.VendorLogsOff, "safe": report.VendorLogsSafe, "all": report.VendorLogsAll}[name]
	if !ok {
		return 0, usagef("--vendor-logs=%s: off, safe or all is needed", name)
	}
	return choice, nil
}

// reportJob is the benchmark of a report.
func reportJob(name string) (*bench.Job, error) {
	seconds := map[string]float64{"quick": 2.5, "long": 30}[name]
	if name == "off" {
		return nil, nil
	}
	if seconds == 0 {
		return nil, usagef("--bench=%s: quick, long or off is needed", name)
	}
	job := bench.QD1Read(seconds)
	return &job, nil
}

// openReported opens what a report is asked of: a drive, or a file.
func (in *invocation) openReported() (*report.Drive, error) {
	if d, isFile, err := in.fileDrive(); isFile {
		return d, err
	}
	if path := diskPath(in.arg(0)); path != "" {
		return openDisk(in.arg(0), path)
	}
	return openDrive(in.arg(0))
}

// collect opens the drive and makes its report, with a progress line.
func (in *invocation) collect(open func() (*report.Drive, error), opt report.Options) (*report.Report, error) {
	timeout, err := in.timeout()
	if err != nil {
		return nil, err
	}
	d, err := open()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	p := in.env.startProgress()
	defer p.end()
	if opt.Bench != nil {
		opt.Bench.StallLimit = timeout
	}
	opt.Tool, opt.Host, opt.Now, opt.Timeout = tool(), hostFacts(), in.env.now, timeout
	opt.Runner = func(ctx context.Context, s bench.Spec, observe bench.Observer) (*bench.Result, error) {
		return in.env.runWorker(ctx, s, nil, observe)
	}
	opt.Step, opt.Progress = p.step, func(b bench.Progress) { p.bench("", b) }
	return report.Collect(in.Context.Context, d, opt), nil
}

// failed reports whether a section could have been read: what is not in a dump
// could not.
func failed(p report.NamedProblem) bool { return p.Kind != report.KindNotInDump }

// outcome is the exit status of a report that was shown.
func outcome(in *invocation, r *report.Report) error {
	problems := r.Problems()
	switch {
	case in.Context.Context.Err() != nil:
		return silently(exitInterrupted)
	case !r.Readable() && r.Source == nil && len(problems) > 0:
		return &exitError{status: exitFailed, err: problems[0], hint: problems[0].Hint}
	case in.Bool("exit-code") && r.Verdict.Level == smart.Return:
		return silently(exitFindings)
	case in.Bool("exit-code") && (slices.ContainsFunc(problems, failed) || r.CutShort()):
		return silently(exitPartial)
	}
	return nil
}
