package sata

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Transport is the way from the host to a disk.
type Transport string

// The transports. TransportATA is a port of the host itself, parallel or
// serial; TransportSCSI is any that sysfs does not name.
const (
	TransportATA    Transport = "ata"
	TransportUSB    Transport = "usb"
	TransportSAS    Transport = "sas"
	TransportFC     Transport = "fc"
	TransportISCSI  Transport = "iscsi"
	TransportVirtio Transport = "virtio"
	TransportSCSI   Transport = "scsi"
)

// Host is what the host knows about a disk before any command is sent.
type Host struct {
	// Disk is the kernel's name, as in "sda".
	Disk string `json:"disk"`
	// Partition is the name that was asked for if that is a part of the disk.
	Partition string `json:"partition,omitempty"`
	// Transport is the way to the disk, Driver the kernel's driver of the
	// adapter, such as "ahci" or "uas".
	Transport Transport `json:"transport"`
	Driver    string    `json:"driver"`
	// Vendor, Model and Revision are from the SCSI INQUIRY data: the bridge's
	// words, where there is one.
	Vendor   string `json:"vendor"`
	Model    string `json:"model"`
	Revision string `json:"revision"`
	// SizeBytes is 0 for a disk without a medium.
	SizeBytes           int64 `json:"size_bytes"`
	LogicalSectorBytes  int   `json:"logical_sector_bytes"`
	PhysicalSectorBytes int   `json:"physical_sector_bytes"`
	ReadOnly            bool  `json:"read_only"`
	Removable           bool  `json:"removable"`
	// USB is the bridge, nil where there is none.
	USB *USB `json:"usb"`

	number string // major and minor number of the disk, as in "8:0"
}

// USB is a bridge from USB to a drive.
type USB struct {
	VendorID     uint16 `json:"vendor_id"`
	ProductID    uint16 `json:"product_id"`
	Release      string `json:"release"`
	Manufacturer string `json:"manufacturer"`
	Product      string `json:"product"`
	// SpeedMbps is the speed of the USB link, 0 if it is not known.
	SpeedMbps int `json:"speed_mbps"`
	// Driver is "uas", or "usb-storage", which sends one command at a time.
	Driver string `json:"driver"`
	// Bridge is the chip, "" if it is not known.
	Bridge string `json:"bridge"`
	// Behind is what the chip can have behind it.
	Behind Behind `json:"behind"`
}

// Locate finds the block device with a number such as "8:0" in a /sys. Errors
// match [ErrNotDisk].
func Locate(sys fs.FS, number string) (*Host, error) {
	link := "dev/block/" + number
	target, err := fs.ReadLink(sys, link)
	if err != nil {
		return nil, fmt.Errorf("%w: sysfs does not know it: %w", ErrNotDisk, err)
	}
	block := path.Join(path.Dir(link), target)
	h := &Host{}
	if exists(sys, block+"/partition") {
		h.Partition, block = path.Base(block), path.Dir(block)
	}
	h.Disk = path.Base(block)
	device := path.Dir(path.Dir(block))
	if !exists(sys, device+"/scsi_level") {
		return nil, fmt.Errorf("%w: %s is not on the kernel's SCSI layer", ErrNotDisk, h.Disk)
	}
	if kind := attribute(sys, device+"/type"); !isDisk(kind) {
		return nil, fmt.Errorf("%w: %s has SCSI device type %s", ErrNotDisk, h.Disk, kind)
	}
	h.fillBlock(sys, block)
	h.fillDevice(sys, device)
	return h, nil
}

// isDisk reports whether a SCSI device type is that of a direct access block
// device, of its reduced form, or of a zoned one (SPC-5, "Standard INQUIRY
// data").
func isDisk(kind string) bool { return kind == "0" || kind == "14" || kind == "20" }

func (h *Host) fillBlock(sys fs.FS, block string) {
	h.number = attribute(sys, block+"/dev")
	h.SizeBytes = int64(min(number(sys, block+"/size", 64), 1<<53)) * sectorBytes
	h.LogicalSectorBytes = int(number(sys, block+"/queue/logical_block_size", 31))
	h.PhysicalSectorBytes = int(number(sys, block+"/queue/physical_block_size", 31))
	h.ReadOnly = number(sys, block+"/ro", 8) != 0
	h.Removable = number(sys, block+"/removable", 8) != 0
}

func (h *Host) fillDevice(sys fs.FS, device string) {
	h.Vendor = attribute(sys, device+"/vendor")
	h.Model = attribute(sys, device+"/model")
	h.Revision = attribute(sys, device+"/rev")
	h.Transport = transportOf(device)
	if adapter := elementOf(device, hostElement); adapter != "" {
		h.Driver = attribute(sys, path.Join(adapter, "scsi_host", path.Base(adapter), "proc_name"))
	}
	if h.Transport == TransportUSB {
		h.USB = usbOf(sys, device)
	}
}

// Elements of the path of a device in sysfs.
const (
	hostElement      = `host\d+`
	usbElement       = `\d+-\d+(\.\d+)*`
	interfaceElement = usbElement + `:\d+\.\d+`
)

// transportOf reads the transport from the path of a SCSI device. USB stands
// first, since a bridge may show the names of what is behind it.
func transportOf(device string) Transport {
	for _, t := range []struct {
		element   string
		transport Transport
	}{
		{`usb\d+`, TransportUSB},
		{`ata\d+`, TransportATA},
		{`end_device-.*`, TransportSAS},
		{`rport-.*`, TransportFC},
		{`session\d+`, TransportISCSI},
		{`virtio\d+`, TransportVirtio},
	} {
		if elementOf(device, t.element) != "" {
			return t.transport
		}
	}
	return TransportSCSI
}

// elementOf returns the path up to its last element that matches a pattern, ""
// if there is none.
func elementOf(name, pattern string) string {
	whole := regexp.MustCompile(`^(?:` + pattern + `)$`)
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if whole.MatchString(path.Base(name)) {
			return name
		}
	}
	return ""
}

func usbOf(sys fs.FS, device string) *USB {
	dir := elementOf(device, usbElement)
	if dir == "" {
		return &USB{Behind: BehindUnknown}
	}
	u := &USB{
		VendorID:     uint16(hexNumber(sys, dir+"/idVendor")),
		ProductID:    uint16(hexNumber(sys, dir+"/idProduct")),
		Release:      attribute(sys, dir+"/bcdDevice"),
		Manufacturer: attribute(sys, dir+"/manufacturer"),
		Product:      attribute(sys, dir+"/product"),
		SpeedMbps:    int(number(sys, dir+"/speed", 31)),
	}
	if target, err := fs.ReadLink(sys, elementOf(device, interfaceElement)+"/driver"); err == nil {
		u.Driver = path.Base(target)
	}
	u.Bridge, u.Behind = bridge(u.VendorID, u.ProductID)
	return u
}

func exists(sys fs.FS, name string) bool {
	_, err := fs.Stat(sys, name)
	return err == nil
}

// attribute reads a text attribute, "" where there is none.
func attribute(sys fs.FS, name string) string {
	b, err := fs.ReadFile(sys, name)
	if err != nil {
		return ""
	}
	return clean(b)
}

// number reads a decimal attribute, 0 where there is none.
func number(sys fs.FS, name string, bits int) uint64 {
	n, err := strconv.ParseUint(attribute(sys, name), 10, bits)
	if err != nil {
		return 0
	}
	return n
}

func hexNumber(sys fs.FS, name string) uint64 {
	n, err := strconv.ParseUint(attribute(sys, name), 16, 16)
	if err != nil {
		return 0
	}
	return n
}

// clean cuts padding and puts U+FFFD for what is not printable ASCII, which is
// all that the standards allow: the strings come from the drive or a bridge and
// end on a terminal.
func clean(b []byte) string {
	s := strings.Trim(string(b), " \t\r\n\x00")
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
