//go:build crashpoints

package main

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/erase"
)

// crashPoint lets a job end, or stand still for a loss of power, right after a
// state is in the journal: QD1_CRASH is "STATE:kill" or "STATE:hang". Only
// tests build the program with this.
func crashPoint(observe func(erase.Event)) func(erase.Event) {
	state, how, _ := strings.Cut(os.Getenv("QD1_CRASH"), ":")
	return func(ev erase.Event) {
		observe(ev)
		if ev.Kind != erase.StateEvent || string(ev.State) != state {
			return
		}
		if how == "kill" {
			unix.Kill(unix.Getpid(), unix.SIGKILL)
		}
		select {}
	}
}
