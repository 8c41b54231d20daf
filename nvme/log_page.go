package nvme

import "fmt"

// LID is a Log Page Identifier.
type LID uint8

// The log page identifiers.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Log Page - Log
// Page Identifiers.
const (
	LIDSupportedLogs            LID = 0x00
	LIDError                    LID = 0x01
	LIDSMART                    LID = 0x02
	LIDFirmwareSlot             LID = 0x03
	LIDChangedNamespaces        LID = 0x04
	LIDCommandsEffects          LID = 0x05
	LIDSelfTest                 LID = 0x06
	LIDTelemetryHost            LID = 0x07
	LIDTelemetryController      LID = 0x08
	LIDEnduranceGroup           LID = 0x09
	LIDPredictableLatency       LID = 0x0A
	LIDPredictableLatencyEvents LID = 0x0B
	LIDANA                      LID = 0x0C
	LIDPersistentEvent          LID = 0x0D
	LIDLBAStatus                LID = 0x0E
	LIDEnduranceGroupEvents     LID = 0x0F
	LIDMediaUnitStatus          LID = 0x10
	LIDCapacityConfigurations   LID = 0x11
	LIDFeaturesEffects          LID = 0x12
	LIDNVMeMIEffects            LID = 0x13
	LIDLockdown                 LID = 0x14
	LIDBootPartition            LID = 0x15
	LIDRotationalMedia          LID = 0x16
	LIDDispersedNamespace       LID = 0x17
	LIDManagementAddress        LID = 0x18
	LIDEyeOpening               LID = 0x19
	LIDReachabilityGroups       LID = 0x1A
	LIDReachabilityAssociations LID = 0x1B
	LIDChangedAllocated         LID = 0x1C
	LIDPlacementConfigurations  LID = 0x20
	LIDReclaimUnitHandles       LID = 0x21
	LIDPlacementStatistics      LID = 0x22
	LIDPlacementEvents          LID = 0x23
	LIDDiscovery                LID = 0x70
	LIDReservation              LID = 0x80
	LIDSanitize                 LID = 0x81
	LIDChangedZones             LID = 0xBF
)

var lidNames = map[LID]string{
	LIDSupportedLogs:            "Supported Log Pages",
	LIDError:                    "Error Information",
	LIDSMART:                    "SMART / Health Information",
	LIDFirmwareSlot:             "Firmware Slot Information",
	LIDChangedNamespaces:        "Changed Namespace List",
	LIDCommandsEffects:          "Commands Supported and Effects",
	LIDSelfTest:                 "Device Self-test",
	LIDTelemetryHost:            "Telemetry Host-Initiated",
	LIDTelemetryController:      "Telemetry Controller-Initiated",
	LIDEnduranceGroup:           "Endurance Group Information",
	LIDPredictableLatency:       "Predictable Latency Per NVM Set",
	LIDPredictableLatencyEvents: "Predictable Latency Event Aggregate",
	LIDANA:                      "Asymmetric Namespace Access",
	LIDPersistentEvent:          "Persistent Event Log",
	LIDLBAStatus:                "LBA Status Information",
	LIDEnduranceGroupEvents:     "Endurance Group Event Aggregate",
	LIDMediaUnitStatus:          "Media Unit Status",
	LIDCapacityConfigurations:   "Supported Capacity Configuration List",
	LIDFeaturesEffects:          "Feature Identifiers Supported and Effects",
	LIDNVMeMIEffects:            "NVMe-MI Commands Supported and Effects",
	LIDLockdown:                 "Command and Feature Lockdown",
	LIDBootPartition:            "Boot Partition",
	LIDRotationalMedia:          "Rotational Media Information",
	LIDDispersedNamespace:       "Dispersed Namespace Participating NVM Subsystems",
	LIDManagementAddress:        "Management Address List",
	LIDEyeOpening:               "Physical Interface Receiver Eye Opening Measurement",
	LIDReachabilityGroups:       "Reachability Groups",
	LIDReachabilityAssociations: "Reachability Associations",
	LIDChangedAllocated:         "Changed Allocated Namespace List",
	LIDPlacementConfigurations:  "FDP Configurations",
	LIDReclaimUnitHandles:       "Reclaim Unit Handle Usage",
	LIDPlacementStatistics:      "FDP Statistics",
	LIDPlacementEvents:          "FDP Events",
	LIDDiscovery:                "Discovery",
	LIDReservation:              "Reservation Notification",
	LIDSanitize:                 "Sanitize Status",
	LIDChangedZones:             "Changed Zone List",
}

const firstVendorLID = 0xC0

// String returns the name of the page; one that is vendor specific or unknown
// is named with its number.
func (l LID) String() string {
	if name, ok := lidNames[l]; ok {
		return name
	}
	if l >= firstVendorLID {
		return fmt.Sprintf("Vendor Specific %02Xh", uint8(l))
	}
	return fmt.Sprintf("LID %02Xh", uint8(l))
}

// GetLogPage is the Get Log Page command (admin 02h).
//
// Source: NVM Express Base Specification, Revision 2.0, Get Log Page Command.
type GetLogPage struct {
	// LID selects the page.
	LID LID
	// NSID is the namespace. 0 lets [Controller.LogPage] choose.
	NSID NSID
	// Bytes is how much [Controller.LogPage] reads.
	Bytes int
	// Offset is where in the page the data start, bytes, a multiple of 4.
	// Drives without LPAExtendedData have no offsets.
	Offset uint64
	// LSP is the Log Specific Parameter: 7 bits, 4 before revision 2.0.
	LSP uint8
	// LSI is the Log Specific Identifier. 0 for pages that have none.
	LSI uint16
	// UUIDIndex selects a UUID of the UUID List, 7 bits. 0 means none.
	UUIDIndex uint8
	// CSI is the Command Set Identifier. 0 is the NVM command set.
	CSI uint8
	// KeepEvent is Retain Asynchronous Event (RAE): reading does not clear the
	// event that the page belongs to.
	KeepEvent bool
}

const retainAsynchronousEvent = 1 << 15

// Command returns the command that fills buf. The length of buf, not Bytes, is
// the length of the transfer; it should be a multiple of 4, and what is over
// is not filled.
func (g GetLogPage) Command(buf []byte) *Command {
	numd := uint32(max(len(buf)/4, 1) - 1)
	cmd := &Command{
		Queue:  AdminQueue,
		Opcode: AdminGetLogPage,
		NSID:   g.NSID,
		CDW10:  numd<<16 | uint32(g.LSP&0x7F)<<8 | uint32(g.LID),
		CDW11:  uint32(g.LSI)<<16 | numd>>16,
		CDW12:  uint32(g.Offset),
		CDW13:  uint32(g.Offset >> 32),
		CDW14:  uint32(g.CSI)<<24 | uint32(g.UUIDIndex&0x7F),
		Data:   buf,
	}
	if g.KeepEvent {
		cmd.CDW10 |= retainAsynchronousEvent
	}
	return cmd
}

// IsBlankPage reports whether b is all zero or all ones (FFh). A page of the
// one kind with a good status means that no data came, of the other that the
// device is gone; neither is judged in this package. An empty b is neither.
func IsBlankPage(b []byte) (allZero, allOnes bool) {
	allZero, allOnes = len(b) > 0, len(b) > 0
	for _, c := range b {
		allZero = allZero && c == 0
		allOnes = allOnes && c == 0xFF
	}
	return allZero, allOnes
}
