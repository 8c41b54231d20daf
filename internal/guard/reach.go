package guard

import (
	"fmt"
	"slices"

	"qd1.example/qd1/nvme"
)

// reach is which namespaces an operation reaches.
type reach struct {
	// named are the namespaces that it names.
	named []nvme.NSID
	// all says why it reaches all namespaces of the drive, "" if it does not.
	all string
}

// whyNamed and whyWhole are why a namespace is affected.
const (
	whyNamed = "named"
	whyWhole = "it belongs to the drive"
)

// reach finds out from the commands and from what the drive says about them.
// Reads and settings reach no namespace; an operation of nothing else is one of
// the whole drive.
func (in *inspection) reach() reach {
	r := reach{named: slices.Clone(in.op.Namespaces)}
	for i := range in.op.Commands {
		c := &in.op.Commands[i]
		e := nvme.EffectOf(c, &in.view.id)
		switch {
		case e.Access != nvme.Destroys:
		case e.Reach == nvme.ReachNamespace:
			r.named = append(r.named, e.NSID)
		default:
			r.all = e.Why
			if c.NSID != 0 && c.NSID != nvme.BroadcastNSID {
				r.named = append(r.named, c.NSID)
			}
		}
	}
	if r.all == "" && len(r.named) == 0 {
		r.all = whyWhole
	}
	return r
}

// why says why a namespace is affected, "" if it is not.
func (r *reach) why(nsid nvme.NSID) string {
	if slices.Contains(r.named, nsid) {
		return whyNamed
	}
	return r.all
}

// missing checks that the named namespaces exist, and that all are known where
// all are reached.
func (in *inspection) missing() []Check {
	var checks []Check
	r := in.reach()
	if r.all != "" && in.view.untold != nil {
		checks = append(checks, unknown(checkNodes, fmt.Errorf("namespaces beside the active ones: %w", in.view.untold)))
	}
	for _, nsid := range slices.Compact(slices.Sorted(slices.Values(r.named))) {
		if in.view.at(nsid) == nil {
			checks = append(checks, refuse(checkNodes, "name one of its namespaces", "the drive has no namespace %d", nsid))
		}
	}
	return checks
}
