package sysfs

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// PCI names a PCI function. An identifier that could not be read is 0.
type PCI struct {
	// Address is domain:bus:device.function, such as "0000:01:00.0".
	Address           string `json:"address"`
	VendorID          uint16 `json:"vendor_id"`
	DeviceID          uint16 `json:"device_id"`
	SubsystemVendorID uint16 `json:"subsystem_vendor_id"`
	SubsystemDeviceID uint16 `json:"subsystem_device_id"`
}

// Link is the PCI Express link of a drive. Speeds are in GT/s for each lane,
// widths in lanes; nil is what the host does not know.
type Link struct {
	SpeedGTs    *float64 `json:"speed_gts"`
	MaxSpeedGTs *float64 `json:"max_speed_gts"`
	Width       *int     `json:"width"`
	MaxWidth    *int     `json:"max_width"`
	// Path leads from the root port down to the drive itself. It is empty if
	// the real path of the device is not known.
	Path []Port `json:"path"`
	// AER is nil if the host does not count link errors.
	AER *AER `json:"aer"`
}

// Port is one PCI function on the way to a drive, with the link above it.
type Port struct {
	Address     string   `json:"address"`
	SpeedGTs    *float64 `json:"speed_gts"`
	MaxSpeedGTs *float64 `json:"max_speed_gts"`
	Width       *int     `json:"width"`
	MaxWidth    *int     `json:"max_width"`
	// Class is the PCI class code as the kernel writes it, such as "0x060400"
	// for a bridge.
	Class    string `json:"class"`
	VendorID uint16 `json:"vendor_id"`
	DeviceID uint16 `json:"device_id"`
	// ASPM are the power saving states of the link above the function that are
	// on, such as "L1". nil: the kernel does not say; empty: none.
	ASPM []string `json:"aspm"`
	// AER is nil if the host does not count errors of this function.
	AER *AER `json:"aer"`
}

// AER has the totals of Advanced Error Reporting since the device was found.
// nil is a total that the host does not have.
type AER struct {
	Correctable *uint64 `json:"correctable"`
	NonFatal    *uint64 `json:"nonfatal"`
	Fatal       *uint64 `json:"fatal"`
	// Kinds are the single counters that are not zero.
	Kinds []AERCount `json:"kinds,omitempty"`
}

// AERCount is one counter of Advanced Error Reporting.
type AERCount struct {
	// Severity is "correctable", "nonfatal" or "fatal".
	Severity string `json:"severity"`
	// Name is the kernel's, such as "BadTLP".
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// pciOf returns the PCI function of the controller in dir, nil if it is none.
func pciOf(fsys fs.FS, dir, address string) *PCI {
	address = strings.ToLower(address)
	if way := wayTo(fsys, dir); len(way) > 0 {
		address = path.Base(way[len(way)-1])
	}
	if !isFunction(address) {
		return nil
	}
	id := func(name string) uint16 {
		n, _ := unsigned(fsys, 16, dir, "device", name)
		return uint16(n)
	}
	return &PCI{address, id("vendor"), id("device"), id("subsystem_vendor"), id("subsystem_device")}
}

// linkOf reads the link of the controller in dir. It is nil if nothing is
// known, as of a controller that is no PCI function.
func linkOf(fsys fs.FS, dir string, function *PCI) *Link {
	if function == nil {
		return nil
	}
	l := &Link{}
	for _, port := range wayTo(fsys, dir) {
		l.Path = append(l.Path, readPort(fsys, port))
	}
	var own Port
	if n := len(l.Path); n > 0 {
		own = l.Path[n-1]
	} else {
		own = readPort(fsys, dir+"/device")
	}
	l.SpeedGTs, l.MaxSpeedGTs, l.Width, l.MaxWidth, l.AER = own.SpeedGTs, own.MaxSpeedGTs, own.Width, own.MaxWidth, own.AER
	if l.Path == nil && l.AER == nil && own.SpeedGTs == nil && own.MaxSpeedGTs == nil && own.Width == nil && own.MaxWidth == nil {
		return nil
	}
	return l
}

// wayTo returns the directories of the PCI functions from the root port to the
// device of the controller in dir, by the real path of the device or else of
// the controller, which lies below it.
func wayTo(fsys fs.FS, dir string) []string {
	for _, name := range []string{dir + "/device", dir} {
		resolved, err := realPath(fsys, name)
		if err != nil {
			continue
		}
		if way := ports(resolved); len(way) > 0 {
			return way
		}
	}
	return nil
}

// ports returns the directories of the PCI functions in the real path of a
// device. They begin anew at each host bridge (pci0000:00): a volume
// management device above the last one has no part in the link.
func ports(device string) []string {
	var dirs []string
	for end := range pathEnds(device) {
		switch base := path.Base(device[:end]); {
		case isFunction(base):
			dirs = append(dirs, device[:end])
		case strings.HasPrefix(base, "pci"):
			dirs = nil
		}
	}
	return dirs
}

func readPort(fsys fs.FS, dir string) Port {
	id := func(name string) uint16 {
		n, _ := unsigned(fsys, 16, dir, name)
		return uint16(n)
	}
	return Port{
		Address:     path.Base(dir),
		SpeedGTs:    parseSpeed(attribute(fsys, dir, "current_link_speed")),
		MaxSpeedGTs: parseSpeed(attribute(fsys, dir, "max_link_speed")),
		Width:       parseWidth(attribute(fsys, dir, "current_link_width")),
		MaxWidth:    parseWidth(attribute(fsys, dir, "max_link_width")),
		Class:       attribute(fsys, dir, "class"),
		VendorID:    id("vendor"),
		DeviceID:    id("device"),
		ASPM:        readASPM(fsys, dir),
		AER:         readAER(fsys, dir),
	}
}

// readASPM returns the power saving states of the link above a function that
// are on.
//
// Source: Linux kernel, Documentation/ABI/testing/sysfs-bus-pci, link/.
func readASPM(fsys fs.FS, dir string) []string {
	var on []string
	for _, state := range []struct{ file, name string }{
		{"l0s_aspm", "L0s"}, {"l1_aspm", "L1"}, {"l1_1_aspm", "L1.1"}, {"l1_2_aspm", "L1.2"},
	} {
		text := attribute(fsys, dir, "link", state.file)
		if text == "" {
			continue
		}
		if on == nil {
			on = []string{}
		}
		if text == "1" {
			on = append(on, state.name)
		}
	}
	return on
}

// parseSpeed reads "8.0 GT/s PCIe", "8 GT/s" and the like. Anything else, such
// as "Unknown", is nil.
func parseSpeed(s string) *float64 {
	number, unit, _ := strings.Cut(s, " ")
	if !strings.HasPrefix(unit, "GT/s") {
		return nil
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || v <= 0 || v > 1000 {
		return nil
	}
	return &v
}

// parseWidth reads a number of lanes. 0 is a link that is down or inside a
// chip, 255 is the kernel's word for unknown; both are nil.
func parseWidth(s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 32 {
		return nil
	}
	return &n
}

// readAER reads the error counters of the device in dir.
func readAER(fsys fs.FS, dir string) *AER {
	a := &AER{}
	a.Correctable = a.read(fsys, dir, "correctable")
	a.NonFatal = a.read(fsys, dir, "nonfatal")
	a.Fatal = a.read(fsys, dir, "fatal")
	if a.Correctable == nil && a.NonFatal == nil && a.Fatal == nil {
		return nil
	}
	return a
}

// read returns the total of one severity and keeps its single counters. A
// file without a total gives nil.
func (a *AER) read(fsys fs.FS, dir, severity string) *uint64 {
	b, err := fs.ReadFile(fsys, path.Join(dir, "aer_dev_"+severity))
	if err != nil {
		return nil
	}
	var total *uint64
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		n, err := strconv.ParseUint(fields[1], 10, 64)
		switch {
		case err != nil:
		case strings.HasPrefix(fields[0], "TOTAL_ERR"):
			total = &n
		case n > 0:
			a.Kinds = append(a.Kinds, AERCount{severity, clean(fields[0]), n})
		}
	}
	return total
}
