package sim

import (
	"context"
	"errors"

	"qd1.example/qd1/nvme"
)

// blockRange is the part of the namespace that a Read or Write is about.
type blockRange struct {
	off int64
	buf []byte
}

// checkRange checks the range of a Read or Write.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Read
// command and Write command; Base Specification, Revision 2.0, Generic Command
// Status Values: LBA Out of Range, and Invalid Field for more than MDTS.
func (c *controller) checkRange(cmd *nvme.Command) (blockRange, reply) {
	slba := uint64(cmd.CDW11)<<32 | uint64(cmd.CDW10)
	blocks := uint64(cmd.CDW12&0xFFFF) + 1
	block := uint64(c.namespace.blockBytes())
	limit := c.id.MaxTransferBytes()
	bad := reply{where: inCDW10, lba: slba}
	switch size := c.namespace.id.NSZE; {
	case cmd.NSID != onlyNSID:
		bad.status, bad.where, bad.lba = nvme.StatusInvalidNamespace, inNSID, 0
	case limit != 0 && blocks*block > limit:
		bad.status, bad.where = nvme.StatusInvalidField, inCDW12
	case slba >= size || blocks > size-slba:
		bad.status = nvme.StatusLBAOutOfRange
	case uint64(len(cmd.Data)) < blocks*block:
		bad.status, bad.where = nvme.StatusDataSGLLengthInvalid, inPointer
	default:
		return blockRange{off: int64(slba * block), buf: cmd.Data[:blocks*block]}, reply{}
	}
	return blockRange{}, bad
}

func (c *controller) ioRead(ctx context.Context, cmd *nvme.Command) (reply, error) {
	r, bad := c.checkRange(cmd)
	if bad.status != nvme.StatusSuccess {
		return bad, nil
	}
	return reply{}, c.read(ctx, r.buf, r.off)
}

// ioWrite answers Write. Data beyond what the model can keep is an Internal
// Error.
func (c *controller) ioWrite(ctx context.Context, cmd *nvme.Command) (reply, error) {
	r, bad := c.checkRange(cmd)
	if bad.status != nvme.StatusSuccess {
		return bad, nil
	}
	err := c.write(ctx, r.buf, r.off)
	if errors.Is(err, ErrFull) {
		return refuse(nvme.StatusInternalError, nowhere)
	}
	return reply{}, err
}

// ioFlush answers Flush: without a volatile write cache there is nothing to do.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Flush
// command; the broadcast NSID is allowed.
func (c *controller) ioFlush(_ context.Context, cmd *nvme.Command) (reply, error) {
	if cmd.NSID != onlyNSID && cmd.NSID != nvme.BroadcastNSID {
		return refuse(nvme.StatusInvalidNamespace, inNSID)
	}
	return success(0)
}

// read reads from the medium and counts it.
func (c *controller) read(ctx context.Context, p []byte, off int64) error {
	if err := c.medium.read(ctx, p, off); err != nil {
		return err
	}
	c.activity.reads.Add(1)
	c.activity.bytesRead.Add(uint64(len(p)))
	return nil
}

// write writes to the medium and counts it.
func (c *controller) write(ctx context.Context, p []byte, off int64) error {
	if err := c.medium.write(ctx, p, off); err != nil {
		return err
	}
	c.activity.writes.Add(1)
	c.activity.bytesWritten.Add(uint64(len(p)))
	return nil
}
