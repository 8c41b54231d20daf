package nvme

import (
	"context"
	"fmt"
)

// FID is a Feature Identifier.
type FID uint8

// The feature identifiers.
//
// Source: NVM Express Base Specification, Revision 2.0, Set Features - Feature
// Identifiers; NVM Command Set Specification, Revision 1.0, for Error Recovery
// and Write Atomicity Normal.
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
	FIDHostBehavior            FID = 0x16
	FIDSanitizeConfig          FID = 0x17
	FIDSoftwareProgressMarker  FID = 0x80
	FIDHostIdentifier          FID = 0x81
	FIDNamespaceWriteProtected FID = 0x84
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
	FIDHostBehavior:            "Host Behavior Support",
	FIDSanitizeConfig:          "Sanitize Config",
	FIDSoftwareProgressMarker:  "Software Progress Marker",
	FIDHostIdentifier:          "Host Identifier",
	FIDNamespaceWriteProtected: "Namespace Write Protection Config",
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

// The values of a feature. FeatureCapabilities gives, in place of a value, bit 0
// saveable, bit 1 namespace specific, bit 2 changeable.
const (
	FeatureCurrent      FeatureSelect = 0
	FeatureDefault      FeatureSelect = 1
	FeatureSaved        FeatureSelect = 2
	FeatureCapabilities FeatureSelect = 3
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
	// Bytes is the length of the data structure of the feature. 0 for features
	// that have none.
	Bytes int
}

// Command returns the command that fills buf, which is empty for features
// without data.
func (r FeatureRequest) Command(buf []byte) *Command {
	return &Command{
		Queue:  AdminQueue,
		Opcode: AdminGetFeatures,
		NSID:   r.NSID,
		CDW10:  uint32(r.Select&7)<<8 | uint32(r.FID),
		CDW11:  r.CDW11,
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
