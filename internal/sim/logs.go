package sim

import (
	"context"
	"encoding/binary"
	"slices"

	"qd1.example/qd1/nvme"
)

const logBytes = 512

// getLogPage answers the Get Log Page command.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Log Page Command:
// an unsupported page is an Invalid Log Page.
func (c *controller) getLogPage(_ context.Context, cmd *nvme.Command) (reply, error) {
	lid := nvme.LID(cmd.CDW10)
	if !slices.Contains(c.personality.logs, lid) {
		return refuse(nvme.StatusInvalidLogPage, inCDW10)
	}
	if lid == nvme.LIDSMART && !c.smartAddresses(cmd.NSID) {
		return refuse(nvme.StatusInvalidField, inNSID)
	}
	window, where := c.logWindow(cmd)
	if where != nowhere {
		return refuse(nvme.StatusInvalidField, where)
	}
	if window.length > uint64(len(cmd.Data)) {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	page := c.logPage(lid)
	if window.offset > uint64(len(page)) {
		return refuse(nvme.StatusInvalidField, inCDW12)
	}
	page = page[window.offset:]
	fill(cmd, page[:min(uint64(len(page)), window.length)])
	return success(0)
}

// smartAddresses reports whether the SMART log can be read with this NSID.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: a single namespace only where LPA bit 0 says so.
func (c *controller) smartAddresses(nsid nvme.NSID) bool {
	if nsid == 0 || nsid == nvme.BroadcastNSID {
		return true
	}
	return c.id.LPA&nvme.LPASMARTPerNamespace != 0 && uint32(nsid) <= c.id.NN
}

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

// logPage returns a whole log page.
func (c *controller) logPage(lid nvme.LID) []byte {
	switch lid {
	case nvme.LIDError:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.errors.page()
	case nvme.LIDSMART:
		return c.smartPage()
	case nvme.LIDFirmwareSlot:
		return c.firmwarePage()
	case nvme.LIDCommandsEffects:
		return c.effectsPage()
	case nvme.LIDTelemetryHost, nvme.LIDTelemetryController:
		return c.telemetryPage(lid)
	}
	return nil
}

// smartPage returns the SMART log: the profile's values and what was done
// since the drive was opened.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: data units are thousands of 512 bytes, rounded up.
func (c *controller) smartPage() []byte {
	now := c.now()
	a := &c.activity
	s := c.personality.smart
	s.DataUnitsRead.Lo += a.dataUnits(&a.bytesRead)
	s.DataUnitsWritten.Lo += a.dataUnits(&a.bytesWritten)
	s.HostReadCommands.Lo += a.reads.Load()
	s.HostWriteCommands.Lo += a.writes.Load()
	s.ControllerBusyTime.Lo += uint64(a.busyTime().Minutes())
	s.PowerOnHours.Lo += uint64(now.Sub(c.started).Hours())
	c.mu.Lock()
	s.ErrorLogEntries.Lo = c.errors.count
	s.CompositeTemperature = c.thermal.at(now, a.busyTime())
	c.mu.Unlock()
	return encode(&s)
}

// firmwarePage returns the Firmware Slot Information log: the running firmware
// is in the first slot.
func (c *controller) firmwarePage() []byte {
	return encode(&nvme.FirmwareSlotLog{AFI: 1, Revisions: [7]nvme.ASCII8{c.id.FirmwareRevision}})
}

// The parts of a Commands Supported and Effects data structure.
//
// Source: NVM Express Base Specification, Revision 2.0, Commands Supported and
// Effects Log Page.
const (
	effectsBytes      = 4096
	ioEffects         = 1024
	commandSupported  = 1 << 0
	changesBlockData  = 1 << 1
	effectsEntryBytes = 4
)

// effectsPage returns the Commands Supported and Effects log: what this model
// answers.
func (c *controller) effectsPage() []byte {
	b := make([]byte, effectsBytes)
	for op := range c.admin {
		binary.LittleEndian.PutUint32(b[int(op)*effectsEntryBytes:], commandSupported)
	}
	for op := range c.io {
		effects := uint32(commandSupported)
		if op == nvme.IOWrite {
			effects |= changesBlockData
		}
		binary.LittleEndian.PutUint32(b[ioEffects+int(op)*effectsEntryBytes:], effects)
	}
	return b
}

// telemetryPage returns the header of a Telemetry log without any data.
//
// Source: NVM Express Base Specification, Revision 2.0, Telemetry
// Host-Initiated Log.
func (c *controller) telemetryPage(lid nvme.LID) []byte {
	b := make([]byte, logBytes)
	b[0] = uint8(lid)
	copy(b[5:8], c.id.IEEE[:])
	return b
}

// encode writes a structure as it is on the wire.
func encode(v any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic("sim: " + err.Error()) // Only a type without a fixed size gets here.
	}
	return b
}
