package vmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// faultKind is a fault script and how the commands of qd1 end with a drive that
// follows it: the exit statuses of report --exit-code and bench, and whether the
// row of the list has an error. The exit status of list is always 0.
type faultKind struct {
	name, admin, io string
	report          []int
	bench           int
	failedRow       bool
	// breaks says that the kernel has to connect again.
	breaks bool
}

// faultKinds has each kind of fault. The fault of the admin queue meets Get Log
// Page of the SMART log, that of the I/O queues reads. A flipped bit may be a
// critical warning. The kernel hides a connection that is lost once.
var faultKinds = []faultKind{
	{name: "delay", admin: `"do":"delay","ms":300`, io: `"do":"delay","ms":5`, report: []int{0}},
	{name: "status", admin: `"do":"status","status":6`, io: `"do":"status","status":641`, report: []int{4}, bench: 1, failedRow: true},
	{name: "corrupt", admin: `"do":"corrupt"`, io: `"do":"corrupt"`, report: []int{0, 3}},
	{name: "short", admin: `"do":"short"`, io: `"do":"short"`, report: []int{0}},
	{name: "disconnect", admin: `"do":"disconnect"`, io: `"do":"disconnect","times":1`, report: []int{4}, failedRow: true, breaks: true},
	{name: "reset", admin: `"do":"reset"`, io: `"do":"reset","times":1`, report: []int{4}, failedRow: true, breaks: true},
	{name: "power-loss", admin: `"do":"power-loss"`, io: `"do":"power-loss","times":1`, report: []int{4}, failedRow: true, breaks: true},
	{name: "silence", admin: `"do":"silence"`, io: `"do":"silence"`, report: []int{4}, bench: 1, failedRow: true, breaks: true},
}

// file writes the script and returns its path. The first reads have no fault,
// so that the kernel can look for partitions.
func (f faultKind) file(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.name)
	text := fmt.Sprintf(`{"when":{"queue":"admin","opcode":2,"log_id":2},%s}`+"\n"+
		`{"when":{"queue":"io","opcode":2,"after_count":60},%s}`+"\n", f.admin, f.io)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// faultTimeout is the longest time-out of the commands, faultSlack what they
// may take besides.
const (
	faultTimeout = 3 * time.Second
	faultSlack   = 5 * time.Second
)

// faultCommands are the commands with their arguments, but for the drive.
var faultCommands = []struct {
	name string
	args []string
}{
	{"list", []string{"list", "--timeout", "2s", "--format", "json"}},
	{"report", []string{"report", "--exit-code", "--timeout", "3s", "--bench=off", "--format", "json"}},
	{"bench", []string{"bench", "--timeout", "2s", "--count", "120", "--warmup", "0", "--format", "json"}},
}

// ran is a command of qd1 that ended.
type ran struct {
	exit           int
	stdout, stderr string
	took           time.Duration
}

// run runs the program on this computer.
func run(t *testing.T, program string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return ran{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(start)}
}

// TestFaults lets simulated drives in process follow each kind of fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	program := vmtest.Build(t, "cmd/qd1")
	for _, f := range faultKinds {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			drive := "sim:" + modernProfile + "?faults=" + url.QueryEscape(f.file(t))
			for _, c := range faultCommands {
				f.check(t, c.name, run(t, program, append(slices.Clone(c.args), drive)...))
			}
		})
	}
}

// check checks how a command ended.
func (f faultKind) check(t *testing.T, name string, got ran) {
	t.Helper()
	want := map[string][]int{"report": f.report, "list": {0}, "bench": {f.bench}}[name]
	if !slices.Contains(want, got.exit) {
		t.Errorf("%s: exit status %d, want %v:\n%s", name, got.exit, want, got.stderr)
	}
	if got.took > faultTimeout+faultSlack {
		t.Errorf("%s: took %v, want at most %v and %v", name, got.took, faultTimeout, faultSlack)
	}
	if all := got.stdout + got.stderr; strings.Contains(all, "panic") || strings.Contains(all, "goroutine ") {
		t.Errorf("%s: crashed:\n%s", name, all)
	}
	if name == "list" && got.exit == 0 {
		if rows := rowErrors(t, got.stdout); len(rows) != 1 || rows[0] != f.failedRow {
			t.Errorf("list: rows with an error: %v, want %t:\n%s", rows, f.failedRow, got.stdout)
		}
	}
}

// TestServedFaults lets drives that the kernel drives follow each kind of fault.
// Their namespaces have no identifiers: the kernel takes no two of the same.
//
// It has no other machine beside it: the commands have limits of time.
func TestServedFaults(t *testing.T) {
	vmtest.Require(t)
	files := map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")}
	var profiles []string
	for _, f := range faultKinds {
		files["/faults/"+f.name] = f.file(t)
		profiles = append(profiles, "'"+oldProfile+"?faults=/faults/"+f.name+"'")
	}
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat", "seq"},
		Files:    files,
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
	})
	var jobs jobList
	addServer(&jobs, strings.Join(profiles, " "))
	for i, f := range faultKinds {
		profile := oldProfile
		if i > 0 {
			profile += fmt.Sprintf("-%d", i+1)
		}
		jobs.shell(f.name, connectAlone(profile), "echo ${device#/dev/} >/tmp/"+f.name, "test -b ${device}n1")
		for i, c := range faultCommands {
			if f.breaks && i > 0 {
				jobs.shell(f.name+": before "+c.name, "until grep -q live /sys/class/nvme/$(cat /tmp/"+f.name+")/state; do sleep 0.05; done")
			}
			jobs.shell(f.name+": "+c.name, "exec qd1 "+strings.Join(c.args, " ")+" /dev/$(cat /tmp/"+f.name+")")
		}
	}
	// Nobody disconnects: the kernel would wait for the silent drive.
	jobs.shell("end", "kill -TERM $(cat /tmp/pid)", "until test -s /tmp/status; do sleep 0.05; done", "cat /tmp/status /tmp/said")
	res := vm.Run(jobs...)
	for _, f := range faultKinds {
		t.Run(f.name, func(t *testing.T) {
			res.With(t).Output(f.name)
			for i, c := range faultCommands {
				if f.breaks && i > 0 {
					res.With(t).Output(f.name + ": before " + c.name)
				}
				got := res.With(t).Get(f.name + ": " + c.name)
				f.check(t, c.name, ran{got.Exit, string(got.Stdout), string(got.Stderr), got.Ended - got.Started})
			}
		})
	}
	t.Run("End", func(t *testing.T) { checkServerEnd(t, res.With(t)) })
}

// rowErrors tells of each row of a list whether it has an error.
func rowErrors(t *testing.T, list string) []bool {
	t.Helper()
	var l struct {
		Drives []struct {
			Serial string
			Error  any
		}
	}
	if err := json.Unmarshal([]byte(list), &l); err != nil {
		t.Fatal(err)
	}
	var failed []bool
	for _, d := range l.Drives {
		failed = append(failed, d.Error != nil || d.Serial == "")
	}
	return failed
}

// TestListManyDrives makes the list of 32 drives that take 50 ms for an answer,
// the seventh of which never answers. It costs its own row alone.
func TestListManyDrives(t *testing.T) {
	program := vmtest.Build(t, "cmd/qd1")
	file := filepath.Join(t.TempDir(), "slow")
	if err := os.WriteFile(file, []byte(`{"when":{"queue":"admin"},"do":"delay","ms":50}`), 0o644); err != nil {
		t.Fatal(err)
	}
	const drives, silent, limit = 32, 7, 500 * time.Millisecond
	args := []string{"list", "--timeout", "2s", "--format", "json"}
	for range drives - 1 {
		args = append(args, "sim:"+modernProfile+"?faults="+url.QueryEscape(file))
	}
	best := time.Minute
	for range 5 { // The computer may do other things meanwhile.
		got := run(t, program, args...)
		if rows := rowErrors(t, got.stdout); got.exit != 0 || len(rows) != drives-1 {
			t.Fatalf("exit status %d, %d rows:\n%s", got.exit, len(rows), got.stderr)
		}
		if best = min(best, got.took); best < limit {
			break
		}
	}
	if best >= limit {
		t.Errorf("the list of %d drives took %v at best, want less than %v", drives-1, best, limit)
	}

	all := append(append(append([]string{}, args[:5+silent]...), "sim:"+modernProfile+"?silent=admin"), args[5+silent:]...)
	got := run(t, program, all...)
	rows := rowErrors(t, got.stdout)
	if got.exit != 0 || len(rows) != drives {
		t.Fatalf("exit status %d, %d rows, want 0, %d:\n%s", got.exit, len(rows), drives, got.stderr)
	}
	for i, failed := range rows {
		if failed != (i == silent) {
			t.Errorf("row %d: an error: %t, want %t", i, failed, i == silent)
		}
	}
	if took := got.took; took < 2*time.Second || took > 2*time.Second+faultSlack {
		t.Errorf("the list with a silent drive took %v, want about its time-out, 2 s", took)
	}
}
