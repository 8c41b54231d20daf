package smart

import (
	"cmp"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// Facts is what is known about a drive. A nil or zero field was not read or
// does not exist; no rule looks at it then.
type Facts struct {
	// Controller is the Identify Controller data structure.
	Controller *nvme.IdentifyController
	// SMART is the SMART / Health Information log page. nil gives the verdict
	// [Unknown].
	SMART *nvme.SMARTLog
	// Errors is the Error Information log page without its empty entries: nil
	// if it was not read, empty but not nil if it has none.
	Errors nvme.ErrorLog
	// Model is the entry of the drive database, nil if there is none.
	Model *drivedb.Entry
	// SizeBytes is the size of all namespaces.
	SizeBytes int64
	// ModelNumber and Firmware are those of Controller, for sources that have
	// no Identify data. "" means that Controller tells them.
	ModelNumber, Firmware string
	// PCIVendorID and PCISubsystemVendorID are what the PCI function says. 0
	// means that Controller tells them.
	PCIVendorID, PCISubsystemVendorID uint16
	// Link is the link of the drive, nil if it is not on PCI Express.
	Link *Link
	// QD1ReadP50US is the median latency of 4 KiB random reads at queue depth 1
	// as the host measured it, in microseconds. 0 means not measured.
	QD1ReadP50US float64
	// As is what the drive was sold as: [AsNew], [AsUsed], or "" for not told.
	As string
	// Missing names fields that the source of SMART and Controller does not
	// have, so that their zero is no value: those of SMART by their JSON names,
	// and "identify_controller.oacs" and "identify_controller.sn".
	Missing []string
	// SMARTNotInDump says that SMART is nil because its source is a dump
	// without it, and not because it could not be read.
	SMARTNotInDump bool
	// Unreadable names the sections of the report that could not be read, Identify
	// Controller as [IdentityUnreadable].
	Unreadable []string

	// defects are those of model and firmware, where they were looked up.
	defects *[]Defect
}

// IdentityUnreadable in [Facts.Unreadable] gives the verdict [Unknown].
const IdentityUnreadable = "Identify Controller"

// The values of [Facts.As].
const (
	AsNew  = "new"
	AsUsed = "used"
)

// Link is the PCI Express link of a drive. 0 means not known.
type Link struct {
	// GTs and Width are the link as it is: gigatransfers a second and lanes.
	GTs   float64
	Width int
	// DriveGTs and DriveWidth are the most that the drive can do.
	DriveGTs   float64
	DriveWidth int
	// SlotGTs and SlotWidth are the most that the port above it can do.
	SlotGTs   float64
	SlotWidth int
	// Correctable and Uncorrectable are the errors of the link that the drive's end
	// has counted since the host started.
	Correctable   uint64
	Uncorrectable uint64
}

// knows reports whether the source has all of the fields.
func (f *Facts) knows(fields ...string) bool {
	return !slices.ContainsFunc(fields, func(name string) bool {
		if name == "bytes_written" {
			name = "data_units_written"
		}
		return slices.Contains(f.Missing, name)
	})
}

// model returns the model number, "" if it is not known.
func (f *Facts) model() string {
	if f.ModelNumber == "" && f.Controller != nil {
		return unpadded(f.Controller.ModelNumber.String())
	}
	return unpadded(f.ModelNumber)
}

// firmware returns the firmware revision, "" if it is not known.
func (f *Facts) firmware() string {
	if f.Firmware == "" && f.Controller != nil {
		return unpadded(f.Controller.FirmwareRevision.String())
	}
	return unpadded(f.Firmware)
}

// vendorID returns the PCI Vendor ID, 0 if it is not known.
func (f *Facts) vendorID() uint16 {
	if f.Controller == nil {
		return f.PCIVendorID
	}
	return cmp.Or(f.PCIVendorID, f.Controller.VID)
}

// subsystemVendorID returns the PCI Subsystem Vendor ID, 0 if it is not known.
func (f *Facts) subsystemVendorID() uint16 {
	if f.Controller == nil {
		return f.PCISubsystemVendorID
	}
	return cmp.Or(f.PCISubsystemVendorID, f.Controller.SSVID)
}

// capacity returns the size of the drive in bytes, 0 if it is not known. Total
// NVM Capacity counts before the sizes of the namespaces, which an owner may
// choose.
func (f *Facts) capacity() int64 {
	if f.Controller != nil {
		if n, ok := f.Controller.TNVMCAP.Uint64(); ok && n > 0 && n < 1<<62 {
			return int64(n)
		}
	}
	return f.SizeBytes
}

// unpadded is a field of Identify Controller without its padding.
func unpadded(s string) string { return strings.Trim(s, " \x00") }
