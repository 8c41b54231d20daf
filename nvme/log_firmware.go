package nvme

// FirmwareSlotLog is the Firmware Slot Information log page (LID 03h), 512
// bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Slot
// Information Log Page.
type FirmwareSlotLog struct {
	// 0:0 Active Firmware Info (AFI): bits 2:0 active slot, bits 6:4 slot of the
	// next controller level reset (0 means not indicated).
	AFI uint8 `json:"afi"`
	_   [7]byte
	// 63:8 Firmware Revision for Slots 1 to 7 (FRS1 to FRS7), 8 bytes each. All
	// zero means that the slot is empty or not supported.
	Revisions [7]ASCII8 `json:"revisions"`
	_         [448]byte
}

// ActiveSlot returns the slot that the running firmware was loaded from.
func (l *FirmwareSlotLog) ActiveSlot() int { return int(l.AFI & 7) }

// NextSlot returns the slot that the next controller level reset activates. 0
// means that the drive does not indicate one.
func (l *FirmwareSlotLog) NextSlot() int { return int(l.AFI >> 4 & 7) }

const firmwareSlotLogBytes = 512

// UnmarshalBinary decodes b, which must hold at least 512 bytes.
func (l *FirmwareSlotLog) UnmarshalBinary(b []byte) error {
	return decode("Firmware Slot Information log", l, b)
}
