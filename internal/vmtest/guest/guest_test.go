package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest/wire"
)

func TestRunJob(t *testing.T) {
	tests := []struct {
		name string
		job  wire.Job
		want wire.Result
	}{
		{"success", wire.Job{Argv: []string{"/bin/sh", "-c", "echo out; echo err >&2"}},
			wire.Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"status", wire.Job{Argv: []string{"/bin/sh", "-c", "exit 3"}}, wire.Result{Exit: 3}},
		{"environment", wire.Job{Argv: []string{"/bin/sh", "-c", "echo $X"}, Env: []string{"X=1"}},
			wire.Result{Stdout: []byte("1\n")}},
		{"time-out", wire.Job{Argv: []string{"/bin/sh", "-c", "echo begun; sleep 60"}, Timeout: 300 * time.Millisecond},
			wire.Result{Exit: -1, Signal: "killed", TimedOut: true, Stdout: []byte("begun\n")}},
		{"signal", wire.Job{Argv: []string{"/bin/sh", "-c", "kill -TERM $$"}},
			wire.Result{Exit: -1, Signal: "terminated"}},
		{"nothing to run", wire.Job{}, wire.Result{Exit: -1, Error: "no program given"}},
	}
	for _, tt := range tests {
		got := runJob(tt.job)
		if got.Ended < got.Started {
			t.Errorf("%s: ended at %v, before the start at %v", tt.name, got.Ended, got.Started)
		}
		got.Started, got.Ended = 0, 0
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestRunJobAbsent(t *testing.T) {
	if got := runJob(wire.Job{Argv: []string{"/no/such/program"}}); got.Exit != -1 || got.Error == "" {
		t.Errorf("a program that does not exist: %+v", got)
	}
}

func TestExpandKeepsOtherBraces(t *testing.T) {
	in := []string{"{nvme:NO-SUCH-SERIAL}", "{x}", ""}
	if diff := cmp.Diff(in, expand(in)); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestWaitFor(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "node1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := waitFor([]string{dir + "/node*"}, time.Second); err != nil {
		t.Error(err)
	}
	err := waitFor([]string{dir + "/absent"}, 10*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("a file that does not come: got %v", err)
	}
}

func TestArchive(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "cov"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cov", "counters"), []byte("12"), 0o644); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := archive(&buf, dir); err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(&buf); ; {
		h, err := tr.Next()
		if err == io.EOF {
			t.Fatal("cov/counters is not in the archive")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name != "cov/counters" {
			continue
		}
		if body, err := io.ReadAll(tr); err != nil || string(body) != "12" {
			t.Errorf("cov/counters: got %q, %v", body, err)
		}
		return
	}
}

func TestReadPlanWithout(t *testing.T) {
	if _, err := os.Stat(wire.PlanPath); err == nil {
		t.Skip("this computer has " + wire.PlanPath)
	}
	if _, err := readPlan(); err == nil {
		t.Error("no plan: no error")
	}
}
