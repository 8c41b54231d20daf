package sim

import (
	"encoding/binary"
	"slices"

	"qd1.example/qd1/nvme"
)

// namespace is one namespace. It does not change after it was published in
// spaces, but for the data in its store: a change is a new namespace.
type namespace struct {
	nsid     nvme.NSID
	id       nvme.IdentifyNamespace
	attached bool
	store    *store
	// protected is what a write is refused with. 0 lets it pass.
	protected nvme.Status
	// page is the Identify page as it was captured, nil for one made from id.
	page []byte
}

func (n *namespace) blockBytes() int { return int(n.id.Format().DataBytes()) }

func (n *namespace) bytes() int64 { return int64(n.id.NSZE) * int64(n.blockBytes()) }

// mostRest is what a namespace may have besides whole blocks, bytes.
const mostRest = 1 << 20

// capacity returns the bytes that are allocated to the namespace: NVMCAP, or
// its size where the drive does not report that or what it reports cannot be.
func (n *namespace) capacity() int64 {
	size := uint64(n.bytes())
	if nvmcap, ok := n.id.NVMCAP.Uint64(); ok && nvmcap >= size && nvmcap-size < mostRest {
		return int64(nvmcap)
	}
	return int64(size)
}

// spaces is what I/O commands know of the drive. It does not change after it
// was published.
type spaces struct {
	// list has the namespace of NSID i+1, nil where none is allocated.
	list []*namespace
	// busy is set while an operation may hold up or refuse commands.
	busy bool
}

// at returns an allocated namespace, or nil.
func (s *spaces) at(nsid nvme.NSID) *namespace {
	if nsid == 0 || uint64(nsid) > uint64(len(s.list)) {
		return nil
	}
	return s.list[nsid-1]
}

// active returns an attached namespace, or nil.
func (s *spaces) active(nsid nvme.NSID) *namespace {
	if n := s.at(nsid); n != nil && n.attached {
		return n
	}
	return nil
}

// ids returns the NSIDs above one, of all allocated or all attached
// namespaces.
func (s *spaces) ids(above nvme.NSID, attached bool) []nvme.NSID {
	var ids []nvme.NSID
	for _, n := range s.list {
		if n != nil && n.nsid > above && (n.attached || !attached) {
			ids = append(ids, n.nsid)
		}
	}
	return ids
}

// first returns the attached namespace of the lowest NSID, or nil.
func (s *spaces) first() *namespace {
	i := slices.IndexFunc(s.list, func(n *namespace) bool { return n != nil && n.attached })
	if i < 0 {
		return nil
	}
	return s.list[i]
}

// maxNamespaces bounds the memory of the model: a drive may claim 2^32.
const maxNamespaces = 1024

// loadNamespaces makes the namespaces that the drive has when it is opened.
func (c *controller) loadNamespaces() error {
	list := make([]*namespace, min(c.id.NN, maxNamespaces))
	pages, err := c.personality.namespacePages()
	if err == nil {
		pages, err = c.personality.override.namespacePages(pages, c.personality.medium.seed)
	}
	if err != nil {
		return err
	}
	for nsid, page := range pages {
		if int(nsid) > len(list) || nsid == 0 {
			continue
		}
		n := &namespace{nsid: nsid, attached: true, page: page}
		if err := n.id.UnmarshalBinary(page); err != nil {
			return err
		}
		if n.id.Inactive() || n.blockBytes() == 0 {
			continue
		}
		n.store = newStoreIn(n.bytes(), c.generator(nsid), c.room)
		for _, lba := range c.personality.unreadable {
			n.store.spoil(int64(lba)*int64(n.blockBytes()), int64(n.blockBytes()))
		}
		list[nsid-1] = n
	}
	if c.personality.readOnly {
		for _, n := range list {
			if n != nil {
				n.protected = nvme.StatusWriteToReadOnlyRange
			}
		}
	}
	c.spaces.Store(&spaces{list: list, busy: c.busy()})
	return nil
}

// generator returns what a medium of this generation has before it is
// written.
func (c *controller) generator(nsid nvme.NSID) generator {
	return newGenerator(c.personality.medium.seed + c.generation*golden + uint64(nsid-1)<<48)
}

// publish replaces namespaces by NSID, nil deletes one. The lock must be held.
func (c *controller) publish(change map[nvme.NSID]*namespace) {
	old := c.spaces.Load()
	next := &spaces{list: slices.Clone(old.list), busy: c.busy()}
	for nsid, n := range change {
		next.list[nsid-1] = n
	}
	c.spaces.Store(next)
}

// busy reports whether I/O commands have to look at the operations first.
func (c *controller) busy() bool {
	return !c.format.end.IsZero() || !c.heldUntil.IsZero() || c.sanitize.refusal() != nvme.StatusSuccess ||
		c.opal == opalLocked
}

// edit publishes a changed copy of a namespace. The lock must be held.
func (c *controller) edit(nsid nvme.NSID, change func(*namespace)) {
	n := *c.spaces.Load().at(nsid)
	change(&n)
	c.publish(map[nvme.NSID]*namespace{nsid: &n})
}

// noNamespace is the answer to a command for a namespace that is not active.
//
// Source: NVM Express Base Specification, Revision 2.0, NSID and Namespace
// Usage: an NSID that is not valid is an Invalid Namespace or Format, an
// inactive one an Invalid Field in Command.
func (c *controller) noNamespace(nsid nvme.NSID) reply {
	if nsid == 0 || uint32(nsid) > c.id.NN {
		return refuse(nvme.StatusInvalidNamespace, inNSID)
	}
	return refuse(nvme.StatusInvalidField, inNSID)
}

// Offsets in an Identify Namespace page that a captured page is patched at.
const (
	atNSZE  = 0
	atNCAP  = 8
	atNUSE  = 16
	atFLBAS = 26
	atDPS   = 29
	atFPI   = 32
)

// identifyPage returns the Identify Namespace page: NUSE and FPI are as of now.
func (c *controller) identifyPage(n *namespace) []byte {
	page := slices.Clone(n.page)
	if page == nil {
		page = encode(&n.id)
	}
	le := binary.LittleEndian
	le.PutUint64(page[atNSZE:], n.id.NSZE)
	le.PutUint64(page[atNCAP:], n.id.NCAP)
	le.PutUint64(page[atNUSE:], c.utilization(n))
	page[atFLBAS], page[atDPS] = n.id.FLBAS, n.id.DPS
	page[atFPI] = c.formatProgress(n)
	return page
}

// utilization returns NUSE. It is constant where deallocated blocks are not
// told from others.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Identify
// Namespace data structure: NUSE is NCAP or less.
func (c *controller) utilization(n *namespace) uint64 {
	if !c.personality.utilization {
		return n.id.NUSE
	}
	if n.store.data.blank {
		return min(uint64(n.store.keptBytes())/uint64(n.blockBytes()), n.id.NCAP)
	}
	return n.id.NCAP - min(n.id.NCAP, uint64(n.store.zeroBytes())/uint64(n.blockBytes()))
}
