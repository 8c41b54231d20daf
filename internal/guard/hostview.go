package guard

import (
	"fmt"
	"io/fs"

	"qd1.example/qd1/internal/sysfs"
)

// hostView is what the host shows of the drive, read anew.
type hostView struct {
	controller *sysfs.Controller
	// siblings are the other controllers of the same drive.
	siblings []*sysfs.Controller
	// doubles are the controllers of other drives with the same serial.
	doubles []*sysfs.Controller
	// gone says why the controller is what the caller had and not what the tree
	// has: nil, unless it cannot be read there.
	gone error
}

// readHost reads the tree anew: what the caller has may be old. A nil given is
// a drive that the host shows nothing of.
func readHost(fsys fs.FS, given *sysfs.Controller) (*hostView, error) {
	if given == nil {
		given = &sysfs.Controller{}
	}
	own, err := sysfs.Read(fsys, given.Name)
	if err != nil {
		return &hostView{controller: given, gone: err}, nil
	}
	names, err := sysfs.Names(fsys)
	if err != nil {
		return nil, err
	}
	h := &hostView{controller: own}
	for _, other := range names {
		if other == own.Name {
			continue
		}
		c, err := sysfs.Read(fsys, other)
		if err != nil {
			continue // It went away in between.
		}
		switch {
		case own.Subsystem != "" && c.Subsystem == own.Subsystem:
			h.siblings = append(h.siblings, c)
		case c.Serial == own.Serial:
			h.doubles = append(h.doubles, c)
		}
	}
	return h, nil
}

// place says where a controller is: its name and address.
func place(c *sysfs.Controller) string {
	if c.Address == "" {
		return c.Name
	}
	return c.Name + " at " + c.Address
}

// pciOf returns the PCI address, "" for a drive that is not a PCI function.
func pciOf(c *sysfs.Controller) string {
	if c.PCI == nil {
		return ""
	}
	return c.PCI.Address
}

// describe names the other drives with the same serial, each once.
func (h *hostView) describeDoubles() []string {
	var list, seen []string
	for _, c := range h.doubles {
		if c.Subsystem != "" && contains(seen, c.Subsystem) {
			continue
		}
		seen = append(seen, c.Subsystem)
		list = append(list, fmt.Sprintf("%s (%s)", place(c), c.Model))
	}
	return list
}
