package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// fake says that it is a Samsung 990 PRO, but is a cheap drive with a
// controller of another maker, and its counters cannot be: it was read more
// often than it was on, with commands of less than one block.
func fake() Profile {
	p := nandModern()
	p.Name = "fake"
	p.Text = `drive that calls itself "Samsung SSD 990 PRO 2TB" with another maker's controller and impossible counters`
	q := &p.personality
	q.identify, q.space = fakeController(), fakeNamespace()
	q.slots, q.activeSlot = nil, 0
	q.cns = []nvme.CNS{nvme.CNSNamespace, nvme.CNSController, nvme.CNSActiveNamespaces, nvme.CNSNamespaceDescriptors}
	q.logs = []nvme.LID{nvme.LIDError, nvme.LIDSMART, nvme.LIDFirmwareSlot, nvme.LIDCommandsEffects}
	q.features = map[nvme.FID]uint32{
		nvme.FIDArbitration: 0, nvme.FIDPowerManagement: 0, nvme.FIDTemperatureThreshold: 356,
		nvme.FIDErrorRecovery: 0, nvme.FIDVolatileWriteCache: 1, nvme.FIDNumberOfQueues: 7<<16 | 7,
		nvme.FIDAsynchronousEvents: 0,
	}
	q.smart = nvme.SMARTLog{
		CompositeTemperature: 313, AvailableSpare: 100, AvailableSpareThreshold: 10,
		DataUnitsRead: nvme.U128(12), DataUnitsWritten: nvme.U128(9),
		HostReadCommands: nvme.U128(41_002_118_904), HostWriteCommands: nvme.U128(39_112_006_771),
		ControllerBusyTime: nvme.U128(920_144), PowerCycles: nvme.U128(2), PowerOnHours: nvme.U128(1),
		UnsafeShutdowns: nvme.U128(311),
	}
	q.pci = pciIdentity{
		vendor: 0x10EC, device: 0x5765, subsystemVendor: 0x10EC, subsystemDevice: 0x5765,
		speed: "8.0 GT/s PCIe", width: 4,
	}
	q.medium = timing{read: 110 * time.Microsecond, write: 60 * time.Microsecond, bytesPerSecond: 1_400_000_000}
	q.heat = heat{rise: 20}
	q.slc = slcCache{}
	q.enduranceBytes, q.telemetryBlocks, q.utilization = 0, [4]int{}, false
	return p
}

func fakeController() *nvme.IdentifyController {
	c := &nvme.IdentifyController{
		VID: 0x10EC, SSVID: 0x10EC,
		SerialNumber: ascii20("AA000000000000000123"), ModelNumber: ascii40("Samsung SSD 990 PRO 2TB"),
		FirmwareRevision: ascii8("VC0S032Z"), IEEE: nvme.OUI{0x4C, 0xE0, 0x00}, MDTS: 5, Version: 0x10400,
		OACS: nvme.OACSFormat | nvme.OACSFirmware, ACL: 3, AERL: 3, FRMW: 0x02,
		LPA: nvme.LPACommandsEffects, ELPE: 7, WCTEMP: 356, CCTEMP: 361,
		SQES: 0x66, CQES: 0x44, NN: 1, ONCS: nvme.ONCSDatasetManagement | nvme.ONCSWriteZeroes, VWC: 1,
		CNTRLTYPE: 1,
	}
	c.PSD[0].MaxPower = 500
	return c
}

func fakeNamespace() *nvme.IdentifyNamespace {
	const blocks = 2_000_398_934_016 / 512
	n := &nvme.IdentifyNamespace{NSZE: blocks, NCAP: blocks, NUSE: blocks, EUI64: nvme.Hex64{0x00, 0xE0, 0x4C, 0, 0, 0, 0, 1}}
	n.LBAF[0] = nvme.LBAFormat{LBADS: 9}
	return n
}

// dead is a drive that the host has given up on: no command reaches it, and
// what is read of it is all ones.
func dead() Profile {
	p := optane905PUsed()
	p.Name = "dead"
	p.Text = "Intel Optane 905P 960 GB (U.2) that answers nothing any more"
	p.personality.serial = "QD1SIM905PDEAD000001"
	p.personality.dead = true
	p.personality.pci.speed, p.personality.pci.width = "Unknown", 63
	return p
}
