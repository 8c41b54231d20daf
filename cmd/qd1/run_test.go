package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// run runs one command line in this process.
func run(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, msg bytes.Buffer
	e := &env{stdout: &out, stderr: &msg, now: time.Now}
	status = e.run(ctx, args)
	return status, out.String(), msg.String()
}

// Every command that shows something has text and JSON, and what is JSON is
// one object with its schema.
func TestEveryCommand(t *testing.T) {
	for _, words := range []string{
		"list sim:optane-905p", "report --bench=off sim:optane-905p", "smart sim:optane-905p", "errors sim:optane-905p", "link sim:optane-905p",
		"firmware info sim:optane-905p", "id ctrl sim:optane-905p", "id ns sim:optane-905p", "bench --count 100 --warmup 0 sim:optane-905p", "rules", "version",
	} {
		args := strings.Fields(words)
		status, text, stderr := run(t.Context(), args...)
		if status != exitDone || text == "" || stderr != "" {
			t.Errorf("%s: status %d, %d bytes, %s", words, status, len(text), stderr)
		}
		status, out, stderr := run(t.Context(), append(args, "--format", "json")...)
		var v struct{ Schema string }
		if err := json.Unmarshal([]byte(out), &v); err != nil || status != exitDone || stderr != "" || !strings.HasPrefix(v.Schema, "qd1.") {
			t.Errorf("%s: status %d, schema %q, %v, %s", words, status, v.Schema, err, stderr)
		}
	}
}

// Whatever is wrong with a command line, this process goes on: the library
// never ends it, and never writes help among the results.
func TestWrongCommandLines(t *testing.T) {
	for _, words := range []string{
		"nonsense", "help nonsense", "nonsense --help", "--nonsense", "-x", "report --nonsense", "report --bench", "report --timeout=x sim:optane-905p",
		"id", "id nonsense", "firmware", "report sim:nonsense", "rules x", "version --format xml", "--generate-bash-completion", "report --generate-bash-completion",
		"bench sim:optane-905p --qd x", "bench sim:optane-905p --seed -1", "capture x",
	} {
		status, stdout, stderr := run(t.Context(), strings.Fields(words)...)
		if status != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "qd1: error: ") || !strings.Contains(stderr, "\nqd1: hint: ") {
			t.Errorf("%s: status %d\nstdout: %s\nstderr: %s", words, status, stdout, stderr)
		}
	}
}

func TestInterruptedBeforehand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, words := range []string{"report sim:optane-905p", "smart sim:optane-905p", "list sim:optane-905p", "bench sim:optane-905p"} {
		if status, _, stderr := run(ctx, strings.Fields(words)...); status != exitInterrupted {
			t.Errorf("%s: status %d, %s", words, status, stderr)
		}
	}
	file := filepath.Join(t.TempDir(), "x")
	if status, _, _ := run(ctx, "capture", "sim:optane-905p", file); status != exitInterrupted {
		t.Errorf("capture: status %d", status)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an interrupted capture left a file")
	}
}

// Ctrl-C in the middle of a capture leaves no half of one.
func TestInterruptedCapture(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := 0
	e := &env{stdout: io.Discard, stderr: io.Discard, now: func() time.Time {
		if asked++; asked == 4 { // The recording, the report, Identify, then SMART.
			cancel()
		}
		return time.Now()
	}}
	file := filepath.Join(t.TempDir(), "x")
	if status := e.run(ctx, []string{"capture", "sim:optane-905p", file}); status != exitInterrupted || asked < 4 {
		t.Errorf("status %d after %d looks at the clock", status, asked)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an interrupted capture left a file")
	}
}

func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	if err := writeFile(filepath.Join(dir, "missing", "x"), nil); err == nil || !strings.Contains(err.Error(), "cannot write") {
		t.Errorf("got %v", err)
	}
	if err := writeFile("/dev/full", []byte("x")); err == nil {
		t.Error("a full device is no error")
	}
	target := filepath.Join(dir, "folder")
	if err := os.Mkdir(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(target, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// A worker process that cannot start, or ends at once, is an error and no
// hang; its words are not on the user's terminal.
func TestWorkerFails(t *testing.T) {
	e := &env{stdout: io.Discard, stderr: io.Discard, now: time.Now}
	job := bench.QD1Read(0.1)
	spec := bench.Spec{Target: bench.Target{Kind: bench.BlockTarget, Path: "/dev/missing", Bytes: 1 << 20, BlockBytes: 512}, Job: job}
	if res, err := e.runWorker(t.Context(), spec, nil, nil); err == nil || res != nil {
		t.Errorf("missing device: %v, %v", res, err)
	}
	spec.Target = bench.Target{Kind: bench.SimulatedTarget, Path: "nonsense", Bytes: 1 << 20, BlockBytes: 512}
	if _, err := e.runWorker(t.Context(), spec, nil, nil); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("unknown profile: %v", err)
	}
	spec.Job.Engine = "nonsense"
	if _, err := e.runWorker(t.Context(), spec, nil, nil); !errors.Is(err, bench.ErrBadJob) {
		t.Errorf("unknown engine: %v", err)
	}
	var stderr bytes.Buffer
	bad := &env{stdout: io.Discard, stderr: &stderr}
	if status := bad.serveWorker(strings.NewReader("nonsense\n")); status != exitFailed || stderr.Len() != 0 {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

func TestProgressLine(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := &progress{w: &out, now: func() time.Time { return clock }, stop: make(chan struct{}), done: make(chan struct{})}
	if p.line() != "" {
		t.Errorf("before the first step: %q", p.line())
	}
	p.step("reading Identify")
	clock = clock.Add(3 * time.Second)
	if got := p.line(); got != "qd1: reading Identify (3 s)" {
		t.Errorf("got %q", got)
	}
	p50 := 11.94
	for want, b := range map[string]bench.Progress{
		"warming up":                          {WarmingUp: true},
		"no answer from the drive for 2.5 s":  {SilentSeconds: 2.5},
		"measuring: 1 IOPS, 0.0 MB/s, 1 of 3": {IOPS: 1, Seconds: 1, PlannedSeconds: 3},
		"p50 11.9 µs":                         {Latency: bench.Latency{P50: &p50}},
	} {
		p.bench("", b)
		if got := p.line(); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	go p.loop()
	p.end()
	if got := out.String(); !strings.HasSuffix(got, clearLine) {
		t.Errorf("the line is left on the terminal: %q", got)
	}
	if got := cut("µµµµ", 2); got != "µµ" {
		t.Errorf("got %q", got)
	}
	if got := cut("long", 0); got != "long" {
		t.Errorf("got %q", got)
	}
}

// A controller that is not live is not asked; its row has what the host knows.
func TestOpenNode(t *testing.T) {
	for state, want := range map[string]string{"dead": "given up", "deleting": "given up", "resetting": "answers nothing now", "connecting": "answers nothing now"} {
		d := drive(state)
		err := openNode(d)
		var x *exitError
		if !errors.As(err, &x) || x.hint == "" || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "SERIAL") {
			t.Errorf("%s: %v", state, err)
		}
	}
	if err := openNode(drive("live")); err == nil || !strings.Contains(err.Error(), "nvme-missing") {
		t.Errorf("got %v", err)
	}
	err := permissionHint("/dev/nvme0", &os.PathError{Op: "open", Path: "/dev/nvme0", Err: os.ErrPermission})
	if x := exitOf(t.Context(), err); !strings.Contains(x.hint, "/dev/nvme0 belongs to root") || !errors.Is(err, os.ErrPermission) {
		t.Errorf("%v, hint %q", err, x.hint)
	}
}

func TestBlockTarget(t *testing.T) {
	host := drive("live").Host
	if _, why := blockTarget(host, &sysfs.Selection{}); why != "the drive has no namespace with a block device" {
		t.Errorf("got %q", why)
	}
	host.Namespaces = []sysfs.Namespace{{NSID: 1, Block: "missing-a"}, {NSID: 2, Block: "missing-b"}}
	for block, sel := range map[string]*sysfs.Selection{"missing-a": {}, "missing-b": {NSID: 2}, "missing-c": {Block: "missing-c"}} {
		if _, why := blockTarget(host, sel); !strings.Contains(why, "/dev/"+block) {
			t.Errorf("%s: %q", block, why)
		}
	}
}

// The guard stands in front of every drive.
func TestDrivesAreReadOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if status, _, stderr := run(t.Context(), "capture", "sim:optane-905p", file); status != exitDone {
		t.Fatal(stderr)
	}
	for _, selector := range []string{"sim:optane-905p", "replay:" + file} {
		d, err := openDrive(selector)
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Passthru.Submit(t.Context(), &nvme.Command{Queue: nvme.AdminQueue, Opcode: nvme.AdminFormatNVM, NSID: 1})
		if !errors.Is(err, nvme.ErrWouldModify) {
			t.Errorf("%s takes Format NVM: %v", selector, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPaint(t *testing.T) {
	for _, role := range []render.Role{render.Good, render.Warn, render.Bad, render.Strong, render.Dim} {
		if got := paint(role, "x"); !strings.HasPrefix(got, "\x1b[") || !strings.Contains(got, "x") {
			t.Errorf("role %d: %q", role, got)
		}
	}
	if got := paint(render.Plain, "x"); got != "x" {
		t.Errorf("plain: %q", got)
	}
}

func drive(state string) *report.Drive {
	return &report.Drive{Host: &sysfs.Controller{Name: "nvme-missing", State: state, Serial: "SERIAL"}}
}

func TestOutcome(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	good := func() *report.Report {
		r := new(report.Report)
		r.IdentifyController.Data = new(report.IdentifyController)
		r.Verdict.Level = smart.Keep
		return r
	}
	bad, unread, cut, nothing := good(), good(), good(), new(report.Report)
	bad.Verdict.Level = smart.Return
	unread.SMART.Problem = &report.Problem{Text: "no"}
	bad.SMART.Problem = unread.SMART.Problem
	nothing.SMART.Problem = unread.SMART.Problem
	cut.Bench.Data = &report.Bench{QD1Read: &bench.Result{Partial: true}}
	for _, test := range []struct {
		name string
		ctx  context.Context
		flag bool
		r    *report.Report
		want int
	}{
		{"good", t.Context(), true, good(), exitDone}, {"return, not asked", t.Context(), false, bad, exitDone}, {"return wins over unread", t.Context(), true, bad, exitFindings},
		{"unread, not asked", t.Context(), false, unread, exitDone}, {"unread", t.Context(), true, unread, exitPartial}, {"cut short", t.Context(), true, cut, exitPartial},
		{"nothing", t.Context(), false, nothing, exitFailed}, {"interrupted", over, true, bad, exitInterrupted},
	} {
		set := flag.NewFlagSet("x", flag.ContinueOnError)
		set.Bool("exit-code", test.flag, "")
		c := cli.NewContext(nil, set, nil)
		c.Context = test.ctx
		e := &env{stderr: io.Discard}
		if got := e.fail(t.Context(), outcome(&invocation{Context: c, env: e}, test.r), false); got != test.want {
			t.Errorf("%s: status %d, want %d", test.name, got, test.want)
		}
	}
}
