package dump

import (
	"fmt"
	"slices"
	"strings"
)

// part is what one section of a dump says about one drive.
type part struct {
	tool, version string
	line          int
	drive         *Drive
	// listed says that the part is an entry of a list of all drives of a host.
	listed bool
	// single says that the part is one page, which the user put beside others.
	single bool
	// alone says that the part names no drive and was given to the only one.
	alone bool
}

// anonymous reports whether the part does not say which drive it is of.
func (p *part) anonymous() bool {
	return p.drive.Serial == "" && p.drive.Model == "" && !p.listed
}

// group is the parts that are of one drive, in the order in which they were
// found to be.
type group struct {
	parts          []part
	serial, device string
	listed, single bool
}

// add takes a part.
func (g *group) add(p part) {
	first := len(g.parts) == 0
	g.serial, g.device = better(g.serial, p.drive.Serial), better(g.device, p.drive.Host.Device)
	g.listed = p.listed && (first || g.listed)
	g.single = p.single || g.single
	g.parts = append(g.parts, p)
}

// assemble makes drives of parts. Parts with one serial number are one drive.
// A part without identity belongs to the drive with its device name, or to the
// only one there is.
func assemble(parts []part) ([]*Drive, error) {
	var groups []*group
	for _, p := range parts {
		if p.anonymous() {
			continue
		}
		to := sameSerial(groups, p.drive)
		if to == nil {
			to = &group{}
			groups = append(groups, to)
		}
		to.add(p)
	}
	if err := several(groups); err != nil {
		return nil, err
	}
	groups, err := adopt(groups, parts)
	if err != nil {
		return nil, err
	}
	var drives []*Drive
	for _, g := range groups {
		d := g.drive()
		d.coverErrors()
		drives = append(drives, d)
	}
	return drives, nil
}

// adopt gives the parts without identity to their drives.
func adopt(groups []*group, parts []part) ([]*group, error) {
	for _, p := range parts {
		if !p.anonymous() {
			continue
		}
		to, named, err := ownerOf(groups, &p)
		if err != nil {
			return nil, err
		}
		if to == nil {
			to = &group{}
			groups = append(groups, to)
		} else if !named {
			p.alone = true
		}
		if err := to.doubled(&p); err != nil {
			return nil, err
		}
		to.add(p)
	}
	return groups, nil
}

// doubled returns an error if the group has a page of the kind of p already of
// which nothing tells either that it is of this drive.
func (g *group) doubled(p *part) error {
	for i := range g.parts {
		other := &g.parts[i]
		if !other.anonymous() || g.identified() && !p.alone && !other.alone {
			continue
		}
		if name := sharedPage(other.drive, p.drive); name != "" {
			return &ParseError{p.tool, p.line, fmt.Errorf("%w, or of one at two times: a second %s without a serial number, after that on line %d", ErrSeveralDrives, name, other.line)}
		}
	}
	return nil
}

// identified reports whether a part says which drive the group is.
func (g *group) identified() bool {
	return slices.ContainsFunc(g.parts, func(p part) bool { return !p.anonymous() })
}

// sharedPage names a page that both have, "" if there is none.
func sharedPage(a, b *Drive) string {
	switch {
	case a.smart != nil && b.smart != nil:
		return "SMART log"
	case a.errors != nil && b.errors != nil:
		return "error log"
	case a.firmware != nil && b.firmware != nil:
		return "firmware slot log"
	}
	for nsid := range a.namespaces {
		if b.namespaces[nsid] != nil {
			return fmt.Sprintf("page of namespace %d", nsid)
		}
	}
	return ""
}

// coverErrors makes ELPE, where it is not known, large enough for the entries
// that the dump shows: it says how much of the log is read.
func (d *Drive) coverErrors() {
	if d.controller == nil || d.controller.knows("elpe") {
		return
	}
	if shown, _ := d.ErrorEntries(); shown > 0 {
		d.controller.field("elpe").SetUint(uint64(shown - 1))
	}
}

func sameSerial(groups []*group, d *Drive) *group {
	for _, known := range groups {
		if d.Serial != "" && known.serial != "" && serialsMatch(known.serial, d.Serial) {
			return known
		}
	}
	return nil
}

// serialsMatch compares serial numbers, in which characters may have been
// replaced by asterisks.
func serialsMatch(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && a[i] != '*' && b[i] != '*' {
			return false
		}
	}
	return true
}

// several returns an error if one of several drives is made of pages that the
// user put together: then it is likely that they do not belong together.
func several(groups []*group) error {
	var own []*group
	var page bool
	for _, g := range groups {
		if !g.listed {
			own = append(own, g)
			page = page || g.single
		}
	}
	if !page || len(own) < 2 {
		return nil
	}
	a, b := own[0], own[1]
	first, second := &a.parts[0], &b.parts[0]
	return &ParseError{second.tool, second.line, fmt.Errorf("%w: serial number %q here, %q on line %d", ErrSeveralDrives, b.serial, a.serial, first.line)}
}

// ownerOf returns the drive that a part without identity belongs to, nil if
// there is none yet, and whether the name of the device says so.
func ownerOf(groups []*group, p *part) (owner *group, named bool, err error) {
	name := controllerName(p.drive.Host.Device)
	var others, listed []*group
	for _, g := range groups {
		switch its := controllerName(g.device); {
		case name != "" && its == name:
			return g, true, nil
		case name != "" && its != "":
		case g.listed:
			listed = append(listed, g)
		default:
			others = append(others, g)
		}
	}
	if len(others) == 0 {
		others = listed
	}
	switch len(others) {
	case 0:
		return nil, false, nil
	case 1:
		return others[0], false, nil
	}
	return nil, false, &ParseError{p.tool, p.line, fmt.Errorf("%w: this part names no drive, and the dump has %d", ErrSeveralDrives, len(others))}
}

// controllerName returns the kernel's name of the controller that a device
// node belongs to: "nvme0" of "/dev/nvme0n1".
func controllerName(device string) string {
	name := device[strings.LastIndexByte(device, '/')+1:]
	rest, ok := strings.CutPrefix(name, "nvme")
	if !ok {
		return name
	}
	n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	return "nvme" + rest[:n]
}
