package manual

import (
	"fmt"
	"io"
	"strings"
)

// Page is what a manual page has beside its commands.
type Page struct {
	// Version is that of the program.
	Version string
	// Sections follow the commands, each a title and its paragraphs.
	Sections []Section
}

// Section is a section of a manual page.
type Section struct {
	Title, Text string
}

// Man writes a manual page of section 8 (programs of the administrator), which
// has no date, so that the same program makes the same page.
//
// Source: groff_man(7).
func Man(w io.Writer, root *Command, p *Page) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 8 \"\" \"%s %s\" \"System Administration\"\n", strings.ToUpper(root.Name), roff(root.Name), roff(p.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(root.Name), roff(root.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I COMMAND\n[\\fIFLAG\\fR]... [\\fIARGUMENT\\fR]...\n", roff(root.Name))
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, root.Help)
	flags(&b, root.Flags)
	b.WriteString(".SH COMMANDS\n")
	for _, n := range walk(root, "")[1:] {
		fmt.Fprintf(&b, ".SS \"%s\"\n", strings.ReplaceAll(roff(strings.TrimSpace(n.path+" "+n.Args)), `"`, `\(dq`))
		paragraphs(&b, sentence(n.Short))
		paragraphs(&b, n.Help)
		flags(&b, n.Flags)
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, ".SH \"%s\"\n", roff(s.Title))
		paragraphs(&b, s.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sentence begins with a capital and ends in a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func flags(b *strings.Builder, list []Flag) {
	for i := range list {
		f := &list[i]
		var names []string
		for _, n := range f.Spelled() {
			names = append(names, `\fB`+roff(n)+`\fR`)
		}
		value := ""
		if f.Value != "" {
			value = ` \fI` + roff(f.Value) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n%s%s\n", strings.Join(names, ", "), value)
		for _, line := range strings.Split(f.sentence(), "\n") {
			b.WriteString(line0(roff(line)) + "\n")
		}
	}
}

// paragraphs writes text whose paragraphs are apart by an empty line. Indented
// lines stay as they are.
func paragraphs(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	b.WriteString(".PP\n")
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			b.WriteString(".PP\n")
		case strings.HasPrefix(line, " "):
			b.WriteString(".br\n" + roff(line) + "\n.br\n")
		default:
			b.WriteString(line0(roff(line)) + "\n")
		}
	}
}

// line0 keeps a line that begins with a control character from being a
// request.
func line0(s string) string {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

// roff escapes text. Every hyphen is one that can be copied into a command.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
}
