package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/render"
)

// formatNames are the names of the format flag: ours and nvme-cli's.
func formatNames() []string { return []string{"format", "o", "output-format"} }

// outputFlags are the flags of every command that shows something.
func outputFlags(formats ...string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: formatNames()[0], Aliases: formatNames()[1:], Value: "text", Usage: "`FORMAT` of the result: " + formatList(formats)},
		&cli.StringFlag{Name: "output", Usage: "write the result to `FILE`, in place of what is there, instead of standard output"},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: "colour `WHEN`: auto, always, never"},
	}
}

// formatList names the formats of a command, text and the others.
func formatList(others []string) string {
	list := []string{"text"}
	for _, f := range others {
		switch f {
		case "html":
			f = "html (a page of one file; give --output FILE)"
		case "markdown":
			f = "markdown (a table for a text)"
		}
		list = append(list, f)
	}
	return strings.Join(list, ", ")
}

// textFlags are those of a command that shows a drive or the rules, in English or
// Japanese.
func textFlags(formats ...string) []cli.Flag {
	return append(outputFlags(formats...), &cli.StringFlag{Name: "lang", Value: langAuto, Usage: "`LANGUAGE` of the text: en, ja, auto (by LC_ALL, LC_MESSAGES, LANG)"})
}

const langAuto = "auto"

// lang returns the language of the text. Commands without the flag have English
// only.
func (in *invocation) lang() (lang.Tag, error) {
	switch name := in.String("lang"); name {
	case "":
		return lang.English, nil
	case langAuto:
		return lang.FromEnvironment(os.Getenv), nil
	default:
		tag, ok := lang.Parse(name)
		if !ok {
			return lang.English, usagef("--lang %s: en, ja or auto is needed", name)
		}
		return tag, nil
	}
}

// driveFlags are the flags of every command that talks to a drive.
func driveFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "timeout", Value: "10s", Usage: "longest `TIME` that one command may take"},
	}
}

func (in *invocation) timeout() (time.Duration, error) {
	d, err := parseDuration(in.String("timeout"))
	if err != nil || d < time.Millisecond || d > time.Hour {
		return 0, usagef("--timeout %s: a time from 1ms to 1h is needed, such as 10s", in.String("timeout"))
	}
	return d, nil
}

// format returns the format that was asked for, checked against those that
// the command has beside text.
func (in *invocation) format(others ...string) (string, error) {
	f := in.String("format")
	if f == "normal" {
		f = "text"
	}
	if f != "text" && !slices.Contains(others, f) {
		return "", usagef("--format %s: %s has %s", f, in.name, strings.Join(append([]string{"text"}, others...), ", "))
	}
	if !slices.Contains([]string{"auto", "always", "never"}, in.String("color")) {
		return "", usagef("--color %s: auto, always or never is needed", in.String("color"))
	}
	if _, err := in.lang(); err != nil {
		return "", err
	}
	return f, checkOutput(in.String("output"), in.Args().Slice())
}

// show writes a result: JSON of value, its page, or what text writes.
func (in *invocation) show(format string, value any, text func(io.Writer, render.Style) error) error {
	var b bytes.Buffer
	var err error
	switch format {
	case "json":
		err = render.JSON(&b, value)
	case "html", "markdown":
		err = writePage(&b, format, value)
	default:
		err = text(&b, in.style())
	}
	if err != nil {
		return err
	}
	return in.deliver(b.Bytes())
}

// deliver writes a whole result to where it should go.
func (in *invocation) deliver(b []byte) error { return in.env.write(in.String("output"), b) }

// write writes to standard output, which is "" or "-", or to a file, which
// appears only when it is complete.
func (e *env) write(name string, b []byte) error {
	if name == "" || name == "-" {
		_, err := e.stdout.Write(b)
		return err
	}
	return writeFile(name, b)
}

// terminal reports whether w is one, and its width.
func terminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !isatty.IsTerminal(f.Fd()) {
		return 0, false
	}
	if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil {
		width = int(size.Col)
	}
	return width, true
}

// style is how text looks on standard output.
func (in *invocation) style() render.Style {
	s := render.Style{}
	s.Lang, _ = in.lang() // Checked with the format.
	width, ok := terminal(in.env.stdout)
	ok = ok && in.String("output") == ""
	if ok {
		s.Width = min(width, 160)
	}
	if colours(in.String("color"), ok) {
		s.Paint = paint
	}
	return s
}

func colours(mode string, terminal bool) bool {
	if mode != "auto" {
		return mode == "always"
	}
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// paint colours a text. The library would decide by standard output at start;
// here the flag has decided.
func paint(role render.Role, s string) string {
	c := map[render.Role]*color.Color{
		render.Good:   color.New(color.FgGreen, color.Bold),
		render.Warn:   color.New(color.FgYellow, color.Bold),
		render.Bad:    color.New(color.FgRed, color.Bold),
		render.Strong: color.New(color.Bold),
		render.Dim:    color.New(color.Faint),
	}[role]
	if c == nil {
		return s
	}
	c.EnableColor()
	return c.Sprint(s)
}
