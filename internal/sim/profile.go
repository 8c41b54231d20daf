package sim

import (
	"embed"
	"fmt"
	"strings"
	"time"

	"qd1.example/qd1/nvme"
)

// Profile describes a simulated drive that Open knows.
type Profile struct {
	// Name is what Open takes.
	Name string
	// Text says in one line what the drive is.
	Text string

	personality personality
}

// Profiles returns the known profiles.
func Profiles() []Profile {
	return []Profile{optane905P(), optane905PUsed()}
}

// personality is all that makes one drive differ from another. It is data: the
// model has no code for a single profile.
type personality struct {
	// pages is the stem of the embedded Identify pages.
	pages string
	// serial and firmware replace what the pages have.
	serial, firmware string
	// cns and logs are what Identify and Get Log Page know.
	cns  []nvme.CNS
	logs []nvme.LID
	// features are the values of Get Features.
	features map[uint8]uint32
	// smart is the state when the drive is opened.
	smart nvme.SMARTLog
	pci   pciIdentity
	// medium has the medians of a 4 KiB access.
	medium timing
	// heating is what full load adds to the temperature, kelvins.
	heating float64
}

// pciIdentity is what the host's PCI bus knows of the drive.
type pciIdentity struct {
	vendor, device, subsystemVendor, subsystemDevice uint16
	// speed is the link speed as sysfs writes it, width the number of lanes.
	speed string
	width int
}

//go:embed pages
var pages embed.FS

// page returns one Identify page of the profile, for the caller to change.
func (p *personality) page(kind string) ([]byte, error) {
	return pages.ReadFile("pages/" + p.pages + "." + kind + ".bin")
}

// find returns the profile of that name.
func find(name string) (*Profile, error) {
	var names []string
	for _, p := range Profiles() {
		if p.Name == name {
			return &p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("no simulated drive %q: the profiles are %s", name, strings.Join(names, ", "))
}

// optane905P is a 905P 960 GB U.2 as it comes from the factory.
//
// The Identify pages are those of a public dump. Not in any dump, and therefore
// chosen: the PCI subsystem device, the features, and that Identify has the
// Active Namespace ID list (NVMe 1.1) although the version field is that of a
// drive older than 1.2.
func optane905P() Profile {
	return Profile{
		Name: "optane-905p",
		Text: "Intel Optane 905P 960 GB (U.2), factory fresh, firmware E2010480",
		personality: personality{
			pages:    "optane-905p",
			serial:   "QD1SIM905PFRESH00001",
			firmware: "E2010480",
			cns:      []nvme.CNS{nvme.CNSNamespace, nvme.CNSController, nvme.CNSActiveNamespaces},
			logs: []nvme.LID{
				nvme.LIDError, nvme.LIDSMART, nvme.LIDFirmwareSlot,
				nvme.LIDCommandsEffects, nvme.LIDTelemetryHost, nvme.LIDTelemetryController,
			},
			features: map[uint8]uint32{
				featureArbitration:          0x07,
				featurePowerManagement:      0,
				featureTemperatureThreshold: 358, // 85 °C.
				featureErrorRecovery:        0,
				featureNumberOfQueues:       30<<16 | 30, // 31 pairs, 0's based.
				featureInterruptCoalescing:  0,
				featureInterruptVector:      0,
				featureWriteAtomicity:       0,
				featureAsynchronousEvents:   0,
			},
			smart: nvme.SMARTLog{
				CompositeTemperature: 308, // 35 °C.
				AvailableSpare:       100,
				DataUnitsRead:        nvme.U128(1954),
				DataUnitsWritten:     nvme.U128(977),
				HostReadCommands:     nvme.U128(9216),
				HostWriteCommands:    nvme.U128(4101),
				PowerCycles:          nvme.U128(3),
			},
			pci: pciIdentity{
				vendor: 0x8086, device: 0x2700, subsystemVendor: 0x8086, subsystemDevice: 0x3904,
				speed: "8.0 GT/s PCIe", width: 4,
			},
			medium: timing{
				read: 12 * time.Microsecond, write: 13 * time.Microsecond,
				bytesPerSecond: 2_600_000_000,
			},
			heating: 15,
		},
	}
}

// optane905PUsed is the same model after a desktop's 4125 hours; the SMART
// values are those of a public dump.
func optane905PUsed() Profile {
	p := optane905P()
	p.Name = "optane-905p-used"
	p.Text = "Intel Optane 905P 960 GB (U.2), 4125 hours and 8.78 TB written, firmware E2010650"
	p.personality.serial = "QD1SIM905PUSED000001"
	p.personality.firmware = "E2010650"
	p.personality.smart = nvme.SMARTLog{
		CompositeTemperature: 308, // 35 °C.
		AvailableSpare:       100,
		DataUnitsRead:        nvme.U128(9_619_057),
		DataUnitsWritten:     nvme.U128(17_153_344),
		HostReadCommands:     nvme.U128(124_010_537),
		HostWriteCommands:    nvme.U128(273_568_881),
		ControllerBusyTime:   nvme.U128(106),
		PowerCycles:          nvme.U128(132),
		PowerOnHours:         nvme.U128(4125),
		UnsafeShutdowns:      nvme.U128(54),
	}
	return p
}
