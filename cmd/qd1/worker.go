package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

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
	if isScanWorker() {
		return e.serveScan(in)
	}
	if err := bench.Serve(context.Background(), in, e.stdout, openEngine); err != nil {
		return exitFailed
	}
	return exitDone
}

// openEngine reads and writes a simulated drive in its own way, in place of the
// engines that need a file.
func openEngine(s bench.Spec) (bench.Engine, error) {
	if s.Target.Kind != bench.SimulatedTarget || s.Job.Engine != bench.EnginePsync && s.Job.Engine != bench.EngineUring {
		return bench.Open(s)
	}
	d, err := sim.Open(s.Target.Path)
	if err != nil {
		return nil, err
	}
	return bench.NewTimed("sim", d), nil
}

// claimedDescriptor is the number that the claimed device has in a worker: the
// first after the standard three.
const claimedDescriptor = 3

// workerEnd is how long a worker that writes to a drive may take to end before
// the drive is given back.
const workerEnd = 30 * time.Second

// runWorker measures in a process of its own, made from this program's binary,
// so that a drive that hangs a thread in the kernel hangs nothing else. A
// worker that does not end is left behind: it dies with its last system call.
// One that writes through a claimed descriptor, which may be nil, is waited for.
func (e *env) runWorker(ctx context.Context, s bench.Spec, claimed *os.File, observe bench.Observer) (*bench.Result, error) {
	w := &exec.Cmd{
		Path:        "/proc/self/exe", // Also after an update has replaced the file.
		Args:        []string{"qd1", workerArgument},
		Env:         append(os.Environ(), bench.WorkerEnv(s.Job.Workers)...),
		SysProcAttr: &unix.SysProcAttr{Setpgid: true},
	}
	if f, ok := e.stderr.(*os.File); ok {
		w.Stderr = f
	}
	if claimed != nil {
		w.ExtraFiles, s.Target.Descriptor = []*os.File{claimed}, claimedDescriptor
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
	ended := make(chan struct{})
	go func() { // It may take as long as the kernel does.
		_ = w.Wait()
		close(ended)
	}()
	if claimed != nil {
		select {
		case <-ended:
		case <-time.After(workerEnd):
			err = errors.Join(err, fmt.Errorf("the measuring process has not ended after %v: what it had sent may still be written", workerEnd))
		}
	}
	return res, err
}
