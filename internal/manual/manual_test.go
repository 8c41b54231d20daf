package manual_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/manual"
)

func table() *manual.Command {
	help := manual.Flag{Names: []string{"help", "h"}, Usage: "show help"}
	return &manual.Command{Name: "tool", Short: "it's a tool", Help: "About.\n\nMore about\\it:\n    tool -x", Flags: []manual.Flag{help}, Commands: []manual.Command{
		{Name: "look", Args: "[DRIVE…]", Short: "look at: a drive's state", Help: ".hidden begins with a dot.\n'quoted begins with a quote.", Flags: []manual.Flag{
			{Names: []string{"format", "o"}, Value: "FORMAT", Usage: "`FORMAT` of it", Default: "text", Choices: []string{"text", "json"}},
			{Names: []string{"output"}, Value: "FILE", Usage: ".write it's \"result\" to `FILE`"}, help}},
		{Name: "job", Short: "jobs", Commands: []manual.Command{{Name: "run", Short: "run", Flags: []manual.Flag{{Names: []string{"yes"}, Usage: "agree"}, help}}, {Name: "look", Short: "show"}}},
	}}
}

func written(t *testing.T, write func(io.Writer, *manual.Command) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b, table()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// complete asks the real bash for what may follow the words, the last of which
// is begun.
func complete(t *testing.T, words ...string) []string {
	t.Helper()
	script := written(t, manual.Bash) + `
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _tool
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"`
	cmd := exec.CommandContext(t.Context(), "bash", append([]string{"-c", script, "bash"}, words...)...)
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "capture.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(s string) bool { return strings.HasPrefix(s, "/dev/nvme") })
}

func TestBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	for _, test := range []struct{ words, want string }{
		{"tool ", "look job"},
		{"tool l", "look"},
		{"tool -", "--help -h"},
		{"tool look ", "capture.jsonl"},
		{"tool look cap", "capture.jsonl"},
		{"tool look nothing", ""},
		{"tool look --f", "--format"},
		{"tool look --", "--format --output --help"},
		{"tool look --format ", "text json"},
		{"tool look -o j", "json"},
		{"tool look --output ca", "capture.jsonl"},
		{"tool look file --o", "--output"},
		{"tool job ", "run look"},
		{"tool job run --", "--yes --help"},
		{"tool job run ", ""},
		{"tool job look -", ""},
	} {
		got := strings.Join(complete(t, strings.Split(test.words, " ")...), " ")
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.words, got, test.want)
		}
	}
}

// The shells themselves check the syntax where they are there.
func TestSyntax(t *testing.T) {
	for _, s := range []struct {
		shell string
		write func(io.Writer, *manual.Command) error
	}{{"bash", manual.Bash}, {"zsh", manual.Zsh}, {"fish", manual.Fish}} {
		t.Run(s.shell, func(t *testing.T) {
			if _, err := exec.LookPath(s.shell); err != nil {
				t.Skipf("SKIPPED: there is no %s", s.shell)
			}
			cmd := exec.CommandContext(t.Context(), s.shell, "-n")
			cmd.Stdin = strings.NewReader(written(t, s.write))
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestZsh(t *testing.T) {
	text := written(t, manual.Zsh)
	for _, want := range []string{
		"#compdef tool\n", `('tool look'|'tool job'|'tool job run'|'tool job look') at="$at $words[i]" ;;`,
		`commands+=('look:look at: a drive'\''s state')`, "flags+=('--format:FORMAT of it (default: text)')", "flags+=('-o:FORMAT of it (default: text)')",
		"(--format|-o) compadd -- text json; return ;;", "(--output) _files; return ;;", "\n_tool \"$@\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestFish(t *testing.T) {
	text := written(t, manual.Fish)
	for _, want := range []string{
		"\t\t\tcase 'tool look' 'tool job' 'tool job run' 'tool job look'\n",
		`complete -c tool -n '__tool_at \'tool\'' -a look -d 'look at: a drive\'s state'`,
		`complete -c tool -n '__tool_at \'tool look\'' -l format -s o -x -a 'text json' -d 'FORMAT of it (default: text)'`,
		`complete -c tool -n '__tool_at \'tool look\'' -l output -r -F -d '.write it\'s "result" to FILE'`,
		`complete -c tool -n '__tool_at \'tool job run\'' -l yes -d 'agree'`,
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func page(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := manual.Man(&b, table(), &manual.Page{Version: "1.2-dev", Sections: []manual.Section{{Title: "FILES", Text: "/var: a\n\n/etc: b"}}})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMan(t *testing.T) {
	text := page(t)
	for _, want := range []string{
		".TH TOOL 8 \"\" \"tool 1.2\\-dev\" \"System Administration\"\n", ".SH NAME\ntool \\- it's a tool\n",
		".SH DESCRIPTION\n.PP\nAbout.\n.PP\nMore about\\eit:\n.br\n    tool \\-x\n.br\n",
		".SS \"tool look [DRIVE…]\"\n.PP\nLook at: a drive's state.\n.PP\n\\&.hidden begins with a dot.\n\\&'quoted begins with a quote.\n",
		".TP\n\\fB\\-\\-format\\fR, \\fB\\-o\\fR \\fIFORMAT\\fR\nFORMAT of it (default: text)\n", "\\&.write it's \"result\" to FILE\n", ".SS \"tool job run\"\n",
		".SH \"FILES\"\n.PP\n/var: a\n.PP\n/etc: b\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// groff finds nothing to warn of, and the reader sees what was written.
func TestManIsSet(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("SKIPPED: there is no groff")
	}
	cmd := exec.CommandContext(t.Context(), "groff", "-ww", "-Tutf8", "-k", "-man", "-P-cbou")
	cmd.Stdin = strings.NewReader(page(t))
	var out, complaints strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	for _, want := range []string{"tool - it's a tool", "--format, -o FORMAT", ".hidden begins with a dot.", "More about\\it:", "tool -x", "[DRIVE…]", ".write it's \"result\""} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestSpelled(t *testing.T) {
	f := manual.Flag{Names: []string{"output-format", "o"}}
	if diff := cmp.Diff([]string{"--output-format", "-o"}, f.Spelled()); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsOfTheWriter(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *manual.Command) error{"bash": manual.Bash, "zsh": manual.Zsh, "fish": manual.Fish,
		"man": func(w io.Writer, c *manual.Command) error { return manual.Man(w, c, &manual.Page{}) }} {
		if err := write(full{}, table()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
