package dump

import (
	"fmt"
	"strings"

	"qd1.example/qd1/nvme"
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
}

// anonymous reports whether the part does not say which drive it is of.
func (p *part) anonymous() bool {
	return p.drive.Serial == "" && p.drive.Model == "" && !p.listed
}

// assemble makes drives of parts. Parts with one serial number are one drive.
// A part without identity belongs to the drive with its device name, or to the
// only one there is.
func assemble(parts []part) ([]*Drive, error) {
	var drives []*Drive
	for _, p := range parts {
		if p.anonymous() {
			continue
		}
		if to := sameSerial(drives, p.drive); to != nil {
			to.take(&p)
			continue
		}
		p.drive.part = p
		drives = append(drives, p.drive)
	}
	if err := several(drives); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if !p.anonymous() {
			continue
		}
		to, err := ownerOf(drives, &p)
		if err != nil {
			return nil, err
		}
		if to == nil {
			p.drive.part = p
			drives = append(drives, p.drive)
			continue
		}
		to.take(&p)
	}
	for _, d := range drives {
		d.coverErrors()
	}
	return drives, nil
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

func sameSerial(drives []*Drive, d *Drive) *Drive {
	for _, known := range drives {
		if d.Serial != "" && known.Serial != "" && serialsMatch(known.Serial, d.Serial) {
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
func several(drives []*Drive) error {
	var own []*Drive
	var page *Drive
	for _, d := range drives {
		if d.part.listed {
			continue
		}
		own = append(own, d)
		if d.part.single {
			page = d
		}
	}
	if page == nil || len(own) < 2 {
		return nil
	}
	a, b := own[0], own[1]
	return &ParseError{b.part.tool, b.part.line, fmt.Errorf("%w: serial number %q here, %q on line %d", ErrSeveralDrives, b.Serial, a.Serial, a.part.line)}
}

// ownerOf returns the drive that a part without identity belongs to, nil if
// there is none yet.
func ownerOf(drives []*Drive, p *part) (*Drive, error) {
	name := controllerName(p.drive.Host.Device)
	var others, listed []*Drive
	for _, d := range drives {
		switch its := controllerName(d.Host.Device); {
		case name != "" && its == name:
			return d, nil
		case name != "" && its != "":
		case d.part.listed:
			listed = append(listed, d)
		default:
			others = append(others, d)
		}
	}
	if len(others) == 0 {
		others = listed
	}
	switch len(others) {
	case 0:
		return nil, nil
	case 1:
		return others[0], nil
	}
	return nil, &ParseError{p.tool, p.line, fmt.Errorf("%w: this part names no drive, and the dump has %d", ErrSeveralDrives, len(others))}
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

// take merges what p says into d. What does not change while a drive is in use
// is taken field by field; of logs the one with more in it, the later of two
// equal ones, because figures of two moments do not belong together.
func (d *Drive) take(p *part) {
	from := p.drive
	d.Serial, d.Model, d.Firmware = better(d.Serial, from.Serial), better(d.Model, from.Model), better(d.Firmware, from.Firmware)
	d.Host.fill(&from.Host)
	d.controller = d.join(d.controller, from.controller)
	for nsid, page := range from.namespaces {
		d.namespace(nsid, d.join(d.namespaces[nsid], page))
	}
	d.allSpaces = d.allSpaces || from.allSpaces
	d.smart = d.choose("SMART log", d.smart, from.smart)
	d.errors = d.choose("error log", d.errors, from.errors)
	d.firmware = d.choose("firmware slot log", d.firmware, from.firmware)
	for _, text := range from.Notes {
		d.note(text)
	}
	d.part.listed = d.part.listed && p.listed
	d.part.single = d.part.single || p.single
}

// namespace sets the page of a namespace.
func (d *Drive) namespace(nsid nvme.NSID, p *page) {
	if d.namespaces == nil {
		d.namespaces = map[nvme.NSID]*page{}
	}
	d.namespaces[nsid] = p
}

// better is a, unless only b says something or a has parts left out.
func better(a, b string) string {
	if a == "" || b != "" && strings.Contains(a, "*") {
		return b
	}
	return a
}

func (d *Drive) join(a, b *page) *page {
	switch {
	case a == nil:
		return b
	case b != nil:
		a.fill(b)
	}
	return a
}

func (d *Drive) choose(name string, a, b *page) *page {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	used := b
	if len(a.known) > len(b.known) {
		used = a
	}
	d.note(fmt.Sprintf("the %s is in the dump more than once; that of line %d is used", name, used.line))
	return used
}

// fill takes what h does not say from other.
func (h *Host) fill(other *Host) {
	h.Device = better(h.Device, other.Device)
	h.Platform, h.Time = better(h.Platform, other.Platform), better(h.Time, other.Time)
	h.Address, h.Interface = better(h.Address, other.Address), better(h.Interface, other.Interface)
	h.Verdict = better(h.Verdict, other.Verdict)
	if h.VendorID == 0 {
		h.VendorID, h.SubsystemVendorID = other.VendorID, other.SubsystemVendorID
	}
	if h.SizeBytes == 0 || h.SizeRounded && other.SizeBytes != 0 && !other.SizeRounded {
		h.SizeBytes, h.SizeRounded = other.SizeBytes, other.SizeRounded
	}
	if h.Link == nil {
		h.Link = other.Link
	}
}
