package sysfs

import (
	"strconv"
	"strings"
)

// Attachment is what the root port of a drive belongs to.
type Attachment string

const (
	// AttachedToCPU is a port of the processor itself.
	AttachedToCPU Attachment = "cpu"
	// AttachedToChipset is a port of the chipset, which shares one link to the
	// processor with everything else that hangs on it.
	AttachedToChipset Attachment = "chipset"
	// AttachedUnknown is a port that cannot be told by its address and identity.
	AttachedUnknown Attachment = "unknown"
)

const (
	vendorIntel = 0x8086
	vendorAMD   = 0x1022
)

// Attached tells where a link begins, as far as the ports of the path say.
//
// Source: Intel datasheets of platform controller hubs (100 to 800 series: PCI
// Express root ports at devices 1Ah to 1Dh of bus 0) and of processors (ports at
// devices 1, 6 and 7 of bus 0, and of other buses on servers); the PCI ID
// repository for the switches of AMD's chipsets.
func (l *Link) Attached() Attachment {
	if l == nil || len(l.Path) < 2 {
		return AttachedUnknown
	}
	switch root := l.Path[0]; root.VendorID {
	case vendorIntel:
		return attachedToIntel(root.Address)
	case vendorAMD:
		for _, p := range l.Path[1 : len(l.Path)-1] {
			if chipsetSwitch(p) {
				return AttachedToChipset
			}
		}
		return AttachedToCPU
	}
	return AttachedUnknown
}

// attachedToIntel tells by the address of a root port. Behind a volume
// management device the domain has more than four digits and the bus is another
// one, but the device is the same.
func attachedToIntel(address string) Attachment {
	parts := strings.FieldsFunc(address, func(r rune) bool { return r == ':' || r == '.' })
	if len(parts) != 4 {
		return AttachedUnknown
	}
	bus, err1 := strconv.ParseUint(parts[1], 16, 8)
	device, err2 := strconv.ParseUint(parts[2], 16, 8)
	managed := len(parts[0]) > 4
	switch {
	case err1 != nil || err2 != nil:
	case (bus == 0 || managed) && device >= 0x1A && device <= 0x1D:
		return AttachedToChipset
	case bus != 0 || device == 1 || device == 6 || device == 7:
		return AttachedToCPU
	}
	return AttachedUnknown
}

// chipsetSwitch reports whether a port is one of the switch that is an AMD
// chipset.
func chipsetSwitch(p Port) bool {
	if p.VendorID != vendorAMD {
		return false
	}
	switch p.DeviceID {
	case 0x57AD, 0x57A3, 0x57A4: // X570
		return true
	}
	return p.DeviceID>>8 == 0x43 // 300 to 800 series
}
