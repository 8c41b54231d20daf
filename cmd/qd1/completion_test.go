package main

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/manual"
)

// Every command and every flag of the table is in the manual page and in each
// completion.
func TestManualIsWhole(t *testing.T) {
	root := manualRoot()
	for name, write := range map[string]func(io.Writer, *manual.Command) error{
		"bash": manual.Bash, "zsh": manual.Zsh, "fish": manual.Fish,
		"man": func(w io.Writer, c *manual.Command) error { return manual.Man(w, c, &manual.Page{}) },
	} {
		var b strings.Builder
		if err := write(&b, &root); err != nil {
			t.Fatal(err)
		}
		checkTable(t, name, b.String(), "qd1", commands())
	}
}

// checkTable looks for each command and its flags in the part of the text that
// is the command's own.
func checkTable(t *testing.T, kind, text, path string, table []command) {
	for _, c := range table {
		name := path + " " + c.name
		part := manualPart(kind, text, name)
		if part == "" {
			t.Errorf("%s: %s is missing", kind, name)
		}
		for _, f := range c.flags {
			for _, flag := range f.Names() {
				if !strings.Contains(part, spelledIn(kind, flag)) {
					t.Errorf("%s: %s has no %s", kind, name, flag)
				}
			}
		}
		checkTable(t, kind, text, name, c.below())
	}
}

func manualPart(kind, text, name string) string {
	begin, end := "", "\n\t\t;;\n"
	switch kind {
	case "bash":
		begin = "\t'" + name + "')\n"
	case "zsh":
		begin = "\t('" + name + "')\n"
	case "man":
		begin, end = ".SS \""+strings.ReplaceAll(name, "-", `\-`), "\n.S"
	}
	if kind == "fish" {
		var lines []string
		for line := range strings.Lines(text) {
			if strings.Contains(line, `__qd1_at \'`+name+`\'`) {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "")
	}
	_, rest, found := strings.Cut(text, begin)
	if !found {
		return ""
	}
	part, _, _ := strings.Cut(rest, end)
	return part + " "
}

func spelledIn(kind, flag string) string {
	dashes := "--"
	if len(flag) == 1 {
		dashes = "-"
	}
	switch kind {
	case "man":
		return strings.ReplaceAll(dashes+flag, "-", `\-`) + `\fR`
	case "fish":
		return map[string]string{"--": " -l ", "-": " -s "}[dashes] + flag + " "
	}
	return dashes + flag
}

func TestChoices(t *testing.T) {
	for usage, want := range map[string][]string{
		"`FORMAT` of the result: text, json, html (a page of one file; give --output FILE)":            {"text", "json", "html"},
		"colour `WHEN`: auto, always, never":                                                           {"auto", "always", "never"},
		"judge it as what it was sold as: `CONDITION` is new or used":                                  {"new", "used"},
		"log pages of the vendor: `WHICH` is off, safe, or all (also those that reading sets to zero)": {"off", "safe", "all"},
		"write the result to `FILE`, in place of what is there":                                        nil,
		"secure erase `SETTING`: 0 none, 1 user data, 2 cryptographic":                                 nil,
		"longest `TIME` that one command may take":                                                     nil,
		"`LENGTH` of the QD1 read benchmark: quick (about 3 s), long (about 30 s), off":                {"quick", "long", "off"},
	} {
		if diff := cmp.Diff(want, choices(usage)); diff != "" {
			t.Errorf("%q: %s", usage, diff)
		}
	}
	if got := placeholder("no value is named"); got != "VALUE" {
		t.Errorf("got %s", got)
	}
}

// Values that a flag offers are values that its command takes: the default is
// one of them.
func TestChoicesHaveTheDefault(t *testing.T) {
	var walk func(path string, c manual.Command)
	walk = func(path string, c manual.Command) {
		for _, f := range c.Flags {
			word := f.Default != "" && !strings.Contains(f.Default, " ") // Others are words about the default.
			if len(f.Choices) > 0 && word && !strings.Contains(" "+strings.Join(f.Choices, " ")+" ", " "+f.Default+" ") {
				t.Errorf("%s --%s: %v, default %q", path, f.Names[0], f.Choices, f.Default)
			}
		}
		for _, s := range c.Commands {
			walk(path+" "+s.Name, s)
		}
	}
	walk("qd1", manualRoot())
	if flags := manualFlags([]cli.Flag{&cli.BoolFlag{Name: "x", Usage: "y"}}); len(flags) != 2 || flags[0].Value != "" || flags[1].Names[0] != "help" {
		t.Errorf("%+v", flags)
	}
}
