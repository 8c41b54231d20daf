package spec

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// The Command Set Identifiers that have tables.
const (
	csiNVM   = 0
	csiZoned = 2
)

// IdentifyPages returns the data structures of the Identify command that a drive
// on PCI Express can have, in the order of CNS and CSI.
//
// Source: NVM Express Base Specification, Revision 2.1, Identify Command, CNS
// Values.
func IdentifyPages() []IdentifyPage {
	return []IdentifyPage{
		{CNS: nvme.CNSNamespace, Name: "ns", Structure: identifyNamespace(), Needs: NeedNSID, Peer: "id-ns"},
		{CNS: nvme.CNSController, Name: "ctrl", Structure: identifyController(), Peer: "id-ctrl"},
		{CNS: nvme.CNSActiveNamespaces, Name: "ns-list", Needs: NeedAfter, When: since(1, 2), Peer: "list-ns",
			Structure: namespaceList("Active Namespace ID list", "Active Namespace ID List (CNS 02h)")},
		{CNS: nvme.CNSNamespaceDescriptors, Name: "ns-descs", Structure: namespaceDescriptors(), Needs: NeedNSID, When: since(1, 3), Peer: "ns-descs"},
		{CNS: nvme.CNSNVMSets, Name: "nvmset", Structure: nvmSetList(), Needs: NeedSpecific, When: attribute(2, "NVM Sets"), Peer: "id-nvmset"},
		{CNS: nvme.CNSCommandSetNamespace, CSI: csiNVM, Name: "nvm-ns", Structure: identifyNVMNamespace(), Needs: NeedNSID | NeedUUID, When: since(2, 0), Peer: "nvm-id-ns"},
		{CNS: nvme.CNSCommandSetNamespace, CSI: csiZoned, Name: "zns-ns", Structure: identifyZonedNamespace(), Needs: NeedNSID, When: notTold("the Zoned Namespace Command Set"), Peer: "zns id-ns"},
		{CNS: nvme.CNSCommandSetController, CSI: csiNVM, Name: "nvm-ctrl", Structure: identifyNVMController(), When: since(2, 0), Peer: "nvm-id-ctrl"},
		{CNS: nvme.CNSCommandSetController, CSI: csiZoned, Name: "zns-ctrl", Structure: identifyZonedController(), When: notTold("the Zoned Namespace Command Set"), Peer: "zns id-ctrl"},
		{CNS: nvme.CNSCommandSetActive, Name: "ns-list-csi", Needs: NeedAfter | NeedCSI, When: notTold("more than one I/O command set"), Peer: "list-ns --csi",
			Structure: namespaceList("I/O Command Set specific Active Namespace ID list", "I/O Command Set specific Active Namespace ID List (CNS 07h)")},
		{CNS: nvme.CNSIndependentNamespace, Name: "ns-ind", Structure: identifyIndependent(), Needs: NeedNSID, When: since(2, 0), Peer: "cmdset-ind-id-ns"},
		{CNS: nvme.CNSNamespaceUserDataFormat, Name: "ns-lba-format", Structure: identifyNamespace(), Needs: NeedSpecific | NeedUUID, When: attribute(15, "Extended LBA Formats"), Peer: "id-ns-lba-format"},
		{CNS: nvme.CNSCommandSetUserDataFormat, CSI: csiNVM, Name: "nvm-ns-lba-format", Structure: identifyNVMNamespace(), Needs: NeedSpecific | NeedUUID, When: attribute(15, "Extended LBA Formats"), Peer: "nvm-id-ns-lba-format"},
		{CNS: nvme.CNSAllocatedNamespaces, Name: "allocated-ns-list", Needs: NeedAfter, When: management, Peer: "list-ns --all",
			Structure: namespaceList("Allocated Namespace ID list", "Allocated Namespace ID List (CNS 10h)")},
		{CNS: nvme.CNSAllocatedNamespace, Name: "allocated-ns", Structure: identifyNamespace(), Needs: NeedNSID, When: management, Peer: "id-ns --force"},
		{CNS: nvme.CNSAttachedControllers, Name: "attached-ctrl-list", Needs: NeedNSID | NeedCNTID, When: management, Peer: "list-ctrl --namespace-id",
			Structure: controllerList("Namespace Attached Controller list", "Namespace Attached Controller List (CNS 12h)")},
		{CNS: nvme.CNSControllers, Name: "ctrl-list", Needs: NeedCNTID, When: management, Peer: "list-ctrl",
			Structure: controllerList("Controller list", "Controller List (CNS 13h)")},
		{CNS: nvme.CNSPrimaryController, Name: "primary-ctrl-caps", Structure: primaryController(), Needs: NeedCNTID, When: virtualization, Peer: "primary-ctrl-caps"},
		{CNS: nvme.CNSSecondaryControllers, Name: "secondary-ctrl-list", Structure: secondaryControllers(), Needs: NeedCNTID, When: virtualization, Peer: "list-secondary"},
		{CNS: nvme.CNSNamespaceGranularity, Name: "ns-granularity", Structure: granularityList(), When: attribute(7, "Namespace Granularity"), Peer: "id-ns-granularity"},
		{CNS: nvme.CNSUUIDs, Name: "uuid", Structure: uuidList(), When: attribute(9, "UUID List"), Peer: "id-uuid"},
		{CNS: nvme.CNSDomains, Name: "domain", Structure: domainList(), Needs: NeedSpecific, When: all(attribute(10, "Multi-Domain Subsystem"), capacityManagement), Peer: "id-domain"},
		{CNS: nvme.CNSEnduranceGroups, Name: "endgrp-list", Structure: enduranceGroupList(), Needs: NeedSpecific, When: attribute(12, "Variable Capacity Management"), Peer: "list-endgrp"},
		{CNS: nvme.CNSCommandSetAllocatedList, Name: "allocated-ns-list-csi", Needs: NeedAfter | NeedCSI, When: notTold("more than one I/O command set"), Peer: "list-ns --all --csi",
			Structure: namespaceList("I/O Command Set specific Allocated Namespace ID list", "I/O Command Set specific Allocated Namespace ID List (CNS 1Ah)")},
		{CNS: nvme.CNSCommandSetAllocatedNamespace, CSI: csiNVM, Name: "allocated-nvm-ns", Structure: identifyNVMNamespace(), Needs: NeedNSID, When: notTold("more than one I/O command set")},
		{CNS: nvme.CNSCommandSets, Name: "iocs", Structure: commandSetCombinations(), Needs: NeedCNTID, When: notTold("more than one I/O command set"), Peer: "id-iocs"},
		{CNS: nvme.CNSAllocatedIndependentNamespace, Name: "allocated-ns-ind", Structure: identifyIndependent(), Needs: NeedNSID, When: notTold("this page, which is optional in NVMe 2.1")},
		{CNS: nvme.CNSControllerStateFormats, Name: "ctrl-state-formats", Structure: controllerStateFormats(), When: migration},
	}
}

// since is the gate of what came with a revision and is mandatory since.
func since(major, minor int) When {
	return func(id *nvme.IdentifyController) (bool, string) {
		return id.Version.AtLeast(major, minor), fmt.Sprintf("it came with NVMe %d.%d, and the drive is older", major, minor)
	}
}

// attribute is the gate of a bit of CTRATT.
func attribute(bit uint, name string) When {
	return func(id *nvme.IdentifyController) (bool, string) {
		return id.CTRATT>>bit&1 != 0, "the drive does not list " + name + " in CTRATT"
	}
}

// capacityManagement is the gate of fixed or variable capacity management.
func capacityManagement(id *nvme.IdentifyController) (bool, string) {
	const fixedOrVariable = 3 << 11
	return id.CTRATT&fixedOrVariable != 0, "the drive lists no Capacity Management in CTRATT"
}

// adminCommand is the gate of bits of OACS.
func adminCommand(bits nvme.OACS, name string) When {
	return func(id *nvme.IdentifyController) (bool, string) {
		return id.OACS&bits == bits, "the drive does not list " + name + " in OACS"
	}
}

func management(id *nvme.IdentifyController) (bool, string) {
	return adminCommand(nvme.OACSNamespaceManagement, "Namespace Management")(id)
}

func virtualization(id *nvme.IdentifyController) (bool, string) {
	return adminCommand(nvme.OACSVirtualization, "Virtualization Management")(id)
}

func migration(id *nvme.IdentifyController) (bool, string) {
	const hostManagedLiveMigration nvme.OACS = 1 << 11
	return adminCommand(hostManagedLiveMigration, "Host Managed Live Migration")(id)
}

// notTold is the gate of what no field of Identify Controller lists.
func notTold(name string) When {
	return func(*nvme.IdentifyController) (bool, string) {
		return false, "Identify Controller does not tell whether the drive has " + name
	}
}

// all is the gate of what several gates must let through.
func all(gates ...When) When {
	return func(id *nvme.IdentifyController) (bool, string) {
		for _, w := range gates {
			if ok, why := w.Listed(id); !ok {
				return false, why
			}
		}
		return true, ""
	}
}
