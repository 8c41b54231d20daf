package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/nsjob"
	"qd1.example/qd1/nvme"
)

// stocked is a drive with a namespace of each kind.
func stocked() *nsjob.Inventory {
	total, unallocated := uint64(1_000_204_886_016), uint64(200_040_976_384)
	return &nsjob.Inventory{
		Management: true, Controller: 1, Controllers: []uint16{1, 2}, Total: &total, Unallocated: &unallocated, Most: 32,
		Formats: []nsjob.Format{{LBAF: 0, LBABytes: 512, CapacityStep: 1 << 30}, {LBAF: 1, LBABytes: 4096, MetadataBytes: 8}},
		Namespaces: []nsjob.Namespace{
			{NSID: 1, Attached: true, Controllers: []uint16{1}, Bytes: 800_163_909_632, Blocks: 1562820136, LBABytes: 512, Block: "nvme0n1", NGUID: "51443153494d4d4f0233440000000001"},
			{NSID: 2, Controllers: []uint16{}, Bytes: 1 << 30, Blocks: 1 << 18, LBAF: 1, LBABytes: 4096, MetadataBytes: 8, Shared: true, EUI64: "0233440000000002"},
		},
	}
}

func TestInventory(t *testing.T) {
	golden(t, "ns-list.txt", text(t, func(b *bytes.Buffer) error { return Inventory(b, featurePart, stocked(), Style{Width: 140}) }))
	golden(t, "ns-list-60.txt", text(t, func(b *bytes.Buffer) error { return Inventory(b, featurePart, stocked(), Style{Width: 60}) }))
	fixed := &nsjob.Inventory{Most: 1, Namespaces: []nsjob.Namespace{{NSID: 1, Attached: true, Bytes: 960197124096, Blocks: 1875385008, LBABytes: 512}}}
	golden(t, "ns-list-fixed.txt", text(t, func(b *bytes.Buffer) error { return Inventory(b, featurePart, fixed, Style{}) }))
	bare := stocked()
	bare.Thin, bare.Namespaces = true, nil
	got := text(t, func(b *bytes.Buffer) error { return Inventory(b, featurePart, bare, Style{}) })
	for _, want := range []string{"0 of at most 32", "with thin provisioning"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func changePage(t *testing.T, c *NamespaceChange) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return NamespaceChanged(b, featurePart, c, Style{}) })
}

func TestNamespaceChanged(t *testing.T) {
	v := stocked()
	c, err := nsjob.PlanCreate(v, nsjob.CreateRequest{Bytes: 1 << 30, CapacityBlocks: 1 << 20, LBABytes: 512, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	planned := &NamespaceChange{Change: c, Before: v, Outcome: "nothing was sent", Guarded: Guarded{
		Checks: c.Checks, Identity: guard.Identity{Model: "MODEL", Bytes: 5}, Phrase: "CREATE MODEL SERIAL",
	}}
	golden(t, "ns-create.txt", changePage(t, planned))
	done := &NamespaceChange{Change: nsjob.PlanDelete(v, nvme.BroadcastNSID), Before: v, After: v, Sent: true, Outcome: "deleted"}
	golden(t, "ns-delete.txt", changePage(t, done))
	failed := &NamespaceChange{Change: nsjob.PlanAttachment(v, nsjob.Detach, 1, nil), Sent: true, Failed: true, Outcome: "the drive refused it", Next: "look"}
	got := changePage(t, failed)
	for _, want := range []string{"FAILED  detach namespace 1 from controller 1  the drive refused it", "next     look", "the data of the namespace stay"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if got := changeTitle(nsjob.PlanAttachment(v, nsjob.Attach, 2, []uint16{2, 1})); got != "attach namespace 2 to controller 1, 2" {
		t.Errorf("title %q", got)
	}
}

func trimOf(t *testing.T, r nsjob.TrimRequest, l nsjob.Limits) *nsjob.Trim {
	t.Helper()
	ns := &nvme.IdentifyNamespace{NSZE: 1 << 20, NSFEAT: 1 << 4, NPDG: 7, DLFEAT: 1}
	ns.LBAF[0].LBADS = 9
	r.NSID = 1
	p, err := nsjob.PlanTrim(ns, r, l)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTrimmed holds that every page of a trim says that it is no erase.
func TestTrimmed(t *testing.T) {
	limits := nsjob.Limits{Ranges: 4, RangeBlocks: 1 << 12, CommandBlocks: 1 << 14, Reported: true}
	planned := &TrimResult{Trim: trimOf(t, nsjob.TrimRequest{Start: 512, Length: 1 << 20}, limits), Outcome: "nothing was sent", Guarded: Guarded{
		Checks: []guard.Check{{Check: "in use", Result: guard.Refuse, Text: "it is mounted"}}, Phrase: "TRIM MODEL SERIAL",
	}}
	done := &TrimResult{
		Trim: trimOf(t, nsjob.TrimRequest{}, limits), Block: "nvme0n1", Sent: 64, Outcome: "done",
		Samples: &nsjob.Samples{Count: 64, Bytes: 4096, Zero: 50, Ones: 1, Unchanged: 10, Other: 2, Unreadable: 1},
	}
	failed := &TrimResult{Trim: trimOf(t, nsjob.TrimRequest{}, limits), Failed: true, Outcome: "refused"}
	for name, r := range map[string]*TrimResult{"trim-plan.txt": planned, "trim-done.txt": done, "trim-failed.txt": failed} {
		got := text(t, func(b *bytes.Buffer) error { return Trimmed(b, featurePart, r, Style{}) })
		golden(t, name, got)
		if !strings.Contains(got, "a trim is not an erase") {
			t.Errorf("%s does not say what it is not:\n%s", name, got)
		}
	}
}
