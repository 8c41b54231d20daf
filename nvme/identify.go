package nvme

import (
	"context"
	"fmt"
)

// CNS is Controller or Namespace Structure: what an Identify command returns.
type CNS uint8

// The values of CNS.
//
// Source: NVM Express Base Specification, Revision 2.1, Identify - CNS Values.
const (
	CNSNamespace                    CNS = 0x00
	CNSController                   CNS = 0x01
	CNSActiveNamespaces             CNS = 0x02
	CNSNamespaceDescriptors         CNS = 0x03
	CNSNVMSets                      CNS = 0x04
	CNSCommandSetNamespace          CNS = 0x05
	CNSCommandSetController         CNS = 0x06
	CNSCommandSetActive             CNS = 0x07
	CNSIndependentNamespace         CNS = 0x08
	CNSNamespaceUserDataFormat      CNS = 0x09
	CNSCommandSetUserDataFormat     CNS = 0x0A
	CNSAllocatedNamespaces          CNS = 0x10
	CNSAllocatedNamespace           CNS = 0x11
	CNSAttachedControllers          CNS = 0x12
	CNSControllers                  CNS = 0x13
	CNSPrimaryController            CNS = 0x14
	CNSSecondaryControllers         CNS = 0x15
	CNSNamespaceGranularity         CNS = 0x16
	CNSUUIDs                        CNS = 0x17
	CNSDomains                      CNS = 0x18
	CNSEnduranceGroups              CNS = 0x19
	CNSCommandSetAllocatedList      CNS = 0x1A
	CNSCommandSetAllocatedNamespace CNS = 0x1B
	CNSCommandSets                  CNS = 0x1C
	// From revision 2.1 on.
	CNSAllocatedIndependentNamespace CNS = 0x1F
	CNSControllerStateFormats        CNS = 0x20
)

var cnsNames = map[CNS]string{
	CNSNamespace:                    "Namespace",
	CNSController:                   "Controller",
	CNSActiveNamespaces:             "Active Namespace ID List",
	CNSNamespaceDescriptors:         "Namespace Identification Descriptor List",
	CNSNVMSets:                      "NVM Set List",
	CNSCommandSetNamespace:          "I/O Command Set Specific Namespace",
	CNSCommandSetController:         "I/O Command Set Specific Controller",
	CNSCommandSetActive:             "I/O Command Set Specific Active Namespace ID List",
	CNSIndependentNamespace:         "I/O Command Set Independent Namespace",
	CNSNamespaceUserDataFormat:      "Namespace User Data Format",
	CNSCommandSetUserDataFormat:     "I/O Command Set Specific Namespace User Data Format",
	CNSAllocatedNamespaces:          "Allocated Namespace ID List",
	CNSAllocatedNamespace:           "Allocated Namespace",
	CNSAttachedControllers:          "Namespace Attached Controller List",
	CNSControllers:                  "Controller List",
	CNSPrimaryController:            "Primary Controller Capabilities",
	CNSSecondaryControllers:         "Secondary Controller List",
	CNSNamespaceGranularity:         "Namespace Granularity List",
	CNSUUIDs:                        "UUID List",
	CNSDomains:                      "Domain List",
	CNSEnduranceGroups:              "Endurance Group List",
	CNSCommandSetAllocatedList:      "I/O Command Set Specific Allocated Namespace ID List",
	CNSCommandSetAllocatedNamespace: "I/O Command Set Specific Allocated Namespace",
	CNSCommandSets:                  "I/O Command Set",

	CNSAllocatedIndependentNamespace: "I/O Command Set Independent Allocated Namespace",
	CNSControllerStateFormats:        "Supported Controller State Formats",
}

// String returns the name of the structure, or "CNS NNh" for an unknown one.
func (c CNS) String() string {
	if name, ok := cnsNames[c]; ok {
		return name
	}
	return fmt.Sprintf("CNS %02Xh", uint8(c))
}

// identifyBytes is the length of every Identify data structure.
const identifyBytes = 4096

// Identify is the Identify command (admin 06h).
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Command.
type Identify struct {
	// CNS selects the structure.
	CNS CNS
	// NSID is the namespace, or where a list starts. 0 for structures that
	// have none.
	NSID NSID
	// CNTID is a Controller Identifier. 0 for structures that have none.
	CNTID uint16
	// CSI is the Command Set Identifier. 0 is the NVM command set.
	CSI uint8
	// SpecificID is the CNS Specific Identifier: the NVM set, domain or endurance
	// group at which a list starts, or the index of a format. 0 for structures that
	// have none.
	SpecificID uint16
	// UUIDIndex selects a UUID of the UUID List, 7 bits. 0 means none.
	UUIDIndex uint8
}

// Command returns the command that fills buf, which should be 4096 bytes long.
func (i Identify) Command(buf []byte) *Command {
	return &Command{
		Queue:  AdminQueue,
		Opcode: AdminIdentify,
		NSID:   i.NSID,
		CDW10:  uint32(i.CNTID)<<16 | uint32(i.CNS),
		CDW11:  uint32(i.CSI)<<24 | uint32(i.SpecificID),
		CDW14:  uint32(i.UUIDIndex & 0x7F),
		Data:   buf,
	}
}

// ReadIdentify returns the data structure that i selects as it came, 4096 bytes.
func (c *Controller) ReadIdentify(ctx context.Context, i Identify) ([]byte, error) {
	page := make([]byte, identifyBytes)
	if err := c.do(ctx, i.Command(page)); err != nil {
		return nil, err
	}
	return page, nil
}
