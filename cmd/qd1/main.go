// Command qd1 tells what an NVMe drive really is: identity, life, errors,
// firmware, link, heat and the latency at queue depth 1.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer stop()
	e := &env{stdout: os.Stdout, stderr: os.Stderr, now: time.Now}
	if len(os.Args) > 1 && os.Args[1] == workerArgument {
		os.Exit(e.serveWorker(os.Stdin))
	}
	os.Exit(e.run(ctx, os.Args[1:]))
}

// env is the world outside the program.
type env struct {
	stdout, stderr io.Writer
	now            func() time.Time
}

// run runs one command line and returns the exit status.
func (e *env) run(ctx context.Context, args []string) int {
	args = arrange(args, commands())
	a := e.app()
	err := a.RunContext(ctx, append([]string{"qd1"}, args...))
	return e.fail(ctx, err, wantsJSON(args))
}
