package main

import (
	"context"
	"io"
	"strconv"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme/spec"
)

// specFlags are the flags of every command that shows a data structure of the
// specification.
func specFlags(more ...cli.Flag) []cli.Flag {
	return append(append(append(outputFlags("json", "binary"), driveFlags()...),
		&cli.BoolFlag{Name: "raw-binary", DisableDefaultText: true, Aliases: []string{"b"}, Usage: "the bytes as the drive sent them (--format binary)"},
		&cli.BoolFlag{Name: "verbose", DisableDefaultText: true, Aliases: []string{"H", "human-readable", "v"}, Usage: "each field and each bit in a line of its own, also where there is nothing"},
		&cli.BoolFlag{Name: "vendor-specific", DisableDefaultText: true, Aliases: []string{"V"}, Usage: "all vendor specific bytes"},
		&cli.BoolFlag{Name: "force", DisableDefaultText: true, Usage: "ask even if the drive does not list it; a drive that refuses counts an error"},
	), more...)
}

// specPage is a data structure of the specification as a command shows it.
type specPage struct {
	// schema is "identify", "log" or "feature".
	schema string
	// read reads and decodes it.
	read func(ctx context.Context, s *report.Session) (*report.SpecPage, error)
	// more adds members to the JSON object and may write the text; nil for neither.
	more func(ctx context.Context, s *report.Session, p *report.SpecPage) (*specExtra, error)
}

// specExtra is what a command shows beside the fields.
type specExtra struct {
	members map[string]any
	text    func(w io.Writer, head render.Part, p *report.SpecPage, style render.Style) error
}

// run is the command.
func (c specPage) run(in *invocation) error {
	format, err := in.format("json", "binary")
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
	p, err := c.read(in.Context.Context, s)
	if err != nil {
		return err
	}
	if format == "binary" {
		return in.deliver(p.Raw)
	}
	p.Options = spec.LineOptions{Full: in.Bool("verbose"), Vendor: in.Bool("vendor-specific")}
	return c.show(in, format, s, p)
}

func (c specPage) show(in *invocation, format string, s *report.Session, p *report.SpecPage) error {
	object := map[string]any{"schema": "qd1." + c.schema + "/1", "simulated": s.Drive.Simulated, "drive": s.Identity, "page": p}
	text := render.SpecPage
	if c.more != nil {
		extra, err := c.more(in.Context.Context, s, p)
		if err != nil {
			return err
		}
		for key, value := range extra.members {
			object[key] = value
		}
		if extra.text != nil {
			text = extra.text
		}
	}
	return in.show(format, object, func(w io.Writer, style render.Style) error {
		return text(w, render.Part{Simulated: s.Drive.Simulated, Drive: &s.Identity}, p, style)
	})
}

// number reads a flag with a number, of at most so many bits, decimal or with 0x
// in hexadecimal. It returns none where the flag was not given.
func (in *invocation) number(flag string, bits int, none uint64) (uint64, error) {
	text := in.String(flag)
	if text == "" {
		return none, nil
	}
	n, err := strconv.ParseUint(text, 0, bits)
	if err != nil {
		return 0, usagef("--%s %s: a number from 0 to %#x is needed", flag, text, uint64(1)<<bits-1)
	}
	return n, nil
}
