package nvme

import "fmt"

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
