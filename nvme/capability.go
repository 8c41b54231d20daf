package nvme

// Version is a version of the specification: bits 31:16 major, 15:8 minor, 7:0
// tertiary. 0 means older than 1.2.
type Version uint32

// AtLeast reports whether the version is major.minor or later. A drive that
// reports 0 is older than 1.2.
func (v Version) AtLeast(major, minor int) bool {
	return v>>8 >= Version(major)<<8|Version(minor)
}

// OACS is Optional Admin Command Support of Identify Controller.
type OACS uint16

// The bits of OACS.
const (
	OACSSecurity OACS = 1 << iota
	OACSFormat
	OACSFirmware
	OACSNamespaceManagement
	OACSSelfTest
	OACSDirectives
	OACSManagementInterface
	OACSVirtualization
	OACSDoorbellBuffer
	OACSLBAStatus
	OACSLockdown
)

// ONCS is Optional NVM Command Support of Identify Controller.
type ONCS uint16

// The bits of ONCS.
const (
	ONCSCompare ONCS = 1 << iota
	ONCSWriteUncorrectable
	ONCSDatasetManagement
	ONCSWriteZeroes
	ONCSSaveSelect
	ONCSReservations
	ONCSTimestamp
	ONCSVerify
	ONCSCopy
)

// LPA is Log Page Attributes of Identify Controller.
type LPA uint8

// The bits of LPA.
const (
	LPASMARTPerNamespace LPA = 1 << iota
	LPACommandsEffects
	LPAExtendedData
	LPATelemetry
	LPAPersistentEvent
	LPASupportedLogs
	LPATelemetryArea4
)

// FRMW is Firmware Updates of Identify Controller.
type FRMW uint8

// Slot1ReadOnly reports whether the first firmware slot cannot be written.
func (f FRMW) Slot1ReadOnly() bool { return f&1 != 0 }

// Slots returns the number of firmware slots, 1 to 7.
func (f FRMW) Slots() int { return int(f >> 1 & 7) }

// ActivationWithoutReset reports whether firmware can be activated without a
// reset.
func (f FRMW) ActivationWithoutReset() bool { return f&0x10 != 0 }

// FNA is Format NVM Attributes of Identify Controller.
type FNA uint8

// The bits of FNA.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure, Format NVM Attributes.
const (
	// FNAFormatAll: a format of any namespace, without secure erase, is one of
	// all namespaces of the NVM subsystem.
	FNAFormatAll FNA = 1 << iota
	// FNAEraseAll: a secure erase as part of a format is one of all namespaces
	// of the NVM subsystem.
	FNAEraseAll
	// FNACryptoErase: a format can erase by changing the key.
	FNACryptoErase
	// FNANoBroadcast: Format NVM does not take [BroadcastNSID].
	FNANoBroadcast
)
