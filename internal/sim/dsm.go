package sim

import (
	"encoding/binary"
	"slices"

	"qd1.example/qd1/nvme"
)

// The Dataset Management command.
const (
	attributeDeallocate = 1 << 2
	dsmRangeBytes       = 16
)

// What one Dataset Management command carries at most on drives that report it:
// ranges, logical blocks of a range, logical blocks of all.
const (
	mostRanges      = 64
	mostRangeBlocks = 1 << 22
	mostTrimBlocks  = 1 << 27
)

// Offsets in the I/O Command Set specific Identify Controller data structure.
const (
	atDMRL  = 3
	atDMRSL = 4
	atDMSL  = 8
)

// limitsTrim reports whether the drive reports limits of Dataset Management.
func (c *controller) limitsTrim() bool {
	return slices.Contains(c.personality.cns, nvme.CNSCommandSetController)
}

// trimLimits writes the limits into the page that reports them.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, I/O Command
// Set specific Identify Controller data structure (CNS 06h, CSI 00h): DMRL,
// DMRSL, DMSL.
func trimLimits() []byte {
	page := make([]byte, identifyBytes)
	page[atDMRL] = mostRanges
	binary.LittleEndian.PutUint32(page[atDMRSL:], mostRangeBlocks)
	binary.LittleEndian.PutUint64(page[atDMSL:], mostTrimBlocks)
	return page
}

// ioDatasetManagement answers Dataset Management. Attributes other than
// Deallocate are hints, which the model does not use.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Dataset
// Management command: a range beyond the namespace is an LBA Out of Range; more
// than the drive takes is a Command Size Limit Exceeded.
func (c *controller) ioDatasetManagement(cmd *nvme.Command) reply {
	n := c.spaces.Load().active(cmd.NSID)
	if n == nil {
		return c.noNamespace(cmd.NSID)
	}
	length := (int(cmd.CDW10&0xFF) + 1) * dsmRangeBytes
	if len(cmd.Data) < length {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	deallocate := cmd.CDW11&attributeDeallocate != 0
	if deallocate && n.protected != 0 {
		return c.refuseWrite(n, 0)
	}
	if bad := c.checkRanges(n, cmd.Data[:length]); !bad.ok() || !deallocate {
		return bad
	}
	return c.deallocate(n, cmd.Data[:length])
}

// dsmRange returns the blocks of one range.
func dsmRange(b []byte) (slba, blocks uint64) {
	return binary.LittleEndian.Uint64(b[8:]), uint64(binary.LittleEndian.Uint32(b[4:]))
}

func (c *controller) checkRanges(n *namespace, list []byte) reply {
	limited, all := c.limitsTrim(), uint64(0)
	if limited && len(list) > mostRanges*dsmRangeBytes {
		return refuse(nvme.StatusCommandSizeLimitExceeded, inCDW10)
	}
	for ; len(list) > 0; list = list[dsmRangeBytes:] {
		slba, blocks := dsmRange(list)
		if all += blocks; limited && (blocks > mostRangeBlocks || all > mostTrimBlocks) {
			return refuse(nvme.StatusCommandSizeLimitExceeded, inPointer)
		}
		if slba > n.id.NSZE || blocks > n.id.NSZE-slba {
			return reply{status: nvme.StatusLBAOutOfRange, where: inPointer, lba: slba}
		}
	}
	return reply{}
}

// readsZeroes reports whether deallocated blocks read as zeroes. Elsewhere the
// model keeps the data, which the specification allows.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Identify
// Namespace data structure, DLFEAT bits 2:0.
func (n *namespace) readsZeroes() bool { return n.id.DLFEAT&7 == 1 }

func (c *controller) deallocate(n *namespace, list []byte) reply {
	c.activity.changed.Store(true)
	if !n.readsZeroes() {
		return success(0)
	}
	block := uint64(n.blockBytes())
	for ; len(list) > 0; list = list[dsmRangeBytes:] {
		slba, blocks := dsmRange(list)
		if err := n.store.clearAt(int64(slba*block), int64(blocks*block)); err != nil {
			return refuse(nvme.StatusInternalError, nowhere)
		}
	}
	return success(0)
}
