package guard

import (
	"cmp"
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
	// untold says why those that are not active are not among them; nil if
	// they are.
	untold error
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
	for _, nsid := range active {
		if err := v.read(ctx, dev, nsid, nvme.CNSNamespace); err != nil {
			return nil, err
		}
	}
	if id.OACS&nvme.OACSNamespaceManagement != 0 {
		v.untold = v.readInactive(ctx, dev)
	}
	slices.SortFunc(v.spaces, func(a, b space) int { return cmp.Compare(a.nsid, b.nsid) })
	return v, ctx.Err()
}

// readInactive reads the namespaces that exist and are not attached to this
// controller.
func (v *view) readInactive(ctx context.Context, dev *nvme.Controller) error {
	allocated, err := dev.AllocatedNamespaces(ctx)
	if err != nil {
		return err
	}
	for _, nsid := range allocated {
		if v.at(nsid) != nil {
			continue
		}
		if err := v.read(ctx, dev, nsid, nvme.CNSAllocatedNamespace); err != nil {
			return err
		}
	}
	return nil
}

// read reads one namespace.
func (v *view) read(ctx context.Context, dev *nvme.Controller, nsid nvme.NSID, cns nvme.CNS) error {
	s := space{nsid: nsid, active: cns == nvme.CNSNamespace, id: new(nvme.IdentifyNamespace)}
	page, err := dev.IdentifyPage(ctx, cns, nsid)
	if err == nil {
		err = s.id.UnmarshalBinary(page)
	}
	if err != nil {
		return fmt.Errorf("identify namespace %d: %w", nsid, err)
	}
	v.spaces = append(v.spaces, s)
	return nil
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
