package sim

import (
	"context"
	"encoding/binary"
	"slices"

	"qd1.example/qd1/nvme"
)

const identifyBytes = 4096

// identify answers the Identify command.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Command: an
// unsupported CNS is an Invalid Field in Command.
func (c *controller) identify(_ context.Context, cmd *nvme.Command) (reply, error) {
	cns := nvme.CNS(cmd.CDW10)
	if !slices.Contains(c.personality.cns, cns) {
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if len(cmd.Data) < identifyBytes {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	switch cns {
	case nvme.CNSNamespace:
		return c.identifyNamespace(cmd)
	case nvme.CNSController:
		fill(cmd, c.page)
		return success(0)
	case nvme.CNSActiveNamespaces:
		return c.identifyActive(cmd)
	}
	return refuse(nvme.StatusInvalidField, inCDW10)
}

// identifyNamespace answers CNS 00h.
//
// Source: NVM Express Base Specification, Revision 2.0, NSID and Namespace
// Usage: an NSID above NN, and the broadcast value where there is no namespace
// management, is an Invalid Namespace or Format.
func (c *controller) identifyNamespace(cmd *nvme.Command) (reply, error) {
	if cmd.NSID == 0 || uint32(cmd.NSID) > c.id.NN {
		return refuse(nvme.StatusInvalidNamespace, inNSID)
	}
	fill(cmd, nil)
	if cmd.NSID == onlyNSID {
		fill(cmd, c.namespace.page)
	}
	return success(0)
}

// identifyActive answers CNS 02h.
//
// Source: NVM Express Base Specification, Revision 2.0, Active Namespace ID
// list (CNS 02h): the active NSIDs above the command's; FFFFFFFEh and FFFFFFFFh
// are Invalid Namespace or Format.
func (c *controller) identifyActive(cmd *nvme.Command) (reply, error) {
	if cmd.NSID >= nvme.BroadcastNSID-1 {
		return refuse(nvme.StatusInvalidNamespace, inNSID)
	}
	fill(cmd, nil)
	if onlyNSID > cmd.NSID {
		binary.LittleEndian.PutUint32(cmd.Data, uint32(onlyNSID))
	}
	return success(0)
}
