package nsjob

import "qd1.example/qd1/nvme"

// Explain says what a status means for a namespace job, and the next step. Both
// are "" for a status that has no more to tell than its name.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace Management
// command and Namespace Attachment command, Command Specific Status Values.
func Explain(s nvme.Status) (text, hint string) {
	e := explanations[s.Code()]
	return e[0], e[1]
}

var explanations = map[nvme.Status][2]string{
	nvme.StatusInvalidFormat: {"the drive cannot make a namespace with this LBA format or protection information",
		"qd1 ns list shows the LBA formats of the drive"},
	nvme.StatusNamespaceInsufficientCapacity: {"the drive has less unallocated capacity than the namespace takes, in the units that it allocates",
		"qd1 ns list shows the unallocated capacity; delete a namespace, or make this one smaller"},
	nvme.StatusNamespaceIdentifierUnavailable: {"the drive has as many namespaces as it can have",
		"delete a namespace that is not needed"},
	nvme.StatusNamespaceAlreadyAttached: {"the namespace is attached to the controller already",
		"if the block device is missing, let the kernel look again: echo 1 > /sys/class/nvme/NAME/rescan_controller"},
	nvme.StatusNamespaceIsPrivate: {"the namespace is private, and attached to another controller already",
		"detach it from that one first, or create one that is shared (--nmic 1)"},
	nvme.StatusNamespaceNotAttached: {"the namespace is not attached to the controller",
		"qd1 ns list shows to which ones it is"},
	nvme.StatusThinProvisioningNotSupported: {"the drive makes no namespace that is larger than what it allocates for it (thin provisioning)",
		"leave --ncap out, so that capacity and size are equal"},
	nvme.StatusControllerListInvalid: {"one of the controllers is not one of the drive, or the list is not in order",
		"qd1 ns list shows the controllers of the drive"},
	nvme.StatusANAGroupIdentifierInvalid: {"the drive has no such ANA group", ""},
	nvme.StatusANAAttachFailed:           {"the state of the ANA group does not let the namespace be attached", ""},
	nvme.StatusInsufficientCapacity:      {"the endurance group or NVM set has less capacity than the namespace takes", "make the namespace smaller"},
	nvme.StatusNamespaceAttachmentLimitExceeded: {"the controller has as many namespaces attached as it can have",
		"detach a namespace that is not needed"},
	nvme.StatusIOCommandSetNotSupported: {"the drive does not have the command set of the namespace", ""},
	nvme.StatusInvalidField: {"the drive takes a value of the command for none that it knows, or the namespace does not exist",
		"qd1 errors shows which byte of the command it was"},
	nvme.StatusInvalidNamespace:        {"there is no such namespace", "qd1 ns list shows the namespaces of the drive"},
	nvme.StatusNamespaceWriteProtected: {"the namespace is write protected", "qd1 feature get write-protect shows how; some kinds end with a power cycle"},
	nvme.StatusLBAOutOfRange:           {"the range goes beyond the namespace: it became smaller since it was looked at", "start again"},
	nvme.StatusWriteToReadOnlyRange:    {"the blocks are read-only", "qd1 smart shows whether the drive became read-only"},
}
