package sim

import (
	"encoding/binary"
	"maps"
	"slices"

	"qd1.example/qd1/nvme"
)

// logPage is one log page of the model.
type logPage struct {
	// needs are the bits of LPA without which the drive does not have it.
	needs nvme.LPA
	// check refuses a command that is not valid for this page. It may be nil.
	check func(*nvme.Command) reply
	// page returns the whole page.
	page func() []byte
	// ends is set if nothing is sent of what a command asks for behind the end of
	// the page. Other pages go on with zeroes.
	ends bool
	// read, unless it is nil, is called after the page was read.
	read func(*nvme.Command)
}

// logPages returns all pages that the model can make. Which of them a drive
// has is the profile's matter, and LPA's.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Log Page - Log
// Page Identifiers; Identify Controller data structure, LPA.
func (c *controller) logPages() map[nvme.LID]logPage {
	pages := map[nvme.LID]logPage{
		nvme.LIDSupportedLogs:       {needs: nvme.LPASupportedLogs, page: c.supportedPage},
		nvme.LIDError:               {page: func() []byte { return c.errors.page() }},
		nvme.LIDSMART:               {check: c.checkSMART, page: c.smartPage},
		nvme.LIDFirmwareSlot:        {page: c.firmwarePage},
		nvme.LIDChangedNamespaces:   {page: c.changedPage, read: c.changedRead},
		nvme.LIDCommandsEffects:     {needs: nvme.LPACommandsEffects, page: c.effectsPage},
		nvme.LIDSelfTest:            {page: c.selfTestPage},
		nvme.LIDTelemetryHost:       {needs: nvme.LPATelemetry, check: c.checkTelemetry, page: c.telemetryHostPage, ends: true},
		nvme.LIDTelemetryController: {needs: nvme.LPATelemetry, check: c.checkTelemetry, page: c.telemetryControllerPage, ends: true},
		nvme.LIDEnduranceGroup:      {check: c.checkEnduranceGroup, page: c.endurancePage},
		nvme.LIDPersistentEvent:     {needs: nvme.LPAPersistentEvent, check: c.checkPersistent, page: c.persistentPage, read: c.persistentRead},
		nvme.LIDSanitize:            {page: c.sanitizePage},
	}
	maps.Copy(pages, c.intelPages())
	return pages
}

// findLog returns a page if the drive has it. A captured page of a kind that
// the model does not make stays as it is. A ghost has no page of the vendor.
func (c *controller) findLog(lid nvme.LID) (logPage, bool) {
	if page := c.personality.captured(lid); page != nil && c.pageLeft(lid) {
		return logPage{page: func() []byte { return page }}, true
	}
	p, ok := c.logs[lid]
	gone := c.ghost && lid >= firstVendorID
	return p, ok && !gone && slices.Contains(c.personality.logs, lid) && c.id.LPA&p.needs == p.needs
}

// getLogPage answers the Get Log Page command.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Log Page Command:
// an unsupported page is an Invalid Log Page.
func (c *controller) getLogPage(cmd *nvme.Command) reply {
	lid := nvme.LID(cmd.CDW10)
	log, ok := c.findLog(lid)
	if !ok {
		return refuse(nvme.StatusInvalidLogPage, inCDW10)
	}
	window, where := c.logWindow(cmd)
	if where != nowhere {
		return refuse(nvme.StatusInvalidField, where)
	}
	if window.length > uint64(len(cmd.Data)) {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	if log.check != nil {
		if bad := log.check(cmd); !bad.ok() {
			return bad
		}
	}
	page := log.page()
	if window.offset > uint64(len(page)) {
		return refuse(nvme.StatusInvalidField, inCDW12)
	}
	page = page[window.offset:]
	page = page[:min(uint64(len(page)), window.length)]
	if log.ends {
		copy(cmd.Data, page)
	} else {
		fill(cmd, page)
	}
	c.afterLog(cmd, log)
	return success(0)
}

// retainEvent is Retain Asynchronous Event in CDW10.
const retainEvent = 1 << 15

// afterLog does what reading a page causes.
func (c *controller) afterLog(cmd *nvme.Command, log logPage) {
	if cmd.CDW10&retainEvent == 0 {
		c.clearEvent(nvme.LID(cmd.CDW10))
	}
	if log.read != nil {
		log.read(cmd)
	}
}

// logSpecific returns the Log Specific Parameter.
func logSpecific(cmd *nvme.Command) uint8 { return uint8(cmd.CDW10>>8) & 0x7F }

// logWindow is which bytes of a log page a command asks for.
type logWindow struct{ offset, length uint64 }

// logWindow returns what the command asks for, or the place of the field that
// is not valid.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Log Page Command,
// and Log Page Attributes in Identify Controller: without extended data (LPA
// bit 2) the number of dwords has 12 bits and there is no offset. An offset is
// a multiple of 4. A transfer is at most that of MDTS.
func (c *controller) logWindow(cmd *nvme.Command) (logWindow, uint16) {
	dwords := uint64(cmd.CDW10>>16) | uint64(cmd.CDW11&0xFFFF)<<16
	w := logWindow{
		offset: uint64(cmd.CDW12) | uint64(cmd.CDW13)<<32,
		length: (dwords + 1) * 4,
	}
	extended := c.id.LPA&nvme.LPAExtendedData != 0
	limit := c.id.MaxTransferBytes()
	switch {
	case !extended && w.offset != 0, w.offset%4 != 0:
		return w, inCDW12
	case !extended && dwords>>16 != 0:
		return w, inCDW11
	case !extended && dwords>>12 != 0, limit != 0 && w.length > limit:
		return w, inCDW10 + 2
	}
	return w, nowhere
}

// checkSMART refuses an NSID that the SMART log cannot be read with.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: a single namespace only where LPA bit 0 says so.
func (c *controller) checkSMART(cmd *nvme.Command) reply {
	if cmd.NSID == 0 || cmd.NSID == nvme.BroadcastNSID {
		return reply{}
	}
	if c.id.LPA&nvme.LPASMARTPerNamespace != 0 && c.spaces.Load().active(cmd.NSID) != nil {
		return reply{}
	}
	return refuse(nvme.StatusInvalidField, inNSID)
}

func (c *controller) smartPage() []byte {
	s := c.smartLog()
	return encode(&s)
}

// supportedPage returns the Supported Log Pages log.
//
// Source: NVM Express Base Specification, Revision 2.0, Supported Log Pages
// Log Page: bit 0 of the dword of a LID.
func (c *controller) supportedPage() []byte {
	b := make([]byte, 256*4)
	for lid := range 256 {
		if _, ok := c.findLog(nvme.LID(lid)); ok {
			b[lid*4] = 1
		}
	}
	return b
}

// changedPage returns the Changed Namespace List.
//
// Source: NVM Express Base Specification, Revision 2.0, Changed Namespace List
// Log Page: the NSIDs that changed since the page was last read, or FFFFFFFFh
// alone for more than 1024.
func (c *controller) changedPage() []byte {
	list := c.changed
	const most = 1024
	if len(list) > most {
		list = []nvme.NSID{nvme.BroadcastNSID}
	}
	b := make([]byte, most*4)
	for i, nsid := range list {
		binary.LittleEndian.PutUint32(b[i*4:], uint32(nsid))
	}
	return b
}

func (c *controller) changedRead(cmd *nvme.Command) {
	if cmd.CDW10&retainEvent == 0 {
		c.changed = nil
	}
}

// noteChanged puts a namespace into the Changed Namespace List.
func (c *controller) noteChanged(nsid nvme.NSID) {
	if !slices.Contains(c.changed, nsid) {
		c.changed = append(c.changed, nsid)
		slices.Sort(c.changed)
	}
	c.notifyIf(reportNamespaceChanged, Event{eventNotice, infoNamespaceChanged, nvme.LIDChangedNamespaces})
}

// encode writes a structure as it is on the wire.
func encode(v any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic("sim: " + err.Error()) // Only a type without a fixed size gets here.
	}
	return b
}
