package nvme

import (
	"context"
	"fmt"
)

// FID is a Feature Identifier.
type FID uint8

// The feature identifiers.
//
// Source: NVM Express Base Specification, Revision 2.1, Set Features - Feature
// Identifiers; NVM Command Set Specification, Revision 1.1, for LBA Range Type,
// Error Recovery, Write Atomicity Normal, LBA Status Information Attributes and
// Performance Characteristics; Key Value Command Set Specification, Revision
// 1.1, for Key Value Configuration.
const (
	FIDArbitration             FID = 0x01
	FIDPowerManagement         FID = 0x02
	FIDLBARangeType            FID = 0x03
	FIDTemperatureThreshold    FID = 0x04
	FIDErrorRecovery           FID = 0x05
	FIDVolatileWriteCache      FID = 0x06
	FIDNumberOfQueues          FID = 0x07
	FIDInterruptCoalescing     FID = 0x08
	FIDInterruptVector         FID = 0x09
	FIDWriteAtomicity          FID = 0x0A
	FIDAsynchronousEvents      FID = 0x0B
	FIDAutonomousTransition    FID = 0x0C
	FIDHostMemoryBuffer        FID = 0x0D
	FIDTimestamp               FID = 0x0E
	FIDKeepAliveTimer          FID = 0x0F
	FIDThermalManagement       FID = 0x10
	FIDNonOperationalPower     FID = 0x11
	FIDReadRecoveryLevel       FID = 0x12
	FIDPredictableLatency      FID = 0x13
	FIDPredictableWindow       FID = 0x14
	FIDLBAStatusAttributes     FID = 0x15
	FIDHostBehavior            FID = 0x16
	FIDSanitizeConfig          FID = 0x17
	FIDEnduranceGroupEvents    FID = 0x18
	FIDCommandSetProfile       FID = 0x19
	FIDSpinupControl           FID = 0x1A
	FIDPowerLossSignaling      FID = 0x1B
	FIDPerformance             FID = 0x1C
	FIDDataPlacement           FID = 0x1D
	FIDDataPlacementEvents     FID = 0x1E
	FIDNamespaceLabel          FID = 0x1F
	FIDKeyValue                FID = 0x20
	FIDControllerDataQueue     FID = 0x21
	FIDManagementController    FID = 0x78
	FIDManagementAgent         FID = 0x79
	FIDEnhancedMetadata        FID = 0x7D
	FIDControllerMetadata      FID = 0x7E
	FIDNamespaceMetadata       FID = 0x7F
	FIDSoftwareProgressMarker  FID = 0x80
	FIDHostIdentifier          FID = 0x81
	FIDReservationMask         FID = 0x82
	FIDReservationPersistence  FID = 0x83
	FIDNamespaceWriteProtected FID = 0x84
	FIDBootPartitionProtection FID = 0x85
)

var fidNames = map[FID]string{
	FIDArbitration:             "Arbitration",
	FIDPowerManagement:         "Power Management",
	FIDLBARangeType:            "LBA Range Type",
	FIDTemperatureThreshold:    "Temperature Threshold",
	FIDErrorRecovery:           "Error Recovery",
	FIDVolatileWriteCache:      "Volatile Write Cache",
	FIDNumberOfQueues:          "Number of Queues",
	FIDInterruptCoalescing:     "Interrupt Coalescing",
	FIDInterruptVector:         "Interrupt Vector Configuration",
	FIDWriteAtomicity:          "Write Atomicity Normal",
	FIDAsynchronousEvents:      "Asynchronous Event Configuration",
	FIDAutonomousTransition:    "Autonomous Power State Transition",
	FIDHostMemoryBuffer:        "Host Memory Buffer",
	FIDTimestamp:               "Timestamp",
	FIDKeepAliveTimer:          "Keep Alive Timer",
	FIDThermalManagement:       "Host Controlled Thermal Management",
	FIDNonOperationalPower:     "Non-Operational Power State Config",
	FIDReadRecoveryLevel:       "Read Recovery Level Config",
	FIDPredictableLatency:      "Predictable Latency Mode Config",
	FIDPredictableWindow:       "Predictable Latency Mode Window",
	FIDLBAStatusAttributes:     "LBA Status Information Attributes",
	FIDHostBehavior:            "Host Behavior Support",
	FIDSanitizeConfig:          "Sanitize Config",
	FIDEnduranceGroupEvents:    "Endurance Group Event Configuration",
	FIDCommandSetProfile:       "I/O Command Set Profile",
	FIDSpinupControl:           "Spinup Control",
	FIDPowerLossSignaling:      "Power Loss Signaling Config",
	FIDPerformance:             "Performance Characteristics",
	FIDDataPlacement:           "Flexible Data Placement",
	FIDDataPlacementEvents:     "Flexible Data Placement Events",
	FIDNamespaceLabel:          "Namespace Admin Label",
	FIDKeyValue:                "Key Value Configuration",
	FIDControllerDataQueue:     "Controller Data Queue",
	FIDManagementController:    "Embedded Management Controller Address",
	FIDManagementAgent:         "Host Management Agent Address",
	FIDEnhancedMetadata:        "Enhanced Controller Metadata",
	FIDControllerMetadata:      "Controller Metadata",
	FIDNamespaceMetadata:       "Namespace Metadata",
	FIDSoftwareProgressMarker:  "Software Progress Marker",
	FIDHostIdentifier:          "Host Identifier",
	FIDReservationMask:         "Reservation Notification Mask",
	FIDReservationPersistence:  "Reservation Persistence",
	FIDNamespaceWriteProtected: "Namespace Write Protection Config",
	FIDBootPartitionProtection: "Boot Partition Write Protection Config",
}

const firstVendorFID = 0xC0

// String returns the name of the feature; one that is vendor specific or
// unknown is named with its number.
func (f FID) String() string {
	if name, ok := fidNames[f]; ok {
		return name
	}
	if f >= firstVendorFID {
		return fmt.Sprintf("Vendor Specific %02Xh", uint8(f))
	}
	return fmt.Sprintf("FID %02Xh", uint8(f))
}

// FeatureSelect is Select (SEL) of Get Features: which value is asked for.
// Other than FeatureCurrent needs ONCSSaveSelect.
type FeatureSelect uint8

// The values of a feature. FeatureCapabilities gives, in place of a value, the
// [FeatureCapability] bits.
const (
	FeatureCurrent      FeatureSelect = 0
	FeatureDefault      FeatureSelect = 1
	FeatureSaved        FeatureSelect = 2
	FeatureCapabilities FeatureSelect = 3
)

// FeatureCapability is what [FeatureCapabilities] gives.
//
// Source: NVM Express Base Specification, Revision 2.1, Get Features - Command
// Completion, Supported Capabilities.
type FeatureCapability uint32

// The bits of FeatureCapability.
const (
	// FeatureSaveable: the value can be kept over a reset and a power cycle.
	FeatureSaveable FeatureCapability = 1 << iota
	// FeatureNamespaceSpecific: each namespace has its own value.
	FeatureNamespaceSpecific
	// FeatureChangeable: Set Features can change the value.
	FeatureChangeable
)

// FeatureRequest is the Get Features command (admin 0Ah).
//
// Source: NVM Express Base Specification, Revision 2.0, Get Features command.
type FeatureRequest struct {
	// FID is the feature.
	FID FID
	// Select is which value. 0 is the current one.
	Select FeatureSelect
	// NSID is the namespace. 0 for features that have none.
	NSID NSID
	// CDW11 is command dword 11, which some features use to select. 0 for the
	// others.
	CDW11 uint32
	// UUIDIndex says which meaning a vendor specific feature has, as an index of
	// the UUID List. 0 for none.
	UUIDIndex uint8
	// Bytes is the length of the data structure of the feature. 0 for features
	// that have none.
	Bytes int
}

// uuidIndexMask is of UUID Index, bits 6:0 of command dword 14.
const uuidIndexMask = 0x7F

// Command returns the command that fills buf, which is empty for features
// without data.
func (r FeatureRequest) Command(buf []byte) *Command {
	return &Command{
		Queue:  AdminQueue,
		Opcode: AdminGetFeatures,
		NSID:   r.NSID,
		CDW10:  uint32(r.Select&7)<<8 | uint32(r.FID),
		CDW11:  r.CDW11,
		CDW14:  uint32(r.UUIDIndex & uuidIndexMask),
		Data:   buf,
	}
}

// Feature returns the value of a feature, dword 0 of the completion, and its
// data, nil if req.Bytes is 0. A drive refuses a feature that it does not have
// with [ErrNotSupported].
func (c *Controller) Feature(ctx context.Context, req FeatureRequest) (value uint32, data []byte, err error) {
	if req.Bytes < 0 {
		return 0, nil, fmt.Errorf("get features %v: length of %d bytes", req.FID, req.Bytes)
	}
	if req.Bytes > 0 {
		data = make([]byte, req.Bytes)
	}
	result, err := c.result(ctx, req.Command(data))
	if err != nil {
		return 0, nil, err
	}
	return uint32(result), data, nil
}

// FeatureSetting is the Set Features command (admin 09h).
//
// Source: NVM Express Base Specification, Revision 2.1, Set Features command.
type FeatureSetting struct {
	// FID is the feature.
	FID FID
	// Save keeps the value over a reset and a power cycle.
	Save bool
	// NSID is the namespace. 0 for features that have none.
	NSID NSID
	// CDW11, CDW12, CDW13 and CDW15 are the command dwords that have the value.
	CDW11, CDW12, CDW13, CDW15 uint32
	// UUIDIndex says which meaning a vendor specific feature has. 0 for none.
	UUIDIndex uint8
	// Data is the data structure of the feature, empty for features without.
	Data []byte
}

// Command returns the command. The data are not copied.
func (s FeatureSetting) Command() *Command {
	const save = 1 << 31
	c := &Command{
		Queue: AdminQueue, Opcode: AdminSetFeatures, NSID: s.NSID, CDW10: uint32(s.FID),
		CDW11: s.CDW11, CDW12: s.CDW12, CDW13: s.CDW13, CDW14: uint32(s.UUIDIndex & uuidIndexMask), CDW15: s.CDW15, Data: s.Data,
	}
	if s.Save {
		c.CDW10 |= save
	}
	return c
}
