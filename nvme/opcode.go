package nvme

import "fmt"

// The opcodes of the admin command set.
//
// Source: NVM Express Base Specification, Revision 2.0, Opcodes for Admin
// Commands; NVM Command Set Specification, Revision 1.0, for Get LBA Status.
const (
	AdminDeleteIOSQ               uint8 = 0x00
	AdminCreateIOSQ               uint8 = 0x01
	AdminGetLogPage               uint8 = 0x02
	AdminDeleteIOCQ               uint8 = 0x04
	AdminCreateIOCQ               uint8 = 0x05
	AdminIdentify                 uint8 = 0x06
	AdminAbort                    uint8 = 0x08
	AdminSetFeatures              uint8 = 0x09
	AdminGetFeatures              uint8 = 0x0A
	AdminAsynchronousEventRequest uint8 = 0x0C
	AdminNamespaceManagement      uint8 = 0x0D
	AdminFirmwareCommit           uint8 = 0x10
	AdminFirmwareImageDownload    uint8 = 0x11
	AdminDeviceSelfTest           uint8 = 0x14
	AdminNamespaceAttachment      uint8 = 0x15
	AdminKeepAlive                uint8 = 0x18
	AdminDirectiveSend            uint8 = 0x19
	AdminDirectiveReceive         uint8 = 0x1A
	AdminVirtualizationManagement uint8 = 0x1C
	AdminNVMeMISend               uint8 = 0x1D
	AdminNVMeMIReceive            uint8 = 0x1E
	AdminCapacityManagement       uint8 = 0x20
	AdminLockdown                 uint8 = 0x24
	AdminDoorbellBufferConfig     uint8 = 0x7C
	AdminFabrics                  uint8 = 0x7F
	AdminFormatNVM                uint8 = 0x80
	AdminSecuritySend             uint8 = 0x81
	AdminSecurityReceive          uint8 = 0x82
	AdminSanitize                 uint8 = 0x84
	AdminGetLBAStatus             uint8 = 0x86
)

// The opcodes of the NVM command set and of the Zoned Namespace command set,
// which extends it.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Opcodes for
// NVM Commands; NVM Express Zoned Namespace Command Set Specification, Revision
// 1.1, Opcodes for Zoned Namespace Commands.
const (
	IOFlush               uint8 = 0x00
	IOWrite               uint8 = 0x01
	IORead                uint8 = 0x02
	IOWriteUncorrectable  uint8 = 0x04
	IOCompare             uint8 = 0x05
	IOWriteZeroes         uint8 = 0x08
	IODatasetManagement   uint8 = 0x09
	IOVerify              uint8 = 0x0C
	IOReservationRegister uint8 = 0x0D
	IOReservationReport   uint8 = 0x0E
	IOReservationAcquire  uint8 = 0x11
	IOReservationRelease  uint8 = 0x15
	IOCopy                uint8 = 0x19

	IOZoneManagementSend    uint8 = 0x79
	IOZoneManagementReceive uint8 = 0x7A
	IOZoneAppend            uint8 = 0x7D
)

var adminNames = map[uint8]string{
	AdminDeleteIOSQ:               "Delete I/O Submission Queue",
	AdminCreateIOSQ:               "Create I/O Submission Queue",
	AdminGetLogPage:               "Get Log Page",
	AdminDeleteIOCQ:               "Delete I/O Completion Queue",
	AdminCreateIOCQ:               "Create I/O Completion Queue",
	AdminIdentify:                 "Identify",
	AdminAbort:                    "Abort",
	AdminSetFeatures:              "Set Features",
	AdminGetFeatures:              "Get Features",
	AdminAsynchronousEventRequest: "Asynchronous Event Request",
	AdminNamespaceManagement:      "Namespace Management",
	AdminFirmwareCommit:           "Firmware Commit",
	AdminFirmwareImageDownload:    "Firmware Image Download",
	AdminDeviceSelfTest:           "Device Self-test",
	AdminNamespaceAttachment:      "Namespace Attachment",
	AdminKeepAlive:                "Keep Alive",
	AdminDirectiveSend:            "Directive Send",
	AdminDirectiveReceive:         "Directive Receive",
	AdminVirtualizationManagement: "Virtualization Management",
	AdminNVMeMISend:               "NVMe-MI Send",
	AdminNVMeMIReceive:            "NVMe-MI Receive",
	AdminCapacityManagement:       "Capacity Management",
	AdminLockdown:                 "Lockdown",
	AdminDoorbellBufferConfig:     "Doorbell Buffer Config",
	AdminFabrics:                  "Fabrics Commands",
	AdminFormatNVM:                "Format NVM",
	AdminSecuritySend:             "Security Send",
	AdminSecurityReceive:          "Security Receive",
	AdminSanitize:                 "Sanitize",
	AdminGetLBAStatus:             "Get LBA Status",
}

var ioNames = map[uint8]string{
	IOFlush:               "Flush",
	IOWrite:               "Write",
	IORead:                "Read",
	IOWriteUncorrectable:  "Write Uncorrectable",
	IOCompare:             "Compare",
	IOWriteZeroes:         "Write Zeroes",
	IODatasetManagement:   "Dataset Management",
	IOVerify:              "Verify",
	IOReservationRegister: "Reservation Register",
	IOReservationReport:   "Reservation Report",
	IOReservationAcquire:  "Reservation Acquire",
	IOReservationRelease:  "Reservation Release",
	IOCopy:                "Copy",

	IOZoneManagementSend:    "Zone Management Send",
	IOZoneManagementReceive: "Zone Management Receive",
	IOZoneAppend:            "Zone Append",
}

const (
	firstVendorAdminOpcode = 0xC0
	firstVendorIOOpcode    = 0x80
)

// OpcodeName returns the name of a command in the specification's words. A
// vendor specific or unknown opcode is named with its number.
func OpcodeName(q Queue, op uint8) string {
	names, vendor := adminNames, uint8(firstVendorAdminOpcode)
	if q == IOQueue {
		names, vendor = ioNames, firstVendorIOOpcode
	}
	if name, ok := names[op]; ok {
		return name
	}
	if op >= vendor {
		return fmt.Sprintf("Vendor Specific (%02Xh)", op)
	}
	return fmt.Sprintf("Reserved (%02Xh)", op)
}

// name returns the command's name together with what it asks for, as error
// messages show it.
func (c *Command) name() string {
	name := OpcodeName(c.Queue, c.Opcode)
	if c.Queue != AdminQueue {
		return name
	}
	switch c.Opcode {
	case AdminIdentify:
		return fmt.Sprintf("%s (%v)", name, CNS(c.CDW10))
	case AdminGetLogPage:
		return fmt.Sprintf("%s (%v)", name, LID(c.CDW10))
	case AdminGetFeatures, AdminSetFeatures:
		return fmt.Sprintf("%s (%v)", name, FID(c.CDW10))
	}
	return name
}
