package guard

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/nvme"
)

func TestInspect(t *testing.T) {
	b := newBench(t, "optane-905p")
	c := b.inspect(t, formatOp(1))
	identity := Identity{
		Serial: "QD1SIM905PFRESH00001", Model: "INTEL SSDPE21D960GA", Firmware: "E2010480", PCI: "0000:01:00.0",
		Controller: "nvme0", Bytes: 960_197_124_096, SubsystemNQN: c.Identity.SubsystemNQN,
	}
	if diff := cmp.Diff(identity, c.Identity); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	radius := []Member{{
		NSID: 1, Bytes: 960_197_124_096, LBABytes: 512, Block: "nvme0n1", Generic: "ng0n1", EUI64: c.Radius[0].EUI64, NGUID: c.Radius[0].NGUID,
		Controllers: []string{"nvme0"}, Why: "named", Signatures: []signature.Signature{},
	}}
	if diff := cmp.Diff(radius, c.Radius); diff != "" {
		t.Errorf("radius (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"nvme0n1", "ng0n1", "nvme0"}, b.asked); diff != "" {
		t.Errorf("surveyed (-want +got):\n%s", diff)
	}
	if got := failed(c.Judge(nil)); len(got) > 0 {
		t.Errorf("without agreement: %q, want nothing", got)
	}
	if got, want := c.Phrase(), "ERASE INTEL SSDPE21D960GA H00001"; got != want {
		t.Errorf("phrase %q, want %q", got, want)
	}
	b.nothing(t)
	b.leaks(t)
}

// TestLeavesNoTrace looks at drives with and without everything optional, and
// finds no new entry in their error logs.
func TestLeavesNoTrace(t *testing.T) {
	for _, profile := range []string{
		"optane-905p", "optane-905p-used", "nand-modern", "nand-modern?namespaces=3&fna=1", "nand-modern?opal=locked", "nand-worn", "fake",
	} {
		b := newBench(t, profile)
		before := entries(t, b)
		for _, op := range []Operation{formatOp(1), sanitizeOp(), firmwareOp()} {
			b.inspect(t, op)
		}
		if after := entries(t, b); after != before {
			t.Errorf("%s: %v error log entries before and %v after", profile, before, after)
		}
		b.nothing(t)
		b.leaks(t)
	}
}

func entries(t *testing.T, b *bench) nvme.Uint128 {
	t.Helper()
	log, err := nvme.NewController(b.behind).SMARTLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return log.ErrorLogEntries
}
