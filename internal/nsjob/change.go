package nsjob

import (
	"encoding/binary"
	"fmt"
	"slices"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/nvme"
)

// Action is what is done to a namespace.
type Action string

// The actions.
const (
	Create Action = "create"
	Delete Action = "delete"
	Attach Action = "attach"
	Detach Action = "detach"
)

// Change is a command that changes the namespaces of a drive, and what speaks
// against it.
type Change struct {
	Action Action `json:"action"`
	// NSID is the namespace; 0 for one that is to be created, [nvme.BroadcastNSID]
	// for all.
	NSID nvme.NSID `json:"nsid"`
	// Controllers are those that it is attached to or detached from.
	Controllers []uint16 `json:"controllers,omitempty"`
	// Create is what is to be created, nil for other actions.
	Create *CreateRequest `json:"create,omitempty"`
	// Command is the command.
	Command *nvme.Command `json:"-"`
	// Checks are those of this package: what the drive would refuse, and what is
	// worth to be known before.
	Checks []guard.Check `json:"-"`
}

// The names of checks.
const (
	checkSupport     = "support"
	checkCapacity    = "capacity"
	checkNamespace   = "namespace"
	checkControllers = "controllers"
	checkBlockSize   = "block size"
	checkRemains     = "what remains"
)

// listBytes is the length of a controller list and of the data of Create.
const listBytes = 4096

// Select (SEL) of Namespace Management and Namespace Attachment, dword 10.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace Management
// command; Namespace Attachment command.
const (
	selCreate = 0
	selDelete = 1
	selAttach = 0
	selDetach = 1
)

func (c *Change) refuse(check, hint, format string, args ...any) {
	c.Checks = append(c.Checks, guard.Check{Check: check, Result: guard.Refuse, Text: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *Change) warn(check, hint, format string, args ...any) {
	c.Checks = append(c.Checks, guard.Check{Check: check, Result: guard.Pass, Warning: true, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// Refused reports whether a check of the change refuses it.
func (c *Change) Refused() bool {
	return slices.ContainsFunc(c.Checks, func(x guard.Check) bool { return x.Result == guard.Refuse })
}

// checkManagement refuses everything on a drive without namespace management.
func (c *Change) checkManagement(v *Inventory) bool {
	if !v.Management {
		c.refuse(checkSupport, "this model has the namespaces that it was made with",
			"the drive has no Namespace Management (OACS bit 3 is 0)")
	}
	return v.Management
}

// PlanDelete is the deletion of one namespace, or of all by
// [nvme.BroadcastNSID].
func PlanDelete(v *Inventory, nsid nvme.NSID) *Change {
	c := &Change{Action: Delete, NSID: nsid}
	// Namespace Management carries data by its opcode, also where it has none to
	// carry: the kernel takes a command without.
	c.Command = &nvme.Command{Opcode: nvme.AdminNamespaceManagement, NSID: nsid, CDW10: selDelete}
	if !c.checkManagement(v) {
		return c
	}
	switch {
	case nsid == nvme.BroadcastNSID && len(v.Namespaces) == 0:
		c.refuse(checkNamespace, "", "the drive has no namespace")
	case nsid != nvme.BroadcastNSID && v.At(nsid) == nil:
		c.refuse(checkNamespace, "qd1 ns list shows the namespaces of the drive", "the drive has no namespace %d", nsid)
	default:
		c.warn(checkRemains, "erase it first with qd1 erase, if its data must be gone for good",
			"the data of a deleted namespace cannot be reached any more, and nothing proves that they are gone: this is not an erase")
	}
	return c
}

// PlanAttachment attaches a namespace to controllers, or detaches it. Without
// controllers it is the one that was asked.
func PlanAttachment(v *Inventory, action Action, nsid nvme.NSID, controllers []uint16) *Change {
	if len(controllers) == 0 {
		controllers = []uint16{v.Controller}
	}
	controllers = slices.Compact(slices.Sorted(slices.Values(controllers)))
	c := &Change{Action: action, NSID: nsid, Controllers: controllers}
	c.Command = &nvme.Command{Opcode: nvme.AdminNamespaceAttachment, NSID: nsid, CDW10: selAttach, Data: controllerList(controllers)}
	if action == Detach {
		c.Command.CDW10 = selDetach
	}
	if !c.checkManagement(v) {
		return c
	}
	n := v.At(nsid)
	if n == nil {
		c.refuse(checkNamespace, "qd1 ns list shows the namespaces of the drive", "the drive has no namespace %d", nsid)
		return c
	}
	c.checkControllers(v, n)
	if action == Detach {
		c.warn(checkRemains, "qd1 ns attach brings it back", "the data of the namespace stay as they are: what the checks call destroyed is only taken away from this computer")
	}
	return c
}

// controllerList is the data of Namespace Attachment.
func controllerList(ids []uint16) []byte {
	b := make([]byte, listBytes)
	ids = ids[:min(len(ids), mostControllers)]
	binary.LittleEndian.PutUint16(b, uint16(len(ids)))
	for i, id := range ids {
		binary.LittleEndian.PutUint16(b[2+2*i:], id)
	}
	return b
}

// checkControllers refuses what the drive would refuse. What the drive does not
// tell is left to it.
func (c *Change) checkControllers(v *Inventory, n *Namespace) {
	hint := "qd1 ns list shows the controllers of the drive and the namespaces of each"
	for _, id := range c.Controllers {
		attached := slices.Contains(n.Controllers, id) || id == v.Controller && n.Attached
		switch {
		case v.Controllers != nil && !slices.Contains(v.Controllers, id):
			c.refuse(checkControllers, hint, "the drive has no controller %d (the drive would answer %s)", id, nvme.StatusControllerListInvalid)
		case c.Action == Attach && attached:
			c.refuse(checkControllers, hint, "namespace %d is attached to controller %d already (the drive would answer %s)", n.NSID, id, nvme.StatusNamespaceAlreadyAttached)
		case c.Action == Detach && n.Controllers != nil && !attached:
			c.refuse(checkControllers, hint, "namespace %d is not attached to controller %d (the drive would answer %s)", n.NSID, id, nvme.StatusNamespaceNotAttached)
		}
	}
	if c.Action == Attach && !n.Shared && len(n.Controllers)+len(c.Controllers) > 1 && !c.Refused() {
		c.refuse(checkControllers, "detach it first, or create a namespace that is shared: --nmic 1",
			"namespace %d is private: it can be attached to one controller only (the drive would answer %s)", n.NSID, nvme.StatusNamespaceIsPrivate)
	}
}
