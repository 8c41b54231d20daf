package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/hostpower"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/state"
)

// hostChecks look at this computer, for the guard: its power, and where the
// journal lies.
func hostChecks() []guard.Check {
	return append(judgePower(hostpower.Read(hostSysfs(), os.DirFS("/run"))), journalCheck())
}

// journalCheck warns of a journal that a restart would lose.
func journalCheck() guard.Check {
	dir, err := stateDir()
	if err != nil {
		return guard.Check{Check: "journal", Result: guard.Refuse, Text: "there is no place for the journal: " + err.Error(), Hint: "set XDG_STATE_HOME"}
	}
	dir = journalDir(dir)
	if volatile, on := state.Volatile(dir); volatile {
		return guard.Check{
			Check: "journal", Result: guard.Pass, Warning: true, Text: fmt.Sprintf("the journal in %s lies on %s and is lost at a restart", dir, on),
			Hint: "set XDG_STATE_HOME to a place on a disk: without the journal nobody knows after a restart what the drive was told",
		}
	}
	if _, faults := journal.Open(dir).List(); len(faults) > 0 {
		return guard.Check{
			Check: "journal", Result: guard.Pass, Warning: true, Hint: "move it away when you know what it is about",
			Text: fmt.Sprintf("a journal of an earlier job cannot be read, and may be of an erase of this drive that was broken off: %v", errors.Join(faults...)),
		}
	}
	return guard.Check{Check: "journal", Result: guard.Pass, Text: "what is done is kept in " + dir}
}

// judgePower refuses before a shutdown that is set, and warns on battery.
func judgePower(s hostpower.State) []guard.Check {
	power := guard.Check{Check: "power", Result: guard.Pass, Text: "no loss of power is to be expected"}
	switch {
	case s.OnMains != nil && !*s.OnMains:
		power.Warning, power.Hint = true, "connect the mains: a loss of power in the middle can ruin the drive"
		power.Text = "this computer runs on battery"
		if s.Battery != "" {
			power.Text += " (" + s.Battery + ")"
		}
	case s.OnMains == nil:
		power.Text = "this computer has no battery to tell of"
	}
	shutdown := guard.Check{Check: "shutdown", Result: guard.Pass, Text: "no shutdown is scheduled"}
	if s.Shutdown != "" {
		shutdown.Result, shutdown.Hint = guard.Refuse, "shutdown -c cancels it"
		shutdown.Text = fmt.Sprintf("a shutdown is scheduled: %s", s.Shutdown)
	}
	return []guard.Check{power, shutdown}
}

// inhibit keeps this computer from sleep and shutdown. A simulated drive needs
// none of that.
func (g *guarded) inhibit(ctx context.Context, why string) (io.Closer, error) {
	if g.inProcess {
		return io.NopCloser(nil), nil
	}
	c, err := hostpower.Inhibit(ctx, "sleep:shutdown", "qd1", why)
	if errors.Is(err, hostpower.ErrNoInhibitor) {
		err = fmt.Errorf("there is no systemd-logind to ask: %w", err)
	}
	return c, err
}
