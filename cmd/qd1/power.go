package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/hostpower"
)

// powerChecks look at the power of this computer, for the guard.
func powerChecks() []guard.Check { return judgePower(hostpower.Read(hostSysfs(), os.DirFS("/run"))) }

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
