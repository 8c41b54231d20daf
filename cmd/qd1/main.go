// Command qd1 tells what an NVMe drive really is: identity, life, errors,
// firmware, link, heat and the latency at queue depth 1.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	e := &env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now}
	if len(os.Args) > 1 && os.Args[1] == workerArgument {
		os.Exit(e.serveWorker(os.Stdin))
	}
	if isJob() {
		os.Exit(e.serveJob())
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(startGCPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	context.AfterFunc(ctx, stop) // A second Ctrl-C ends the program at once.
	os.Exit(e.run(ctx, os.Args[1:]))
}

// startGCPercent lets a command that only shows something end before a garbage
// collection begins, and costs a long one at most 32 MiB.
const startGCPercent = 800

// env is the world outside the program.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
}

// run runs one command line and returns the exit status.
func (e *env) run(ctx context.Context, args []string) int {
	table := commands()
	arranged, err := arrange(helpFirst(args), table)
	if err == nil {
		err = e.appOf(table).RunContext(ctx, append([]string{"qd1"}, arranged...))
	}
	return e.fail(ctx, fromLibrary(err), wantsJSON(args))
}

// helpFirst turns "help report" into "report --help".
func helpFirst(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(args[1:len(args):len(args)], "--help")
}
