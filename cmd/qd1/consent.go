package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/render"
)

// consentFlags are the flags of every command that destroys data.
func consentFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "show what would be checked and sent, and end: nothing is opened for writing"},
		&cli.BoolFlag{Name: "yes", DisableDefaultText: true, Usage: "agree without a terminal; needs --expect-model and --expect-bytes"},
		&cli.StringFlag{Name: "expect-model", Usage: "the `MODEL` number that the drive must have, as the plan shows it"},
		&cli.Int64Flag{Name: "expect-bytes", DefaultText: "none", Usage: "the `BYTES` of all affected namespaces together, as the plan shows them"},
		&cli.StringSliceFlag{Name: "destroy-signature", Usage: "the `KINDS` of what lies on the drive and may be destroyed, such as gpt,ext"},
		&cli.StringFlag{Name: "pci", Usage: "the PCI `ADDRESS` of the drive, where two have the same serial number"},
	}
}

// agreement is what the flags say that the user agrees to.
func (in *invocation) agreement() (*guard.Agreement, error) {
	a := &guard.Agreement{
		Serial: in.arg(0), PCI: in.String("pci"),
		Yes: in.Bool("yes"), Model: in.String("expect-model"), Bytes: in.Int64("expect-bytes"),
	}
	if in.IsSet("expect-bytes") && a.Bytes <= 0 {
		return nil, usagef("--expect-bytes %d: the size of the affected namespaces is needed, as the plan shows it", a.Bytes)
	}
	for _, word := range in.StringSlice("destroy-signature") {
		kind, err := signature.ParseKind(word)
		if err != nil {
			return nil, usagef("--destroy-signature %s: %w", word, err)
		}
		a.Destroy = append(a.Destroy, kind)
	}
	return a, nil
}

// terminalInput is the terminal that a person can type on, nil if there is
// none.
func (e *env) terminalInput() io.Reader {
	f, ok := e.stdin.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) {
		return nil
	}
	if _, ok := terminal(e.stderr); !ok {
		return nil
	}
	return f
}

// messageStyle is how text looks on standard error.
func (in *invocation) messageStyle() render.Style {
	s := render.Style{}
	width, ok := terminal(in.env.stderr)
	if ok {
		s.Width = min(width, 160)
	}
	if colours(in.String("color"), ok) {
		s.Paint = paint
	}
	return s
}

// lines are the lines that somebody types.
type lines struct{ r *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{bufio.NewReader(r)} }

// askLine shows a line that is to be typed and returns what was typed, or the
// error of ctx if Ctrl-C comes first.
func (e *env) askLine(ctx context.Context, typed *lines, question, line string) (string, error) {
	fmt.Fprintf(e.stderr, "\n%s:\n\n  %s\n\n> ", question, oneLine(line))
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := typed.r.ReadString('\n')
		answered <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(e.stderr)
		return "", &exitError{status: exitInterrupted, err: errors.New("interrupted; nothing was sent to the drive")}
	case a := <-answered:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return "", a.err
		}
		return strings.TrimSpace(a.text), nil
	}
}
