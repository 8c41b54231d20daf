package guard

import (
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestNothingExpected holds that a drive without namespaces, on which one is to be
// created, has no size that somebody could expect, and that every other operation
// needs one.
func TestNothingExpected(t *testing.T) {
	create := Operation{Name: "create", Timeout: time.Minute, KeepsData: true, Commands: []nvme.Command{{Opcode: nvme.AdminNamespaceManagement}}}
	for _, tt := range []struct {
		name  string
		op    Operation
		empty bool
		want  Result
	}{
		{"create on an empty drive", create, true, Pass},
		{"create beside another", create, false, Refuse},
		{"update of an empty drive", firmwareOp(), true, Pass},
		{"format of nothing", formatOp(1), true, Refuse},
	} {
		b := newBench(t, "nand-modern")
		if tt.empty {
			all := &nvme.Command{Opcode: nvme.AdminNamespaceManagement, NSID: nvme.BroadcastNSID, CDW10: 1}
			if done, err := b.drive.Submit(t.Context(), all); err != nil || !done.Status.OK() {
				t.Fatal(done.Status, err)
			}
			b.refresh()
		}
		c := b.inspect(t, tt.op)
		a := &Agreement{Serial: c.Identity.Serial, Yes: true, Model: c.Identity.Model}
		for _, check := range c.Judge(a) {
			if check.Check == checkSize && check.Result != tt.want {
				t.Errorf("%s: %+v, want %s", tt.name, check, tt.want)
			}
		}
	}
}
