package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// ascii8, ascii40 and ascii256 return text as the fixed strings of Identify
// Controller.
func ascii8(text string) (a nvme.ASCII8)     { padded(a[:], text, ' '); return a }
func ascii20(text string) (a nvme.ASCII20)   { padded(a[:], text, ' '); return a }
func ascii40(text string) (a nvme.ASCII40)   { padded(a[:], text, ' '); return a }
func ascii256(text string) (a nvme.ASCII256) { padded(a[:], text, 0); return a }

func padded(to []byte, text string, with byte) {
	for i := range to {
		to[i] = with
	}
	copy(to, text)
}

// The capacity of the modern drive: a terabyte, of which the first namespace
// has four fifths.
const (
	modernBytes = 1_000_204_886_016
	modernFirst = 800_163_909_632
)

// nandModern is a drive that has what NVMe 2.0 offers, of no maker. All values
// are chosen.
func nandModern() Profile {
	return Profile{
		Name: "nand-modern",
		Text: "NVMe 2.0 drive of no maker, 1 TB: sanitize, self-test, 3 firmware slots, namespaces, 512 and 4096 byte blocks",
		personality: personality{
			identify: modernController(), space: modernNamespace(),
			slots: []string{"QD1M0100", "QD1M0110", ""}, activeSlot: 2,
			cns: []nvme.CNS{
				nvme.CNSNamespace, nvme.CNSController, nvme.CNSActiveNamespaces, nvme.CNSNamespaceDescriptors,
				nvme.CNSCommandSetNamespace, nvme.CNSCommandSetController, nvme.CNSIndependentNamespace,
				nvme.CNSAllocatedNamespaces, nvme.CNSAllocatedNamespace, nvme.CNSAttachedControllers, nvme.CNSControllers,
			},
			logs: []nvme.LID{
				nvme.LIDSupportedLogs, nvme.LIDError, nvme.LIDSMART, nvme.LIDFirmwareSlot, nvme.LIDChangedNamespaces,
				nvme.LIDCommandsEffects, nvme.LIDSelfTest, nvme.LIDTelemetryHost, nvme.LIDTelemetryController,
				nvme.LIDEnduranceGroup, nvme.LIDPersistentEvent, nvme.LIDSanitize,
			},
			features: modernFeatures(),
			smart: nvme.SMARTLog{
				CompositeTemperature: 311, TemperatureSensors: [8]nvme.Kelvin{311, 325},
				AvailableSpare: 100, AvailableSpareThreshold: 10, PercentageUsed: 1,
				DataUnitsRead: nvme.U128(10_214_330), DataUnitsWritten: nvme.U128(12_104_871),
				HostReadCommands: nvme.U128(151_020_331), HostWriteCommands: nvme.U128(201_448_120),
				ControllerBusyTime: nvme.U128(311), PowerCycles: nvme.U128(41), PowerOnHours: nvme.U128(1310),
				UnsafeShutdowns: nvme.U128(6),
			},
			pci: pciIdentity{
				vendor: 0x1234, device: 0x0001, subsystemVendor: 0x1234, subsystemDevice: 0x0001,
				speed: "16.0 GT/s PCIe", width: 4,
			},
			medium: timing{read: 55 * time.Microsecond, write: 15 * time.Microsecond, bytesPerSecond: 6_800_000_000},
			heat:   heat{rise: 30, throttles: true},
			slc:    newSLC(slcBytes),
			work: work{
				formatOnly: 2 * time.Second, formatErase: 20 * time.Second, formatCrypto: time.Second,
				blockErase: 30 * time.Second, cryptoErase: 5 * time.Second, overwrite: 600 * time.Second,
				shortTest: 2 * time.Minute, extendedTest: 10 * time.Minute, activation: time.Second,
			},
			enduranceBytes:  600_000_000_000_000,
			telemetryBlocks: [4]int{8, 32, 128},
			utilization:     true,
			formatAnswers:   true,
		},
	}
}

func modernController() *nvme.IdentifyController {
	const celsius = 273
	c := &nvme.IdentifyController{
		VID: 0x1234, SSVID: 0x1234,
		SerialNumber: ascii20("QD1SIMNANDMODERN0001"), ModelNumber: ascii40("QD1 SIMULATED NVMe 2.0 1TB"),
		FirmwareRevision: ascii8("QD1M0110"), IEEE: nvme.OUI{0x44, 0x33, 0x02}, MDTS: 7, Version: 0x20000,
		RTD3R: 500_000, RTD3E: 2_000_000, OAES: 0x300, CTRATT: 0x1A, RRLS: 0x8010, CNTRLTYPE: 1,
		OACS: nvme.OACSSecurity | nvme.OACSFormat | nvme.OACSFirmware | nvme.OACSNamespaceManagement | nvme.OACSSelfTest,
		ACL:  3, AERL: 7, FRMW: 0x17,
		LPA:  nvme.LPACommandsEffects | nvme.LPAExtendedData | nvme.LPATelemetry | nvme.LPAPersistentEvent | nvme.LPASupportedLogs,
		ELPE: 63, NPSS: 4, APSTA: 1, WCTEMP: celsius + 83, CCTEMP: celsius + 88, MTFA: 50,
		TNVMCAP: nvme.U128(modernBytes), UNVMCAP: nvme.U128(modernBytes - modernFirst),
		EDSTT: 10, DSTO: 1, FWUG: 1, HCTMA: 1, MNTMT: celsius + 30, MXTMT: celsius + 88,
		SANICAP: sanitizeActions | 1<<30, ENDGIDMAX: 1, PELS: 4,
		SQES: 0x66, CQES: 0x44, NN: 32,
		ONCS: nvme.ONCSCompare | nvme.ONCSWriteUncorrectable | nvme.ONCSDatasetManagement | nvme.ONCSWriteZeroes |
			nvme.ONCSSaveSelect | nvme.ONCSTimestamp | nvme.ONCSVerify,
		FNA: nvme.FNACryptoErase, VWC: 7, NWPC: 7, MNAN: 32,
		SUBNQN: ascii256("nqn.2026-01.example.qd1:nand-modern:QD1SIMNANDMODERN0001"),
	}
	copy(c.PSD[:], modernPowerStates())
	return c
}

// modernPowerStates are three operational states and two that are not.
func modernPowerStates() []nvme.PowerState {
	const nonOperational, tenthsOfMilliwatt = 2, 1
	return []nvme.PowerState{
		{MaxPower: 825},
		{MaxPower: 600, RRT: 1, RRL: 1, RWT: 1, RWL: 1},
		{MaxPower: 400, RRT: 2, RRL: 2, RWT: 2, RWL: 2},
		{MaxPower: 500, Flags: nonOperational | tenthsOfMilliwatt, EntryLatency: 5000, ExitLatency: 10_000, RRT: 3, RRL: 3, RWT: 3, RWL: 3},
		{MaxPower: 50, Flags: nonOperational | tenthsOfMilliwatt, EntryLatency: 10_000, ExitLatency: 45_000, RRT: 4, RRL: 4, RWT: 4, RWL: 4},
	}
}

// modernNamespace is the first namespace, in blocks of 512 bytes.
func modernNamespace() *nvme.IdentifyNamespace {
	const blocks = modernFirst / 512
	n := &nvme.IdentifyNamespace{
		NSZE: blocks, NCAP: blocks, NUSE: blocks, NLBAF: 1, FPI: 0x80, DLFEAT: 9, ENDGID: 1,
		NVMCAP: nvme.U128(modernFirst),
		NGUID:  nvme.Hex128{0x51, 0x44, 0x31, 0x53, 0x49, 0x4D, 0x4D, 0x4F, 0x02, 0x33, 0x44, 0, 0, 0, 0, 1},
		EUI64:  nvme.Hex64{0x02, 0x33, 0x44, 0, 0, 0, 0, 1},
	}
	n.LBAF[0] = nvme.LBAFormat{LBADS: 9, RP: 2}
	n.LBAF[1] = nvme.LBAFormat{LBADS: 12}
	return n
}

func modernFeatures() map[nvme.FID]uint32 {
	return map[nvme.FID]uint32{
		nvme.FIDArbitration:             0x07,
		nvme.FIDPowerManagement:         0,
		nvme.FIDTemperatureThreshold:    356, // 83 °C.
		nvme.FIDErrorRecovery:           0,
		nvme.FIDVolatileWriteCache:      1,
		nvme.FIDNumberOfQueues:          63<<16 | 63,
		nvme.FIDInterruptCoalescing:     0,
		nvme.FIDInterruptVector:         0,
		nvme.FIDWriteAtomicity:          0,
		nvme.FIDAsynchronousEvents:      0,
		nvme.FIDAutonomousTransition:    0,
		nvme.FIDTimestamp:               0,
		nvme.FIDThermalManagement:       351<<16 | 356, // 78 and 83 °C.
		nvme.FIDNonOperationalPower:     0,
		nvme.FIDReadRecoveryLevel:       4,
		nvme.FIDHostBehavior:            0,
		nvme.FIDSanitizeConfig:          0,
		nvme.FIDSoftwareProgressMarker:  0,
		nvme.FIDNamespaceWriteProtected: 0,
	}
}

// nandWorn is the modern drive at the end of its life: it took 105 percent of
// what its maker states, and is read-only.
func nandWorn() Profile {
	p := nandModern()
	p.Name = "nand-worn"
	p.Text = "NVMe 2.0 drive of no maker, 105 % used and read-only"
	q := &p.personality
	q.identify.SerialNumber = ascii20("QD1SIMNANDWORN000001")
	q.identify.SUBNQN = ascii256("nqn.2026-01.example.qd1:nand-worn:QD1SIMNANDWORN000001")
	q.readOnly = true
	q.smart.PercentageUsed, q.smart.AvailableSpare = 105, 99
	q.smart.DataUnitsWritten = nvme.U128(1_230_468_750) // 630 TB.
	q.smart.HostWriteCommands = nvme.U128(20_448_120_551)
	q.smart.PowerOnHours, q.smart.PowerCycles = nvme.U128(31_871), nvme.U128(622)
	return p
}

// throttling is the modern drive without a cooler: full load makes it too hot
// within about 9 s, held back it gets hotter still, and after about 20 s it goes
// to and fro between the two states of thermal management.
func throttling() Profile {
	p := nandModern()
	p.Name = "throttling"
	p.Text = "NVMe 2.0 drive of no maker that gets too hot under load within seconds, and then slow"
	q := &p.personality
	q.identify.SerialNumber = ascii20("QD1SIMTHROTTLING0001")
	q.identify.SUBNQN = ascii256("nqn.2026-01.example.qd1:throttling:QD1SIMTHROTTLING0001")
	q.smart.CompositeTemperature, q.smart.TemperatureSensors = 333, [8]nvme.Kelvin{333, 341}
	q.smart.WarningTemperatureTime, q.smart.TMT1Transitions, q.smart.TMT1Time = 212, 1840, 40_112
	q.heat = heat{rise: 70, constant: 30 * time.Second, throttles: true}
	return p
}
