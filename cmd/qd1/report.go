package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
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
the only drive.`,
		flags: append(append(outputFlags("json"), driveFlags()...),
			&cli.StringFlag{Name: "bench", Value: "quick", Usage: "`LENGTH` of the QD1 read benchmark: quick (about 3 s), long (about 30 s), off"},
			&cli.BoolFlag{Name: "brief", DisableDefaultText: true, Usage: "only the verdict and what it rests on, at most 25 lines"},
			&cli.BoolFlag{Name: "exit-code", DisableDefaultText: true, Usage: "exit with 3 on a verdict of return, 4 if something could not be read or measured whole"}),
		run: runReport,
	}
}

func runReport(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	job, err := reportJob(in.String("bench"))
	if err != nil {
		return err
	}
	r, err := in.collect(plain, job)
	if err != nil {
		return err
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

// collect opens the drive and makes its report, with a progress line.
func (in *invocation) collect(by decorators, job *bench.Job) (*report.Report, error) {
	timeout, err := in.timeout()
	if err != nil {
		return nil, err
	}
	d, err := openWith(in.arg(0), by)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	p := in.env.startProgress()
	defer p.end()
	if job != nil {
		job.StallLimit = timeout
	}
	return report.Collect(in.Context.Context, d, report.Options{
		Tool: tool(), Host: hostFacts(), Now: in.env.now, Timeout: timeout,
		Bench: job, Runner: in.env.runWorker, Step: p.step, Progress: p.bench,
	}), nil
}

// outcome is the exit status of a report that was shown.
func outcome(in *invocation, r *report.Report) error {
	problems := r.Problems()
	switch {
	case in.Context.Context.Err() != nil:
		return silently(exitInterrupted)
	case !r.Readable() && len(problems) > 0:
		return &exitError{status: exitFailed, err: problems[0], hint: problems[0].Hint}
	case in.Bool("exit-code") && r.Verdict.Level == smart.Return:
		return silently(exitFindings)
	case in.Bool("exit-code") && (len(problems) > 0 || r.CutShort()):
		return silently(exitPartial)
	}
	return nil
}
