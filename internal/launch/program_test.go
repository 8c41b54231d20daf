package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// shell returns a shell with a script and options, ready to run.
func shell(t *testing.T, script string, o Options) program {
	t.Helper()
	o, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProgram(sh(script), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWallTime: the time ends with the program or with the text, not with the
// processes that are left or the patience that ending it takes.
func TestWallTime(t *testing.T) {
	tests := []struct {
		name, script, until string
		least               float64
	}{
		{"a program", "sleep 0.05", "", 50},
		{"one that leaves another", "sleep 30 & sleep 0.05", "", 50},
		{"a text", "sleep 0.05; echo ready; sleep 30", "ready", 50},
		{"a text of one that does not want to end", "trap '' TERM; echo ready; while :; do sleep 1; done", "ready", 0},
		{"a text at the very end", "sleep 0.05; printf ready", "ready", 50},
	}
	for _, tt := range tests {
		p := shell(t, tt.script, Options{Until: tt.until})
		p.grace = 10 * time.Millisecond
		got, err := p.run(t.Context(), nil)
		if err != nil || got.WallMS < tt.least || got.WallMS > 25000 {
			t.Errorf("%s: %+v, %v, want from %v ms", tt.name, got, err, tt.least)
		}
	}
}

// TestAskedToEnd: a program is asked to end before it is killed, so that it can
// put its things away.
func TestAskedToEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	p := shell(t, "trap 'echo tidy >"+file+"; exit 0' TERM; echo ready; while :; do sleep 0.01; done", Options{Until: "ready"})
	p.grace = 20 * time.Second
	if _, err := p.run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); string(text) != "tidy\n" {
		t.Errorf("the program left %q, %v, want that it tidied up", text, err)
	}
}

// TestStatusAfterText: how a program ends that was ended does not matter, and
// one that fails before the text has failed.
func TestStatusAfterText(t *testing.T) {
	if _, err := shell(t, "echo ready; exit 3", Options{Until: "ready"}).run(t.Context(), nil); err != nil {
		t.Errorf("a failure after the text: %v, want none", err)
	}
	_, err := shell(t, "echo no >&2; exit 3", Options{Until: "ready"}).run(t.Context(), nil)
	var failed *FailedError
	if !errors.As(err, &failed) || failed.Stderr != "no\n" {
		t.Errorf("a failure before the text: %v, want it", err)
	}
}

// TestStreams: a program has nothing to read, and its output is nobody's unless
// a text is waited for.
func TestStreams(t *testing.T) {
	tests := []struct{ name, script, until string }{
		{"no input", "! read line", ""},
		{"output to nowhere", `test "$(readlink /proc/$$/fd/1)" = /dev/null`, ""},
		{"output to us", `case $(readlink /proc/$$/fd/1) in pipe:*) echo ready;; esac`, "ready"},
		{"error output to us", `case $(readlink /proc/$$/fd/2) in pipe:*) exit 0;; esac; exit 1`, ""},
	}
	for _, tt := range tests {
		if _, err := shell(t, tt.script, Options{Until: tt.until}).run(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestGroup: a program has a process group of its own, so that what ends it ends
// its children and not us.
func TestGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if _, err := shell(t, "cut -d' ' -f5 /proc/$$/stat >"+file+"; echo $$ >>"+file, Options{}).run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	lines := strings.Fields(string(text))
	if err != nil || len(lines) != 2 || lines[0] != lines[1] {
		t.Errorf("group and process = %q, %v, want the same", lines, err)
	}
}

// TestNoDescriptorsLeft: runs of every ending give back what they took.
func TestNoDescriptorsLeft(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	ended, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	all := func() {
		_, _ = shell(t, "exit 0", Options{}).run(t.Context(), nil)
		_, _ = shell(t, "exit 1", Options{Until: "x"}).run(t.Context(), nil)
		_, _ = shell(t, "echo x; sleep 9", Options{Until: "x"}).run(t.Context(), nil)
		_, _ = shell(t, "sleep 9", Options{Timeout: time.Millisecond}).run(t.Context(), nil)
		_, _ = shell(t, "sleep 9", Options{}).run(ended, nil)
		_, _ = shell(t, "", Options{Dir: "/nowhere"}).run(t.Context(), nil)
	}
	all()
	before := count()
	all()
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// TestNoDescriptors: without free descriptors a run fails, and says why.
func TestNoDescriptors(t *testing.T) {
	p := shell(t, "exit 0", Options{Until: "x"})
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	// fd is the lowest free number: 0, 1, 2 or 3 pipe ends fit below the limit.
	for spare := range 4 {
		low := limit
		low.Cur = uint64(fd + spare)
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
			t.Fatal(err)
		}
		_, err := p.run(t.Context(), nil)
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(err, syscall.EMFILE) {
			t.Errorf("%d free: %v, want %v", spare, err, syscall.EMFILE)
		}
	}
}

func TestExecutable(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub", "tool"), "#!/bin/sh\n")
	write(t, filepath.Join(dir, "sub", "data"), "x")
	if err := os.Chmod(filepath.Join(dir, "sub", "data"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "sub"))
	t.Chdir(dir)
	tests := []struct{ name, dir, want string }{
		{"tool", "", dir + "/sub/tool"},
		{"tool", "/", dir + "/sub/tool"},
		{"sub/tool", "", dir + "/sub/tool"},
		{"./sub/tool", "", dir + "/sub/tool"},
		{"./tool", dir + "/sub", dir + "/sub/tool"},
		{dir + "/sub/tool", "/", dir + "/sub/tool"},
		{"./tool", "", ""},
		{"data", "", ""},
		{"sub/data", "", ""},
		{"sub", "", ""},
	}
	for _, tt := range tests {
		got, err := executable(tt.name, tt.dir)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("executable(%q, %q) = %q, %v, want %q", tt.name, tt.dir, got, err, tt.want)
		}
	}
}

func TestFailedError(t *testing.T) {
	tests := []struct{ stderr, want string }{
		{"", "the program failed: exit status 1"},
		{"\n \n", "the program failed: exit status 1"},
		{"one\ntwo\n\n", "the program failed: exit status 1: two"},
	}
	for _, tt := range tests {
		if got := (&FailedError{Status: "exit status 1", Stderr: tt.stderr}).Error(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.stderr, got, tt.want)
		}
	}
}

func TestRunOf(t *testing.T) {
	if got := runOf(1234567*time.Nanosecond, nil); got != (Run{WallMS: 1.235}) {
		t.Errorf("without a state: %+v", got)
	}
	x := &process{output: &output{stderr: &pipe{}}}
	if err := x.judge(nil, ""); err == nil {
		t.Error("a program whose end is not known counts")
	}
}
