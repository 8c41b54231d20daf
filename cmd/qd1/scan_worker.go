package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/surface"
)

// scanArgument makes a worker read a surface in the place of a benchmark.
const scanArgument = "scan"

// isScanWorker reports whether this process is one.
func isScanWorker() bool { return len(os.Args) > 2 && os.Args[2] == scanArgument }

// serveScan is the main function of a worker that reads a surface.
func (e *env) serveScan(in io.Reader) int {
	if err := surface.Serve(in, e.stdout, openEngine); err != nil {
		return exitFailed
	}
	return exitDone
}

// scanWorker reads in a process of its own, as [env.runWorker] measures: one that a
// drive holds in the kernel is left behind.
func (e *env) scanWorker(limit time.Duration) surface.Runner {
	return func(ctx context.Context, job surface.Job, take func(*surface.Line) error) error {
		out, theirs, err := os.Pipe()
		if err != nil {
			return err
		}
		defer out.Close()
		w := &exec.Cmd{Path: "/proc/self/exe", Args: []string{"qd1", workerArgument, scanArgument}, Stdout: theirs, SysProcAttr: &unix.SysProcAttr{Setpgid: true}}
		if f, ok := e.stderr.(*os.File); ok {
			w.Stderr = f
		}
		in, err := w.StdinPipe()
		if err == nil {
			err = w.Start()
		}
		theirs.Close()
		if err != nil {
			return err
		}
		err = surface.Converse(ctx, in, out, job, limit, take)
		in.Close()
		if err != nil {
			w.Process.Kill()
		}
		go func() { _ = w.Wait() }() // It may take as long as the kernel does.
		return err
	}
}
