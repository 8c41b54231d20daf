package sim

import (
	"slices"

	"qd1.example/qd1/nvme"
)

// firmware is the state of the firmware slots.
type firmware struct {
	// slots has the revision in each slot, from slot 1 on, "" for none.
	slots []FirmwareImage
	// active is the slot of the running firmware, next that of the next reset,
	// 0 for none.
	active, next int
	// image is what was downloaded, parts which bytes of it came.
	image []byte
	parts intervals
	// touched is set once the slots are not the captured ones any more.
	touched bool
}

func newFirmware(p *personality, id *nvme.IdentifyController) firmware {
	f := firmware{slots: make([]FirmwareImage, max(1, id.FRMW.Slots())), active: 1}
	f.slots[0] = FirmwareImage{Revision: id.FirmwareRevision.String()}
	for i, revision := range p.slots {
		if i < len(f.slots) {
			f.slots[i].Revision = revision
		}
	}
	if p.activeSlot > 0 && p.activeSlot <= len(f.slots) {
		f.active = p.activeSlot
	}
	if p.override.firmware != "" {
		f.slots[f.active-1].Revision = p.override.firmware
	}
	return f
}

// waitsFor returns the status of the reset that activates firmware, success if
// none waits.
func (f *firmware) waitsFor() nvme.Status {
	if f.next == 0 {
		return nvme.StatusSuccess
	}
	if s := f.slots[f.next-1].Needs.status(); s != nvme.StatusSuccess {
		return s
	}
	return nvme.StatusFirmwareNeedsControllerReset
}

// maxImageBytes bounds the memory that a download takes.
const maxImageBytes = 64 << 20

// firmwareDownload answers the Firmware Image Download command.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Image Download
// command: a part that overlaps another is an Overlapping Range; Identify
// Controller, FWUG: a part that does not fit the granularity is an Invalid
// Field in Command. The length is 0's based, in dwords.
func (c *controller) firmwareDownload(cmd *nvme.Command) reply {
	off, length := int64(cmd.CDW11)*4, (int64(cmd.CDW10)+1)*4
	granularity := int64(c.id.FWUG) * pageBytes
	f := &c.firmware
	switch {
	case off+length > maxImageBytes:
		return refuse(nvme.StatusInvalidField, inCDW11)
	case int64(len(cmd.Data)) < length:
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	case c.id.FWUG != 0 && c.id.FWUG != 0xFF && off%granularity != 0:
		return refuse(nvme.StatusInvalidField, inCDW11)
	case c.id.FWUG != 0 && c.id.FWUG != 0xFF && length%granularity != 0:
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if _, overlaps := f.parts.first(off, off+length); overlaps {
		return refuse(nvme.StatusOverlappingRange, inCDW11)
	}
	if need := int(off + length); need > len(f.image) {
		f.image = append(f.image, make([]byte, need-len(f.image))...)
	}
	copy(f.image[off:], cmd.Data[:length])
	f.parts = f.parts.add(off, off+length)
	return success(0)
}

// drop forgets the downloaded image.
func (f *firmware) drop() { f.image, f.parts = nil, nil }

// Values of Commit Action.
const (
	commitReplace         = 0
	commitReplaceAndReset = 1
	commitAtReset         = 2
	commitNow             = 3
)

// firmwareCommit answers the Firmware Commit command.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Commit
// command: Invalid Firmware Slot, Invalid Firmware Image, and the statuses that
// say which reset activates the image.
func (c *controller) firmwareCommit(cmd *nvme.Command) reply {
	action, slot := int(cmd.CDW10>>3&7), int(cmd.CDW10&7)
	if action > commitNow || action == commitNow && !c.id.FRMW.ActivationWithoutReset() {
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	replaces := action <= commitReplaceAndReset || action == commitNow && len(c.firmware.image) > 0
	if slot == 0 {
		slot = c.chooseSlot(replaces)
	}
	if slot > len(c.firmware.slots) || replaces && slot == 1 && c.id.FRMW.Slot1ReadOnly() {
		return refuse(nvme.StatusInvalidFirmwareSlot, inCDW10)
	}
	image := c.firmware.slots[slot-1]
	if replaces {
		var ok bool
		if image, ok = c.downloaded(); !ok {
			c.firmware.drop()
			return refuse(nvme.StatusInvalidFirmwareImage, inCDW10)
		}
	}
	if image.Revision == "" {
		return refuse(nvme.StatusInvalidFirmwareImage, inCDW10)
	}
	r := c.commit(action, slot, image, replaces)
	c.remember(nvme.EventFirmwareCommit, c.commitEvent(image, action, slot, r.status))
	return r
}

// chooseSlot is the drive's choice for slot 0: one that can be written and is
// not the active one, if there is one.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Commit
// command, Firmware Slot: 0 lets the controller choose.
func (c *controller) chooseSlot(replaces bool) int {
	if !replaces {
		return c.firmware.active
	}
	for slot := 1; slot <= len(c.firmware.slots); slot++ {
		if slot != c.firmware.active && !(slot == 1 && c.id.FRMW.Slot1ReadOnly()) {
			return slot
		}
	}
	return c.firmware.active
}

// downloaded returns the image that was downloaded, if it is whole and for this
// drive.
func (c *controller) downloaded() (FirmwareImage, bool) {
	f := &c.firmware
	if len(f.parts) != 1 || f.parts[0] != (interval{0, int64(len(f.image))}) {
		return FirmwareImage{}, false
	}
	image, err := parseFirmware(f.image)
	return image, err == nil && image.Model == c.id.ModelNumber.String()
}

// commit does what the command asks for. An image that the drive does not
// activate, or that would take too long, changes nothing and stays downloaded.
func (c *controller) commit(action, slot int, image FirmwareImage, replaces bool) reply {
	status := image.Needs.status()
	f := &c.firmware
	switch {
	case image.Needs == ProhibitedActivation && action != commitReplace:
		return refuse(status, nowhere)
	case image.Needs == TooLongActivation && action == commitNow:
		return refuse(status, nowhere)
	}
	f.touched = true
	if replaces {
		f.slots[slot-1] = image
		f.drop()
	}
	switch {
	case action == commitReplace:
		return success(0)
	case action == commitNow && image.Needs == AnyReset:
		return c.activateNow(slot)
	}
	f.next = slot
	if action != commitNow && !image.Needs.beyondReset() {
		return success(0)
	}
	return refuse(f.waitsFor(), nowhere)
}

// activateNow runs the firmware of a slot without a reset. The drive answers
// after the profile's time.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Information - Notice: Firmware Activation Starting.
func (c *controller) activateNow(slot int) reply {
	c.notifyIf(reportFirmwareActivation, Event{eventNotice, infoFirmwareActivation, nvme.LIDFirmwareSlot})
	c.run(slot)
	return reply{end: c.after(c.now().Add(c.personality.work.activation))}
}

// run makes the firmware of a slot the running one.
func (c *controller) run(slot int) {
	c.firmware.active, c.firmware.next = slot, 0
	copy(c.page[64:72], "        ")
	copy(c.page[64:72], c.firmware.slots[slot-1].Revision)
	copy(c.id.FirmwareRevision[:], c.page[64:72])
}

// activatePending runs the firmware that waits for a reset of this kind.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Update
// Process: a reset of a lesser kind leaves it waiting. Downloaded parts that
// were not committed are lost.
func (c *controller) activatePending(by resetKind) {
	f := &c.firmware
	f.drop()
	if f.next != 0 && f.slots[f.next-1].Needs.resetBy() <= by {
		c.run(f.next)
	}
}

// firmwarePage returns the Firmware Slot Information log.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Slot
// Information Log Page.
func (c *controller) firmwarePage() []byte {
	f := &c.firmware
	log := nvme.FirmwareSlotLog{AFI: uint8(f.active | f.next<<4)}
	for i, image := range f.slots {
		if image.Revision != "" {
			copy(log.Revisions[i][:], "        ")
			copy(log.Revisions[i][:], image.Revision)
		}
	}
	return encode(&log)
}

// commitEvent is the data of a Firmware Commit event.
func (c *controller) commitEvent(image FirmwareImage, action, slot int, s nvme.Status) []byte {
	b := slices.Clone(c.id.FirmwareRevision[:])
	revision := [8]byte{}
	copy(revision[:], image.Revision)
	b = append(b, revision[:]...)
	return append(b, byte(action), byte(slot), s.SCT(), s.SC(), 0, 0)
}
