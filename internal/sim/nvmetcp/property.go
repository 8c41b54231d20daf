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
	propertyNSSR = 0x20
)

// The Controller Capabilities (CAP): contiguous queues are required, a
// controller is ready within 20 seconds, and the command set is NVM.
const (
	capContiguous = 1 << 16
	capTimeout    = 40 << 24
	capReset      = 1 << 36 // NVM Subsystem Reset is supported
	capNVM        = 1 << 37
)

// resetWord is the value of NSSR that resets the subsystem: "NVMe".
const resetWord = 0x4E564D65

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
	value, wide, ok := q.controller.property(r.cmd.CDW11)
	if !ok || (r.cmd.CDW10&7 == 1) != wide {
		q.refuse(r, nvme.StatusInvalidField)
		return
	}
	q.succeed(r, value)
}

// property returns a property and whether it has 8 bytes instead of 4.
func (c *controller) property(offset uint32) (value uint64, wide, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	resets := c.subsystem.resetter != nil
	switch offset {
	case propertyCAP:
		value = capNVM | capTimeout | capContiguous | (QueueEntries - 1)
		if resets {
			value |= capReset
		}
		return value, true, true
	case propertyVS:
		return uint64(c.subsystem.version.Load()), false, true
	case propertyCC:
		return uint64(c.cc), false, true
	case propertyCSTS:
		return uint64(c.csts), false, true
	case propertyNSSR:
		return 0, false, resets
	}
	return 0, false, false
}

// setProperty answers Property Set. Only CC and NSSR can be set.
func (q *queue) setProperty(r *request) {
	c := q.controller
	switch {
	case r.cmd.CDW10&7 != 0:
		q.refuse(r, nvme.StatusInvalidField)
	case r.cmd.CDW11 == propertyCC:
		c.act(c.configure(r.cmd.CDW12))
		q.succeed(r, 0)
	case r.cmd.CDW11 == propertyNSSR && c.subsystem.resetter != nil:
		if r.cmd.CDW12 == resetWord {
			c.resetSubsystem()
		}
		q.succeed(r, 0)
	default:
		q.refuse(r, nvme.StatusInvalidField)
	}
}

// act is what follows a change of CC: with a reset the I/O queues and the
// requests for events end, and the drive is told.
func (c *controller) act(reset, shutdown bool) {
	if reset {
		c.hangUp(false)
		c.dropEvents()
	}
	switch r := c.subsystem.resetter; {
	case r == nil:
	case reset:
		r.Reset()
	case shutdown:
		r.Shutdown()
	}
}

// resetSubsystem does an NVM Subsystem Reset. The connections of all hosts end
// but for the admin queue on which it was asked for: Linux sends more commands
// on it, and notices only after a minute that it is gone.
func (c *controller) resetSubsystem() {
	c.subsystem.resetter.SubsystemReset()
	c.mu.Lock()
	c.cc, c.csts = 0, 0
	c.ready.Store(false)
	c.mu.Unlock()
	c.dropEvents()
	for _, other := range c.server.controllersOf(c.subsystem) {
		other.hangUp(other != c)
	}
}

// configure sets CC. It reports whether that is a Controller Level Reset, and
// whether it is a shutdown notification.
//
// Source: NVM Express Base Specification, Revision 2.0, Controller
// Configuration and Controller Status.
func (c *controller) configure(cc uint32) (reset, shutdown bool) {
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
	shutdown = cc&ccShutdown != 0 && old&ccShutdown == 0
	if cc&ccShutdown != 0 {
		c.csts |= cstsShutdown
	} else {
		c.csts &^= cstsShutdown
	}
	c.ready.Store(c.csts&cstsReady != 0)
	return reset, shutdown
}
