package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/sim"
)

// workerArgument makes the program a worker: it measures what it is told on
// standard input and answers on standard output.
const workerArgument = "bench-worker"

// serveWorker is the main function of a worker. What fails is told on standard
// output; the parent says it to the user.
func (e *env) serveWorker(in io.Reader) int {
	if err := bench.Serve(context.Background(), in, e.stdout, openEngine); err != nil {
		return exitFailed
	}
	return exitDone
}

// openEngine reads a simulated drive in its own way, in place of the default
// engine, which needs a file.
func openEngine(s bench.Spec) (bench.Engine, error) {
	if s.Target.Kind != bench.SimulatedTarget || s.Job.Engine != bench.EnginePsync {
		return bench.Open(s)
	}
	d, err := sim.Open(s.Target.Path)
	if err != nil {
		return nil, err
	}
	return bench.NewReaderAt("sim", d), nil
}

// runWorker measures in a process of its own, made from this program's binary,
// so that a drive that hangs a thread in the kernel hangs nothing else. A
// worker that does not end is left behind: it dies with its last system call.
func (e *env) runWorker(ctx context.Context, s bench.Spec, observe bench.Observer) (*bench.Result, error) {
	w := &exec.Cmd{
		Path:        "/proc/self/exe", // Also after an update has replaced the file.
		Args:        []string{"qd1", workerArgument},
		Env:         append(os.Environ(), bench.WorkerEnv(s.Job.Workers)...),
		SysProcAttr: &unix.SysProcAttr{Setpgid: true},
	}
	if f, ok := e.stderr.(*os.File); ok {
		w.Stderr = f
	}
	in, err := w.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := w.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.Start(); err != nil {
		return nil, fmt.Errorf("start the measuring process: %w", err)
	}
	res, err := bench.Converse(ctx, in, out, s, observe)
	in.Close()
	if err == nil {
		return res, w.Wait()
	}
	w.Process.Kill()
	go w.Wait() // It may take as long as the kernel does.
	return res, err
}
