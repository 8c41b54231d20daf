package sim

import "qd1.example/qd1/nvme"

// Event is an asynchronous event of the drive.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Request command.
type Event struct {
	// Type is the event type, Info what happened.
	Type, Info uint8
	// LID is the log page that tells more. Reading it with RAE clear lets the
	// drive report the next event of its kind.
	LID nvme.LID
}

// Result returns dword 0 of the completion of an Asynchronous Event Request.
func (e Event) Result() uint32 {
	return uint32(e.Type) | uint32(e.Info)<<8 | uint32(e.LID)<<16
}

// maxEvents is how many events wait for whoever takes them. More are lost, as
// they are on a drive without outstanding requests.
const maxEvents = 16

// The events of the model.
const (
	eventSMART     = 1
	eventNotice    = 2
	eventIOCommand = 6

	infoReliability = 0
	infoTemperature = 1
	infoSpare       = 2

	infoNamespaceChanged   = 0
	infoFirmwareActivation = 1

	infoSanitizeCompleted = 1
)

// Bits of the Asynchronous Event Configuration feature.
const (
	reportNamespaceChanged   = 1 << 8
	reportFirmwareActivation = 1 << 9
)

// notify reports an event, unless one of the same log page was not yet read.
// The lock must be held.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Request command: an event masks its kind until its log page is read with
// Retain Asynchronous Event clear.
func (c *controller) notify(e Event) {
	if c.reported[e.LID] {
		return
	}
	select {
	case c.events <- e:
		c.reported[e.LID] = true
	default:
	}
}

// notifyIf reports an event that Asynchronous Event Configuration asks for.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Configuration.
func (c *controller) notifyIf(bits uint32, e Event) {
	if c.feature(nvme.FIDAsynchronousEvents).dword&bits != 0 {
		c.notify(e)
	}
}

// clearEvent lets the events of a log page be reported again.
func (c *controller) clearEvent(lid nvme.LID) { delete(c.reported, lid) }
