package main

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// access says what a command may do to a drive. The guard follows from it.
type access string

const (
	reads    access = "reads"
	told     access = "reads; writes if told"
	destroys access = "destroys"
	none     access = "–"
)

// command is one entry of the command table.
type command struct {
	name, args, short string
	// help is shown below the usage line.
	help   string
	access access
	flags  []cli.Flag
	// subs makes the commands below this one, nil for none.
	subs func() []command
	run  func(*invocation) error
	// maxArgs is the greatest number of arguments that are not flags.
	maxArgs int
}

// below returns the commands below this one.
func (c command) below() []command {
	if c.subs == nil {
		return nil
	}
	return c.subs()
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
		logCommand(),
		featureCommand(),
		benchCommand(),
		launchCommand(),
		compareCommand(),
		ageCommand(),
		historyCommand(),
		eraseCommand(),
		formatCommand(),
		sanitizeCommand(),
		trimCommand(),
		namespacesCommand(),
		selftestCommand(),
		scanCommand(),
		adminPassthruCommand(),
		ioPassthruCommand(),
		watchCommand(),
		exportCommand(),
		captureCommand(),
		simCommand(),
		rulesCommand(),
		completionCommand(),
		manCommand(),
		versionCommand(),
	}
}

// invocation is one command with its flags and arguments.
type invocation struct {
	*cli.Context
	env *env
	// name is the whole name of the command, such as "qd1 id ctrl".
	name string
}

// arg returns the i-th argument that is not a flag, "" if there is none.
func (in *invocation) arg(i int) string { return in.Args().Get(i) }

// app builds the command line interface. The library's own exits, its help on
// stdout after an error and its status 3 for an unknown command are turned
// off: every error comes back to run.
func (e *env) app() *cli.App { return e.appOf(commands()) }

// appOf is app for those who have the table already.
func (e *env) appOf(table []command) *cli.App {
	a := &cli.App{
		Name:            "qd1",
		Usage:           appUsage,
		Description:     about,
		Flags:           []cli.Flag{versionFlag()},
		HideHelpCommand: true,
		HideVersion:     true,
		Writer:          e.stdout,
		ErrWriter:       io.Discard,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError:    onUsageError,
		Action:          e.noCommand,
	}
	for _, c := range table {
		a.Commands = append(a.Commands, e.command(c, a.Name))
	}
	return a
}

const appUsage = "what an NVMe drive really is, and how fast it answers"

func versionFlag() cli.Flag {
	return &cli.BoolFlag{Name: "version", DisableDefaultText: true, Usage: "show the version"}
}

const about = `A DRIVE is a device node, a PCI address, a serial number or its end,
sim:PROFILE or replay:FILE. Flags may come before and after it.

Exit status: 0 done, 1 failed, 2 wrong usage, 5 refused, 130 interrupted; with
"report --exit-code" also 3 (verdict: return) and 4 (something could not be
read); of an erase also 6 (data are left), 7 (not proven) and 8 (the drive may
still be working).`

func (e *env) noCommand(c *cli.Context) error {
	switch word := c.Args().First(); {
	case word != "":
		return usagef("unknown command %q%s", word, suggestion(word, commands()))
	case c.Bool("version"):
		return writeVersion(e.stdout)
	}
	return cli.ShowAppHelp(c)
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	flags := c.App.Flags
	if c.Command != nil {
		flags = slices.Concat(flags, c.Command.Flags)
	}
	if word, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		return usagef("unknown flag %q%s", word, flagSuggestion(word, flags))
	}
	return usagef("%s", lowerFirst(err.Error()))
}

// command turns an entry of the table into one of the library. parent is the
// name of what it is a command of.
func (e *env) command(c command, parent string) *cli.Command {
	name := parent + " " + c.name
	cmd := &cli.Command{
		Name:            c.name,
		Usage:           c.short,
		ArgsUsage:       c.args,
		Description:     describe(c),
		Flags:           c.flags,
		HideHelpCommand: true,
		OnUsageError:    onUsageError,
	}
	for _, s := range c.below() {
		cmd.Subcommands = append(cmd.Subcommands, e.command(s, name))
	}
	cmd.Action = func(ctx *cli.Context) error {
		in := &invocation{Context: ctx, env: e, name: name}
		switch {
		case c.run == nil && ctx.Args().Present():
			return usagef("unknown command %q: %s needs one of: %s%s", ctx.Args().First(), name, subNames(c), suggestion(ctx.Args().First(), c.below()))
		case c.run == nil:
			return usagef("%s needs one of: %s", name, subNames(c))
		case slices.Contains(ctx.Args().Slice(), ""):
			return usagef("an argument is empty: is a variable not set?")
		case ctx.NArg() > c.maxArgs:
			return usagef("too many arguments: %q", ctx.Args().Get(c.maxArgs))
		}
		return c.run(in)
	}
	return cmd
}

func describe(c command) string {
	text := c.help
	switch c.access {
	case reads:
		text += "\nOnly reads from the drive."
	case told:
		text += "\nWrites to a drive only if it is told to, after the checks of the guard and your consent."
	case destroys:
		text += "\nDestroys data, after the checks of the guard and your consent."
	}
	return strings.TrimSpace(text)
}

func subNames(c command) string {
	var names []string
	for _, s := range c.below() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}
