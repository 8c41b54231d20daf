package capture

import "time"

// Format is the value of the key "capture" in the header: the name of the
// format and its version.
const Format = "qd1/1"

// Header is the first line of a capture. It is information for the reader:
// replay does not depend on it.
type Header struct {
	// Capture is [Format]. NewWriter sets it.
	Capture string `json:"capture"`
	// Tool is the name and version of the program that recorded.
	Tool string `json:"tool,omitempty"`
	// Time is when the recording began. The zero time means unknown.
	Time time.Time `json:"time,omitzero"`
	// Kernel is the release of the host's kernel.
	Kernel string `json:"kernel,omitempty"`
	// Controller is the kernel's name of the controller, for example "nvme0".
	Controller string `json:"controller,omitempty"`
	// Transport is "pcie", "tcp", … as the kernel says it.
	Transport string `json:"transport,omitempty"`
	// Simulated says that the drive was a simulated one.
	Simulated bool `json:"simulated,omitempty"`
	// PCI identifies the PCI function. Nil means not on PCI or unknown.
	PCI *PCI `json:"pci,omitempty"`
	// Namespaces are those that the host saw.
	Namespaces []Namespace `json:"namespaces,omitempty"`
}

// PCI identifies a PCI function. An identifier of 0 means unknown.
type PCI struct {
	// Address is domain, bus, device and function: "0000:01:00.0".
	Address           string `json:"address,omitempty"`
	VendorID          uint16 `json:"vendor_id"`
	DeviceID          uint16 `json:"device_id"`
	SubsystemVendorID uint16 `json:"subsystem_vendor_id"`
	SubsystemDeviceID uint16 `json:"subsystem_device_id"`
}

// Namespace is a namespace as the host saw it.
type Namespace struct {
	NSID uint32 `json:"nsid"`
	// Bytes is the size. 0 means unknown.
	Bytes int64 `json:"bytes"`
	// LBABytes is the size of the data of a logical block. 0 means unknown.
	LBABytes int `json:"lba_bytes"`
}
