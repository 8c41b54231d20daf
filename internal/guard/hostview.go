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
}

// readHost reads the tree anew: what the caller has may be old.
func readHost(fsys fs.FS, name string) (*hostView, error) {
	own, err := sysfs.Read(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("look at %s again: %w", name, err)
	}
	names, err := sysfs.Names(fsys)
	if err != nil {
		return nil, err
	}
	h := &hostView{controller: own}
	for _, other := range names {
		if other == name {
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
