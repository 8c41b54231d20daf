package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// access says what a command may do to a drive. The guard follows from it.
type access string

const (
	reads  access = "reads"
	none   access = "–"
	hidden        = "hidden"
)

// command is one entry of the command table.
type command struct {
	name, args, short string
	// help is shown below the usage line.
	help   string
	access access
	flags  []cli.Flag
	subs   []command
	run    func(*invocation) error
	// maxArgs is the greatest number of arguments that are not flags.
	maxArgs int
}

// commands is the table of all commands.
func commands() []command {
	return []command{
		listCommand(),
		reportCommand(),
		smartCommand(),
		errorsCommand(),
		linkCommand(),
		firmwareCommand(),
		identifyCommand(),
		benchCommand(),
		captureCommand(),
		rulesCommand(),
		versionCommand(),
	}
}

// invocation is one command with its flags and arguments.
type invocation struct {
	*cli.Context
	env *env
}

// arg returns the i-th argument that is not a flag, "" if there is none.
func (in *invocation) arg(i int) string { return in.Args().Get(i) }

// app builds the command line interface. The library's own exits, its help on
// stdout after an error and its status 3 for an unknown command are turned
// off: every error comes back to run.
func (e *env) app() *cli.App {
	a := &cli.App{
		Name:            "qd1",
		Usage:           "what an NVMe drive really is, and how fast it answers",
		HideHelpCommand: true,
		HideVersion:     true,
		Writer:          e.stdout,
		ErrWriter:       io.Discard,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError:    onUsageError,
		Action:          noCommand,
		Suggest:         true,
	}
	for _, c := range commands() {
		a.Commands = append(a.Commands, e.command(c))
	}
	return a
}

func noCommand(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unknown command %q%s", c.Args().First(), suggestion(c.Args().First()))
	}
	return cli.ShowAppHelp(c)
}

func suggestion(word string) string {
	for _, c := range commands() {
		if strings.HasPrefix(c.name, word) || strings.HasPrefix(word, c.name) {
			return fmt.Sprintf("; did you mean %q?", c.name)
		}
	}
	return ""
}

func onUsageError(_ *cli.Context, err error, _ bool) error {
	return usagef("%s", strings.ToLower(err.Error()[:1])+err.Error()[1:])
}

// command turns an entry of the table into one of the library.
func (e *env) command(c command) *cli.Command {
	cmd := &cli.Command{
		Name:            c.name,
		Usage:           c.short,
		ArgsUsage:       c.args,
		Description:     describe(c),
		Flags:           c.flags,
		HideHelpCommand: true,
		OnUsageError:    onUsageError,
		Hidden:          c.access == hidden,
	}
	for _, s := range c.subs {
		cmd.Subcommands = append(cmd.Subcommands, e.command(s))
	}
	cmd.Action = func(ctx *cli.Context) error {
		in := &invocation{Context: ctx, env: e}
		switch {
		case c.run == nil && ctx.Args().Present():
			return usagef("unknown command %q", "qd1 "+c.name+" "+ctx.Args().First())
		case c.run == nil:
			return usagef("qd1 %s needs one of: %s", c.name, subNames(c))
		case ctx.NArg() > c.maxArgs:
			return usagef("too many arguments: %q", ctx.Args().Get(c.maxArgs))
		}
		return c.run(in)
	}
	return cmd
}

func describe(c command) string {
	text := c.help
	if c.access == reads {
		text += "\nOnly reads from the drive."
	}
	return strings.TrimSpace(text)
}

func subNames(c command) string {
	var names []string
	for _, s := range c.subs {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}
