package guard

import (
	"context"
	"fmt"
	"slices"

	"qd1.example/qd1/nvme"
)

// view is what the drive says of itself.
type view struct {
	id nvme.IdentifyController
	// spaces are all namespaces that the drive tells of, in order of NSID.
	spaces []space
}

// space is a namespace of the drive.
type space struct {
	nsid nvme.NSID
	id   *nvme.IdentifyNamespace
	// active is false for a namespace that is attached to other controllers
	// only, or to none.
	active bool
}

// shared reports whether more than one controller may reach the namespace.
func (s *space) shared() bool { return s.id.NMIC&1 != 0 }

// readView reads what the drive says of itself. A drive whose Identify
// Controller makes no sense is not asked for more.
func readView(ctx context.Context, dev *nvme.Controller) (*view, error) {
	id, err := dev.Identify(ctx)
	if err != nil {
		return nil, fmt.Errorf("identify the drive: %w", err)
	}
	v := &view{id: *id}
	if nonsense(id) != "" {
		return v, nil
	}
	active, err := dev.ActiveNamespaces(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list the namespaces: %w", err)
	}
	all := active
	if id.OACS&nvme.OACSNamespaceManagement != 0 {
		allocated, err := dev.AllocatedNamespaces(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the allocated namespaces: %w", err)
		}
		all = slices.Compact(slices.Sorted(slices.Values(slices.Concat(active, allocated))))
	}
	for _, nsid := range all {
		s, err := readSpace(ctx, dev, nsid, slices.Contains(active, nsid))
		if err != nil {
			return nil, fmt.Errorf("identify namespace %d: %w", nsid, err)
		}
		v.spaces = append(v.spaces, s)
	}
	return v, nil
}

// readSpace reads one namespace.
func readSpace(ctx context.Context, dev *nvme.Controller, nsid nvme.NSID, active bool) (space, error) {
	cns := nvme.CNSNamespace
	if !active {
		cns = nvme.CNSAllocatedNamespace
	}
	page, err := dev.IdentifyPage(ctx, cns, nsid)
	if err != nil {
		return space{}, err
	}
	s := space{nsid: nsid, active: active, id: new(nvme.IdentifyNamespace)}
	return s, s.id.UnmarshalBinary(page)
}

// at returns a namespace, nil if the drive does not tell of it.
func (v *view) at(nsid nvme.NSID) *space {
	i := slices.IndexFunc(v.spaces, func(s space) bool { return s.nsid == nsid })
	if i < 0 {
		return nil
	}
	return &v.spaces[i]
}

// stamp is what tells one drive from another and does not change by a command
// or a firmware update.
type stamp struct {
	vid, ssvid uint16
	serial     nvme.ASCII20
	model      nvme.ASCII40
}

func stampOf(id *nvme.IdentifyController) stamp {
	return stamp{id.VID, id.SSVID, id.SerialNumber, id.ModelNumber}
}

// nonsense says what makes an Identify Controller page incredible, "" if
// nothing does.
func nonsense(id *nvme.IdentifyController) string {
	serial, model := id.SerialNumber.String(), id.ModelNumber.String()
	switch {
	case *id == nvme.IdentifyController{}:
		return "the drive answers Identify with zeroes"
	case id.VID == 0xFFFF:
		return "the drive answers Identify with ones, as one that is gone"
	case serial == "":
		return "the drive has no serial number"
	case model == "":
		return "the drive has no model number"
	case !plain(serial):
		return fmt.Sprintf("the serial number %q has bytes that are no text", serial)
	case !plain(model):
		return fmt.Sprintf("the model number %q has bytes that are no text", model)
	case id.SQES&0xF > 6:
		return fmt.Sprintf("the drive asks for submission queue entries of %d bytes", 1<<(id.SQES&0xF))
	}
	return ""
}

// plain reports whether a cleaned string was text.
func plain(s string) bool {
	for _, r := range s {
		if r < 0x20 || r > 0x7E {
			return false
		}
	}
	return true
}
