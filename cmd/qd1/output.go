package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/render"
)

// formatNames are the names of the format flag: ours and nvme-cli's.
func formatNames() []string { return []string{"format", "o", "output-format"} }

// outputFlags are the flags of every command that shows something.
func outputFlags(formats ...string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: formatNames()[0], Aliases: formatNames()[1:], Value: "text", Usage: "`FORMAT` of the result: " + strings.Join(append([]string{"text"}, formats...), ", ")},
		&cli.StringFlag{Name: "output", Usage: "write the result to `FILE` instead of standard output"},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: "colour `WHEN`: auto, always, never"},
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
	if err != nil || d <= 0 {
		return 0, usagef("--timeout %s: a time such as 10s is needed", in.String("timeout"))
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
	return f, checkOutput(in.String("output"))
}

// checkOutput finds out before the work whether its result can be written.
func checkOutput(name string) error {
	info, err := os.Stat(name)
	switch {
	case name == "", err == nil && !info.Mode().IsRegular() && !info.IsDir():
		return nil
	case err == nil && info.IsDir():
		return failf("name a file", "cannot write %s: it is a directory", name)
	}
	if err := unix.Access(filepath.Dir(realName(name)), unix.W_OK); err != nil {
		return failf(hintFolder, "cannot write %s: %w", name, err)
	}
	return nil
}

const hintFolder = "choose a folder that exists and that you may write to"

// realName follows symbolic links, so that what they point at is replaced.
func realName(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// show writes a result: JSON of value, or what text writes.
func (in *invocation) show(format string, value any, text func(io.Writer, render.Style) error) error {
	var b bytes.Buffer
	var err error
	if format == "json" {
		err = render.JSON(&b, value)
	} else {
		err = text(&b, in.style())
	}
	if err != nil {
		return err
	}
	return in.deliver(b.Bytes())
}

// deliver writes a whole result to where it should go. A file appears only
// when it is complete.
func (in *invocation) deliver(b []byte) error {
	name := in.String("output")
	if name == "" {
		_, err := in.env.stdout.Write(b)
		return err
	}
	return writeFile(name, b)
}

// writeFile replaces a regular file as a whole, or writes to anything else.
func writeFile(name string, b []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, b, 0o666)
	}
	if err := replaceFile(realName(name), b); err != nil {
		return failf("is the disk full? nothing was written under that name", "cannot write %s: %w", name, err)
	}
	return nil
}

// replaceFile writes beside the file and renames.
func replaceFile(name string, b []byte) error {
	beside := filepath.Join(filepath.Dir(name), fmt.Sprintf(".qd1-%d-%s", os.Getpid(), filepath.Base(name)))
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(beside)
	if old, e := os.Stat(name); e == nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(b)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(beside, name)
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
