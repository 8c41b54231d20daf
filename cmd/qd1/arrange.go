package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange moves the flags of a command line before its other arguments,
// because the library takes a flag after the drive's name for one more name.
// Everything after "--" stays as it is.
func arrange(args []string, table []command) ([]string, error) {
	var head []string
	var current command
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		i := slices.IndexFunc(table, func(c command) bool { return c.name == args[0] })
		if i < 0 {
			break
		}
		current, table = table[i], table[i].below()
		head, args = append(head, args[0]), args[1:]
	}
	flags, rest, err := splitFlags(args, current)
	if len(head) > 0 && (slices.Contains(flags, "--help") || slices.Contains(flags, "-h")) {
		return append(head, "--help"), nil // The library would look for help on a drive.
	}
	return slices.Concat(head, flags, rest), err
}

// splitFlags separates the flags, with their values, from the other words. A
// last flag without its value is an error here: once arranged, it would take
// the drive's name for it.
func splitFlags(args []string, c command) (flags, rest []string, err error) {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case word == "--":
			return flags, slices.Concat(rest, []string{word}, args), nil
		case !strings.HasPrefix(word, "-") || word == "-":
			rest = append(rest, word)
		case !takesValue(c, word):
			flags = append(flags, word)
		case len(args) == 0:
			return nil, nil, usagef("%s needs a value", word)
		default:
			flags, args = append(flags, word, args[0]), args[1:]
		}
	}
	return flags, rest, nil
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
// otherwise wrong, so that the error comes in the form that was asked for. As
// for the library, the last flag counts; a number is an opcode, whose letter is
// that of the format.
func wantsJSON(args []string) bool {
	asked := ""
	for i, word := range args {
		if word == "--" {
			break
		}
		name, value, whole := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !strings.HasPrefix(word, "-") || !slices.Contains(formatNames(), name) {
			continue
		}
		if !whole && i+1 < len(args) {
			value = args[i+1]
		}
		if value == "" || value[0] < '0' || value[0] > '9' {
			asked = value
		}
	}
	return asked == "json"
}
