package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/sysfs"
)

// inEnglish runs tests in the C locale, whatever that of the computer is, and
// keeps records and journals in a folder that is removed.
type inEnglish struct{ *testing.M }

func (m inEnglish) Run() int {
	os.Setenv("LC_ALL", "C")
	dir, err := os.MkdirTemp("", "qd1-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_STATE_HOME", dir)
	return m.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(inEnglish{m}, map[string]func(){"qd1": main, "peak": peak})
}

// peak is "peak FILE program arguments…": it runs a program that begins in so small
// a process that the most memory, written to the file in MB, is the program's own.
func peak() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		panic(err)
	}
	mb := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	if err := os.WriteFile(os.Args[1], []byte(strconv.FormatInt(mb, 10)), 0o600); err != nil {
		panic(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// TestScripts runs the command line as users and scripts do.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "interrupt": interrupt, "json": checkJSON, "samejson": sameJSON, "length": length, "make": makeFile, "pipe": makePipe, "replace": replaceInFile,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "odirect":
				return directIO(t.TempDir()), nil
			case "nvme":
				names, err := sysfs.Names(os.DirFS("/sys"))
				return len(names) > 0, err
			case "root":
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("TERM", "xterm")
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state") // Not the journal of this computer.
			e.Setenv("NO_COLOR", "")
			e.Setenv("GORACE", noSleep)
			return nil
		},
	})
}

// replaceInFile replaces a text in a file: OLD NEW FILE.
func replaceInFile(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	b := ts.ReadFile(args[2])
	if !strings.Contains(b, args[0]) {
		ts.Fatalf("%s has no %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(b, args[0], args[1])), 0o600))
}

// noSleep keeps programs with the race detector from waiting a second before
// they end.
const noSleep = "atexit_sleep_ms=0"

// directIO reports whether files of a folder can be read around the cache.
func directIO(dir string) bool {
	path := dir + "/direct"
	if os.WriteFile(path, make([]byte, 4096), 0o600) != nil {
		return false
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		return false
	}
	return unix.Close(fd) == nil
}

// outcome of "STATUS[/TIME[/MEMORY]]": the exit status, the longest time, and
// the most memory in MB, 0 if it does not count.
type expectation struct {
	status int
	limit  time.Duration
	memory int
}

func expect(ts *testscript.TestScript, text string) expectation {
	parts := strings.Split(text, "/")
	status, err := strconv.Atoi(parts[0])
	ts.Check(err)
	x := expectation{status: status, limit: time.Minute}
	if len(parts) > 1 {
		x.limit, err = time.ParseDuration(parts[1])
		ts.Check(err)
	}
	if len(parts) > 2 {
		x.memory, err = strconv.Atoi(parts[2])
		ts.Check(err)
	}
	return x
}

// exits is "exits STATUS[/TIME[/MEMORY]] program arguments…".
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS[/TIME[/MEMORY]] program arguments...")
	}
	runProgram(ts, expect(ts, args[0]), nil, args[1:])
}

// interrupt is "interrupt STATUS[/TIME] WHEN program arguments…": Ctrl-C after a
// time, or when it is so that "fills:FILE" or "says:TEXT".
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt STATUS[/TIME] WHEN program arguments...")
	}
	x := expect(ts, args[0])
	runProgram(ts, x, func(p *program) {
		p.wait(ts, args[1])
		ts.Check(p.Process.Signal(os.Interrupt))
		p.start = time.Now()
	}, args[2:])
}

// program is a program that runs.
type program struct {
	*exec.Cmd
	start          time.Time
	stdout, stderr syncBuffer
}

// syncBuffer is a buffer that can be read while a program writes.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// wait waits for a time or until a condition holds. That a program needs longer to
// come so far is no failure.
func (p *program) wait(ts *testscript.TestScript, when string) {
	var holds func() bool
	kind, value, _ := strings.Cut(when, ":")
	switch kind {
	case "fills":
		holds = func() bool { info, err := os.Stat(ts.MkAbs(value)); return err == nil && info.Size() > 0 }
	case "says":
		holds = func() bool { return strings.Contains(p.stdout.String()+p.stderr.String(), value) }
	default:
		after, err := time.ParseDuration(when)
		ts.Check(err)
		time.Sleep(after)
		return
	}
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("not within a minute: %s\nstdout: %s\nstderr: %s", when, p.stdout.String(), p.stderr.String())
		}
	}
}

// runProgram runs a program to its end; meanwhile, if it is not nil, is what
// happens in between.
func runProgram(ts *testscript.TestScript, want expectation, meanwhile func(*program), args []string) {
	peakFile := ""
	if want.memory > 0 {
		peakFile = filepath.Join(ts.MkAbs("."), ".peak")
		args = append([]string{"peak", peakFile}, args...)
	}
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	p := &program{Cmd: exec.Command(path, args[1:]...)}
	p.Dir, p.Stdout, p.Stderr = ts.MkAbs("."), &p.stdout, &p.stderr
	p.Env = append(os.Environ(), "LC_ALL="+ts.Getenv("LC_ALL"), "LANG="+ts.Getenv("LANG"), "TERM="+ts.Getenv("TERM"), "NO_COLOR="+ts.Getenv("NO_COLOR"), "GORACE="+noSleep,
		"XDG_STATE_HOME="+ts.Getenv("XDG_STATE_HOME"))
	p.start = time.Now()
	ts.Check(p.Start())
	if meanwhile != nil {
		meanwhile(p)
	}
	err = p.Wait()
	took := time.Since(p.start)
	stdout, stderr := p.stdout.String(), p.stderr.String()
	fmt.Fprint(ts.Stdout(), stdout)
	fmt.Fprint(ts.Stderr(), stderr)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	switch got := p.ProcessState.ExitCode(); {
	case got != want.status:
		ts.Fatalf("exit status %d, want %d\nstdout: %s\nstderr: %s", got, want.status, stdout, stderr)
	case took > want.limit:
		ts.Fatalf("took %v, want at most %v", took, want.limit)
	case want.memory > 0:
		checkPeak(ts, peakFile, want.memory)
	}
}

// checkPeak holds the memory that a program used, in MB, against the most.
func checkPeak(ts *testscript.TestScript, file string, most int) {
	used, err := strconv.Atoi(ts.ReadFile(file))
	ts.Check(err)
	if used > most {
		ts.Fatalf("used %d MB, want at most %d", used, most)
	}
}

// object reads a file, or stdout or stderr, that must be one JSON object.
func object(ts *testscript.TestScript, file string) map[string]any {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("%s has more than one JSON object", file)
	}
	return v
}

// checkJSON is "json FILE PATH=VALUE…": VALUE is "*" for anything but null.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: json FILE PATH=VALUE...")
	}
	v := object(ts, args[0])
	for _, check := range args[1:] {
		path, want, _ := strings.Cut(check, "=")
		got, ok := lookUp(v, path)
		text := fmt.Sprint(got)
		if got == nil {
			text = "null"
		}
		if !ok || text != want && (want != "*" || got == nil) {
			ts.Fatalf("%s: %s is %s, want %s", args[0], path, text, want)
		}
	}
}

func lookUp(v any, path string) (any, bool) {
	for _, key := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			inner, ok := x[key]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// sameJSON is "samejson FILE1 FILE2 PATH…": equal but for the paths, which
// must be there.
func sameJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: samejson FILE1 FILE2 PATH...")
	}
	a, b := object(ts, args[0]), object(ts, args[1])
	for _, path := range args[2:] {
		for _, v := range []map[string]any{a, b} {
			parent, key := v, path
			if i := strings.LastIndex(path, "."); i >= 0 {
				inner, _ := lookUp(v, path[:i])
				parent, key = inner.(map[string]any), path[i+1:]
			}
			if _, ok := parent[key]; !ok {
				ts.Fatalf("no %s", path)
			}
			delete(parent, key)
		}
	}
	if diff := cmp.Diff(a, b); diff != "" {
		ts.Fatalf("%s and %s differ:\n%s", args[0], args[1], diff)
	}
}

// length is "length FILE BYTES".
func length(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: length FILE BYTES")
	}
	if got := strconv.Itoa(len(ts.ReadFile(args[0]))); got != args[1] {
		ts.Fatalf("%s has %s bytes, want %s", args[0], got, args[1])
	}
}

// makeFile is "make KIND FILE MB": files that are too large for the archive.
func makeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: make random|junk|longline FILE MB")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	defer f.Close()
	source := rand.NewChaCha8([32]byte{1})
	switch args[0] {
	case "random":
	case "junk":
		fmt.Fprintf(f, "%s\n", `{"capture":"qd1/1","controller":"nvme0"}`)
	case "longline":
		fmt.Fprintf(f, "%s\n%s", `{"capture":"qd1/1","controller":"nvme0"}`, `{"queue":"admin","opcode":6,"data":"`)
	default:
		ts.Fatalf("unknown kind %s", args[0])
	}
	for range n {
		b := make([]byte, 1<<20)
		source.Read(b)
		if args[0] == "longline" {
			b = slices.Repeat([]byte("A"), 1<<20)
		}
		_, err := f.Write(b)
		ts.Check(err)
	}
}

// makePipe makes a named pipe.
func makePipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: pipe name")
	}
	ts.Check(unix.Mkfifo(ts.MkAbs(args[0]), 0o600))
}
