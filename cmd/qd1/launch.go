package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/launch"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
)

func launchCommand() command {
	return command{
		name: "launch", args: "-- PROGRAM [ARGUMENT…]", access: none, maxArgs: 1 << 10,
		short: "measure the cold start of a program, or this computer's boot",
		help: `Starts the program again and again: once that does not count, then in turn with
its files out of memory and with them in memory. The difference is what the
drive costs. As root the kernel forgets everything that it has cached, of all
programs; otherwise only the files that the program was seen to use.

--boot starts nothing: it reads the phases of this boot.`,
		flags: append(append(outputFlags("json"), keepFlags(true)...),
			&cli.BoolFlag{Name: "boot", DisableDefaultText: true, Usage: "the phases of this boot"},
			&cli.IntFlag{Name: "runs", Value: launch.DefaultRuns, Usage: "start the program `N` times of each kind"},
			&cli.BoolFlag{Name: "warm", DisableDefaultText: true, Usage: "only with its files in memory"},
			&cli.StringFlag{Name: "until", Usage: "stop the time when a line of output has `TEXT`, for programs that do not end"},
			&cli.StringFlag{Name: "timeout", Value: launch.DefaultTimeout.String(), Usage: "longest `TIME` of one run"}),
		run: runLaunch,
	}
}

func runLaunch(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	l := &report.LaunchReport{Schema: report.LaunchSchema, Tool: tool(), Time: in.env.now().UTC().Format(time.RFC3339Nano)}
	if label := in.String("label"); label != "" {
		l.Label = &label
	}
	show := func(kind string, subject record.Subject, whole bool) error {
		l.Record = in.keep(kind, subject, l, whole)
		return in.show(format, l, func(w io.Writer, s render.Style) error { return render.Launch(w, l, s) })
	}
	if in.Bool("boot") {
		if in.NArg() > 0 {
			return usagef("--boot starts no program: leave %q out", in.arg(0))
		}
		if l.Boot, err = launch.ReadBoot(in.Context.Context, launch.Sources{}, in.env.now()); err != nil {
			return launchError(err, in.String("until"))
		}
		return show(launch.BootKind, bootSubject(), true)
	}
	switch {
	case in.Int("runs") < 1 || in.Int("runs") > launch.MaxRuns:
		return usagef("--runs %d: 1 to %d is possible", in.Int("runs"), launch.MaxRuns)
	case in.NArg() == 0:
		return usagef("name the program: qd1 launch -- PROGRAM ARGUMENT…")
	}
	l.Launch, err = in.launch()
	if l.Launch == nil {
		return launchError(err, in.String("until"))
	}
	return errors.Join(show(launch.Kind, record.Subject{}, !l.Launch.Partial), launchError(err, in.String("until")))
}

// bootSubject is what the record of a boot is about: a computer, whatever drive
// it has started from.
func bootSubject() record.Subject {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "this computer"
	}
	return record.Subject{Path: "boot of " + name}
}

// launch starts the program that was named.
func (in *invocation) launch() (*launch.Result, error) {
	timeout, err := in.duration("timeout")
	if err != nil {
		return nil, err
	}
	p := in.env.startProgress()
	defer p.end()
	p.step("starting the program once, which does not count")
	return launch.Launch(in.Context.Context, in.Args().Slice(), launch.Options{
		Runs: in.Int("runs"), Cold: !in.Bool("warm"), Until: in.String("until"), Timeout: timeout, Time: in.env.now(),
		Observe: func(x launch.Progress) {
			p.step(fmt.Sprintf("starting the program: %d of %d, the last one took %.1f ms", x.Done, x.Total, x.Run.WallMS))
		},
	})
}

// launchError gives what can fail its exit status and the next step.
func launchError(err error, until string) error {
	var failed *launch.FailedError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, launch.ErrOptions):
		return usagef("%w", err)
	case errors.Is(err, launch.ErrInterrupted):
		return &exitError{status: exitInterrupted, err: errors.New("interrupted")}
	case errors.As(err, &failed):
		return failf("run it by itself and see what it says; a program that fails is not measured", "%w", err)
	case errors.Is(err, exec.ErrNotFound):
		return failf("is it installed, and in the PATH of this user?", "%w", err)
	case errors.Is(err, fs.ErrPermission):
		return failf("may this user run it, and is it a program?", "%w", err)
	case errors.Is(err, launch.ErrTimeout) && until != "":
		return failf("look at what the program says; --timeout gives it more time", "%q was not said: %w", until, err)
	case errors.Is(err, launch.ErrTimeout):
		return failf("a program that does not end needs --until TEXT; --timeout gives it more time", "%w", err)
	}
	return err
}
