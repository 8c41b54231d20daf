package main

import (
	"strings"
	"testing"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/nsjob"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// TestNamespacesJudge says what came of a change by what the drive and the kernel
// show afterwards.
func TestNamespacesJudge(t *testing.T) {
	small := &nsjob.Inventory{Namespaces: []nsjob.Namespace{{NSID: 2, Blocks: 8, LBABytes: 512}}}
	tests := []struct {
		name   string
		change nsjob.Change
		block  string
		after  *nsjob.Inventory
		sim    bool
		result string
		says   string
	}{
		{"attached", nsjob.Change{Action: nsjob.Attach, NSID: 2, Controllers: []uint16{1}}, "nvme0n2", small, false, resultDone, "attached as /dev/nvme0n2"},
		{"attached, simulated", nsjob.Change{Action: nsjob.Attach, NSID: 2, Controllers: []uint16{1}}, "", small, true, resultDone, "has no block device"},
		{"attached, no device", nsjob.Change{Action: nsjob.Attach, NSID: 2, Controllers: []uint16{1}}, "", small, false, resultDone, "shows no block device yet"},
		{"attached elsewhere", nsjob.Change{Action: nsjob.Attach, NSID: 2, Controllers: []uint16{7}}, "", small, false, resultDone, "other controllers than this one"},
		{"detached", nsjob.Change{Action: nsjob.Detach, NSID: 2, Controllers: []uint16{1}}, "", small, false, resultDone, "the data stay in the drive"},
		{"detached, device there", nsjob.Change{Action: nsjob.Detach, NSID: 2, Controllers: []uint16{1}}, "nvme0n2", small, false, resultDone, "still shows /dev/nvme0n2"},
		{"created smaller", nsjob.Change{Action: nsjob.Create, Create: &nsjob.CreateRequest{Blocks: 16, LBABytes: 512}}, "", small, false, resultFailed, "8 blocks of 512 bytes, and 16 of 512 were asked for"},
		{"created, not read", nsjob.Change{Action: nsjob.Create, Create: &nsjob.CreateRequest{Blocks: 16, LBABytes: 512}}, "", nil, false, resultDone, "namespace 2 was created"},
		{"deleted", nsjob.Change{Action: nsjob.Delete, NSID: 3}, "", small, false, resultDone, "deleted"},
		{"all deleted but one", nsjob.Change{Action: nsjob.Delete, NSID: nvme.BroadcastNSID}, "", small, false, resultFailed, "still there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status := nvme.StatusSuccess
			w := &nsWork{
				change: &tt.change, before: &nsjob.Inventory{Controller: 1}, after: tt.after, status: &status, created: 2, block: tt.block,
				guarded: &guarded{Drive: &report.Drive{Simulated: tt.sim}}, looked: &guard.Case{Identity: guard.Identity{Serial: "S1"}},
			}
			w.judge()
			if w.result != tt.result || !strings.Contains(w.outcome, tt.says) {
				t.Errorf("%s: %q, want %s: %q", w.result, w.outcome, tt.result, tt.says)
			}
			if err := w.exit(); (err != nil) != (tt.result == resultFailed) {
				t.Errorf("exit: %v", err)
			}
		})
	}
}
