package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/internal/manual"
)

func completionCommand() command {
	shell := func(name, short, help string, write func(io.Writer, *manual.Command) error) command {
		return command{name: name, short: short, help: help, access: none, run: func(in *invocation) error {
			var b bytes.Buffer
			root := manualRoot()
			if err := write(&b, &root); err != nil {
				return err
			}
			return in.deliver(b.Bytes())
		}}
	}
	return command{
		name: "completion", short: "completion of commands and flags for a shell", access: none,
		subs: func() []command {
			return []command{
				shell("bash", "for bash", "source <(qd1 completion bash), or into /usr/share/bash-completion/completions/qd1.", manual.Bash),
				shell("zsh", "for zsh", "Into a file _qd1 in a folder of $fpath, such as /usr/share/zsh/vendor-completions.", manual.Zsh),
				shell("fish", "for fish", "Into /usr/share/fish/vendor_completions.d/qd1.fish or ~/.config/fish/completions.", manual.Fish),
			}
		},
	}
}

func manCommand() command {
	return command{
		name: "man", short: "the manual page, with every command and flag", access: none,
		help: "qd1 man | man -l - shows it; the packages bring it as qd1(8).",
		run: func(in *invocation) error {
			var b bytes.Buffer
			root := manualRoot()
			if err := manual.Man(&b, &root, &manual.Page{Version: tool().Version, Sections: manSections()}); err != nil {
				return err
			}
			return in.deliver(b.Bytes())
		},
	}
}

func manSections() []manual.Section {
	return []manual.Section{
		{Title: "ENVIRONMENT", Text: `XDG_STATE_HOME: records, journals, certificates and the key lie below it in qd1.

LC_ALL, LC_MESSAGES, LANG: the language of the text, English or Japanese, unless --lang names it.

NO_COLOR, TERM: no colour if NO_COLOR is set or TERM is dumb.`},
		{Title: "FILES", Text: "/var/lib/qd1: the state where XDG_STATE_HOME is not set, for root; ~/.local/state/qd1 for others."},
		{Title: "SEE ALSO", Text: "nvme(1), smartctl(8), fio(1)"},
	}
}

// manualRoot is the command table as the manual has it.
func manualRoot() manual.Command {
	root := manual.Command{Name: "qd1", Short: appUsage, Help: about, Flags: manualFlags([]cli.Flag{versionFlag()})}
	for _, c := range commands() {
		root.Commands = append(root.Commands, manualCommand(c))
	}
	return root
}

func manualCommand(c command) manual.Command {
	m := manual.Command{Name: c.name, Args: c.args, Short: c.short, Help: describe(c), Flags: manualFlags(c.flags)}
	for _, s := range c.below() {
		m.Commands = append(m.Commands, manualCommand(s))
	}
	return m
}

// manualFlags describes flags, with that of the help, which all commands have.
func manualFlags(flags []cli.Flag) []manual.Flag {
	var list []manual.Flag
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		m := manual.Flag{Names: f.Names(), Usage: d.GetUsage()}
		if d.TakesValue() {
			m.Value, m.Choices = placeholder(d.GetUsage()), choices(d.GetUsage())
			m.Default = strings.Trim(d.GetDefaultText(), `"`)
		}
		list = append(list, m)
	}
	return append(list, manual.Flag{Names: []string{"help", "h"}, Usage: "show help"})
}

// placeholder is the word in backquotes.
func placeholder(usage string) string {
	parts := strings.Split(usage, "`")
	if len(parts) < 3 {
		return "VALUE"
	}
	return parts[1]
}

var (
	inParentheses = lazyregexp.New(` \([^)]*\)`)
	listOfChoices = lazyregexp.New("`[^`]*`[^:]*(?::| is) ([a-z0-9-]+(?:(?:, | or |, or )[a-z0-9-]+)+)$")
	betweenThem   = lazyregexp.New(`, or |, | or `)
)

// choices are the values of a usage that ends in a list of them, nil for any
// other.
func choices(usage string) []string {
	m := listOfChoices.FindStringSubmatch(inParentheses.ReplaceAllString(usage, ""))
	if m == nil {
		return nil
	}
	return betweenThem.Split(m[1], -1)
}
