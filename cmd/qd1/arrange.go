package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange moves the flags of a command line before its other arguments,
// because the library takes a flag after the drive's name for one more name.
// Everything after "--" stays as it is.
func arrange(args []string, table []command) []string {
	var head []string
	current := command{subs: table}
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		i := slices.IndexFunc(current.subs, func(c command) bool { return c.name == args[0] })
		if i < 0 {
			break
		}
		current = current.subs[i]
		head, args = append(head, args[0]), args[1:]
	}
	flags, rest := splitFlags(args, current)
	return slices.Concat(head, flags, rest)
}

// splitFlags separates the flags, with their values, from the other words.
func splitFlags(args []string, c command) (flags, rest []string) {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case word == "--":
			return flags, slices.Concat(rest, []string{word}, args)
		case !strings.HasPrefix(word, "-") || word == "-":
			rest = append(rest, word)
		default:
			flags = append(flags, word)
			if takesValue(c, word) && len(args) > 0 {
				flags, args = append(flags, args[0]), args[1:]
			}
		}
	}
	return flags, rest
}

// takesValue reports whether the word is a flag whose value is the next word.
func takesValue(c command, word string) bool {
	name := strings.TrimLeft(word, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range c.flags {
		if _, isBool := f.(*cli.BoolFlag); !isBool && slices.Contains(f.Names(), name) {
			return true
		}
	}
	return false
}

// wantsJSON reports whether the command line asks for JSON, also where it is
// otherwise wrong, so that the error comes in the form that was asked for.
func wantsJSON(args []string) bool {
	for i, word := range args {
		name, value, whole := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !strings.HasPrefix(word, "-") || !slices.Contains(formatNames, name) {
			continue
		}
		if !whole && i+1 < len(args) {
			value = args[i+1]
		}
		return value == "json"
	}
	return false
}
