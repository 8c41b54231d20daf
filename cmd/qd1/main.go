// Command qd1 tells what an NVMe drive really is: identity, life, errors,
// firmware, link, heat and the latency at queue depth 1.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	e := &env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now, ownProcess: true}
	if len(os.Args) > 1 && os.Args[1] == workerArgument {
		os.Exit(e.serveWorker(os.Stdin))
	}
	if isJob() {
		os.Exit(e.serveJob())
	}
	if os.Getenv("GOGC") == "" {
		startLazily()
	}
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	context.AfterFunc(ctx, stop) // A second Ctrl-C ends the program at once.
	os.Exit(e.run(ctx, os.Args[1:]))
}

// startGCPercent lets a command that only shows something end before a garbage
// collection begins, at 32 MiB.
const startGCPercent = 800

// startLazily puts off the first garbage collection; from then on all is as
// usual.
func startLazily() {
	usual := debug.SetGCPercent(startGCPercent)
	runtime.AddCleanup(new([64]*byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// env is the world outside the program.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	// ownProcess says that nothing else runs in this process.
	ownProcess bool
}

// run runs one command line and returns the exit status.
func (e *env) run(ctx context.Context, args []string) int {
	table := commands()
	if e.ownProcess && os.Getenv("GOMAXPROCS") == "" && justReads(args, table) {
		runtime.GOMAXPROCS(1) // It waits for the drive; to wake up others costs more.
	}
	arranged, err := arrange(helpFirst(args), table)
	if err == nil {
		err = e.appOf(outlined(table, arranged)).RunContext(ctx, append([]string{"qd1"}, arranged...))
	}
	return e.fail(ctx, ofCommand(fromLibrary(err), args, table), wantsJSON(args))
}

// justReads reports whether the command that args name does no more than read
// from drives. What it measures it measures in another process.
func justReads(args []string, table []command) bool {
	i := slices.IndexFunc(table, func(c command) bool { return len(args) > 0 && c.name == args[0] })
	switch {
	case i < 0:
		return false
	case table[i].access == reads:
		return true
	case len(args) > 1:
		return justReads(args[1:], table[i].below())
	}
	return false
}

// outlined returns the table with no more of the commands that args do not name
// than the help of the program shows.
func outlined(table []command, args []string) []command {
	named := slices.IndexFunc(args, func(word string) bool { return !strings.HasPrefix(word, "-") })
	list := slices.Clone(table)
	for i, c := range list {
		if named < 0 || c.name != args[named] {
			list[i] = command{name: c.name, short: c.short}
		}
	}
	return list
}

// helpFirst turns "help report" into "report --help".
func helpFirst(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(args[1:len(args):len(args)], "--help")
}
