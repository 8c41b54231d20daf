package sata

import "fmt"

// Behind is what a bridge can have behind it.
type Behind string

// What bridges translate to.
const (
	BehindNVMe    Behind = "nvme"
	BehindSATA    Behind = "sata"
	BehindEither  Behind = "either"
	BehindUnknown Behind = "unknown"
)

// bridge returns the chip of a USB vendor and product identifier, as the
// makers of the chips gave them out; a maker of boxes may have put in others.
func bridge(vendor, product uint16) (string, Behind) {
	for _, b := range []struct {
		vendor, product uint16
		chip            string
		behind          Behind
	}{
		{0x152D, 0x0583, "JMicron JMS583", BehindNVMe},
		{0x152D, 0x0586, "JMicron JMS586", BehindNVMe},
		{0x174C, 0x2362, "ASMedia ASM2362", BehindNVMe},
		{0x174C, 0x2364, "ASMedia ASM2364", BehindNVMe},
		{0x0BDA, 0x9210, "Realtek RTL9210", BehindEither},
		{0x0BDA, 0x9220, "Realtek RTL9220", BehindEither},
		{0x0BDA, 0x9201, "Realtek RTL9201", BehindSATA},
		{0x174C, 0x1153, "ASMedia ASM1153", BehindSATA},
		{0x174C, 0x55AA, "ASMedia ASM1051 to ASM1351", BehindSATA},
		{0x174C, 0x5106, "ASMedia ASM1051", BehindSATA},
		{0x152D, 0x0567, "JMicron JMS567", BehindSATA},
		{0x152D, 0x0578, "JMicron JMS578", BehindSATA},
		{0x152D, 0x0579, "JMicron JMS579", BehindSATA},
		{0x2109, 0x0711, "VIA VL711", BehindSATA},
		{0x2109, 0x0715, "VIA VL716", BehindSATA},
	} {
		if b.vendor == vendor && b.product == product {
			return b.chip, b.behind
		}
	}
	return "", BehindUnknown
}

// Advice says what a disk is and what can be done where ATA commands do not
// reach it.
type Advice struct {
	// Text is one sentence about the disk, Hint the next step, "" for none.
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

const (
	hintSlot  = "put the drive into an M.2 or PCIe slot of the computer to read it as an NVMe drive; its speed through the bridge can be measured here"
	hintPort  = "connect the drive to a SATA port of the computer"
	hintSpeed = "its speed can be measured here"
)

// Advice describes the disk. It is nil for a disk on a port of the host, of
// which nothing needs to be said.
func (h *Host) Advice() *Advice {
	switch {
	case h.USB != nil:
		return h.USB.advice()
	case h.speaksATA():
		return nil
	}
	return &Advice{
		Text: fmt.Sprintf("%s is %s, which takes no ATA command.", h.Disk, h.kind()),
		Hint: hintSpeed,
	}
}

func (u *USB) advice() *Advice {
	switch u.Behind {
	case BehindNVMe:
		return &Advice{u.name() + " stands before an NVMe drive: the host sees a SCSI disk, and no NVMe command is sent through the bridge.", hintSlot}
	case BehindEither:
		return &Advice{u.name() + " stands before an NVMe or a SATA drive. A SATA drive can be read through it; of an NVMe drive only the speed can be measured.", hintSlot}
	case BehindSATA:
		return &Advice{u.name() + " stands before a SATA drive, which can be read through it if the bridge passes ATA commands on.", hintPort}
	}
	return &Advice{u.name() + " stands before a drive. A SATA drive can be read through it if the bridge passes ATA commands on; an NVMe drive cannot.", hintPort + ", or an NVMe drive to an M.2 or PCIe slot"}
}

// name returns the bridge in words.
func (u *USB) name() string {
	chip := "A USB bridge"
	if u.Bridge != "" {
		chip = "The USB bridge " + u.Bridge
	}
	return fmt.Sprintf("%s (%04x:%04x)", chip, u.VendorID, u.ProductID)
}

// kind names a disk that is not an ATA drive.
func (h *Host) kind() string {
	switch h.Transport {
	case TransportSAS:
		return "a SAS drive"
	case TransportFC, TransportISCSI:
		return "a disk of a storage network"
	case TransportVirtio:
		return "a virtual disk"
	}
	return "a SCSI disk"
}

// vendorATA is the vendor that the kernel and adapters give ATA drives (SAT-4,
// "Standard INQUIRY data").
const vendorATA = "ATA"

// speaksATA reports whether there is an ATA drive, or may be one.
func (h *Host) speaksATA() bool {
	if h.USB != nil {
		return h.USB.Behind != BehindNVMe
	}
	return h.Transport == TransportATA || h.Vendor == vendorATA
}

// takesATA returns ErrNotATA with the reason for disks that no ATA command is
// sent to.
func (h *Host) takesATA() error {
	if h.speaksATA() {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNotATA, h.Advice().Text)
}
