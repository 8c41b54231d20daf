package sim

import (
	"bytes"
	"encoding/binary"
	"testing"

	"qd1.example/qd1/nvme"
)

// modern is the modern drive of one test.
func modern(t testing.TB, change func(*personality)) *Drive {
	t.Helper()
	d, _ := instantOf(t, nandModern(), change)
	return d
}

// accept sends a command that must succeed.
func accept(t testing.TB, d *Drive, cmd *nvme.Command) nvme.Completion {
	t.Helper()
	c := submit(t, d, cmd)
	if c.Status != 0 {
		t.Fatalf("%s: %v", nvme.OpcodeName(cmd.Queue, cmd.Opcode), c.Status)
	}
	return c
}

// reject sends a command that must be refused with a status.
func reject(t testing.TB, d *Drive, cmd *nvme.Command, want nvme.Status) {
	t.Helper()
	if got := submit(t, d, cmd).Status; got.Code() != want {
		t.Errorf("%s: %v, want %v", nvme.OpcodeName(cmd.Queue, cmd.Opcode), got, want)
	}
}

// blocks reads blocks of the first namespace.
func blocks(t testing.TB, d *Drive, slba uint64, count int) []byte {
	t.Helper()
	cmd := ioCmd(nvme.IORead, 1, slba, count, count*d.BlockBytes())
	accept(t, d, cmd)
	return cmd.Data
}

// writeCmd is a Write of a value into blocks.
func writeCmd(slba uint64, count int, value byte) *nvme.Command {
	cmd := ioCmd(nvme.IOWrite, 1, slba, count, count*512)
	copy(cmd.Data, bytes.Repeat([]byte{value}, len(cmd.Data)))
	return cmd
}

// dsmCmd is a Dataset Management of ranges of first block and count.
func dsmCmd(attributes uint32, ranges ...[2]uint64) *nvme.Command {
	cmd := &nvme.Command{
		Queue: nvme.IOQueue, Opcode: nvme.IODatasetManagement, NSID: 1,
		CDW10: uint32(len(ranges) - 1), CDW11: attributes, Data: make([]byte, 16*len(ranges)),
	}
	for i, r := range ranges {
		binary.LittleEndian.PutUint32(cmd.Data[16*i+4:], uint32(r[1]))
		binary.LittleEndian.PutUint64(cmd.Data[16*i+8:], r[0])
	}
	return cmd
}

func TestModernIORules(t *testing.T) {
	const end = modernFirst/512 - 1
	checkRulesOf(t, nandModern, []rule{
		// NVM Command Set Specification, Revision 1.0: Compare, Verify, Write
		// Zeroes, Write Uncorrectable, Dataset Management.
		{"compare of other data", ioCmd(nvme.IOCompare, 1, 0, 1, 512), nvme.StatusCompareFailure, nowhere},
		{"compare over the end", ioCmd(nvme.IOCompare, 1, end, 2, 1024), nvme.StatusLBAOutOfRange, 40},
		{"verify", ioCmd(nvme.IOVerify, 1, 0, 65536, 0), nvme.StatusSuccess, 0},
		{"verify over the end", ioCmd(nvme.IOVerify, 1, end, 2, 0), nvme.StatusLBAOutOfRange, 40},
		{"write zeroes", ioCmd(nvme.IOWriteZeroes, 1, 7, 65536, 0), nvme.StatusSuccess, 0},
		{"write zeroes over the end", ioCmd(nvme.IOWriteZeroes, 1, end, 2, 0), nvme.StatusLBAOutOfRange, 40},
		{"write uncorrectable over the end", ioCmd(nvme.IOWriteUncorrectable, 1, end, 2, 0), nvme.StatusLBAOutOfRange, 40},
		{"deallocate", dsmCmd(attributeDeallocate, [2]uint64{0, 8}, [2]uint64{end, 1}), nvme.StatusSuccess, 0},
		{"deallocate over the end", dsmCmd(attributeDeallocate, [2]uint64{end, 2}), nvme.StatusLBAOutOfRange, 24},
		{"hint over the end", dsmCmd(1, [2]uint64{end, 2}), nvme.StatusLBAOutOfRange, 24},
		{"ranges that are not there", with(dsmCmd(4, [2]uint64{0, 1}), func(c *nvme.Command) { c.CDW10 = 1 }), nvme.StatusDataSGLLengthInvalid, 24},
		// NSID and Namespace Usage: an inactive NSID, and one that is not valid.
		{"read of an inactive namespace", ioCmd(nvme.IORead, 2, 0, 1, 512), nvme.StatusInvalidField, 4},
		{"deallocate in an inactive namespace", with(dsmCmd(4, [2]uint64{0, 1}), func(c *nvme.Command) { c.NSID = 2 }), nvme.StatusInvalidField, 4},
		{"read above NN", ioCmd(nvme.IORead, 33, 0, 1, 512), nvme.StatusInvalidNamespace, 4},
		{"flush of an inactive namespace", ioCmd(nvme.IOFlush, 2, 0, 1, 0), nvme.StatusInvalidField, 4},
	})
	checkRules(t, []rule{
		// ONCS: the 905P has none of them, but Dataset Management and Write
		// Uncorrectable.
		{"no compare", ioCmd(nvme.IOCompare, 1, 0, 1, 512), nvme.StatusInvalidOpcode, 0},
		{"no write zeroes", ioCmd(nvme.IOWriteZeroes, 1, 0, 1, 0), nvme.StatusInvalidOpcode, 0},
		{"no verify", ioCmd(nvme.IOVerify, 1, 0, 1, 0), nvme.StatusInvalidOpcode, 0},
		{"deallocate on a 905P", dsmCmd(attributeDeallocate, [2]uint64{0, 8}), nvme.StatusSuccess, 0},
	})
}

func TestCompare(t *testing.T) {
	d := modern(t, nil)
	data := blocks(t, d, 40, 4)
	cmd := ioCmd(nvme.IOCompare, 1, 40, 4, 0)
	cmd.Data = data
	accept(t, d, cmd)
	data[2047] ^= 1
	reject(t, d, cmd, nvme.StatusCompareFailure)
	if log := errorLogOf(t, d); len(log) != 1 || log[0].LBA != 40 {
		t.Errorf("error log %+v, want one entry of LBA 40", log)
	}
}

// TestZeroes checks that Write Zeroes and Deallocate clear what they name and
// nothing else, whole pages or not.
func TestZeroes(t *testing.T) {
	for name, clearing := range map[string]func(slba uint64, count int) *nvme.Command{
		"write zeroes": func(slba uint64, count int) *nvme.Command { return ioCmd(nvme.IOWriteZeroes, 1, slba, count, 0) },
		"deallocate":   func(slba uint64, count int) *nvme.Command { return dsmCmd(4, [2]uint64{slba, uint64(count)}) },
	} {
		for _, r := range [][2]uint64{{0, 8}, {3, 2}, {7, 2}, {5, 30}, {8, 16}, {1, 7}} {
			d := modern(t, nil)
			accept(t, d, writeCmd(0, 12, 9))
			want := blocks(t, d, 0, 48)
			clear(want[r[0]*512 : (r[0]+r[1])*512])
			accept(t, d, clearing(r[0], int(r[1])))
			if got := blocks(t, d, 0, 48); !bytes.Equal(got, want) {
				t.Errorf("%s of %d blocks at %d: wrong data", name, r[1], r[0])
			}
		}
	}
}

// TestDeallocateKeeps checks the other choice of the specification: where
// DLFEAT does not say what deallocated blocks read as, they keep their data.
func TestDeallocateKeeps(t *testing.T) {
	d, _ := instant(t, nil)
	want := blocks(t, d, 0, 8)
	accept(t, d, dsmCmd(attributeDeallocate, [2]uint64{0, 8}))
	if got := blocks(t, d, 0, 8); !bytes.Equal(got, want) {
		t.Error("a 905P cleared deallocated blocks")
	}
}

func TestUtilization(t *testing.T) {
	d := modern(t, nil)
	nuse := func() uint64 {
		ns, err := nvme.NewController(d).IdentifyNamespace(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return ns.NUSE
	}
	full := nuse()
	accept(t, d, dsmCmd(attributeDeallocate, [2]uint64{0, 1 << 20}))
	if got := full - nuse(); got != 1<<20 {
		t.Errorf("NUSE fell by %d, want %d", got, 1<<20)
	}
	accept(t, d, writeCmd(0, 8, 1))
	if got := full - nuse(); got != 1<<20-8 {
		t.Errorf("after a write NUSE is %d below full, want %d", got, 1<<20-8)
	}
	for first := uint64(0); first < full; first += mostRangeBlocks {
		accept(t, d, dsmCmd(attributeDeallocate, [2]uint64{first, min(mostRangeBlocks, full-first)}))
	}
	if got := nuse(); got != 0 {
		t.Errorf("NUSE of an empty namespace is %d", got)
	}
}

// TestUncorrectable checks Write Uncorrectable, and that a write heals.
func TestUncorrectable(t *testing.T) {
	d := modern(t, nil)
	before := smartLog(t, d).MediaErrors.Lo
	accept(t, d, ioCmd(nvme.IOWriteUncorrectable, 1, 100, 2, 0))
	reject(t, d, ioCmd(nvme.IORead, 1, 96, 8, 4096), nvme.StatusUnrecoveredReadError)
	reject(t, d, ioCmd(nvme.IOVerify, 1, 101, 1, 0), nvme.StatusUnrecoveredReadError)
	log := errorLogOf(t, d)
	if len(log) != 2 || log[1].LBA != 100 || log[0].LBA != 101 || log[0].NSID != 1 {
		t.Errorf("error log %+v, want LBA 101 and 100 of namespace 1", log)
	}
	if got := smartLog(t, d).MediaErrors.Lo - before; got != 2 {
		t.Errorf("%d media errors, want 2", got)
	}
	blocks(t, d, 96, 4)
	accept(t, d, writeCmd(100, 1, 1))
	accept(t, d, ioCmd(nvme.IOWriteZeroes, 1, 101, 1, 0))
	blocks(t, d, 96, 8)
}

// TestWriteCache checks which writes a loss of power takes back.
//
// Source: NVM Express Base Specification, Revision 2.0, Volatile Write Cache;
// NVM Command Set Specification, Revision 1.0, Flush command, Force Unit Access.
func TestWriteCache(t *testing.T) {
	setVWC := func(d *Drive, on uint32) {
		accept(t, d, &nvme.Command{Opcode: nvme.AdminSetFeatures, CDW10: uint32(nvme.FIDVolatileWriteCache), CDW11: on})
	}
	for _, tc := range []struct {
		name  string
		do    func(d *Drive)
		stays bool
	}{
		{"write", func(d *Drive) { accept(t, d, writeCmd(8, 8, 7)) }, false},
		{"part of a page", func(d *Drive) { accept(t, d, writeCmd(9, 2, 7)) }, false},
		{"write and flush", func(d *Drive) { accept(t, d, writeCmd(8, 8, 7)); accept(t, d, ioCmd(nvme.IOFlush, 1, 0, 1, 0)) }, true},
		{"write and flush all", func(d *Drive) { accept(t, d, writeCmd(8, 8, 7)); accept(t, d, ioCmd(nvme.IOFlush, all, 0, 1, 0)) }, true},
		{"force unit access", func(d *Drive) {
			accept(t, d, with(writeCmd(8, 8, 7), func(c *nvme.Command) { c.CDW12 |= forceUnitAccess }))
		}, true},
		{"cache off", func(d *Drive) { setVWC(d, 0); accept(t, d, writeCmd(8, 8, 7)) }, true},
		{"cache turned off", func(d *Drive) { accept(t, d, writeCmd(8, 8, 7)); setVWC(d, 0) }, true},
		{"shutdown", func(d *Drive) { accept(t, d, writeCmd(8, 8, 7)); d.Shutdown() }, true},
	} {
		d := modern(t, nil)
		before := blocks(t, d, 0, 24)
		tc.do(d)
		written := blocks(t, d, 0, 24)
		if bytes.Equal(before, written) {
			t.Errorf("%s: nothing was written", tc.name)
		}
		d.PowerCycle()
		want := before
		if tc.stays {
			want = written
		}
		if got := blocks(t, d, 0, 24); !bytes.Equal(got, want) {
			t.Errorf("%s: after a loss of power the data are there: %v, want %v", tc.name, bytes.Equal(got, written), tc.stays)
		}
	}
	d, _ := instant(t, nil) // A 905P has no volatile cache.
	accept(t, d, writeCmd(8, 8, 7))
	d.PowerCycle()
	if got := blocks(t, d, 8, 1); got[0] != 7 {
		t.Error("a drive without a volatile cache lost a write")
	}
}

// TestFlushRefusesBroadcast checks VWC bits 2:1.
func TestFlushRefusesBroadcast(t *testing.T) {
	d := modern(t, func(p *personality) { p.identify.VWC = 5 })
	reject(t, d, ioCmd(nvme.IOFlush, all, 0, 1, 0), nvme.StatusInvalidField)
}

// TestReadAllocates checks that a read costs no memory, written data or not.
func TestReadAllocates(t *testing.T) {
	d := modern(t, nil)
	cmd := ioCmd(nvme.IORead, 1, 0, 8, 4096)
	for _, name := range []string{"never written", "written"} {
		if got := testing.AllocsPerRun(100, func() {
			if c, _ := d.Begin(cmd); c.Status != 0 {
				t.Fatal(c.Status)
			}
		}); got != 0 {
			t.Errorf("%s: %v allocations a read", name, got)
		}
		accept(t, d, writeCmd(0, 8, 1))
	}
}

// TestClearWithoutRoom checks that clearing parts of pages, which takes room, is
// refused when there is none, and that whole pages take none.
func TestClearWithoutRoom(t *testing.T) {
	for name, clearing := range map[string]func(slba uint64, count int) *nvme.Command{
		"write zeroes": func(slba uint64, count int) *nvme.Command { return ioCmd(nvme.IOWriteZeroes, 1, slba, count, 0) },
		"deallocate":   func(slba uint64, count int) *nvme.Command { return dsmCmd(4, [2]uint64{slba, uint64(count)}) },
	} {
		d := modern(t, nil)
		d.controller.room.left.Store(0)
		for _, r := range [][2]int{{1, 2}, {1, 20}, {8, 9}} {
			if got := submit(t, d, clearing(uint64(r[0]), r[1])).Status.Code(); got != nvme.StatusInternalError {
				t.Errorf("%s of %d blocks at %d: %v, want Internal Error", name, r[1], r[0], got)
			}
		}
		accept(t, d, clearing(8, 16))
		if zero, _ := nvme.IsBlankPage(blocks(t, d, 8, 16)); !zero {
			t.Errorf("%s left data", name)
		}
	}
}

// TestNothingChanges checks that a command that is refused changes nothing: data,
// counters of writes, and what a sanitize said.
func TestNothingChanges(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, sanitizeCmd(actionCrypto))
	before, data := smartLog(t, d), blocks(t, d, 0, 16)
	const end = modernFirst / 512
	for _, cmd := range []*nvme.Command{
		ioCmd(nvme.IOWrite, 1, end, 1, 512), ioCmd(nvme.IOWrite, 2, 0, 1, 512), ioCmd(nvme.IOWrite, 1, 0, 2, 512),
		ioCmd(nvme.IOWriteZeroes, 1, end, 1, 0), ioCmd(nvme.IOWriteUncorrectable, 1, end, 1, 0),
		dsmCmd(attributeDeallocate, [2]uint64{0, 8}, [2]uint64{end, 1}), ioCmd(nvme.IOCompare, 1, end, 1, 512),
		formatCmd(1, 5, 1), formatCmd(2, 0, 1), sanitizeCmd(7), createCmd(9, 8, 0), attachCmd(1, 1, 1, 9),
		commitCmd(commitAtReset, 3), downloadCmd(4, make([]byte, 4096)), testCmd(2, testShort),
	} {
		if submit(t, d, cmd).Status == 0 {
			t.Errorf("%s was not refused", nvme.OpcodeName(cmd.Queue, cmd.Opcode))
		}
	}
	after := smartLog(t, d)
	if after.HostWriteCommands != before.HostWriteCommands || after.DataUnitsWritten != before.DataUnitsWritten {
		t.Errorf("writes went from %v to %v", before.HostWriteCommands, after.HostWriteCommands)
	}
	if !bytes.Equal(blocks(t, d, 0, 16), data) {
		t.Error("data changed")
	}
	if got := sanitizeLog(t, d).Status; got != nvme.SanitizeGlobalDataErased|nvme.SanitizeCompleted {
		t.Errorf("sanitize status %#x", got)
	}
	if revision, log := firmwareOf(t, d); revision != "QD1M0110" || log.NextSlot() != 0 {
		t.Errorf("firmware %s, next slot %d", revision, log.NextSlot())
	}
}
