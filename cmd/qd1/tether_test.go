package main

import (
	"context"
	"testing"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/journal"
)

// A job ends with its program until a command is sent, and one that can be
// stopped also afterwards.
func TestTether(t *testing.T) {
	armed := erase.Event{Kind: erase.StateEvent, State: journal.Armed}
	sent := erase.Event{Kind: erase.StateEvent, State: journal.Sent}
	for _, tt := range []struct {
		name  string
		holds bool
		seen  []erase.Event
		ends  bool
	}{
		{"nothing seen", false, nil, true},
		{"armed", false, []erase.Event{armed}, true},
		{"progress with a state", false, []erase.Event{{Kind: erase.ProgressEvent, State: journal.Sent}}, true},
		{"sent", false, []erase.Event{armed, sent}, false},
		{"sent and answered", false, []erase.Event{armed, sent, {Kind: erase.StateEvent, State: journal.Returned}}, false},
		{"the host overwrites", true, []erase.Event{armed, sent}, true},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		tied := &tether{cancel: cancel, holds: tt.holds}
		for _, ev := range tt.seen {
			tied.observe(ev)
		}
		tied.pull()
		if got := ctx.Err() != nil; got != tt.ends {
			t.Errorf("%s: ended %v, want %v", tt.name, got, tt.ends)
		}
		cancel()
	}
}
