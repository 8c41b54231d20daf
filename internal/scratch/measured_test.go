package scratch

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"qd1.example/qd1/bench"
)

// measure runs a job on a target in this process.
func measure(ctx context.Context, target bench.Target, j bench.Job) (*bench.Result, error) {
	e, err := bench.Open(bench.Spec{Target: target, Job: j})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return bench.Run(ctx, e, target, j, nil)
}

// TestMadeFileIsMeasured preconditions, writes and reads a file made here with
// the engine that is always there.
func TestMadeFileIsMeasured(t *testing.T) {
	f := usable(t, diskDir(t), 4*mib, Options{Reserve: -1})
	plan, err := Precondition(PreconditionFill, f.Target.Bytes-4096, 0, PreconditionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context, j bench.Job) (*bench.Result, error) { return measure(ctx, f.Target, j) }
	done, err := plan.Run(t.Context(), run, nil)
	if err != nil || done.BytesWritten != plan.Bytes || done.Partial {
		t.Fatalf("precondition: %+v, %v, want %d bytes", done, err, plan.Bytes)
	}
	read := bench.Job{Engine: bench.EnginePsync, Op: bench.OpRead, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1, Operations: 200}
	r, err := run(t.Context(), read)
	if err != nil || r.Operations != 200 || r.Errors != 0 || r.BlankPercent == nil || *r.BlankPercent != 0 {
		t.Errorf("reading: %+v, %v", r, err)
	}
	e, err := CheckReadable(f.Target.Path, 0, 0)
	if err != nil || e.Method == MethodFiemap && e.Written != 4*mib {
		t.Errorf("extents are %+v, %v", e, err)
	}
}

// TestExistingFileIsNotWritten holds that the target of a file of the user is
// refused by whoever would write.
func TestExistingFileIsNotWritten(t *testing.T) {
	path := filepath.Join(diskDir(t), "mine")
	data := make([]byte, mib)
	content(data, 1, 0)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	f, err := OpenExisting(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	j := bench.Job{Engine: bench.EnginePsync, Op: bench.OpWrite, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1, Operations: 10}
	if _, err := measure(t.Context(), f.Target, j); err == nil {
		t.Error("it was written to")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(data) {
		t.Errorf("the file has changed, %v", err)
	}
}
