package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/journal"
)

// tether ties a job to the program that started it. It is untied when the
// first command is sent: from then on only the job itself knows the answer of
// the drive, and it goes on alone.
type tether struct {
	cancel context.CancelFunc
	// holds says that it is never untied, because the work can be stopped at any
	// time: the host overwrites.
	holds bool

	mu     sync.Mutex
	untied bool
}

// observe unties a job that has sent a command.
func (t *tether) observe(ev erase.Event) {
	if ev.Kind != erase.StateEvent || ev.State != journal.Sent || t.holds {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.untied = true
}

// pull ends a job that is still tied.
func (t *tether) pull() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.untied {
		t.cancel()
	}
}

// watch pulls when the program has ended, which ends the standard input that it
// gave to the job, and at every signal that asks for an end. A program that does
// not listen any more is no reason to end.
func (t *tether) watch(stdin io.Reader) {
	signal.Ignore(unix.SIGPIPE)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	go func() {
		for range asked {
			t.pull()
		}
	}()
	go func() {
		io.Copy(io.Discard, stdin)
		t.pull()
	}()
}
