package report

import (
	"context"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// ReadSpecIdentify reads an Identify data structure. A namespace of 0, where the
// page takes one, is [Session.DefaultNSID]. A page that the drive does not list is
// a [NotListed] problem unless it is forced.
func (s *Session) ReadSpecIdentify(ctx context.Context, p spec.IdentifyPage, i nvme.Identify, forced bool) (*SpecPage, error) {
	if ok, why := p.When.Listed(s.ID); !ok && !forced {
		return nil, NotListed(p.Title(), why)
	}
	if p.Needs.Has(spec.NeedNSID) && i.NSID == 0 {
		nsid, err := s.DefaultNSID(ctx)
		if err != nil {
			return nil, err
		}
		i.NSID = nsid
	}
	raw, err := s.ReadIdentify(ctx, i)
	if err != nil {
		return nil, problemOf(err)
	}
	return NewSpecPage(p.Name, p.Structure, raw, identifyParameters(p.Needs, i))
}

// identifyParameters are what the drive was asked for.
func identifyParameters(needs spec.Need, i nvme.Identify) map[string]uint64 {
	m := map[string]uint64{"cns": uint64(i.CNS)}
	for _, x := range []struct {
		need  spec.Need
		name  string
		value uint64
	}{
		{spec.NeedNSID, "nsid", uint64(i.NSID)},
		{spec.NeedAfter, "after_nsid", uint64(i.NSID)},
		{spec.NeedCNTID, "cntid", uint64(i.CNTID)},
		{spec.NeedCSI, "csi", uint64(i.CSI)},
		{spec.NeedSpecific, "index", uint64(i.SpecificID)},
		{spec.NeedUUID, "uuid_index", uint64(i.UUIDIndex)},
	} {
		if needs.Has(x.need) && (x.need != spec.NeedUUID || x.value != 0) {
			m[x.name] = x.value
		}
	}
	if i.CSI != 0 {
		m["csi"] = uint64(i.CSI)
	}
	return m
}

// NamespaceOfPage is the namespace of an Identify Namespace page. An inactive one
// is an error.
func (s *Session) NamespaceOfPage(ctx context.Context, p *SpecPage) (*Namespace, error) {
	return s.Namespace(ctx, nvme.NSID(p.Parameters["nsid"]))
}

// IdentifyList is what Identify data structures there are.
type IdentifyList struct {
	Schema string `json:"schema"`
	// Drive is the drive whose lists were looked at, nil for none.
	Drive *Identity         `json:"drive,omitempty"`
	Pages []IdentifyListRow `json:"pages"`
	// Simulated is as in a report.
	Simulated bool `json:"simulated"`
}

// IdentifyListRow is one of them.
type IdentifyListRow struct {
	Name  string   `json:"name"`
	CNS   nvme.CNS `json:"cns"`
	CSI   uint8    `json:"csi"`
	Title string   `json:"title"`
	// Listed says whether the drive lists it, and Why says why not; null without a
	// drive.
	Listed *bool  `json:"listed"`
	Why    string `json:"why,omitempty"`
}

// NewIdentifyList returns the list, of a drive or of none.
func NewIdentifyList(s *Session) *IdentifyList {
	l := &IdentifyList{Schema: "qd1.identify_list/1"}
	if s != nil {
		l.Drive, l.Simulated = &s.Identity, s.Drive.Simulated
	}
	for _, p := range spec.IdentifyPages() {
		row := IdentifyListRow{Name: p.Name, CNS: p.CNS, CSI: p.CSI, Title: p.Title()}
		if s != nil {
			listed, why := p.When.Listed(s.ID)
			row.Listed = &listed
			if !listed {
				row.Why = why
			}
		}
		l.Pages = append(l.Pages, row)
	}
	return l
}
