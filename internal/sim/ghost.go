package sim

import (
	"slices"

	"qd1.example/qd1/nvme"
)

// ghostBytes is the capacity of a ghost.
const ghostBytes = 1_000_000_000

// haunt makes the drive a ghost; see [DoGhost]. The lock must be held.
func (c *controller) haunt() {
	id := nvme.IdentifyController{
		VID: c.id.VID, SSVID: c.id.SSVID, SerialNumber: c.id.SerialNumber, ModelNumber: ascii40(GhostModel),
		FirmwareRevision: ascii8("0"), CNTLID: c.id.CNTLID, Version: c.id.Version, MDTS: c.id.MDTS,
		SQES: 0x66, CQES: 0x44, NN: 1,
	}
	c.ghost, c.opal, c.blockSID = true, opalNone, false
	c.id, c.page = id, encode(&id)
	c.admin = [256]handler{}
	c.setAdminHandlers()
	c.sanitize, c.format, c.selfTest = sanitizing{}, formatting{}, selfTesting{}
	c.smart = ghostSMART()
	c.thermal.idle = 0
	c.spaces.Store(&spaces{list: []*namespace{c.ghostNamespace()}})
}

// ghostNamespace takes the place of all namespaces.
func (c *controller) ghostNamespace() *namespace {
	for _, n := range c.spaces.Load().list {
		if n != nil {
			n.store.release()
		}
	}
	n := &namespace{nsid: 1, attached: true}
	n.id.NSZE = ghostBytes / unitBytes
	n.id.NCAP, n.id.NUSE = n.id.NSZE, n.id.NSZE
	n.id.LBAF[0] = nvme.LBAFormat{LBADS: 9}
	n.store = newStoreIn(n.bytes(), generator{blank: true}, c.room)
	return n
}

// ghostSMART returns counters that cannot be, and no temperature.
func ghostSMART() nvme.SMARTLog {
	absurd := nvme.Uint128{Lo: 0x6A09E667F3BCC908, Hi: 0x01F3BB67AE8584CA}
	s := nvme.SMARTLog{PercentageUsed: 255}
	for _, counter := range []*nvme.Uint128{
		&s.DataUnitsRead, &s.DataUnitsWritten, &s.HostReadCommands, &s.HostWriteCommands, &s.ControllerBusyTime,
		&s.PowerCycles, &s.PowerOnHours, &s.UnsafeShutdowns, &s.MediaErrors, &s.ErrorLogEntries,
	} {
		*counter = absurd
	}
	return s
}

// pageLeft reports whether a log page of a captured drive is still the captured
// one: a ghost has none of them.
func (c *controller) pageLeft(lid nvme.LID) bool { return !c.ghost && !c.lives(lid) }

// descriptorsLeft returns the captured Namespace Identification Descriptor list
// of a namespace, and whether the drive has such lists.
func (c *controller) descriptorsLeft(nsid nvme.NSID) ([]byte, bool) {
	if c.ghost || c.personality.descriptors == nil {
		return nil, false
	}
	return slices.Clone(c.personality.descriptors[nsid]), true
}
