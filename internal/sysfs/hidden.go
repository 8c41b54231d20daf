package sysfs

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const busPCI = "bus/pci/devices"

// The PCI classes that matter here: base class, subclass and, for NVMe, the
// programming interface.
const (
	classRAID   = 0x0104
	classNVMHCI = 0x010802
	// firstManaged is the first PCI domain of those that the driver vmd makes.
	firstManaged = 0x10000
)

// Hiding says why a drive may be there that the kernel's NVMe driver does not
// have.
type Hiding string

const (
	// HidingVMD is an Intel Volume Management Device: drives behind it show up in
	// a PCI domain of their own once the driver vmd has it.
	HidingVMD Hiding = "vmd"
	// HidingRAID is a controller in RAID mode (Intel RST): it keeps the drives
	// remapped behind itself, where Linux has no driver for them.
	HidingRAID Hiding = "raid"
	// HidingDriver is an NVMe function that another driver has, such as vfio-pci.
	HidingDriver Hiding = "driver"
	// HidingUnbound is an NVMe function that no driver has.
	HidingUnbound Hiding = "unbound"
)

// Hidden is a PCI function that a drive may be behind, or that is one, without
// the kernel's NVMe driver.
type Hidden struct {
	Address  string `json:"address"`
	VendorID uint16 `json:"vendor_id"`
	DeviceID uint16 `json:"device_id"`
	Hiding   Hiding `json:"hiding"`
	// Driver is the one that has the function, "" for none.
	Driver string `json:"driver"`
	// Remapped is the number of drives that a controller in RAID mode keeps, nil
	// where the kernel does not count them.
	Remapped *int `json:"remapped"`
}

// String says what it is and what to do.
func (h Hidden) String() string {
	where := fmt.Sprintf("PCI function %s (%04x:%04x)", h.Address, h.VendorID, h.DeviceID)
	switch h.Hiding {
	case HidingVMD:
		if h.Driver == "" {
			return where + " is an Intel Volume Management Device without its driver: load the module vmd, or switch VMD off in the firmware set-up, to see the drives behind it"
		}
		return where + " is an Intel Volume Management Device, and no drive has shown up behind it"
	case HidingRAID:
		if h.Remapped != nil {
			return fmt.Sprintf("%s is a controller in RAID mode that keeps %d NVMe drive(s) remapped behind itself: switch it to AHCI or NVMe mode in the firmware set-up to see them", where, *h.Remapped)
		}
		return where + " is a controller in RAID mode, which may keep NVMe drives remapped behind itself: switch it to AHCI or NVMe mode in the firmware set-up to see them"
	case HidingUnbound:
		return where + " is an NVMe controller without a driver: load the module nvme, or look into the kernel log why it let go"
	}
	return fmt.Sprintf("%s is an NVMe controller that the driver %s has: give it back to the driver nvme to use it here", where, h.Driver)
}

// FindHidden returns the functions that a drive may be hidden by, in order of
// address; none where sysfs does not list PCI functions.
func FindHidden(fsys fs.FS) []Hidden {
	all, _ := whole(fsys, func(fsys fs.FS) ([]Hidden, error) { return findHidden(fsys), nil })
	return all
}

func findHidden(fsys fs.FS) []Hidden {
	var all []Hidden
	shown := false // whether a drive has shown up in a domain of vmd
	for _, address := range children(fsys, busPCI) {
		dir := path.Join(busPCI, address)
		class, _ := unsigned(fsys, 32, dir, "class")
		driver := driverOf(fsys, dir)
		shown = shown || class == classNVMHCI && driver == "nvme" && managed(address)
		vendor, _ := unsigned(fsys, 16, dir, "vendor")
		device, _ := unsigned(fsys, 16, dir, "device")
		h := Hidden{Address: address, VendorID: uint16(vendor), DeviceID: uint16(device), Driver: driver}
		if n, ok := unsigned(fsys, 8, dir, "remapped_nvme"); ok {
			h.Remapped = new(int(n))
		}
		if h.Hiding = hidingOf(class, h); h.Hiding != "" {
			all = append(all, h)
		}
	}
	all = slices.DeleteFunc(all, func(h Hidden) bool { return h.Hiding == HidingVMD && h.Driver != "" && shown })
	slices.SortFunc(all, func(a, b Hidden) int { return cmp.Compare(a.Address, b.Address) })
	return all
}

// managed reports whether a function lies in a domain that vmd made.
func managed(address string) bool {
	var domain, bus, device, function uint32
	n, err := fmt.Sscanf(address, "%x:%x:%x.%x", &domain, &bus, &device, &function)
	return err == nil && n == 4 && domain >= firstManaged
}

// hidingOf tells how a function may hide a drive, "" if it does not.
func hidingOf(class uint64, h Hidden) Hiding {
	switch {
	case class == classNVMHCI && h.Driver == "":
		return HidingUnbound
	case class == classNVMHCI && h.Driver != "nvme":
		return HidingDriver
	case class>>8 != classRAID || h.VendorID != vendorIntel:
		return ""
	case vmdDevice(h.DeviceID) || h.Driver == "vmd":
		return HidingVMD
	case h.Remapped != nil && *h.Remapped == 0:
		return ""
	case h.Driver == "ahci" || h.Driver == "":
		return HidingRAID
	}
	return ""
}

// vmdDevice reports whether a device of Intel is a Volume Management Device.
//
// Source: Linux kernel, drivers/pci/controller/vmd.c, vmd_ids.
func vmdDevice(id uint16) bool {
	switch id {
	case 0x201D, 0x28C0, 0x467F, 0x4C3D, 0xA77F, 0x7D0B, 0xAD0B, 0x9A0B, 0xB60B, 0xB06F, 0xE20B:
		return true
	}
	return false
}

// driverOf returns the driver that has a function, "" for none.
func driverOf(fsys fs.FS, dir string) string {
	target, err := fs.ReadLink(fsys, path.Join(dir, "driver"))
	if err != nil {
		return ""
	}
	return clean(path.Base(target))
}

// hintHidden is the next step where there is no drive: what may hide one, or
// where to look.
func hintHidden(fsys fs.FS) string {
	var all []string
	for _, h := range FindHidden(fsys) {
		all = append(all, h.String())
	}
	if all == nil {
		return hintNone
	}
	return strings.Join(all, "; ")
}
