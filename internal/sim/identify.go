package sim

import (
	"encoding/binary"
	"slices"

	"qd1.example/qd1/nvme"
)

const identifyBytes = 4096

// identify answers the Identify command.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Command: an
// unsupported CNS is an Invalid Field in Command.
func (c *controller) identify(cmd *nvme.Command) reply {
	cns := nvme.CNS(cmd.CDW10)
	h := c.identifyHandler(cns)
	if h == nil || !slices.Contains(c.personality.cns, cns) {
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if len(cmd.Data) < identifyBytes {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	return h(cmd)
}

// identifyHandler returns what makes a structure, or nil.
func (c *controller) identifyHandler(cns nvme.CNS) handler {
	switch cns {
	case nvme.CNSNamespace:
		return c.identifyNamespace
	case nvme.CNSController:
		return c.identifyController
	case nvme.CNSActiveNamespaces:
		return c.identifyActive
	case nvme.CNSNamespaceDescriptors:
		return c.identifyDescriptors
	case nvme.CNSCommandSetNamespace:
		return c.identifyCommandSetNamespace
	case nvme.CNSCommandSetController:
		return c.identifyCommandSetController
	case nvme.CNSIndependentNamespace:
		return c.identifyIndependent
	case nvme.CNSAllocatedNamespaces:
		return c.identifyAllocatedList
	case nvme.CNSAllocatedNamespace:
		return c.identifyAllocated
	case nvme.CNSAttachedControllers, nvme.CNSControllers:
		return c.identifyControllers
	}
	return nil
}

// identifyNamespace answers CNS 00h.
//
// Source: NVM Express Base Specification, Revision 2.0, NSID and Namespace
// Usage: an NSID above NN, and the broadcast value where there is no namespace
// management, is an Invalid Namespace or Format. Identify Namespace data
// structure: with namespace management the broadcast value gives what all
// namespaces have in common, and an inactive NSID a page of zeroes.
func (c *controller) identifyNamespace(cmd *nvme.Command) reply {
	if cmd.NSID == nvme.BroadcastNSID && c.id.OACS&nvme.OACSNamespaceManagement != 0 {
		fill(cmd, encode(c.personality.commonNamespace()))
		return success(0)
	}
	if cmd.NSID == 0 || uint32(cmd.NSID) > c.id.NN {
		return refuse(nvme.StatusInvalidNamespace, inNSID)
	}
	return c.fillNamespace(cmd, c.spaces.Load().active(cmd.NSID))
}

// fillNamespace answers with a namespace, or zeroes for nil.
func (c *controller) fillNamespace(cmd *nvme.Command, n *namespace) reply {
	fill(cmd, nil)
	if n != nil {
		fill(cmd, c.identifyPage(n))
	}
	return success(0)
}

func (c *controller) identifyController(cmd *nvme.Command) reply {
	fill(cmd, c.page)
	return success(0)
}

// identifyActive answers CNS 02h.
//
// Source: NVM Express Base Specification, Revision 2.0, Active Namespace ID
// list (CNS 02h): the active NSIDs above the command's; FFFFFFFEh and FFFFFFFFh
// are Invalid Namespace or Format.
func (c *controller) identifyActive(cmd *nvme.Command) reply { return c.fillList(cmd, true) }

// identifyAllocatedList answers CNS 10h.
//
// Source: NVM Express Base Specification, Revision 2.0, Allocated Namespace ID
// list (CNS 10h).
func (c *controller) identifyAllocatedList(cmd *nvme.Command) reply { return c.fillList(cmd, false) }

func (c *controller) fillList(cmd *nvme.Command, attached bool) reply {
	if cmd.NSID >= nvme.BroadcastNSID-1 {
		return refuse(nvme.StatusInvalidNamespace, inNSID)
	}
	fill(cmd, nil)
	for i, nsid := range c.spaces.Load().ids(cmd.NSID, attached) {
		if i*4 < identifyBytes {
			binary.LittleEndian.PutUint32(cmd.Data[i*4:], uint32(nsid))
		}
	}
	return success(0)
}

// identifyAllocated answers CNS 11h.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Namespace
// data structure for an Allocated Namespace ID (CNS 11h).
func (c *controller) identifyAllocated(cmd *nvme.Command) reply {
	if cmd.NSID == 0 || uint32(cmd.NSID) > c.id.NN {
		return refuse(nvme.StatusInvalidNamespace, inNSID)
	}
	return c.fillNamespace(cmd, c.spaces.Load().at(cmd.NSID))
}

// identifyControllers answers CNS 12h and 13h: the subsystem has one
// controller.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace Attached
// Controller list (CNS 12h) and Controller list (CNS 13h): those with an
// identifier of CNTID or above.
func (c *controller) identifyControllers(cmd *nvme.Command) reply {
	there := cmd.CDW10>>16 <= uint32(c.id.CNTLID)
	if nvme.CNS(cmd.CDW10) == nvme.CNSAttachedControllers {
		n := c.spaces.Load().at(cmd.NSID)
		if n == nil {
			return c.noNamespace(cmd.NSID)
		}
		there = there && n.attached
	}
	fill(cmd, nil)
	if there {
		binary.LittleEndian.PutUint16(cmd.Data, 1)
		binary.LittleEndian.PutUint16(cmd.Data[2:], c.id.CNTLID)
	}
	return success(0)
}

// Namespace Identifier Types of CNS 03h.
const (
	nidtEUI64 = 1
	nidtNGUID = 2
	nidtCSI   = 4
)

// identifyDescriptors answers CNS 03h.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace
// Identification Descriptor list (CNS 03h); the Command Set Identifier is of
// revision 2.0.
func (c *controller) identifyDescriptors(cmd *nvme.Command) reply {
	n := c.spaces.Load().active(cmd.NSID)
	if n == nil {
		return c.noNamespace(cmd.NSID)
	}
	if list, ok := c.descriptorsLeft(cmd.NSID); ok {
		fill(cmd, list)
		return success(0)
	}
	var list []byte
	add := func(nidt uint8, id []byte) { list = append(append(list, nidt, uint8(len(id)), 0, 0), id...) }
	if !n.id.EUI64.IsZero() {
		add(nidtEUI64, n.id.EUI64[:])
	}
	if !n.id.NGUID.IsZero() {
		add(nidtNGUID, n.id.NGUID[:])
	}
	if c.id.Version.AtLeast(2, 0) {
		add(nidtCSI, []byte{0})
	}
	fill(cmd, list)
	return success(0)
}

// commandSet returns the Command Set Identifier of a command.
func commandSet(cmd *nvme.Command) uint8 { return uint8(cmd.CDW11 >> 24) }

// identifyCommandSetNamespace answers CNS 05h: the NVM command set of this
// drive has no protection information, so all fields are zero.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, I/O Command
// Set specific Identify Namespace data structure (CNS 05h, CSI 00h).
func (c *controller) identifyCommandSetNamespace(cmd *nvme.Command) reply {
	if commandSet(cmd) != 0 {
		return refuse(nvme.StatusInvalidField, inCDW11+3)
	}
	if cmd.NSID != nvme.BroadcastNSID && c.spaces.Load().active(cmd.NSID) == nil {
		return c.noNamespace(cmd.NSID)
	}
	fill(cmd, nil)
	return success(0)
}

// identifyCommandSetController answers CNS 06h: only Dataset Management is
// limited.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, I/O Command
// Set specific Identify Controller data structure (CNS 06h, CSI 00h): 0 means
// no limit.
func (c *controller) identifyCommandSetController(cmd *nvme.Command) reply {
	if commandSet(cmd) != 0 {
		return refuse(nvme.StatusInvalidField, inCDW11+3)
	}
	fill(cmd, trimLimits())
	return success(0)
}

// identifyIndependent answers CNS 08h.
//
// Source: NVM Express Base Specification, Revision 2.0, I/O Command Set
// Independent Identify Namespace data structure (CNS 08h).
func (c *controller) identifyIndependent(cmd *nvme.Command) reply {
	n := c.spaces.Load().active(cmd.NSID)
	if n == nil {
		return c.noNamespace(cmd.NSID)
	}
	const namespaceReady = 1
	page := make([]byte, identifyBytes)
	page[0] = n.id.NSFEAT
	page[1] = n.id.NMIC
	page[2] = n.id.RESCAP
	page[3] = c.formatProgress(n)
	page[8] = n.id.NSATTR
	binary.LittleEndian.PutUint32(page[4:], n.id.ANAGRPID)
	binary.LittleEndian.PutUint16(page[10:], n.id.NVMSETID)
	binary.LittleEndian.PutUint16(page[12:], n.id.ENDGID)
	page[14] = namespaceReady
	fill(cmd, page)
	return success(0)
}
