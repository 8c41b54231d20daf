package manual

import (
	"fmt"
	"io"
	"strings"
)

// quote makes one word of a text for bash and zsh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Bash writes the completion for bash. It needs no other file.
func Bash(w io.Writer, root *Command) error {
	var b strings.Builder
	all := walk(root, "")
	fmt.Fprintf(&b, `# bash completion for %[1]s
_%[1]s() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at=%[1]s i
	local commands='' flags='' files=''
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$at ${COMP_WORDS[i]}" in
		%[2]s)
			at="$at ${COMP_WORDS[i]}" ;;
		esac
	done
	case $at in
`, root.Name, strings.Join(paths(all, quote), " | "))
	for _, n := range all {
		fmt.Fprintf(&b, "\t%s)\n\t\tcommands=%s flags=%s files=%s\n", quote(n.path), quote(strings.Join(n.names(), " ")), quote(strings.Join(n.spelled(), " ")), mark(n.files()))
		bashValues(&b, n)
		b.WriteString("\t\t;;\n")
	}
	fmt.Fprintf(&b, `	esac
	case $cur in
	-*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
	*)
		COMPREPLY=($(compgen -W "$commands" -- "$cur"))
		if [ -n "$files" ]; then
			compopt -o filenames 2>/dev/null
			[ -n "$cur" ] || COMPREPLY+=($(compgen -G '/dev/nvme[0-9]'))
			COMPREPLY+=($(compgen -f -- "$cur"))
		fi ;;
	esac
}
complete -F _%[1]s %[1]s
`, root.Name)
	_, err := io.WriteString(w, b.String())
	return err
}

// mark is a word that is empty for no.
func mark(yes bool) string {
	if yes {
		return "yes"
	}
	return "''"
}

// bashValues completes the values of flags.
func bashValues(b *strings.Builder, n node) {
	fixed, open := n.choosing()
	if len(fixed)+len(open) == 0 {
		return
	}
	b.WriteString("\t\tcase $prev in\n")
	for _, f := range fixed {
		fmt.Fprintf(b, "\t\t%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", strings.Join(f.Spelled(), " | "), quote(strings.Join(f.Choices, " ")))
	}
	var names []string
	for _, f := range open {
		names = append(names, f.Spelled()...)
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "\t\t%s) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", strings.Join(names, " | "))
	}
	b.WriteString("\t\tesac\n")
}

// Zsh writes the completion for zsh, to be found as _NAME in its fpath.
func Zsh(w io.Writer, root *Command) error {
	var b strings.Builder
	all := walk(root, "")
	fmt.Fprintf(&b, `#compdef %[1]s
# zsh completion for %[1]s
_%[1]s() {
	local at=%[1]s i files=
	local -a commands flags
	for ((i = 2; i < CURRENT; i++)); do
		case "$at $words[i]" in
		(%[2]s) at="$at $words[i]" ;;
		esac
	done
	case $at in
`, root.Name, strings.Join(paths(all, quote), "|"))
	for _, n := range all {
		fmt.Fprintf(&b, "\t(%s)\n\t\tfiles=%s\n", quote(n.path), mark(n.files()))
		for _, c := range n.Commands {
			fmt.Fprintf(&b, "\t\tcommands+=(%s)\n", quote(c.Name+":"+c.Short))
		}
		for i := range n.Flags {
			for _, name := range n.Flags[i].Spelled() {
				fmt.Fprintf(&b, "\t\tflags+=(%s)\n", quote(name+":"+n.Flags[i].sentence()))
			}
		}
		zshValues(&b, n)
		b.WriteString("\t\t;;\n")
	}
	fmt.Fprintf(&b, `	esac
	if [[ $words[CURRENT] == -* ]]; then
		_describe -o flag flags
	else
		(( $#commands )) && _describe command commands
		[[ -n $files ]] && { compadd -- /dev/nvme[0-9](N); _files; }
	fi
}
_%[1]s "$@"
`, root.Name)
	_, err := io.WriteString(w, b.String())
	return err
}

// zshValues completes the values of flags.
func zshValues(b *strings.Builder, n node) {
	fixed, open := n.choosing()
	if len(fixed)+len(open) == 0 {
		return
	}
	b.WriteString("\t\tcase $words[CURRENT-1] in\n")
	for _, f := range fixed {
		fmt.Fprintf(b, "\t\t(%s) compadd -- %s; return ;;\n", strings.Join(f.Spelled(), "|"), strings.Join(f.Choices, " "))
	}
	for _, f := range open {
		fmt.Fprintf(b, "\t\t(%s) _files; return ;;\n", strings.Join(f.Spelled(), "|"))
	}
	b.WriteString("\t\tesac\n")
}

// fishQuote makes one word of a text for fish.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// Fish writes the completion for fish.
func Fish(w io.Writer, root *Command) error {
	var b strings.Builder
	all := walk(root, "")
	fmt.Fprintf(&b, `# fish completion for %[1]s
function __%[1]s_at
	set -l at %[1]s
	for word in (commandline -opc)[2..-1]
		switch "$at $word"
			case %[2]s
				set at "$at $word"
		end
	end
	test "$at" = "$argv[1]"
end
complete -c %[1]s -f
`, root.Name, strings.Join(paths(all, fishQuote), " "))
	for _, n := range all {
		head := fmt.Sprintf("complete -c %s -n %s", root.Name, fishQuote("__"+root.Name+"_at "+fishQuote(n.path)))
		for _, c := range n.Commands {
			fmt.Fprintf(&b, "%s -a %s -d %s\n", head, c.Name, fishQuote(c.Short))
		}
		if n.files() {
			fmt.Fprintf(&b, "%s -F -a '(path filter /dev/nvme*)'\n", head)
		}
		for i := range n.Flags {
			b.WriteString(head + fishFlag(&n.Flags[i]) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func fishFlag(f *Flag) string {
	text := ""
	for _, name := range f.Names {
		if len(name) > 1 {
			text += " -l " + name
		} else {
			text += " -s " + name
		}
	}
	switch {
	case len(f.Choices) > 0:
		text += " -x -a " + fishQuote(strings.Join(f.Choices, " "))
	case f.Value != "":
		text += " -r -F"
	}
	return text + " -d " + fishQuote(f.sentence())
}
