package sysfs

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Selection is the drive that a selector names.
type Selection struct {
	// Controller is the name of the controller to send commands to, such as
	// "nvme0".
	Controller string
	// NSID is the namespace that was named, or the only one; 0 if there are
	// several or none.
	NSID uint32
	// Block is the name of the block node of NSID; "" if NSID is 0 or has
	// none.
	Block string
	// Partition is the name of the partition that was named; "" for none.
	Partition string
	// Note says in a sentence what the user may not expect; "" for nothing.
	Note string
}

// Select finds the drive that a selector names: a path (a device node, or a
// link to one, compared by its device number and never by its name), the
// kernel's name of a controller, namespace or partition, a PCI address with or
// without domain, a serial number or the end of one (4 characters or more), or
// an EUI-64, NGUID, UUID or wwid of a namespace. "" is the only drive.
//
// A drive with several controllers is one drive: a live controller is chosen,
// and Note names the others. The error is a *[SelectError].
//
// Select looks at all drives. A tree that records what is read of the chosen
// one should not be given to it.
func Select(fsys fs.FS, selector string) (*Selection, error) {
	return selectWith(fsys, selector, statNode)
}

// selectWith is Select with the function that looks at paths.
func selectWith(fsys fs.FS, selector string, stat statFunc) (*Selection, error) {
	inv, err := whole(fsys, takeInventory)
	if err != nil {
		return nil, &SelectError{Selector: selector, Cause: "the list of NVMe drives cannot be read: " + err.Error(), Hint: hintSysfs, Err: err}
	}
	inv.fsys = fsys // With its limits, if it has some.
	sel, fault := inv.resolve(selector, stat)
	if fault != nil {
		fault.Selector = selector
		return nil, fault
	}
	return sel, nil
}

// inventory is all that can be selected.
type inventory struct {
	fsys   fs.FS
	drives []*found
}

func takeInventory(fsys fs.FS) (*inventory, error) {
	names, err := Names(fsys)
	if err != nil {
		return nil, err
	}
	inv := &inventory{fsys: fsys}
	for _, name := range names {
		// A controller that went away in between is not there to be selected.
		if f, err := read(fsys, name); err == nil {
			inv.drives = append(inv.drives, f)
		}
	}
	return inv, nil
}

// resolve tries the kinds of selectors, the unmistakable ones first.
func (inv *inventory) resolve(selector string, stat statFunc) (*Selection, *SelectError) {
	switch {
	case strings.Contains(selector, "/"):
		return inv.byPath(selector, stat)
	case len(inv.drives) == 0:
		return nil, &SelectError{Cause: "no NVMe drive is present", Hint: hintHidden(inv.fsys), Err: fs.ErrNotExist}
	case selector == "":
		return inv.only()
	case isController(selector), isBlock(selector), isPartition(selector), isGeneric(selector):
		return inv.byName(selector)
	case isPCIAddress(selector):
		return inv.byPCI(strings.ToLower(selector))
	}
	return inv.byIdentity(selector)
}

// only returns the only drive.
func (inv *inventory) only() (*Selection, *SelectError) {
	if n := countDrives(inv.drives); n > 1 {
		return nil, &SelectError{
			Cause: fmt.Sprintf("there are %d NVMe drives: %s", n, describe(inv.drives)),
			Hint:  "name one, for example by its serial number", Err: ErrAmbiguous,
		}
	}
	return inv.controller(preferred(inv.drives)), nil
}

// hit is something that a selector matched: a controller, and, if it is more
// exact, a namespace of it and a partition of that.
type hit struct {
	*found
	space     *space
	partition string
}

// hits returns what match accepts, of all controllers, namespaces and
// partitions. dir is the directory of the thing in the tree.
func (inv *inventory) hits(match func(name, dir string) bool) []hit {
	var hits []hit
	for _, f := range inv.drives {
		if match(f.Name, f.dir) {
			hits = append(hits, hit{found: f})
		}
		for i := range f.spaces {
			s := &f.spaces[i]
			if s.Block != "" && match(s.Block, s.dir) || s.Generic != "" && match(s.Generic, s.genericDir) {
				hits = append(hits, hit{found: f, space: s})
			}
			for _, p := range s.Partitions {
				if match(p, s.dir+"/"+p) {
					hits = append(hits, hit{f, s, p})
				}
			}
		}
	}
	return hits
}

// choose makes a selection of hits that all are the same thing, seen from one
// controller or several. There must be one.
func (inv *inventory) choose(hits []hit) *Selection {
	best := hits[0]
	for _, h := range hits[1:] {
		if readiness(h.State) < readiness(best.State) {
			best = h
		}
	}
	if best.space == nil {
		return inv.controller(best.found)
	}
	return inv.namespace(best)
}

// controller selects a controller and, if it has only one, its namespace.
func (inv *inventory) controller(f *found) *Selection {
	if len(f.spaces) == 1 {
		return inv.namespace(hit{found: f, space: &f.spaces[0]})
	}
	return &Selection{Controller: f.Name, Note: inv.note(hit{found: f})}
}

func (inv *inventory) namespace(h hit) *Selection {
	return &Selection{
		Controller: h.Name, NSID: h.space.NSID, Block: h.space.Block,
		Partition: h.partition, Note: inv.note(h),
	}
}

// note says what is worth knowing about a selection.
func (inv *inventory) note(h hit) string {
	var notes []string
	if h.partition != "" {
		notes = append(notes, fmt.Sprintf("%s is a partition of %s: the report is about the whole drive", h.partition, h.space.Block))
	}
	var others []string
	for _, f := range inv.drives {
		if f.Name != h.Name && sameDrive(f, h.found) {
			others = append(others, f.Name)
		}
	}
	if len(others) > 0 {
		notes = append(notes, fmt.Sprintf("%s is one of several controllers of this drive, beside %s", h.Name, strings.Join(others, ", ")))
	}
	if h.State != "" && h.State != stateLive {
		notes = append(notes, fmt.Sprintf("%s is %s", h.Name, h.State))
	}
	return strings.Join(notes, "; ")
}

const stateLive = "live"

// readiness orders the states of controllers: a live one, or one of a kernel
// that does not say, comes before one that may recover and a dead one.
func readiness(state string) int {
	switch state {
	case stateLive, "":
		return 0
	case "dead", "deleting", "deleting (no IO)":
		return 2
	}
	return 1
}

// preferred returns the first controller that is most ready.
func preferred(drives []*found) *found {
	return slices.MinFunc(drives, func(a, b *found) int { return readiness(a.State) - readiness(b.State) })
}

// sameDrive reports whether two controllers belong to one NVM subsystem.
func sameDrive(a, b *found) bool {
	return a.Name == b.Name || a.Subsystem != "" && a.Subsystem == b.Subsystem
}

// countDrives counts controllers of one subsystem once.
func countDrives(drives []*found) int {
	n := 0
	for i, f := range drives {
		if !slices.ContainsFunc(drives[:i], func(g *found) bool { return sameDrive(f, g) }) {
			n++
		}
	}
	return n
}

// describe lists controllers for an error message.
func describe(drives []*found) string {
	lines := make([]string, len(drives))
	for i, f := range drives {
		lines[i] = fmt.Sprintf("%s (serial %s, %s", f.Name, orNone(f.Serial), orNone(f.Model))
		if f.PCI != nil {
			lines[i] += ", " + f.PCI.Address
		}
		lines[i] += ")"
	}
	return strings.Join(lines, ", ")
}

func orNone(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}
