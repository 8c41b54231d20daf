package sysfs

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// minSuffix is the number of characters that the end of a serial number needs
// to have to select a drive.
const minSuffix = 4

// byName finds a controller, namespace or partition by the kernel's name.
func (inv *inventory) byName(name string) (*Selection, *SelectError) {
	hits := inv.hits(func(node, _ string) bool { return node == name })
	if len(hits) == 0 {
		return nil, &SelectError{Cause: "there is no NVMe device of this name", Hint: hintList, Err: fs.ErrNotExist}
	}
	return inv.choose(hits), nil
}

// isPCIAddress reports whether s is a PCI address with or without domain.
func isPCIAddress(s string) bool {
	s = strings.ToLower(s)
	return isFunction(s) || isShortFunction(s)
}

// byPCI finds a controller by its address; without domain, in any.
func (inv *inventory) byPCI(address string) (*Selection, *SelectError) {
	var drives []*found
	for _, f := range inv.drives {
		if f.PCI != nil && (f.PCI.Address == address || strings.HasSuffix(f.PCI.Address, ":"+address)) {
			drives = append(drives, f)
		}
	}
	switch len(drives) {
	case 0:
		return nil, inv.pciFault(address)
	case 1:
		return inv.controller(drives[0]), nil
	}
	return nil, &SelectError{
		Cause: "several PCI domains have a drive at this address: " + describe(drives),
		Hint:  "give the address with its domain", Err: ErrAmbiguous,
	}
}

// nvmeClass is the PCI class code of NVMe controllers.
const nvmeClass = "0x010802"

// pciFault explains an address without controller.
func (inv *inventory) pciFault(address string) *SelectError {
	if isShortFunction(address) {
		address = "0000:" + address
	}
	dir := path.Join("bus/pci/devices", address)
	class := attribute(inv.fsys, dir, "class")
	switch {
	case class == "":
		return &SelectError{Cause: "there is no PCI device at this address", Hint: hintList, Err: fs.ErrNotExist}
	case class != nvmeClass:
		return &SelectError{Cause: "the PCI device at this address is not an NVMe controller (class " + class + ")", Hint: hintList, Err: ErrNotNVMe}
	}
	driver, err := fs.ReadLink(inv.fsys, dir+"/driver")
	if err != nil {
		return &SelectError{Cause: "the NVMe controller at this address has no driver", Hint: "load the nvme module, and see what the kernel log says about the drive", Err: fs.ErrNotExist}
	}
	return &SelectError{
		Cause: fmt.Sprintf("the NVMe controller at this address belongs to the driver %s", clean(path.Base(driver))),
		Hint:  "give it back to the kernel's nvme driver, or see in the kernel log why that gave it up", Err: fs.ErrNotExist,
	}
}

// byIdentity finds a drive by what it says of itself: the serial number, an
// identifier of a namespace, the end of the serial number.
func (inv *inventory) byIdentity(s string) (*Selection, *SelectError) {
	for _, match := range []func(serial string) bool{
		func(serial string) bool { return serial == s },
		func(serial string) bool { return strings.EqualFold(serial, s) },
	} {
		if drives := inv.bySerial(match); len(drives) > 0 {
			return inv.oneSerial(drives, "have this serial number", "name one by its PCI address")
		}
	}
	if hits := inv.byIdentifier(identifier(s)); len(hits) > 0 {
		return inv.oneNamespace(hits)
	}
	if len(s) < minSuffix {
		hint := fmt.Sprintf("the end of a serial number needs %d characters or more; %s", minSuffix, hintList)
		return nil, &SelectError{Cause: "no drive has this serial number", Hint: hint, Err: fs.ErrNotExist}
	}
	drives := inv.bySerial(func(serial string) bool {
		return strings.HasSuffix(strings.ToUpper(serial), strings.ToUpper(s))
	})
	if len(drives) == 0 {
		return nil, &SelectError{
			Cause: "no drive has this serial number or identifier",
			Hint:  hintList + "; a path needs a slash, a capture is replay:FILE, a simulated drive sim:PROFILE", Err: fs.ErrNotExist,
		}
	}
	return inv.oneSerial(drives, "have a serial number that ends so", "give more of the serial number")
}

func (inv *inventory) bySerial(match func(serial string) bool) []*found {
	var drives []*found
	for _, f := range inv.drives {
		if f.Serial != "" && match(f.Serial) {
			drives = append(drives, f)
		}
	}
	return drives
}

// oneSerial selects the drive that all the controllers belong to.
func (inv *inventory) oneSerial(drives []*found, cause, hint string) (*Selection, *SelectError) {
	if n := countDrives(drives); n > 1 {
		return nil, &SelectError{Cause: fmt.Sprintf("%d drives %s: %s", n, cause, describe(drives)), Hint: hint, Err: ErrAmbiguous}
	}
	return inv.controller(preferred(drives)), nil
}

// oneNamespace selects the namespace that all the hits are.
func (inv *inventory) oneNamespace(hits []hit) (*Selection, *SelectError) {
	for _, h := range hits[1:] {
		if !sameDrive(h.found, hits[0].found) || h.space.NSID != hits[0].space.NSID {
			var names []string
			for _, h := range hits {
				names = append(names, fmt.Sprintf("namespace %d of %s", h.space.NSID, describe([]*found{h.found})))
			}
			return nil, &SelectError{
				Cause: "several namespaces have this identifier: " + strings.Join(slices.Compact(names), ", "),
				Hint:  "name one by its node", Err: ErrAmbiguous,
			}
		}
	}
	return inv.choose(hits), nil
}

// minIdentifier is the length of the shortest identifier, an EUI-64, in
// hexadecimal digits.
const minIdentifier = 16

// byIdentifier finds namespaces by EUI-64, NGUID, UUID or wwid, in the form
// that identifier gives.
func (inv *inventory) byIdentifier(id string) []hit {
	if len(id) < minIdentifier || strings.Trim(id, "0") == "" {
		return nil
	}
	var hits []hit
	for _, f := range inv.drives {
		for i := range f.spaces {
			s := &f.spaces[i]
			for _, name := range []string{"wwid", "eui", "nguid", "uuid"} {
				if identifier(attribute(inv.fsys, s.dir, name)) == id {
					hits = append(hits, hit{found: f, space: s})
					break
				}
			}
		}
	}
	return hits
}

// identifier returns an identifier in lower case without the prefix of its
// kind and without separators: the kernel writes an EUI-64 with spaces, an
// NGUID like a UUID, and a wwid with a prefix.
func identifier(s string) string {
	s = strings.ToLower(s)
	for _, prefix := range []string{"eui.", "nvme.", "uuid.", "nguid.", "0x"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			s = rest
			break
		}
	}
	return strings.NewReplacer("-", "", ":", "", " ", "").Replace(s)
}
