package sim

import (
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// menu is what FuzzSequence chooses from: one command, by a choice and an
// argument.
func menu(choice, arg byte) *nvme.Command {
	nsid := nvme.NSID(arg%3 + 1)
	a := uint32(arg)
	admin := func(op uint8, cdw10 uint32) *nvme.Command {
		return &nvme.Command{Opcode: op, NSID: nsid, CDW10: cdw10, Data: make([]byte, 4096)}
	}
	in := func(cmd *nvme.Command) *nvme.Command { cmd.NSID = nsid; return cmd }
	all := []*nvme.Command{
		in(ioCmd(nvme.IORead, 0, uint64(arg)*8, 1, 4096)), in(ioCmd(nvme.IOWrite, 0, uint64(arg)*8, 1, 4096)),
		in(ioCmd(nvme.IOWriteZeroes, 0, uint64(arg), int(a)+1, 0)), in(ioCmd(nvme.IOWriteUncorrectable, 0, uint64(arg), 1, 0)),
		in(ioCmd(nvme.IOVerify, 0, 0, 256, 0)), in(ioCmd(nvme.IOFlush, 0, 0, 1, 0)),
		in(dsmCmd(attributeDeallocate, [2]uint64{uint64(arg), 64})),
		admin(nvme.AdminFormatNVM, a&1|a<<8&0x600), admin(nvme.AdminSanitize, a),
		with(admin(nvme.AdminSanitize, a), func(c *nvme.Command) { c.NSID = 0 }),
		admin(nvme.AdminDeviceSelfTest, a&0xF), createCmd(uint64(arg), uint64(arg), arg&1), deleteCmd(nsid),
		attachCmd(nsid, a&1, 1, 0), admin(nvme.AdminFirmwareCommit, a&0x1F),
		admin(nvme.AdminFirmwareImageDownload, 1023), logCmd(nvme.LID(arg), nvme.BroadcastNSID, 4096),
		getCmd(nvme.FID(arg), 0, 4096), withData(setCmd(nvme.FID(arg&0x1F), a), make([]byte, 4096)),
		in(setCmd(nvme.FIDNamespaceWriteProtected, a&1)), identifyCmd(nvme.CNS(arg&0x1F), nsid),
	}
	return all[int(choice)%len(all)]
}

// FuzzSequence does any sequence of commands, resets and times, and checks what
// must hold after each of them.
func FuzzSequence(f *testing.F) {
	f.Add([]byte{7, 1, 0, 0, 200, 0, 1, 3, 0, 3})
	f.Add([]byte{11, 16, 13, 0, 1, 1, 0, 1, 9, 2, 0, 0, 200, 5, 0, 1, 12, 1})
	f.Add([]byte{10, 2, 201, 0, 14, 17, 202, 0, 9, 3, 203, 0, 200, 90})
	f.Fuzz(func(t *testing.T, steps []byte) {
		d, now := instantOf(t, nandModern(), func(p *personality) {
			p.work = work{formatErase: 10 * time.Second, blockErase: 10 * time.Second, shortTest: 5 * time.Second}
			p.sanitizeFails = len(steps)%5 == 0
			p.formatAnswers = len(steps)%3 != 0
		})
		for ; len(steps) >= 2; steps = steps[2:] {
			switch choice, arg := steps[0], steps[1]; choice {
			case 200:
				*now = now.Add(time.Duration(arg) * time.Second)
			case 201:
				d.Reset()
			case 202:
				d.PowerCycle()
			case 203:
				d.Shutdown()
			default:
				d.Begin(menu(choice, arg))
			}
			checkInvariants(t, d)
		}
	})
}

// checkInvariants checks what holds in every state of the drive.
func checkInvariants(t *testing.T, d *Drive) {
	t.Helper()
	c := d.controller
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	s := c.smartLog()
	if s.ErrorLogEntries.Lo != c.errors.count || len(c.errors.entries) > c.errors.size {
		t.Errorf("SMART counts %v errors, the log has %d entries and counts %d", s.ErrorLogEntries, len(c.errors.entries), c.errors.count)
	}
	allocated := uint64(0)
	for i, n := range c.spaces.Load().list {
		if n == nil {
			continue
		}
		allocated += uint64(n.capacity())
		if n.nsid != nvme.NSID(i+1) || n.bytes() != n.store.size || n.blockBytes() == 0 {
			t.Errorf("namespace %d in place %d: %d bytes, store of %d", n.nsid, i, n.bytes(), n.store.size)
		}
		if fpi := c.formatProgress(n); fpi != 0x80 && (c.format.end.IsZero() || c.now().After(c.format.end)) {
			t.Errorf("FPI %#x without a format", fpi)
		}
		if nuse := c.utilization(n); nuse > n.id.NCAP {
			t.Errorf("NUSE %d above NCAP %d", nuse, n.id.NCAP)
		}
	}
	if allocated+c.id.UNVMCAP.Lo != c.id.TNVMCAP.Lo {
		t.Errorf("%d bytes allocated and %d not, of %d", allocated, c.id.UNVMCAP.Lo, c.id.TNVMCAP.Lo)
	}
	if running := c.sanitize.state == nvme.SanitizeInProgress; running != (c.sanitizeProgress() != 0xFFFF) {
		t.Errorf("sanitize state %d with progress %#x", c.sanitize.state, c.sanitizeProgress())
	}
	if c.busy() != c.spaces.Load().busy {
		t.Errorf("busy %v, published %v", c.busy(), c.spaces.Load().busy)
	}
	if f := &c.firmware; f.slots[f.active-1].Revision != c.id.FirmwareRevision.String() && !f.touched {
		t.Errorf("slot %d has %q, running %q", f.active, f.slots[f.active-1].Revision, c.id.FirmwareRevision)
	}
	if left := c.room.left.Load(); left < 0 || left > MaxWrittenBytes/pageBytes {
		t.Errorf("room for %d pages", left)
	}
	if len(c.selfTest.results) > maxResults || len(c.history.events) > maxHistory || len(c.events) > maxEvents {
		t.Error("something grows without end")
	}
}
