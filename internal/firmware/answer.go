package firmware

import (
	"qd1.example/qd1/nvme"
)

// Answer is what a status of Firmware Image Download or Firmware Commit means.
type Answer struct {
	Status nvme.Status
	// Accepted says that the image is stored in the slot.
	Accepted bool
	// Reset activates it, NoReset if it is active or was not accepted.
	Reset Reset
	// Again says that the commit is to be sent again, for activation by a reset.
	Again bool
	// Text says what happened, Do what is to be done; "" for nothing.
	Text, Do string
}

// hintImage is what to do about an image that the drive does not take.
const hintImage = "the drive keeps its firmware. Compare model, capacity and sha256 with what the maker says; a drive that a computer maker sold takes only that maker's firmware"

// answers has the statuses of the firmware commands.
//
// Source: NVM Express Base Specification, Revision 2.1, Firmware Commit command
// and Firmware Image Download command, Command Specific Status Values.
func answers() []Answer {
	return []Answer{
		{Status: nvme.StatusInvalidFirmwareSlot, Text: "the slot does not exist or is read-only", Do: "leave --slot out: a slot that can be written is chosen"},
		{Status: nvme.StatusInvalidFirmwareImage, Text: "the drive does not take the image: it is for another model, damaged, incomplete or not signed by the maker", Do: hintImage},
		{Status: nvme.StatusFirmwareNeedsConventionalReset, Accepted: true, Reset: ConventionalReset, Text: "the drive has the image, and a conventional reset activates it"},
		{Status: nvme.StatusFirmwareNeedsSubsystemReset, Accepted: true, Reset: SubsystemReset, Text: "the drive has the image, and an NVM subsystem reset activates it"},
		{Status: nvme.StatusFirmwareNeedsControllerReset, Accepted: true, Reset: ControllerReset, Text: "the drive has the image, and a controller reset activates it"},
		{Status: nvme.StatusFirmwareNeedsMaximumTimeViolation, Again: true, Text: "an activation without a reset would take longer than the drive may stand still (MTFA)", Do: "the image has to be committed for activation by a reset"},
		{Status: nvme.StatusFirmwareActivationProhibited, Text: "the drive does not activate this image: usually it is older than the drive allows, or barred by its maker", Do: hintImage},
		{Status: nvme.StatusOverlappingRange, Text: "a part of an image that was transferred before is still in the drive, by another program or an update that was broken off", Do: "end other programs that update firmware, then reset the controller (nvme reset), which drops the parts, and start again"},
		{Status: nvme.StatusInvalidField, Text: "the drive does not take a part of this length or at this place, or does not know the action", Do: "compare the size and the checksum of the file with the maker's: one that was cut short looks so, or is for another drive. If it is whole and no multiple of the granularity, --pad adds FFh up to it"},
		{Status: nvme.StatusSanitizeInProgress, Text: "a sanitize operation is in progress", Do: "wait until it has ended"},
	}
}

// Explain says what the answer to a firmware command means. Success means that
// the image is stored.
func Explain(s nvme.Status) Answer {
	if s.OK() {
		return Answer{Accepted: true, Reset: NoReset, Text: "the drive has accepted it"}
	}
	for _, a := range answers() {
		if a.Status == s.Code() {
			if a.Reset == "" {
				a.Reset = NoReset
			}
			return a
		}
	}
	return Answer{Status: s.Code(), Reset: NoReset, Text: "the drive refused it", Do: "the drive keeps its firmware; its error log may say more: qd1 errors"}
}
