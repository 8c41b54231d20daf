package guard

import (
	"slices"

	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// radius returns the namespaces that the operation reaches, in order of NSID:
// those that the drive tells of, and those that only another controller of it
// does.
func (in *inspection) radius() []Member {
	r := in.reach()
	var members []Member
	for i := range in.view.spaces {
		s := &in.view.spaces[i]
		if why := r.why(s.nsid); why != "" {
			members = append(members, in.member(s, why))
		}
	}
	if r.all != "" {
		members = append(members, in.strangers(r.all)...)
	}
	slices.SortStableFunc(members, func(a, b Member) int { return int(int64(a.NSID) - int64(b.NSID)) })
	return members
}

// member describes a namespace that the drive tells of.
func (in *inspection) member(s *space, why string) Member {
	m := Member{NSID: s.nsid, Why: why, Controllers: []string{}, Signatures: []signature.Signature{}}
	m.describe(s.id)
	if s.active {
		m.Controllers = []string{in.host.controller.Name}
		for i := range in.host.controller.Namespaces {
			if n := &in.host.controller.Namespaces[i]; nvme.NSID(n.NSID) == s.nsid {
				m.addNode(n)
			}
		}
	}
	for _, c := range in.host.siblings {
		for i := range c.Namespaces {
			if n := &c.Namespaces[i]; in.same(s, n) {
				m.Controllers = append(m.Controllers, c.Name)
				m.addNode(n)
			}
		}
	}
	m.Controllers = unique(m.Controllers)
	return m
}

// same reports whether what a sibling shows is this namespace: the same block
// device, or the same NSID where the namespace is not for one controller alone.
func (in *inspection) same(s *space, n *sysfs.Namespace) bool {
	if nvme.NSID(n.NSID) != s.nsid {
		return false
	}
	return s.shared() || !s.active || in.shows(n.Block)
}

// shows reports whether the controller itself has the block device.
func (in *inspection) shows(block string) bool {
	return block != "" && slices.ContainsFunc(in.host.controller.Namespaces, func(n sysfs.Namespace) bool { return n.Block == block })
}

// describe takes over what Identify Namespace says.
func (m *Member) describe(id *nvme.IdentifyNamespace) {
	m.Bytes = bytesOf(id)
	m.LBAF = id.FormatIndex()
	m.LBABytes = int(id.Format().DataBytes())
	m.MetadataBytes = int(id.Format().MetadataBytes)
	if id.EUI64 != (nvme.Hex64{}) {
		m.EUI64 = id.EUI64.String()
	}
	if id.NGUID != (nvme.Hex128{}) {
		m.NGUID = id.NGUID.String()
	}
}

// bytesOf returns the size of a namespace, -1 if it is not a size.
func bytesOf(id *nvme.IdentifyNamespace) int64 {
	n, ok := id.SizeBytes().Uint64()
	if !ok || n > 1<<63-1 {
		return -1
	}
	return int64(n)
}

// addNode takes over the nodes that the host shows of the namespace.
func (m *Member) addNode(n *sysfs.Namespace) {
	switch {
	case n.Block == "" || n.Block == m.Block:
	case m.Block == "":
		m.Block = n.Block
	default:
		m.Aliases = unique(append(m.Aliases, n.Block))
	}
	if m.Generic == "" {
		m.Generic = n.Generic
	}
	m.Partitions = unique(append(m.Partitions, n.Partitions...))
}

// strangers are namespaces of the drive that only other controllers reach.
func (in *inspection) strangers(why string) []Member {
	var members []Member
	for _, c := range in.host.siblings {
		for i := range c.Namespaces {
			n := &c.Namespaces[i]
			if s := in.view.at(nvme.NSID(n.NSID)); s != nil && in.same(s, n) {
				continue
			}
			at := slices.IndexFunc(members, func(m Member) bool { return n.Block != "" && m.Block == n.Block })
			if at >= 0 {
				members[at].Controllers = unique(append(members[at].Controllers, c.Name))
				continue
			}
			m := Member{
				NSID: nvme.NSID(n.NSID), Bytes: n.Bytes, LBAF: -1, LBABytes: n.LBABytes,
				Controllers: []string{c.Name}, Why: why, Signatures: []signature.Signature{},
			}
			m.addNode(n)
			members = append(members, m)
		}
	}
	return members
}
