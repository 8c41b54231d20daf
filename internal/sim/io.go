package sim

import (
	"bytes"
	"errors"
	"time"

	"qd1.example/qd1/nvme"
)

// blockRange is the part of a namespace that a command is about.
type blockRange struct {
	*namespace
	off, length int64
	slba        uint64
}

// checkRange checks the range of a command that names blocks.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Read
// command and Write command; Base Specification, Revision 2.0, Generic Command
// Status Values: LBA Out of Range.
func (c *controller) checkRange(cmd *nvme.Command) (blockRange, reply) {
	n := c.spaces.Load().active(cmd.NSID)
	if n == nil {
		return blockRange{}, c.noNamespace(cmd.NSID)
	}
	slba := uint64(cmd.CDW11)<<32 | uint64(cmd.CDW10)
	blocks := uint64(cmd.CDW12&0xFFFF) + 1
	if slba >= n.id.NSZE || blocks > n.id.NSZE-slba {
		return blockRange{}, reply{status: nvme.StatusLBAOutOfRange, where: inCDW10, lba: slba}
	}
	block := uint64(n.blockBytes())
	return blockRange{namespace: n, off: int64(slba * block), length: int64(blocks * block), slba: slba}, reply{}
}

// checkTransfer is checkRange for a command that also moves the data.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller,
// MDTS: a longer transfer is an Invalid Field in Command.
func (c *controller) checkTransfer(cmd *nvme.Command) (blockRange, reply) {
	n := c.spaces.Load().active(cmd.NSID)
	if n == nil {
		return blockRange{}, c.noNamespace(cmd.NSID)
	}
	length := (uint64(cmd.CDW12&0xFFFF) + 1) * uint64(n.blockBytes())
	if limit := c.id.MaxTransferBytes(); limit != 0 && length > limit {
		return blockRange{}, reply{status: nvme.StatusInvalidField, where: inCDW12, lba: uint64(cmd.CDW11)<<32 | uint64(cmd.CDW10)}
	}
	r, bad := c.checkRange(cmd)
	if bad.ok() && int64(len(cmd.Data)) < r.length {
		bad = reply{status: nvme.StatusDataSGLLengthInvalid, where: inPointer, lba: r.slba}
	}
	return r, bad
}

// forceUnitAccess is the bit of CDW12 with which a write goes to the medium.
const forceUnitAccess = 1 << 30

func (c *controller) ioRead(cmd *nvme.Command) reply {
	r, bad := c.checkTransfer(cmd)
	if !bad.ok() {
		return bad
	}
	return c.read(r.namespace, cmd.Data[:r.length], r.off)
}

// ioWrite answers Write. Data beyond what the model can keep is an Internal
// Error.
func (c *controller) ioWrite(cmd *nvme.Command) reply {
	r, bad := c.checkTransfer(cmd)
	if !bad.ok() {
		return bad
	}
	a := c.write(r.namespace, cmd.Data[:r.length], r.off)
	if a.ok() && cmd.CDW12&forceUnitAccess != 0 {
		r.store.flush()
	}
	return a
}

// read reads from the medium and counts it.
func (c *controller) read(n *namespace, p []byte, off int64) reply {
	end, took := c.medium.begin(c.medium.timing.read, len(p))
	c.latency.note(ofReads, took)
	if at, bad := n.store.unreadable(off, int64(len(p))); bad {
		return c.mediaError(n, at, end)
	}
	n.store.readAt(p, off)
	n.store.track.read(off, int64(len(p)))
	c.activity.reads.Add(1)
	c.activity.bytesRead.Add(uint64(len(p)))
	return reply{end: end}
}

// mediaError is the answer to a command that could not read a block.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Write
// Uncorrectable command; Base Specification, Revision 2.0, SMART / Health
// Information Log Page: Media and Data Integrity Errors.
func (c *controller) mediaError(n *namespace, at int64, end time.Duration) reply {
	c.activity.mediaErrors.Add(1)
	return reply{status: nvme.StatusUnrecoveredReadError, lba: uint64(at) / uint64(n.blockBytes()), end: end}
}

// write writes to the medium and counts it. The data are kept at once.
func (c *controller) write(n *namespace, p []byte, off int64) reply {
	if n.protected != 0 {
		return c.refuseWrite(n, off)
	}
	end, took := c.medium.beginWrite(len(p))
	c.latency.note(ofWrites, took)
	if err := n.store.writeAt(p, off); err != nil {
		return refuse(nvme.StatusInternalError, nowhere)
	}
	c.activity.wrote(len(p))
	return reply{end: end}
}

// refuseWrite is the answer to a write where nothing can be written: Namespace
// is Write Protected if the host asked for that, Attempted Write to Read Only
// Range if the medium is worn out.
//
// Source: NVM Express Base Specification, Revision 2.0, Generic Command Status
// Values; NVM Command Set Specification, Revision 1.0, Command Specific Status
// Values.
func (c *controller) refuseWrite(n *namespace, off int64) reply {
	return reply{status: n.protected, where: nowhere, lba: uint64(off) / uint64(n.blockBytes())}
}

// ioFlush answers Flush: what is in a volatile write cache goes to the medium.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Flush
// command; Identify Controller, VWC bits 2:1: 10b refuses the broadcast NSID.
func (c *controller) ioFlush(cmd *nvme.Command) reply {
	const refusesBroadcast = 2
	s := c.spaces.Load()
	if cmd.NSID == nvme.BroadcastNSID {
		if c.id.VWC>>1&3 == refusesBroadcast {
			return refuse(nvme.StatusInvalidField, inNSID)
		}
		for _, n := range s.list {
			if n != nil && n.attached {
				n.store.flush()
			}
		}
		return success(0)
	}
	n := s.active(cmd.NSID)
	if n == nil {
		return c.noNamespace(cmd.NSID)
	}
	n.store.flush()
	return success(0)
}

// ioCompare answers Compare.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Compare
// command: data that differ are a Compare Failure.
func (c *controller) ioCompare(cmd *nvme.Command) reply {
	r, bad := c.checkTransfer(cmd)
	if !bad.ok() {
		return bad
	}
	medium := make([]byte, r.length)
	a := c.read(r.namespace, medium, r.off)
	if a.ok() && !bytes.Equal(medium, cmd.Data[:r.length]) {
		a.status, a.where, a.lba = nvme.StatusCompareFailure, nowhere, r.slba
	}
	return a
}

// ioVerify answers Verify: a read without the data.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Verify
// command.
func (c *controller) ioVerify(cmd *nvme.Command) reply {
	r, bad := c.checkRange(cmd)
	if !bad.ok() {
		return bad
	}
	end, _ := c.medium.begin(c.medium.timing.read, int(r.length))
	if at, bad := r.store.unreadable(r.off, r.length); bad {
		return c.mediaError(r.namespace, at, end)
	}
	return reply{end: end}
}

// ioWriteZeroes answers Write Zeroes. With or without Deallocate the blocks
// read as zeroes.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Write
// Zeroes command.
func (c *controller) ioWriteZeroes(cmd *nvme.Command) reply {
	r, bad := c.checkRange(cmd)
	if !bad.ok() {
		return bad
	}
	if r.protected != 0 {
		return c.refuseWrite(r.namespace, r.off)
	}
	end, _ := c.medium.begin(c.medium.timing.write, pageBytes)
	if err := r.store.clearAt(r.off, r.length); errors.Is(err, ErrFull) {
		return refuse(nvme.StatusInternalError, nowhere)
	}
	c.activity.writes.Add(1)
	c.activity.changed.Store(true)
	return reply{end: end}
}

// ioWriteUncorrectable answers Write Uncorrectable: the blocks cannot be read
// until they are written.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Write
// Uncorrectable command.
func (c *controller) ioWriteUncorrectable(cmd *nvme.Command) reply {
	r, bad := c.checkRange(cmd)
	if !bad.ok() {
		return bad
	}
	if r.protected != 0 {
		return c.refuseWrite(r.namespace, r.off)
	}
	r.store.spoil(r.off, r.length)
	c.activity.writes.Add(1)
	c.activity.changed.Store(true)
	return success(0)
}
