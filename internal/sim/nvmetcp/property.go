package nvmetcp

import "qd1.example/qd1/nvme"

// Offsets of the properties.
//
// Source: NVM Express Base Specification, Revision 2.0, Property Definition.
const (
	propertyCAP  = 0x00
	propertyVS   = 0x08
	propertyCC   = 0x14
	propertyCSTS = 0x1C
)

// The Controller Capabilities (CAP): contiguous queues are required, a
// controller is ready within 20 seconds, and the command set is NVM.
const (
	capContiguous = 1 << 16
	capTimeout    = 40 << 24
	capNVM        = 1 << 37
)

// Controller Configuration (CC) and Controller Status (CSTS).
const (
	ccEnable     = 1 << 0
	ccOther      = 0x7<<4 | 0xF<<7 | 0x7<<11 // CSS, MPS and AMS, all 0
	ccShutdown   = 0x3 << 14
	ccEntryMask  = 0xFF << 16
	ccEntrySizes = 6<<16 | 4<<20 // 64 and 16 bytes
	cstsReady    = 1 << 0
	cstsFatal    = 1 << 1
	cstsShutdown = 1 << 3 // complete
)

// getProperty answers Property Get.
func (q *queue) getProperty(r *request) {
	var value uint64
	c, wide := q.controller, false
	switch r.cmd.CDW11 {
	case propertyCAP:
		value, wide = capNVM|capTimeout|capContiguous|(QueueEntries-1), true
	case propertyVS:
		value = uint64(c.subsystem.version)
	case propertyCC:
		value, _ = c.registers()
	case propertyCSTS:
		_, value = c.registers()
	default:
		q.refuse(r, nvme.StatusInvalidField)
		return
	}
	if (r.cmd.CDW10&7 == 1) != wide {
		q.refuse(r, nvme.StatusInvalidField)
		return
	}
	q.succeed(r, value)
}

// setProperty answers Property Set. Only CC can be set.
func (q *queue) setProperty(r *request) {
	if r.cmd.CDW11 != propertyCC || r.cmd.CDW10&7 != 0 {
		q.refuse(r, nvme.StatusInvalidField)
		return
	}
	if q.controller.configure(r.cmd.CDW12) {
		q.controller.reset(q.ctx)
	}
	q.succeed(r, 0)
}

// configure sets CC and does what it asks for. It reports whether that is a
// Controller Level Reset.
//
// Source: NVM Express Base Specification, Revision 2.0, Controller
// Configuration and Controller Status.
func (c *controller) configure(cc uint32) (reset bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.cc
	c.cc = cc
	switch {
	case cc&ccEnable != 0 && old&ccEnable == 0:
		c.csts = cstsReady
		if cc&ccOther != 0 || cc&ccEntryMask != ccEntrySizes {
			c.csts = cstsFatal
		}
	case cc&ccEnable == 0 && old&ccEnable != 0:
		c.csts, reset = 0, true
	}
	if cc&ccShutdown != 0 {
		c.csts |= cstsShutdown
	} else {
		c.csts &^= cstsShutdown
	}
	c.ready.Store(c.csts&cstsReady != 0)
	return reset
}

// registers returns CC and CSTS.
func (c *controller) registers() (cc, csts uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return uint64(c.cc), uint64(c.csts)
}
