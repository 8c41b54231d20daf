package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// optane905P is a 905P 960 GB U.2 as it comes from the factory.
//
// The Identify pages are those of a public dump. Not in any dump, and therefore
// chosen: the PCI subsystem device, the features, FNA of 0 (a format and an
// erase go to one namespace, no cryptographic erase), that a format without
// secure erase leaves the data and how long a format takes, and that Identify
// has the Active Namespace ID list (NVMe 1.1) although the version field is
// that of a drive older than 1.2. So is what it says by Security Receive, that
// it could lock its data and does not.
func optane905P() Profile {
	return Profile{
		Name: "optane-905p",
		Text: "Intel Optane 905P 960 GB (U.2), factory fresh, firmware E2010480",
		personality: personality{
			pages:    "optane-905p",
			serial:   "QD1SIM905PFRESH00001",
			firmware: "E2010480",
			cns:      []nvme.CNS{nvme.CNSNamespace, nvme.CNSController, nvme.CNSActiveNamespaces},
			logs: append(intelLogs(),
				nvme.LIDError, nvme.LIDSMART, nvme.LIDFirmwareSlot,
				nvme.LIDCommandsEffects, nvme.LIDTelemetryHost, nvme.LIDTelemetryController,
			),
			features: map[nvme.FID]uint32{
				nvme.FIDArbitration:          0x07,
				nvme.FIDPowerManagement:      0,
				nvme.FIDTemperatureThreshold: 358, // 85 °C.
				nvme.FIDErrorRecovery:        0,
				nvme.FIDNumberOfQueues:       30<<16 | 30, // 31 pairs, 0's based.
				nvme.FIDInterruptCoalescing:  0,
				nvme.FIDInterruptVector:      0,
				nvme.FIDWriteAtomicity:       0,
				nvme.FIDAsynchronousEvents:   0,
				fidLatencyTracking:           0,
				fidLatencyThresholds:         0,
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
			heat:           heat{rise: 15},
			work:           work{formatOnly: 4 * time.Second, formatErase: 436 * time.Second},
			enduranceBytes: 17_520_000_000_000_000, // 10 drive writes a day over 5 years.
			formatKeeps:    true,
			opal:           opalOff,
			intel:          optanePages(22, 41),
		},
	}
}

// optanePages is what the vendor's pages of a 905P tell, whose temperature was
// between two before, °C. That the drive has all of them, the temperatures and
// the buckets are chosen.
func optanePages(coldest, hottest int64) *intel {
	return &intel{
		name:    "Intel(R) Optane(TM) SSD 905P Series",
		coldest: coldest, hottest: hottest, maxOperating: 85,
		latencyStarts: [...]uint32{0, 10, 12, 14, 20, 50, 100, 1000},
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
	p.personality.intel = optanePages(18, 52)
	return p
}

// The blocks of the media errors profile that cannot be read.
const (
	firstBadLBA  = 1_875_384_832
	secondBadLBA = 1_875_384_968
)

// optane905PMediaErrors is an add-in card with two blocks near its end that
// cannot be read. The Identify pages, the SMART values and the first 16 entries
// of the error log are those of a public dump; the dump shows 16 of 64 entries,
// and the others are made in their likeness.
func optane905PMediaErrors() Profile {
	p := optane905P()
	p.Name = "optane-905p-media-errors"
	p.Text = "Intel Optane 905P 960 GB (add-in card), 2.48 million media errors on two blocks, firmware E201043A"
	q := &p.personality
	q.pages, q.serial, q.firmware = "optane-905p-aic", "QD1SIM905PMEDIA00001", "E201043A"
	q.logs = append(intelLogs(), nvme.LIDError, nvme.LIDSMART, nvme.LIDFirmwareSlot, nvme.LIDCommandsEffects)
	q.intel = optanePages(16, 74)
	q.unreadable = []uint64{firstBadLBA, secondBadLBA}
	q.smart = nvme.SMARTLog{
		CompositeTemperature: 334, // 61 °C.
		AvailableSpare:       100,
		DataUnitsRead:        nvme.U128(79_024_646),
		DataUnitsWritten:     nvme.U128(68_927_748),
		HostReadCommands:     nvme.U128(870_362_323),
		HostWriteCommands:    nvme.U128(756_449_820),
		ControllerBusyTime:   nvme.U128(626),
		PowerCycles:          nvme.U128(5029),
		PowerOnHours:         nvme.U128(12_601),
		UnsafeShutdowns:      nvme.U128(219),
		MediaErrors:          nvme.U128(2_481_614),
		ErrorLogEntries:      nvme.U128(2_481_594),
	}
	q.errors = mediaErrorEntries(2_481_594, 64)
	return p
}

// mediaErrorEntries returns an error log full of reads of the two bad blocks,
// newest first.
func mediaErrorEntries(newest uint64, count int) []nvme.ErrorLogEntry {
	dumped := []struct {
		sqid, cid uint16
		second    bool
	}{
		{2, 0x0001, false}, {2, 0x0000, false}, {7, 0x0381, false}, {7, 0x0380, false},
		{1, 0x6380, true}, {17, 0x03C0, false}, {3, 0x13C2, false}, {18, 0xB1C0, false},
		{7, 0x93C0, false}, {3, 0x13C1, false}, {3, 0x73C0, false}, {20, 0x0201, false},
		{20, 0x0200, false}, {9, 0x0081, false}, {9, 0x0080, false}, {13, 0x6200, true},
	}
	const statusInfo = 0xC502 // Unrecovered Read Error, Do Not Retry, More.
	entries := make([]nvme.ErrorLogEntry, count)
	for i := range entries {
		d := dumped[i%len(dumped)]
		entries[i] = nvme.ErrorLogEntry{
			ErrorCount: newest - uint64(i), SQID: d.sqid, CID: d.cid + uint16(i/len(dumped)),
			StatusInfo: statusInfo, LBA: firstBadLBA, NSID: 1,
		}
		if d.second {
			entries[i].LBA = secondBadLBA
		}
	}
	return entries
}
