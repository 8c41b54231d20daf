package dump

import (
	"maps"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// The pages that a dump can be about, by their names in field names.
const (
	PageController = "identify_controller"
	PageNamespace  = "namespaces"
	PageSMART      = "smart"
	PageErrors     = "errors"
	PageFirmware   = "firmware"
)

// Drive is one drive of a dump. It is an [nvme.Passthru] that is safe for
// concurrent use.
type Drive struct {
	// Serial, Model and Firmware are what the dump says, without padding; ""
	// if it does not. A serial number that was made unreadable is "" if
	// nothing of it is left, and as it was printed otherwise.
	Serial, Model, Firmware string
	// Host is what the dump says of the computer and of the drive's place in it.
	Host Host
	// Notes are sentences on what in the dump could not be taken as it is.
	Notes []string

	controller *page
	smart      *page
	firmware   *page
	errors     *page
	namespaces map[nvme.NSID]*page
	allSpaces  bool // No namespace is missing.
}

// Host is what a dump says beside the drive's own pages. Zero values are
// unknown.
type Host struct {
	// Device is the name of the device as printed, such as "/dev/nvme0".
	Device string
	// Platform is the operating system, and Time when the dump was made, both
	// as printed.
	Platform, Time string
	// Address is the PCI address, such as "0000:01:00.0".
	Address string
	// VendorID and SubsystemVendorID are those of PCI.
	VendorID, SubsystemVendorID uint16
	// SizeBytes is the capacity. It was rounded if SizeRounded is set.
	SizeBytes   uint64
	SizeRounded bool
	// Interface is how the tool says the drive is attached, as printed, such
	// as "NVM Express" or "UASP (NVM Express)".
	Interface string
	// Link is the PCI Express link, nil if the dump does not say it.
	Link *Link
	// Verdict is the tool's own opinion as printed, such as "PASSED".
	Verdict string
}

// Link is a PCI Express link. 0 means unknown.
type Link struct {
	SpeedGTs, MaxSpeedGTs float64
	Width, MaxWidth       int
}

// Has reports whether the dump has a value for a field, or a page if the name
// has no dot. A field of a namespace is there if every namespace has it.
func (d *Drive) Has(field string) bool {
	_, ok := d.lookUp(field)
	return ok
}

// Rounded reports whether the tool rounded the value of a field.
func (d *Drive) Rounded(field string) bool {
	p, ok := d.lookUp(field)
	return ok && p == rounded
}

func (d *Drive) lookUp(field string) (precision, bool) {
	name, field, dotted := strings.Cut(field, ".")
	pages := d.pages(name)
	worst := exact
	for _, p := range pages {
		how, ok := p.known[field]
		if dotted && !ok {
			return 0, false
		}
		if how == rounded {
			worst = rounded
		}
	}
	return worst, len(pages) > 0
}

// Missing returns the names of what the dump does not have, in order: whole
// pages, and the fields of the pages of which it has a part.
func (d *Drive) Missing() []string {
	return d.names(func(name string, p *page, field string) bool { return !d.Has(name + "." + field) }, true)
}

// RoundedFields returns the names of the fields that the tool rounded, in order.
func (d *Drive) RoundedFields() []string {
	return d.names(func(name string, p *page, field string) bool { return d.Rounded(name + "." + field) }, false)
}

func (d *Drive) names(want func(name string, p *page, field string) bool, absent bool) []string {
	var list []string
	for _, name := range []string{PageController, PageErrors, PageFirmware, PageNamespace, PageSMART} {
		pages := d.pages(name)
		if len(pages) == 0 {
			if absent {
				list = append(list, name)
			}
			continue
		}
		for _, field := range pages[0].fields() {
			if want(name, pages[0], field) {
				list = append(list, name+"."+field)
			}
		}
	}
	return list
}

// pages returns the pages of a name that the dump has.
func (d *Drive) pages(name string) []*page {
	one := map[string]*page{PageController: d.controller, PageSMART: d.smart, PageFirmware: d.firmware, PageErrors: d.errors}[name]
	if name == PageNamespace {
		var list []*page
		for _, nsid := range d.nsids() {
			list = append(list, d.namespaces[nsid])
		}
		return list
	}
	if one == nil {
		return nil
	}
	return []*page{one}
}

func (d *Drive) nsids() []nvme.NSID { return slices.Sorted(maps.Keys(d.namespaces)) }

// AllNamespaces reports whether the namespaces of the dump are all that the
// controller has, as far as the dump can tell.
func (d *Drive) AllNamespaces() bool { return d.allSpaces }

// ErrorEntries returns how many entries of the error log the dump shows, empty
// ones not counted, and how many the drive keeps; 0 means that the dump does
// not say.
func (d *Drive) ErrorEntries() (shown, kept int) {
	if d.errors == nil {
		return 0, 0
	}
	log := d.errors.body.(*errorPage)
	return len(log.entries), log.kept
}

func (d *Drive) note(text string) {
	if !slices.Contains(d.Notes, text) {
		d.Notes = append(d.Notes, text)
	}
}
