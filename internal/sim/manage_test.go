package sim

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// createCmd is a Namespace Management of blocks, capacity and LBA format.
func createCmd(nsze, ncap uint64, flbas uint8) *nvme.Command {
	cmd := &nvme.Command{Opcode: nvme.AdminNamespaceManagement, Data: make([]byte, 4096)}
	binary.LittleEndian.PutUint64(cmd.Data, nsze)
	binary.LittleEndian.PutUint64(cmd.Data[8:], ncap)
	cmd.Data[26] = flbas
	return cmd
}

func deleteCmd(nsid nvme.NSID) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminNamespaceManagement, NSID: nsid, CDW10: 1, Data: make([]byte, 4096)}
}

// attachCmd is a Namespace Attachment; sel 0 attaches, 1 detaches.
func attachCmd(nsid nvme.NSID, sel uint32, count, cntlid uint16) *nvme.Command {
	cmd := &nvme.Command{Opcode: nvme.AdminNamespaceAttachment, NSID: nsid, CDW10: sel, Data: make([]byte, 4096)}
	binary.LittleEndian.PutUint16(cmd.Data, count)
	binary.LittleEndian.PutUint16(cmd.Data[2:], cntlid)
	return cmd
}

func TestNamespaceRules(t *testing.T) {
	const free = (modernBytes - modernFirst) / 512
	// Namespace Management command, Namespace Attachment command.
	checkRulesOf(t, nandModern, []rule{
		{"create", createCmd(free, free, 0), nvme.StatusSuccess, 0},
		{"create of 4096 byte blocks", createCmd(free/8, free/8, 1), nvme.StatusSuccess, 0},
		{"create with a format that is not there", createCmd(8, 8, 2), nvme.StatusInvalidFormat, 24},
		{"create with protection", with(createCmd(8, 8, 0), func(c *nvme.Command) { c.Data[29] = 1 }), nvme.StatusInvalidFormat, 24},
		{"create too much", createCmd(free+1, free+1, 0), nvme.StatusNamespaceInsufficientCapacity, 24},
		{"create far too much", createCmd(1<<63, 1<<63, 1), nvme.StatusNamespaceInsufficientCapacity, 24},
		{"create nothing", createCmd(0, 0, 0), nvme.StatusInvalidField, 24},
		{"create with more capacity than size", createCmd(8, 9, 0), nvme.StatusInvalidField, 24},
		{"create thin", createCmd(9, 8, 0), nvme.StatusThinProvisioningNotSupported, 24},
		{"create zoned", with(createCmd(8, 8, 0), func(c *nvme.Command) { c.CDW11 = 2 << 24 }), nvme.StatusIOCommandSetNotSupported, 47},
		{"create without data", with(createCmd(8, 8, 0), func(c *nvme.Command) { c.Data = nil }), nvme.StatusDataSGLLengthInvalid, 24},
		{"reserved selection", with(createCmd(8, 8, 0), func(c *nvme.Command) { c.CDW10 = 2 }), nvme.StatusInvalidField, 40},
		{"delete", deleteCmd(1), nvme.StatusSuccess, 0},
		{"delete all", deleteCmd(all), nvme.StatusSuccess, 0},
		{"delete nothing", deleteCmd(0), nvme.StatusInvalidNamespace, 4},
		{"delete what is not there", deleteCmd(2), nvme.StatusInvalidField, 4},
		{"attach what is attached", attachCmd(1, 0, 1, 0), nvme.StatusNamespaceAlreadyAttached, 4},
		{"detach", attachCmd(1, 1, 1, 0), nvme.StatusSuccess, 0},
		{"attach what is not there", attachCmd(2, 0, 1, 0), nvme.StatusInvalidField, 4},
		{"no controller", attachCmd(1, 1, 0, 0), nvme.StatusControllerListInvalid, 24},
		{"controller that is not there", attachCmd(1, 1, 1, 1), nvme.StatusControllerListInvalid, 24},
		{"reserved attachment", attachCmd(1, 2, 1, 0), nvme.StatusInvalidField, 40},
		{"attachment without data", with(attachCmd(1, 1, 1, 0), func(c *nvme.Command) { c.Data = nil }), nvme.StatusDataSGLLengthInvalid, 24},
	})
}

// TestNamespaceLife follows a namespace from its creation to its end.
func TestNamespaceLife(t *testing.T) {
	d := modern(t, nil)
	c := nvme.NewController(d)
	lists := func(cns nvme.CNS) []uint32 {
		cmd := identifyCmd(cns, 0)
		accept(t, d, cmd)
		var ids []uint32
		for at := 0; binary.LittleEndian.Uint32(cmd.Data[at:]) != 0; at += 4 {
			ids = append(ids, binary.LittleEndian.Uint32(cmd.Data[at:]))
		}
		return ids
	}
	check := func(when string, allocated, active []uint32, unallocated uint64) {
		t.Helper()
		if diff := cmp.Diff([][]uint32{allocated, active}, [][]uint32{lists(nvme.CNSAllocatedNamespaces), lists(nvme.CNSActiveNamespaces)}); diff != "" {
			t.Errorf("%s: allocated and active (-want +got):\n%s", when, diff)
		}
		id, err := c.Identify(t.Context())
		if err != nil || id.UNVMCAP.Lo != unallocated {
			t.Errorf("%s: %d bytes unallocated, %v, want %d", when, id.UNVMCAP.Lo, err, unallocated)
		}
	}
	const free = modernBytes - modernFirst
	check("at first", []uint32{1}, []uint32{1}, free)
	if got := accept(t, d, createCmd(256, 256, 1)).Result; got != 2 {
		t.Fatalf("created namespace %d, want 2", got)
	}
	check("after create", []uint32{1, 2}, []uint32{1}, free-1<<20)
	reject(t, d, ioCmd(nvme.IORead, 2, 0, 1, 4096), nvme.StatusInvalidField)
	reject(t, d, attachCmd(2, 1, 1, 0), nvme.StatusNamespaceNotAttached)
	accept(t, d, attachCmd(2, 0, 1, 0))
	check("after attach", []uint32{1, 2}, []uint32{1, 2}, free-1<<20)
	ns, err := c.IdentifyNamespace(t.Context(), 2)
	if err != nil || ns.NSZE != 256 || ns.Format().DataBytes() != 4096 || ns.NVMCAP != nvme.U128(1<<20) || ns.EUI64.IsZero() {
		t.Errorf("namespace %+v, %v", ns.NSZE, err)
	}
	read := ioCmd(nvme.IORead, 2, 255, 1, 4096)
	accept(t, d, read)
	if zero, _ := nvme.IsBlankPage(read.Data); !zero {
		t.Error("a new namespace has data")
	}
	accept(t, d, deleteCmd(2))
	check("after delete", []uint32{1}, []uint32{1}, free)
	accept(t, d, createCmd(8, 8, 0))
	accept(t, d, attachCmd(2, 0, 1, 0))
	again, err := c.IdentifyNamespace(t.Context(), 2)
	if err != nil || again.EUI64 == ns.EUI64 || again.NGUID == ns.NGUID {
		t.Errorf("a new namespace has the identifiers of an old one: %v, %v", again.EUI64, err)
	}
	accept(t, d, deleteCmd(all))
	check("after delete all", nil, nil, modernBytes)
	if d.Size() != 0 || d.BlockBytes() != 0 {
		t.Errorf("a drive without namespaces has %d bytes of blocks of %d", d.Size(), d.BlockBytes())
	}
}

// TestNoMoreIdentifiers fills all NSIDs.
func TestNoMoreIdentifiers(t *testing.T) {
	d := modern(t, nil)
	for range 31 {
		accept(t, d, createCmd(8, 8, 0))
	}
	reject(t, d, createCmd(8, 8, 0), nvme.StatusNamespaceIdentifierUnavailable)
}
