package sim

import (
	"encoding/binary"
	"slices"

	"qd1.example/qd1/nvme"
)

// manageNamespace answers the Namespace Management command.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace Management
// command: SEL 0 creates, SEL 1 deletes.
func (c *controller) manageNamespace(cmd *nvme.Command) reply {
	switch cmd.CDW10 & 0xF {
	case 0:
		return c.createNamespace(cmd)
	case 1:
		return c.deleteNamespace(cmd)
	}
	return refuse(nvme.StatusInvalidField, inCDW10)
}

// createNamespace makes a namespace that is attached to nothing.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace Management
// command, Command Specific Status Values: Invalid Format, Namespace
// Insufficient Capacity, Namespace Identifier Unavailable, Thin Provisioning
// Not Supported; NVM Command Set Specification, Revision 1.0, Namespace
// Management - Data Structure for Create. The result is the NSID.
func (c *controller) createNamespace(cmd *nvme.Command) reply {
	if len(cmd.Data) < identifyBytes {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	if commandSet(cmd) != 0 {
		return refuse(nvme.StatusIOCommandSetNotSupported, inCDW11+3)
	}
	var wanted nvme.IdentifyNamespace
	if err := wanted.UnmarshalBinary(cmd.Data); err != nil {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	id := *c.personality.commonNamespace()
	id.FLBAS, id.NSZE, id.NCAP, id.NUSE = wanted.FLBAS&0x6F, wanted.NSZE, wanted.NCAP, wanted.NCAP
	id.ENDGID, id.NMIC = c.id.ENDGIDMAX, wanted.NMIC
	if bad := c.checkCreate(&wanted, &id); !bad.ok() {
		return bad
	}
	list := c.spaces.Load().list
	free := slices.Index(list, nil)
	if free < 0 {
		return refuse(nvme.StatusNamespaceIdentifierUnavailable, nowhere)
	}
	n := &namespace{nsid: nvme.NSID(free + 1), id: id}
	n.identifiers(c.generation, c.id.IEEE)
	c.generation++
	g := c.generator(n.nsid)
	g.blank = true
	n.store = newStoreIn(n.bytes(), g, c.room)
	n.store.setCached(c.cacheIsOn())
	n.id.NVMCAP = nvme.U128(uint64(n.bytes()))
	c.publish(map[nvme.NSID]*namespace{n.nsid: n})
	c.addUnallocated(-n.bytes())
	c.remember(nvme.EventChangeNamespace, c.namespaceEvent(cmd, n))
	return success(uint64(n.nsid))
}

// checkCreate refuses a namespace that the drive cannot make.
func (c *controller) checkCreate(wanted, id *nvme.IdentifyNamespace) reply {
	block := id.Format().DataBytes()
	unallocated, _ := c.id.UNVMCAP.Uint64()
	switch {
	case block == 0, id.Format().MetadataBytes != 0, wanted.DPS != 0:
		return refuse(nvme.StatusInvalidFormat, inPointer)
	case wanted.NSZE == 0, wanted.NCAP > wanted.NSZE:
		return refuse(nvme.StatusInvalidField, inPointer)
	case wanted.NCAP < wanted.NSZE:
		return refuse(nvme.StatusThinProvisioningNotSupported, inPointer)
	case wanted.NSZE > unallocated/block:
		return refuse(nvme.StatusNamespaceInsufficientCapacity, inPointer)
	}
	return reply{}
}

// identifiers makes the EUI-64 and NGUID of a new namespace, which no other
// namespace of the drive ever had.
//
// Source: NVM Express Base Specification, Revision 2.0, Unique Identifier: a
// new namespace has new identifiers.
func (n *namespace) identifiers(generation uint64, oui nvme.OUI) {
	unique := mix(generation<<16 + uint64(n.nsid))
	binary.BigEndian.PutUint64(n.id.EUI64[:], unique)
	copy(n.id.EUI64[:], []byte{oui[2], oui[1], oui[0]})
	binary.BigEndian.PutUint64(n.id.NGUID[:], mix(unique))
	copy(n.id.NGUID[8:], n.id.EUI64[:])
}

// deleteNamespace deletes one namespace, or all with the broadcast NSID.
func (c *controller) deleteNamespace(cmd *nvme.Command) reply {
	nsids := []nvme.NSID{cmd.NSID}
	switch s := c.spaces.Load(); {
	case cmd.NSID == nvme.BroadcastNSID:
		nsids = s.ids(0, false)
	case s.at(cmd.NSID) == nil:
		return c.noNamespace(cmd.NSID)
	}
	if s := c.anyProtected(nsids); s != nvme.StatusSuccess {
		return refuse(s, inNSID)
	}
	change := map[nvme.NSID]*namespace{}
	for _, nsid := range nsids {
		n := c.spaces.Load().at(nsid)
		change[nsid] = nil
		n.store.release()
		c.addUnallocated(n.capacity())
		c.remember(nvme.EventChangeNamespace, c.namespaceEvent(cmd, n))
		if n.attached {
			c.noteChanged(nsid)
		}
		if c.selfTest.code != 0 && (c.selfTest.nsid == nsid || c.selfTest.nsid == nvme.BroadcastNSID) {
			c.abortSelfTest(nvme.SelfTestAbortedByRemoval)
		}
	}
	c.publish(change)
	return success(0)
}

// addUnallocated moves Unallocated NVM Capacity, in bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure, UNVMCAP.
func (c *controller) addUnallocated(bytes int64) {
	c.id.UNVMCAP.Lo += uint64(bytes)
	binary.LittleEndian.PutUint64(c.page[atUNVMCAP:], c.id.UNVMCAP.Lo)
}

// attachNamespace answers the Namespace Attachment command.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace Attachment
// command: Controller List Invalid, Namespace Already Attached, Namespace Not
// Attached.
func (c *controller) attachNamespace(cmd *nvme.Command) reply {
	attach := cmd.CDW10&0xF == 0
	if cmd.CDW10&0xF > 1 {
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if len(cmd.Data) < identifyBytes {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	n := c.spaces.Load().at(cmd.NSID)
	if n == nil {
		return c.noNamespace(cmd.NSID)
	}
	le := binary.LittleEndian
	if le.Uint16(cmd.Data) != 1 || le.Uint16(cmd.Data[2:]) != c.id.CNTLID {
		return refuse(nvme.StatusControllerListInvalid, inPointer)
	}
	switch {
	case attach && n.attached:
		return refuse(nvme.StatusNamespaceAlreadyAttached, inNSID)
	case !attach && !n.attached:
		return refuse(nvme.StatusNamespaceNotAttached, inNSID)
	}
	c.edit(cmd.NSID, func(n *namespace) { n.attached = attach })
	c.noteChanged(cmd.NSID)
	return success(0)
}

// namespaceEvent is the data of a Change Namespace event.
func (c *controller) namespaceEvent(cmd *nvme.Command, n *namespace) []byte {
	b := appendDwords(nil, cmd.CDW10, 0)
	le := binary.LittleEndian
	b = le.AppendUint64(b, n.id.NSZE)
	b = le.AppendUint64(b, 0)
	b = le.AppendUint64(b, n.id.NCAP)
	b = append(b, n.id.FLBAS, n.id.DPS, n.id.NMIC, 0)
	return appendDwords(b, 0, 0, uint32(n.nsid))
}
