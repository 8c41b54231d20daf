package report

import (
	"strconv"

	"qd1.example/qd1/nvme"
)

// Firmware is the Firmware Slot log and what Identify says of updates.
type Firmware struct {
	Partial
	// ActiveSlot is the slot in use, 0 if the drive does not say.
	ActiveSlot SlotNumber `json:"active_slot"`
	// NextSlot is the slot that the next reset activates, null if the drive
	// does not say.
	NextSlot *int           `json:"next_slot"`
	Slots    []FirmwareSlot `json:"slots"`
	// Update is null where Identify Controller could not be read.
	Update *FirmwareUpdate `json:"update"`
}

// SlotNumber is the number of a firmware slot, 1 to 7. 0, which is none, is null
// in JSON.
type SlotNumber int

// MarshalJSON writes the number, or null for 0.
func (n SlotNumber) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}

// FirmwareSlot is one slot; Revision is null where the slot is empty.
type FirmwareSlot struct {
	Slot     int     `json:"slot"`
	Revision *string `json:"revision"`
}

// FirmwareUpdate says how the drive takes new firmware.
type FirmwareUpdate struct {
	Supported              bool `json:"supported"`
	Slots                  int  `json:"slots"`
	Slot1ReadOnly          bool `json:"slot1_read_only"`
	ActivationWithoutReset bool `json:"activation_without_reset"`
	// GranularityBytes is null where the drive reports none; 0 means that any
	// size will do.
	GranularityBytes *int `json:"granularity_bytes"`
}

// NewFirmware returns the section of a Firmware Slot log. id may be nil.
func NewFirmware(l *nvme.FirmwareSlotLog, id *nvme.IdentifyController) *Firmware {
	f := &Firmware{ActiveSlot: SlotNumber(l.ActiveSlot()), Slots: []FirmwareSlot{}}
	if next := l.NextSlot(); next != 0 {
		f.NextSlot = &next
	}
	count := len(l.Revisions)
	if id != nil {
		f.Update = newFirmwareUpdate(id)
		count = max(id.FRMW.Slots(), 1)
	}
	for i, rev := range l.Revisions {
		if i < count || rev.String() != "" {
			f.Slots = append(f.Slots, FirmwareSlot{i + 1, nonEmpty(rev.String())})
		}
	}
	return f
}

func newFirmwareUpdate(id *nvme.IdentifyController) *FirmwareUpdate {
	u := &FirmwareUpdate{
		Supported:              id.OACS&nvme.OACSFirmware != 0,
		Slots:                  id.FRMW.Slots(),
		Slot1ReadOnly:          id.FRMW.Slot1ReadOnly(),
		ActivationWithoutReset: id.FRMW.ActivationWithoutReset(),
	}
	switch id.FWUG {
	case 0:
	case 0xFF:
		u.GranularityBytes = new(int)
	default:
		n := int(id.FWUG) * 4096
		u.GranularityBytes = &n
	}
	return u
}
