package firmware

// Quirk is what is known of a vendor's drives beyond what they say themselves.
type Quirk struct {
	// VendorID is the PCI vendor; DeviceID the PCI device, 0 for all of the
	// vendor.
	VendorID, DeviceID uint16
	// Vendor is its name.
	Vendor string
	// Shutdown says that new firmware runs only after the computer was shut down
	// and its power was off: a reset or a restart is not enough.
	Shutdown bool
	// ActivateNow says that the image has to be committed with action 3.
	ActivateNow bool
	// Align says that the image has to be filled with FFh up to the granularity.
	Align bool
}

// Quirks returns all that are known.
//
// Source: fwupd, plugins/nvme/nvme.quirk and fu-nvme-device.c (needs-shutdown,
// commit-ca3, force-align).
func Quirks() []Quirk {
	return []Quirk{
		{VendorID: 0x1987, Vendor: "Phison", Shutdown: true, Align: true},
		{VendorID: 0x2646, Vendor: "Kingston", Shutdown: true},
		{VendorID: 0x1344, Vendor: "Micron", Shutdown: true},
		{VendorID: 0x1C5C, DeviceID: 0x1D59, Vendor: "SK hynix", Shutdown: true},
		{VendorID: 0x025E, DeviceID: 0xF1AB, Vendor: "Solidigm", Shutdown: true},
		{VendorID: 0x1D97, Vendor: "Lexar", ActivateNow: true},
		{VendorID: 0x1E4B, Vendor: "Maxio", ActivateNow: true},
	}
}

// quirkOf returns what is known of a drive, the zero Quirk for nothing.
func quirkOf(vendor, device uint16) Quirk {
	for _, q := range Quirks() {
		if q.VendorID == vendor && (q.DeviceID == 0 || q.DeviceID == device) {
			return q
		}
	}
	return Quirk{}
}
