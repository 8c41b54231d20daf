package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

func TestArrange(t *testing.T) {
	for _, test := range []struct{ args, want, err string }{
		{"", "", ""},
		{"report sim:x --format json", "report --format json sim:x", ""},
		{"report --format json sim:x", "report --format json sim:x", ""},
		{"report sim:x --format=json --exit-code", "report --format=json --exit-code sim:x", ""},
		{"report sim:x --exit-code -o json", "report --exit-code -o json sim:x", ""},
		{"id ns sim:x -n 2", "id ns -n 2 sim:x", ""},
		{"bench a --seed -1", "bench --seed -1 a", ""},
		{"list a --timeout 1 b", "list --timeout 1 a b", ""},
		{"list - a", "list - a", ""},
		{"smart -- --format json", "smart -- --format json", ""},
		{"smart x -o json -- -y", "smart -o json x -- -y", ""},
		{"smart -- -- x", "smart -- -- x", ""},
		{"report sim:x --unknown", "report --unknown sim:x", ""},
		{"report sim:x --timeout", "", "--timeout needs a value"},
		{"report sim:x --help", "report --help", ""},
		{"id ctrl x -h --format json", "id ctrl --help", ""},
		{"nonsense --help", "--help nonsense", ""},
		{"--version", "--version", ""},
	} {
		got, err := arrange(strings.Fields(test.args), commands())
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%q: error %v, want %s", test.args, err, test.err)
			}
			continue
		}
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%q: got %q, %v; want %q", test.args, got, err, test.want)
		}
	}
}

func TestHelpFirst(t *testing.T) {
	args := []string{"help", "id", "ns"}
	if diff := cmp.Diff([]string{"id", "ns", "--help"}, helpFirst(args)); diff != "" {
		t.Error(diff)
	}
	if args[0] != "help" || args[2] != "ns" {
		t.Errorf("the arguments were changed: %q", args)
	}
}

func TestWantsJSON(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "report": false, "report -o json": true, "report --format=json x": true, "report x -output-format json": true,
		"report --format text": false, "report --format": false, "report -- --format json": false,
		"report -o json -o text": false, "report -o text -o json": true, "report json": false, "report --formats json": false,
	} {
		if got := wantsJSON(strings.Fields(args)); got != want {
			t.Errorf("%q: got %v", args, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"3": 3 * time.Second, "0.5": 500 * time.Millisecond, "200ms": 200 * time.Millisecond, "1m30s": 90 * time.Second, "0": 0, "1e-3": time.Millisecond, "1e9": 1e18,
		"": -1, "soon": -1, "-1": -1, "NaN": -1, "Inf": -1, "1e10": -1, "3 s": -1, "9999999h": -1,
	} {
		got, err := parseDuration(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"4096": 4096, "4KiB": 4096, "4kib": 4096, "4kB": 4000, "1GiB": 1 << 30, "50GB": 50e9, "0": 0, "1.5KiB": 1536,
		"": -1, "4K": -1, "4k": -1, "1M": -1, "4XB": -1, "-1": -1, "8EiB": -1, "big": -1,
	} {
		got, err := parseSize("bs", text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
		var x *exitError
		if err != nil && (!errors.As(err, &x) || x.status != exitUsage || !strings.HasPrefix(err.Error(), "--bs ")) {
			t.Errorf("%q: %v is no usage error of the flag", text, err)
		}
	}
}

func TestExitOf(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		err    error
		status int
		hint   string
	}{
		{"usage", t.Context(), usagef("x"), exitUsage, "--help"},
		{"usage below", t.Context(), fmt.Errorf("a: %w", usagef("x")), exitUsage, "--help"},
		{"usage wins over interrupted", over, usagef("x"), exitUsage, "--help"},
		{"interrupted", over, errors.New("x"), exitInterrupted, ""},
		{"benchmark interrupted", t.Context(), fmt.Errorf("a: %w", bench.ErrInterrupted), exitInterrupted, ""},
		{"selector", t.Context(), &sysfs.SelectError{Cause: "no", Hint: "look"}, exitFailed, "look"},
		{"problem", t.Context(), fmt.Errorf("a: %w", &report.Problem{Text: "no", Hint: "wait"}), exitFailed, "wait"},
		{"benchmark", t.Context(), &bench.Error{Cause: "no", Hint: "try"}, exitFailed, "try"},
		{"status", t.Context(), &nvme.CommandError{Command: "Identify", Status: nvme.StatusInvalidField}, exitFailed, "refused"},
		{"permission", t.Context(), &fs.PathError{Op: "open", Path: "/dev/nvme0", Err: fs.ErrPermission}, exitFailed, "sudo"},
		{"other", t.Context(), errors.New("x"), exitFailed, ""},
	} {
		x := exitOf(test.ctx, test.err)
		if x.status != test.status || test.hint == "" && x.hint != "" || !strings.Contains(x.hint, test.hint) {
			t.Errorf("%s: status %d, hint %q", test.name, x.status, x.hint)
		}
		if x.Error() == "" || x.problem().Text != x.Error() {
			t.Errorf("%s: no text", test.name)
		}
	}
	if k := exitOf(t.Context(), fs.ErrPermission).problem().Kind; k != report.KindPermission {
		t.Errorf("kind %s", k)
	}
}

// The library's own ways to end the program come back as errors.
func TestFromLibrary(t *testing.T) {
	var x *exitError
	if err := fromLibrary(cli.Exit("No help topic for 'x'", 3)); !errors.As(err, &x) || x.status != exitUsage || err.Error() != "no help topic for 'x'" {
		t.Errorf("got %v", err)
	}
	if err := fromLibrary(cli.Exit("", 86)); !errors.As(err, &x) || x.status != exitUsage {
		t.Errorf("got %v", err)
	}
	plain := errors.New("plain")
	if fromLibrary(plain) != plain || fromLibrary(nil) != nil {
		t.Error("another error was changed")
	}
	a := (&env{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer)}).app()
	a.Action = func(*cli.Context) error { return cli.Exit("must not end the test", 3) }
	if err := a.RunContext(t.Context(), []string{"qd1"}); err == nil {
		t.Error("no error")
	}
}

func TestSuggestions(t *testing.T) {
	for word, want := range map[string]string{
		"repot": `; did you mean "report"?`, "rep": `; did you mean "report"?`, "reports": `; did you mean "report"?`, "benchmark": `; did you mean "bench"?`,
		"smrt": `; did you mean "smart"?`, "xyzzy": "", "l": "", "ix": "",
		"/dev/nvme0": `; did you mean "qd1 report /dev/nvme0"?`, "nvme0": `; did you mean "qd1 report nvme0"?`, "sim:optane-905p": `; did you mean "qd1 report sim:optane-905p"?`,
	} {
		if got := suggestion(word, commands()); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	for a, want := range map[string]int{"": 5, "bench": 0, "bnech": 2, "benc": 1, "benchs": 1, "lunch": 2, "qd1": 5} {
		if got := distance(a, "bench"); got != want {
			t.Errorf("from %q: %d, want %d", a, got, want)
		}
	}
	if got := flagSuggestion("-qd1", benchCommand().flags); got != "; did you mean --qd?" {
		t.Errorf("got %q", got)
	}
}

func TestColours(t *testing.T) {
	for _, test := range []struct {
		mode, noColor, term string
		terminal, want      bool
	}{
		{"auto", "", "xterm", true, true}, {"auto", "", "xterm", false, false}, {"auto", "1", "xterm", true, false}, {"auto", "", "dumb", true, false},
		{"always", "1", "dumb", false, true}, {"never", "", "xterm", true, false},
	} {
		t.Setenv("NO_COLOR", test.noColor)
		t.Setenv("TERM", test.term)
		if got := colours(test.mode, test.terminal); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
}

// Every exit status of the program is explained.
func TestExitStatusesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "exit-status.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{exitDone, exitFailed, exitUsage, exitFindings, exitPartial, exitRefused, exitUnproven, exitUndecided, exitWorking, exitInterrupted} {
		if !strings.Contains(string(doc), fmt.Sprintf("\n| %d | ", status)) {
			t.Errorf("exit status %d is not in docs/exit-status.md", status)
		}
	}
}

// The command table is complete: what may reach a drive says so, and every
// command has its help, its flags and an end.
func TestCommandTable(t *testing.T) {
	var walk func(path string, table []command)
	walk = func(path string, table []command) {
		for _, c := range table {
			name := path + " " + c.name
			if c.short == "" || !slices.Contains([]access{reads, told, destroys, none}, c.access) || c.run == nil && len(c.below()) == 0 {
				t.Errorf("%s: %+v", name, c)
			}
			if c.access == reads && !strings.Contains(describe(c), "Only reads from the drive.") {
				t.Errorf("%s: its help does not say that it only reads", name)
			}
			if c.access == destroys && c.run != nil && !(takesValue(c, "--expect-bytes") && strings.Contains(describe(c), "Destroys data")) {
				t.Errorf("%s: no flags of consent, or its help does not say that it destroys", name)
			}
			if c.access == told && !(takesValue(c, "--expect-bytes") && strings.Contains(describe(c), "only if it is told to")) {
				t.Errorf("%s: no flags of consent, or its help does not say when it writes", name)
			}
			if c.access == reads && !takesValue(c, "--timeout") && name != "qd1 erase status" {
				t.Errorf("%s: no --timeout", name)
			}
			for _, f := range c.flags {
				if d, ok := f.(cli.DocGenerationFlag); !ok || d.GetUsage() == "" {
					t.Errorf("%s: flag %v has no help", name, f.Names())
				}
			}
			walk(name, c.below())
		}
	}
	walk("qd1", commands())
}

func TestJustReads(t *testing.T) {
	for line, want := range map[string]bool{
		"report /dev/nvme0": true, "smart": true, "id ctrl /dev/nvme0": true, "list": true,
		"erase plan X": true, "erase run X": false, "bench x": false, "format X": false, "compare a b": false, "id": false, "nothing": false, "": false, "--version": false,
	} {
		if got := justReads(strings.Fields(line), commands()); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

// TestOutlined holds that a start makes the flags of the command that is named and
// of no other, and that the help of the program is the same.
func TestOutlined(t *testing.T) {
	for line, want := range map[string]string{"report x --brief": "report", "id ctrl x": "id", "--version erase": "erase", "x report": "", "": "", "--version": ""} {
		for _, c := range outlined(commands(), strings.Fields(line)) {
			if whole := c.flags != nil || c.subs != nil; whole != (c.name == want) || c.short == "" {
				t.Errorf("%q: %s: whole %t", line, c.name, whole)
			}
		}
	}
	var whole, short bytes.Buffer
	for out, table := range map[*bytes.Buffer][]command{&whole: commands(), &short: outlined(commands(), nil)} {
		if err := (&env{stdout: out}).appOf(table).Run([]string{"qd1", "--help"}); err != nil {
			t.Fatal(err)
		}
	}
	if whole.String() != short.String() || !strings.Contains(short.String(), "report") {
		t.Errorf("help of the outlined table:\n%s\nwant:\n%s", short.String(), whole.String())
	}
}

// TestNoArguments: no command crashes for want of its arguments.
func TestNoArguments(t *testing.T) {
	var walk func(path []string, list []command)
	walk = func(path []string, list []command) {
		for _, c := range list {
			words := append(slices.Clone(path), c.name)
			walk(words, c.below())
			// Those work without an argument: they look at this computer, or wait.
			if c.run == nil || c.maxArgs == 0 {
				continue
			}
			e := &env{stdin: strings.NewReader(""), stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), now: time.Now}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			e.run(ctx, words)
			cancel()
		}
	}
	walk(nil, commands())
}
