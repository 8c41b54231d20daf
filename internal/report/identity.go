package report

import (
	"strings"

	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// Identity says which drive a report is about.
type Identity struct {
	Selector      string  `json:"selector"`
	Note          string  `json:"note,omitempty"`
	Controller    string  `json:"controller"`
	Transport     string  `json:"transport"`
	State         string  `json:"state"`
	Subsystem     string  `json:"subsystem"`
	Serial        string  `json:"serial"`
	SerialHex     string  `json:"serial_hex,omitempty"`
	Model         string  `json:"model"`
	ModelHex      string  `json:"model_hex,omitempty"`
	MarketingName *string `json:"marketing_name"`
	Firmware      string  `json:"firmware"`
	FirmwareHex   string  `json:"firmware_hex,omitempty"`
	PCI           *PCI    `json:"pci"`
}

// PCI names the PCI function of a controller.
type PCI struct {
	Address           string `json:"address"`
	VendorID          uint16 `json:"vendor_id"`
	DeviceID          uint16 `json:"device_id"`
	SubsystemVendorID uint16 `json:"subsystem_vendor_id"`
	SubsystemDeviceID uint16 `json:"subsystem_device_id"`
}

// hostIdentity is what can be said before the drive answered anything.
func hostIdentity(d *Drive) Identity {
	id := Identity{Selector: d.Selector, Note: d.Note}
	h := d.Host
	if h == nil {
		return id
	}
	id.Controller, id.Transport, id.State, id.Subsystem = h.Name, h.Transport, h.State, h.Subsystem
	id.Serial, id.Model, id.Firmware = h.Serial, h.Model, h.Firmware
	id.PCI = pciOf(h)
	return id
}

func pciOf(h *sysfs.Controller) *PCI {
	if h.PCI == nil {
		return nil
	}
	return &PCI{h.PCI.Address, h.PCI.VendorID, h.PCI.DeviceID, h.PCI.SubsystemVendorID, h.PCI.SubsystemDeviceID}
}

// fromController replaces the host's words with the drive's own, but for those
// that the source of the page does not have.
func (id *Identity) fromController(c *nvme.IdentifyController, known Partial) {
	if known.Has("sn") {
		id.Serial, id.SerialHex = c.SerialNumber.String(), nvme.RawHex(c.SerialNumber[:])
	}
	if known.Has("mn") {
		id.Model, id.ModelHex = c.ModelNumber.String(), nvme.RawHex(c.ModelNumber[:])
	}
	if known.Has("fr") {
		id.Firmware, id.FirmwareHex = c.FirmwareRevision.String(), nvme.RawHex(c.FirmwareRevision[:])
	}
}

func (id *Identity) fromDatabase(e *drivedb.Entry) {
	if e == nil {
		return
	}
	name := strings.TrimSpace(e.MarketingName)
	id.MarketingName = &name
}

// IdentifyController is the Identify Controller structure with what its JSON
// needs beside the fields.
type IdentifyController struct {
	Partial
	*nvme.IdentifyController
	TNVMCAPText string            `json:"tnvmcap_s,omitempty"`
	UNVMCAPText string            `json:"unvmcap_s,omitempty"`
	MEGCAPText  string            `json:"megcap_s,omitempty"`
	MAXDNAText  string            `json:"maxdna_s,omitempty"`
	PowerStates []nvme.PowerState `json:"psds"`
}

// NewIdentifyController returns the section of Identify Controller.
func NewIdentifyController(c *nvme.IdentifyController) *IdentifyController {
	return &IdentifyController{
		IdentifyController: c,
		TNVMCAPText:        twin(c.TNVMCAP),
		UNVMCAPText:        twin(c.UNVMCAP),
		MEGCAPText:         twin(c.MEGCAP),
		MAXDNAText:         twin(c.MAXDNA),
		PowerStates:        c.PowerStates(),
	}
}

// twin is the decimal text that accompanies a counter which a reader with
// floating-point numbers would round, and "" for all others.
func twin(u nvme.Uint128) string {
	const exact = 1 << 53
	if v, ok := u.Uint64(); ok && v <= exact {
		return ""
	}
	return u.String()
}
