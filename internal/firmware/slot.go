package firmware

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// choice is a slot with the reason.
type choice struct {
	slot     int
	why      string
	warnings []string
}

// slotCount returns the number of slots. A drive that reports none has one.
func slotCount(f nvme.FRMW) int { return max(1, f.Slots()) }

// chooseSlot chooses the slot that an image goes to: none that is read-only, and
// the active one only if there is no other. wish is a slot that the user named,
// 0 for none.
//
// Source: NVM Express Base Specification, Revision 2.1, Identify Controller
// data structure, FRMW; Firmware Commit command, Firmware Slot.
func chooseSlot(f nvme.FRMW, log *nvme.FirmwareSlotLog, wish int) (choice, error) {
	slots := slotCount(f)
	if wish != 0 {
		return wishedSlot(f, log, wish)
	}
	if slots == 1 && f.Slot1ReadOnly() {
		return choice{}, &RequestError{"the drive has one firmware slot, and that is read-only: it takes no firmware", "ask its maker for another way"}
	}
	if slots == 1 {
		return choice{slot: 1, why: "the drive has one slot", warnings: []string{oneSlot}}, nil
	}
	best := 0
	for slot := 1; slot <= slots; slot++ {
		if slot == log.ActiveSlot() || slot == 1 && f.Slot1ReadOnly() {
			continue
		}
		if revisionIn(log, slot) == "" {
			return choice{slot: slot, why: "it is empty, and every other slot keeps its firmware"}, nil
		}
		if best == 0 {
			best = slot
		}
	}
	if best != 0 {
		return choice{slot: best, why: fmt.Sprintf("slot %d is active and keeps its firmware as the fallback", log.ActiveSlot())}, nil
	}
	return choice{
		slot: log.ActiveSlot(), why: "every other slot is read-only",
		warnings: []string{"the running firmware is overwritten: only that of slot 1, which is read-only, is left to go back to"},
	}, nil
}

// oneSlot is said before anything is sent.
const oneSlot = "the drive has one firmware slot: the running firmware is overwritten, and there is no other to go back to"

// wishedSlot checks a slot that the user named.
func wishedSlot(f nvme.FRMW, log *nvme.FirmwareSlotLog, slot int) (choice, error) {
	slots := slotCount(f)
	switch {
	case slot < 0 || slot > slots:
		return choice{}, &RequestError{fmt.Sprintf("the drive has no firmware slot %d: it has %d", slot, slots), "leave --slot out: a slot that can be written is chosen"}
	case slot == 1 && f.Slot1ReadOnly():
		return choice{}, &RequestError{"firmware slot 1 of this drive is read-only: the drive would answer Invalid Firmware Slot (106h)", "leave --slot out: a slot that can be written is chosen"}
	}
	c := choice{slot: slot, why: "it was named"}
	switch {
	case slots == 1:
		c.warnings = []string{oneSlot}
	case slot == log.ActiveSlot():
		c.warnings = []string{"the slot is the active one: the running firmware is overwritten, and another slot would keep it as the fallback"}
	}
	return c, nil
}

// chooseStored checks the slot whose firmware is to be activated; 0 takes the
// only one beside the active.
func chooseStored(f nvme.FRMW, log *nvme.FirmwareSlotLog, wish int) (choice, error) {
	var others []int
	for slot := 1; slot <= slotCount(f); slot++ {
		if slot != log.ActiveSlot() && revisionIn(log, slot) != "" {
			others = append(others, slot)
		}
	}
	switch {
	case wish == 0 && len(others) == 0:
		return choice{}, &RequestError{"no other slot has firmware that could be activated", "qd1 firmware info shows the slots"}
	case wish == 0 && len(others) > 1:
		return choice{}, &RequestError{fmt.Sprintf("slots %v have firmware: which one is meant?", others), "name it: --slot N"}
	case wish == 0:
		return choice{slot: others[0], why: "it is the only other one with firmware"}, nil
	case wish < 0 || wish > slotCount(f):
		return choice{}, &RequestError{fmt.Sprintf("the drive has no firmware slot %d: it has %d", wish, slotCount(f)), "qd1 firmware info shows the slots"}
	case revisionIn(log, wish) == "":
		return choice{}, &RequestError{fmt.Sprintf("slot %d is empty", wish), "qd1 firmware info shows the slots"}
	case wish == log.ActiveSlot():
		return choice{}, &RequestError{fmt.Sprintf("slot %d is active: its firmware %s runs already", wish, revisionIn(log, wish)), "qd1 firmware info shows the slots"}
	}
	return choice{slot: wish, why: "it was named"}, nil
}

// revisionIn returns the revision in a slot, "" for an empty one.
func revisionIn(log *nvme.FirmwareSlotLog, slot int) string {
	if slot < 1 || slot > len(log.Revisions) {
		return ""
	}
	return log.Revisions[slot-1].String()
}
