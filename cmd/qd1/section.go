package main

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// part describes a command that shows one section of one drive.
type part[T any] struct {
	// name is the schema and the JSON key of the section.
	name string
	read func(ctx context.Context, s *report.Session) (T, error)
	text func(w io.Writer, head render.Part, v T, style render.Style) error
	// raw reads the bytes as the drive sent them, nil if there are none.
	raw func(ctx context.Context, s *report.Session) ([]byte, error)
}

// sectionFlags are the flags of a command that shows one section.
func sectionFlags(more ...cli.Flag) []cli.Flag {
	return append(append(append(textFlags("json", "binary"), driveFlags()...),
		&cli.BoolFlag{Name: "raw-binary", DisableDefaultText: true, Aliases: []string{"b"}, Usage: "the bytes as the drive sent them (--format binary)"}), more...)
}

// run is the command.
func (p part[T]) run(in *invocation) error {
	formats := []string{"json"}
	if p.raw != nil {
		formats = append(formats, "binary")
	}
	format, err := in.format(formats...)
	if err != nil {
		return err
	}
	if in.Bool("raw-binary") {
		format = "binary"
	}
	if _, ok := terminal(in.env.stdout); ok && format == "binary" && in.String("output") == "" {
		return usagef("binary output would upset the terminal: use --output FILE or a pipe")
	}
	s, done, err := in.begin()
	if err != nil {
		return err
	}
	defer done()
	if format == "binary" {
		b, err := p.raw(in.Context.Context, s)
		if err != nil {
			return err
		}
		return in.deliver(b)
	}
	v, err := p.read(in.Context.Context, s)
	if err != nil {
		return err
	}
	return in.show(format, p.object(s, v), func(w io.Writer, style render.Style) error {
		return p.text(w, render.Part{Simulated: s.Drive.Simulated, Drive: &s.Identity}, v, style)
	})
}

// object is the JSON of a section on its own.
func (p part[T]) object(s *report.Session, v T) map[string]any {
	return map[string]any{"schema": "qd1." + p.name + "/1", "simulated": s.Drive.Simulated, "drive": s.Identity, p.name: v}
}

// begin opens the drive and asks it who it is.
func (in *invocation) begin() (*report.Session, func(), error) {
	timeout, err := in.timeout()
	if err != nil {
		return nil, nil, err
	}
	d, err := openDrive(in.arg(0))
	if err != nil {
		return nil, nil, err
	}
	s, err := report.Begin(in.Context.Context, d, timeout)
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return s, func() { d.Close() }, nil
}

func smartCommand() command {
	return command{
		name: "smart", args: "[DRIVE]", access: reads, maxArgs: 1, flags: sectionFlags(),
		short: "the SMART / Health log with units",
		run: part[*report.SMART]{
			name: "smart",
			read: func(ctx context.Context, s *report.Session) (*report.SMART, error) { return s.ReadSMARTSection(ctx) },
			text: render.SMART,
			raw:  rawLog(nvme.LIDSMART, func(*nvme.IdentifyController) int { return 512 }),
		}.run,
	}
}

func errorsCommand() command {
	return command{
		name: "errors", args: "[DRIVE]", access: reads, maxArgs: 1, flags: sectionFlags(),
		short: "the error log, grouped and entry by entry",
		run: part[*report.Errors]{
			name: "errors",
			read: func(ctx context.Context, s *report.Session) (*report.Errors, error) { return s.ReadErrors(ctx) },
			text: render.Errors,
			raw:  rawLog(nvme.LIDError, func(id *nvme.IdentifyController) int { return (int(id.ELPE) + 1) * 64 }),
		}.run,
	}
}

func linkCommand() command {
	return command{
		name: "link", args: "[DRIVE]", access: reads, maxArgs: 1, flags: append(textFlags("json"), driveFlags()...),
		short: "the PCI Express link of the drive and of the ports above it",
		run: part[*report.Section[report.Link]]{
			name: "link",
			read: func(_ context.Context, s *report.Session) (*report.Section[report.Link], error) {
				l := report.NewLink(s.Drive.Host)
				return &l, nil
			},
			text: render.Link,
		}.run,
	}
}

// rawLog reads a log page as it comes.
func rawLog(lid nvme.LID, length func(*nvme.IdentifyController) int) func(context.Context, *report.Session) ([]byte, error) {
	return func(ctx context.Context, s *report.Session) ([]byte, error) {
		return s.LogPage(ctx, nvme.GetLogPage{LID: lid, NSID: nvme.BroadcastNSID, Bytes: length(s.ID), KeepEvent: true})
	}
}
