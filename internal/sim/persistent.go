package sim

import (
	"slices"

	"qd1.example/qd1/nvme"
)

// history is what the Persistent Event log tells.
type history struct {
	// events are encoded, the newest first.
	events [][]byte
	// context is the page as it was when the reporting context was made, nil
	// for none.
	context    []byte
	generation uint16
}

// maxHistory bounds the events that the drive keeps.
const maxHistory = 256

// The actions of the Log Specific Parameter.
const (
	persistentRead      = 0
	persistentEstablish = 1
	persistentRelease   = 2
	persistentHeader    = 3
)

const (
	persistentHeaderBytes = 512
	persistentEventBytes  = 24
)

// remember adds an event. The lock must be held, but when the drive is opened.
//
// Source: NVM Express Base Specification, Revision 2.0, Persistent Event Log
// Page: the newest event comes first.
func (c *controller) remember(kind uint8, data []byte) {
	if c.id.LPA&nvme.LPAPersistentEvent == 0 {
		return
	}
	e := encode(&nvme.PersistentEvent{
		Type: kind, Revision: 1, HeaderBytes: persistentEventBytes - 3, CNTLID: c.id.CNTLID,
		Timestamp: c.timestamp(), EventBytes: uint16(len(data)),
	})
	h := &c.history
	h.events = slices.Insert(h.events, 0, append(e, data...))
	h.events = h.events[:min(len(h.events), maxHistory)]
}

// checkPersistent makes, needs or ends the reporting context.
//
// Source: NVM Express Base Specification, Revision 2.0, Persistent Event Log
// Page: reading without a context, and making a second one, is a Command
// Sequence Error; a release succeeds in any case.
func (c *controller) checkPersistent(cmd *nvme.Command) reply {
	h := &c.history
	action := logSpecific(cmd) & 3
	switch makes := action == persistentEstablish || action == persistentHeader; {
	case makes && h.context != nil, action == persistentRead && h.context == nil:
		return refuse(nvme.StatusCommandSequenceError, inCDW10+1)
	case makes:
		h.generation++
		h.context = c.historyPage()
	}
	return reply{}
}

// persistentPage returns the log of the reporting context.
func (c *controller) persistentPage() []byte { return c.history.context }

func (c *controller) persistentRead(cmd *nvme.Command) {
	if logSpecific(cmd)&3 == persistentRelease {
		c.history.context = nil
	}
}

// historyPage returns the whole log as of now, with a snapshot of the SMART
// log as its newest event.
func (c *controller) historyPage() []byte {
	c.remember(nvme.EventSMARTSnapshot, c.smartPage())
	var events []byte
	for _, e := range c.history.events {
		events = append(events, e...)
	}
	const contextExists, logRevision = 1 << 18, 2
	h := nvme.PersistentEventHeader{
		LID: nvme.LIDPersistentEvent, Events: uint32(len(c.history.events)),
		Bytes: uint64(persistentHeaderBytes + len(events)), Revision: logRevision,
		HeaderBytes: persistentHeaderBytes - 20, Timestamp: c.timestamp(),
		PowerOnHours: nvme.U128(c.powerOnHours()), PowerCycles: c.smart.PowerCycles.Lo,
		VID: c.id.VID, SSVID: c.id.SSVID, SerialNumber: c.id.SerialNumber, ModelNumber: c.id.ModelNumber,
		SUBNQN: c.id.SUBNQN, Generation: c.history.generation, Context: contextExists,
	}
	for _, kind := range rememberedEvents() {
		h.Supported[kind/8] |= 1 << (kind % 8)
	}
	return append(encode(&h), events...)
}

// rememberedEvents returns the types of events that the model remembers.
func rememberedEvents() []uint8 {
	return []uint8{
		nvme.EventSMARTSnapshot, nvme.EventFirmwareCommit, nvme.EventTimestampChange, nvme.EventPowerOnOrReset,
		nvme.EventChangeNamespace, nvme.EventFormatStart, nvme.EventFormatCompletion, nvme.EventSanitizeStart,
		nvme.EventSanitizeComplete, nvme.EventTelemetryCreated, nvme.EventThermalExcursion,
	}
}

// powerOnEvent is the data of a Power-on or Reset event.
func (c *controller) powerOnEvent() []byte {
	b := slices.Clone(c.id.FirmwareRevision[:])
	b = append(b, byte(c.id.CNTLID), byte(c.id.CNTLID>>8), 0, 0)
	b = append(b, make([]byte, 12)...)
	return appendDwords(b, uint32(c.smart.PowerCycles.Lo), 0, 0, uint32(c.timestamp()), uint32(c.timestamp()>>32))
}
