// Package manual writes the manual page and the completions of shells from a
// table of commands. It knows no command by itself, so that what it writes
// cannot differ from the program.
package manual

import (
	"slices"
	"strings"
)

// Command is a command with its flags, or one that only has commands below it.
type Command struct {
	// Name is the last word of the command, Args what follows its flags.
	Name, Args string
	// Short is one line, Help paragraphs of text that is set as it is.
	Short, Help string
	Flags       []Flag
	Commands    []Command
}

// Flag is a flag of a command.
type Flag struct {
	// Names are without dashes, the long one first.
	Names []string
	// Value stands for the value in the help, "" for a flag without one.
	Value string
	// Usage is what it does, Default its value if it is not given, "" for none.
	Usage, Default string
	// Choices are the values that it takes, nil where any is one.
	Choices []string
}

// Spelled returns the names with their dashes.
func (f *Flag) Spelled() []string {
	var list []string
	for _, n := range f.Names {
		if len(n) > 1 {
			n = "-" + n
		}
		list = append(list, "-"+n)
	}
	return list
}

// node is a command with its whole name.
type node struct {
	path string
	*Command
}

// walk returns a command and all below it, in order.
func walk(c *Command, parent string) []node {
	list := []node{{strings.TrimSpace(parent + " " + c.Name), c}}
	for i := range c.Commands {
		list = append(list, walk(&c.Commands[i], list[0].path)...)
	}
	return list
}

// spelled returns the flags of a command with dashes.
func (n node) spelled() []string {
	var list []string
	for i := range n.Flags {
		list = append(list, n.Flags[i].Spelled()...)
	}
	return list
}

// names returns the commands below a command.
func (n node) names() []string {
	var list []string
	for _, c := range n.Commands {
		list = append(list, c.Name)
	}
	return list
}

// files reports whether a file or a drive may follow.
func (n node) files() bool {
	return strings.ContainsFunc(n.Args, func(r rune) bool { return r >= 'A' && r <= 'Z' })
}

// choosing returns the flags with fixed values, taking those with any value.
func (n node) choosing() (fixed, open []Flag) {
	for _, f := range n.Flags {
		switch {
		case len(f.Choices) > 0:
			fixed = append(fixed, f)
		case f.Value != "":
			open = append(open, f)
		}
	}
	return fixed, open
}

// sentence is the usage of a flag on one line, with its default.
func (f *Flag) sentence() string {
	s := strings.ReplaceAll(f.Usage, "`", "")
	if f.Default != "" {
		s += " (default: " + f.Default + ")"
	}
	return s
}

// paths quotes the whole names of all commands but the first.
func paths(all []node, quote func(string) string) []string {
	var list []string
	for _, n := range all[1:] {
		list = append(list, quote(n.path))
	}
	return slices.Clip(list)
}
