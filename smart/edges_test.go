package smart

import (
	"fmt"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// named gives the drive a model number and a firmware revision.
func named(model, firmware string) func(*Facts) {
	return func(f *Facts) {
		f.ModelNumber, f.Firmware, f.Model = model, firmware, drivedb.Lookup(model)
	}
}

func pci(vendor, subsystem uint16) func(*Facts) {
	return func(f *Facts) { f.PCIVendorID, f.PCISubsystemVendorID = vendor, subsystem }
}

// both applies several changes in order.
func both(set ...func(*Facts)) func(*Facts) {
	return func(f *Facts) {
		for _, s := range set {
			s(f)
		}
	}
}

// used980 is the drive with the firmware that turns it read-only.
func used980(spare uint8, media uint64) func(*Facts) {
	return both(named("Samsung SSD 980 PRO 2TB", "3B2QGXA7"), spareOf(spare, 10), mediaErrors(media))
}

// edgesOfIdentity are those of rules that look at model and firmware.
var edgesOfIdentity = []edge{
	{"firmware-lost", "emergency firmware", named("SAMSUNG MZQLB7T6HALA-00W07", "ERRORMOD"), true},
	{"firmware-lost", "genuine firmware", named("SAMSUNG MZQLB7T6HALA-00W07", "EDA5702Q"), false},
	{"firmware-lost", "name of the controller", named("SM2270", "2264"), true},
	{"firmware-lost", "name of another controller", named("PS5012-E12", ""), false},
	{"firmware-lost", "controller names by analogy", named("MAP1602", ""), true},
	{"firmware-defect", "980 PRO", used980(100, 0), true},
	{"firmware-defect", "980 PRO with a heatsink", named("Samsung 980 PRO with Heatsink 2TB", "2B2QGXA7"), true},
	{"firmware-defect", "980 PRO cured", named("Samsung SSD 980 PRO 2TB", "5B2QGXA7"), false},
	{"firmware-defect", "980", named("Samsung SSD 980 1TB", "3B2QGXA7"), false},
	{"firmware-defect", "980 PRO damaged", used980(99, 0), false},
	{"firmware-defect", "980 PRO without SMART", both(named("Samsung SSD 980 PRO 2TB", "3B2QGXA7"), func(f *Facts) { f.SMART = nil }), true},
	{"firmware-defect-damage", "980 PRO", used980(100, 0), false},
	{"firmware-defect-damage", "less spare", used980(99, 0), true},
	{"firmware-defect-damage", "media error", used980(100, 1), true},
	{"firmware-defect-damage", "other firmware", both(used980(99, 1), func(f *Facts) { f.Firmware = "5B2QGXA7" }), false},
	{"firmware-defect-life", "990 PRO", named("Samsung SSD 990 PRO 1TB", "0B2QJXD7"), true},
	{"firmware-defect-life", "990 PRO cured", named("Samsung SSD 990 PRO 1TB", "1B2QJXD7"), false},
	{"firmware-defect-counters", "P3700 last bad", named("INTEL SSDPEDMD400G4", "8DV10131"), true},
	{"firmware-defect-counters", "P3700 first good", named("INTEL SSDPEDMD400G4", "8DV10171"), false},
	{"firmware-defect-counters", "P3700 before the product", named("INTEL SSDPEDMD800G4", "8DV10049"), true},
	{"firmware-defect-counters", "750", named("INTEL SSDPEDMW800G4", "8EV10135"), true},
	{"firmware-defect-counters", "Oracle", named("INTEL SSDPEDME016T4S", "8DV1RA13"), true},
	{"firmware-defect-counters", "M10 for Dell", named("INTEL MEMPEK1J016GAD", "K4110400"), true},
	{"firmware-defect-counters", "M10", named("INTEL MEMPEK1J016GA", "K4110400"), false},
	{"firmware-defect-counters", "Asgard", named("Asgard AN1TNVMe-M.2/80", "R0802C0"), true},
	{"firmware-caution", "SN770 before", named("WD_BLACK SN770 2TB", "731120WD"), true},
	{"firmware-caution", "SN770 at", named("WD_BLACK SN770 2TB", "731130WD"), false},
	{"firmware-caution", "SN770 after", named("WD_BLACK SN770 2TB", "731140WD"), false},
	{"firmware-caution", "SN770 of 1 TB", named("WD_BLACK SN770 1TB", "731100WD"), false},
	{"firmware-caution", "SN580 before", named("WD Blue SN580 2TB", "281010WD"), true},
	{"firmware-caution", "SN5000 before", named("WD Blue SN5000 2TB", "291010WD"), true},
	{"firmware-caution", "Extreme before", named("SDSSDX3N-2T00-G26", "731100WD"), true},
	{"firmware-caution", "SN740 of 2 TB", named("WD PC SN740 SDDPTQE-2T00", "73116000"), true},
	{"firmware-caution", "990 PRO", named("Samsung SSD 990 PRO 2TB", "7B2QJXD7"), true},
	{"firmware-caution", "760p", named("SSDPEKKF256G8L", ""), true},
	{"firmware-caution", "PC801", named("PC801 NVMe SK hynix 1TB", "51003141"), true},
	{"firmware-caution", "PC601", named("PC601 NVMe SK hynix 512GB", "80750C10"), true},
	{"firmware-caution", "PM981", named("SAMSUNG MZVLB512HAJQ-00000", ""), true},
	{"firmware-caution", "FireCuda 530", named("Seagate FireCuda 530 ZP2000GM30013", "SU6SM005"), true},
	{"firmware-caution", "DC1500M", named("KINGSTON SEDC1500M7680G", ""), true},
	{"firmware-caution", "A2000", named("KINGSTON SA2000M8500G", "S5Z42105"), true},
	{"firmware-older", "905P older", named("INTEL SSDPE21D960GA", "E2010480"), true},
	{"firmware-older", "905P the newest seen", named("INTEL SSDPE21D960GA", "E2010650"), false},
	{"firmware-older", "905P newer than seen", named("INTEL SSDPE21D960GA", "E2010660"), false},
	{"firmware-older", "905P of another line", named("INTEL SSDPE21D960GA", "E201043A"), false},
	{"firmware-older", "unknown drive", named("EXAMPLE", "E2010480"), false},
	{"firmware-oem", "905P for Dell", named("SSDPE21D960GAD NVME INTEL 960GB", "E201D03N"), true},
	{"firmware-oem", "P4800X for Lenovo", named("SSDPE21K375GAL", "E201LW39"), true},
	{"firmware-oem", "M10 for HP", named("INTEL MEMPEK1J016GAH", "K4110400"), true},
	{"firmware-oem", "P4800X with HPE's name", named("EO000375KWJUC", "4ICSHPK2"), false},
	{"firmware-oem", "905P", named("INTEL SSDPE21D960GA", "E2010480"), false},
	{"oem-drive", "Dell's subsystem", both(named("SAMSUNG MZQLB1T9HAJR-00007", "EDA5702Q"), pci(0x144D, 0x1028)), true},
	{"oem-drive", "HPE's name", named("VO001920KWVMT", "HPK2"), true},
	{"oem-drive", "Dell's name", named("Dell Ent NVMe CM6 RI 1.92TB", "2.1.8"), true},
	{"oem-drive", "the line says so already", both(named("INTEL MEMPEK1J016GAL", "K4110420"), pci(0x8086, 0x17AA)), false},
	{"oem-drive", "Samsung's subsystem", pci(0x144D, 0x144D), false},

	{"capacity-larger", "at the limit", sized(102, 100), false},
	{"capacity-larger", "above the limit", sized(103, 100), true},
	{"capacity-larger", "unknown model", func(f *Facts) { f.SizeBytes = 1e12 }, false},
	{"capacity-ok", "at the lower limit", sized(98, 100), true},
	{"capacity-ok", "at the upper limit", sized(102, 100), true},
	{"capacity-ok", "below", sized(97, 100), false},
	{"capacity-ok", "Total NVM Capacity counts first", both(sized(50, 100), func(f *Facts) {
		f.Controller = &nvme.IdentifyController{TNVMCAP: nvme.U128(100e9)}
	}), true},
	{"capacity-smaller", "at the limit", sized(98, 100), false},
	{"capacity-smaller", "below the limit", sized(97, 100), true},
	{"capacity-smaller", "nearly lost", sized(2, 100), true},
	{"capacity-smaller", "lost", sized(1, 100), false},
	{"capacity-smaller", "nearly nothing, but it has namespaces to delete", both(sized(1, 100), manages), true},
	{"capacity-smaller", "not known", sized(0, 100), false},
	{"capacity-lost", "nearly", sized(2, 100), false},
	{"capacity-lost", "lost", sized(1, 100), true},
	{"capacity-lost", "deleted", both(sized(1, 100), manages), false},

	{"implausible", "healthy", func(*Facts) {}, false},
	{"implausible", "score 5", both(noWrites, busyFor(1e6)), false},
	{"implausible", "score 6", both(noWrites, busyFor(1e6), cut(133, 132)), true},
	{"implausible", "foreign controller", both(named("Samsung SSD 990 PRO 2TB", "4B2QJXD7"), pci(0x1E4B, 0)), true},
	{"doubtful", "score 2", busyFor(1e6), false},
	{"doubtful", "score 3", noWrites, true},
	{"doubtful", "score 5", both(noWrites, busyFor(1e6)), true},
	{"doubtful", "score 6", both(noWrites, busyFor(1e6), cut(133, 132)), false},
	{"no-name", "size and SSD", named("512GB SSD", "V0721A0"), true},
	{"no-name", "a name", named("Fanxiang S501 512GB", ""), false},

	{"looks-new", "5 cycles, 1 h, 0.12 TB", counted(5, 1, 229_294), true},
	{"looks-new", "at the limits", counted(10, 5, 390_625), true},
	{"looks-new", "unsafe shutdowns ten times the cycles", both(counted(2, 5, 1), unsafe(20)), true},
	{"looks-new", "more than that", both(counted(2, 5, 1), unsafe(21)), false},
	{"looks-new", "counters that cannot be", both(counted(5, 1, 1), func(f *Facts) { f.SMART.HostWriteCommands = nvme.U128(1_000_000) }), false},
	{"looks-new", "cycles above", counted(11, 5, 390_625), false},
	{"looks-new", "hours above", counted(10, 6, 390_625), false},
	{"looks-new", "bytes above", counted(10, 5, 390_626), false},
	{"sold-as-new", "used but not sold as new", counted(5, 51, 0), false},
	{"sold-as-new", "cycles at", asNew(counted(50, 1, 0)), false},
	{"sold-as-new", "cycles above", asNew(counted(51, 1, 0)), true},
	{"sold-as-new", "hours at", asNew(counted(5, 50, 0)), false},
	{"sold-as-new", "hours above", asNew(counted(5, 51, 0)), true},
	{"sold-as-new", "bytes at", asNew(counted(5, 1, 976_562)), false},
	{"sold-as-new", "bytes above", asNew(counted(5, 1, 976_563)), true},
	{"sold-as-new", "minutes as hours", asNew(both(named("INTEL MEMPEK1J016GAD", "K4110400"), counted(5, 240, 1))), false},
	{"sold-as-new-opened", "new", asNew(counted(10, 5, 390_625)), false},
	{"sold-as-new-opened", "hours", asNew(counted(10, 6, 0)), true},
	{"sold-as-new-opened", "cycles", asNew(counted(11, 1, 0)), true},
	{"sold-as-new-opened", "used", asNew(counted(11, 51, 0)), false},
	{"sold-as-new-opened", "not read", func(f *Facts) { f.As, f.SMART = AsNew, nil }, false},
}

// sized gives a drive a size and its model another, in gigabytes.
func sized(gb, model int64) func(*Facts) {
	return func(f *Facts) {
		f.SizeBytes, f.Model = gb*1e9, &drivedb.Entry{CapacityBytes: model * 1e9}
	}
}

func manages(f *Facts) {
	f.Controller = &nvme.IdentifyController{OACS: nvme.OACSNamespaceManagement}
	copy(f.Controller.SerialNumber[:], "S")
}

func noWrites(f *Facts) { f.SMART.DataUnitsWritten = nvme.Uint128{} }

func busyFor(minutes uint64) func(*Facts) {
	return func(f *Facts) { f.SMART.ControllerBusyTime = nvme.U128(minutes) }
}

func cut(unsafe, cycles uint64) func(*Facts) {
	return func(f *Facts) { f.SMART.UnsafeShutdowns, f.SMART.PowerCycles = nvme.U128(unsafe), nvme.U128(cycles) }
}

func unsafe(n uint64) func(*Facts) {
	return func(f *Facts) { f.SMART.UnsafeShutdowns = nvme.U128(n) }
}

func counted(cycles, hours, units uint64) func(*Facts) {
	return func(f *Facts) {
		f.SMART = healthy()
		f.SMART.PowerCycles, f.SMART.PowerOnHours, f.SMART.DataUnitsWritten = nvme.U128(cycles), nvme.U128(hours), nvme.U128(units)
		f.SMART.HostWriteCommands = nvme.U128(units * 10)
	}
}

func asNew(set func(*Facts)) func(*Facts) { return both(set, func(f *Facts) { f.As = AsNew }) }

// edgesOfHost are those of rules that look at what the host knows.
var edgesOfHost = []edge{
	{"link-width", "full", linked(Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 16}), false},
	{"link-width", "one lane lost", linked(Link{GTs: 8, Width: 3, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 16}), true},
	{"link-width", "narrow slot", linked(Link{GTs: 8, Width: 2, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 2}), false},
	{"link-width", "slot not known", linked(Link{GTs: 8, Width: 1, DriveGTs: 8, DriveWidth: 4, SlotGTs: 0, SlotWidth: 0}), false},
	{"link-width", "width not known", linked(Link{GTs: 8, Width: 0, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 16}), false},
	{"link-width", "no link", func(*Facts) {}, false},
	{"link-speed", "full", linked(Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 16}), false},
	{"link-speed", "slower", linked(Link{GTs: 2.5, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 16, SlotWidth: 16}), true},
	{"link-speed", "slow slot", linked(Link{GTs: 5, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 5, SlotWidth: 4}), false},
	{"link-speed", "slot not known", linked(Link{GTs: 5, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 0, SlotWidth: 0}), false},
	{"link-slot", "slow slot", linked(Link{GTs: 5, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 5, SlotWidth: 4}), true},
	{"link-slot", "narrow slot", linked(Link{GTs: 8, Width: 2, DriveGTs: 8, DriveWidth: 4, SlotGTs: 8, SlotWidth: 2}), true},
	{"link-slot", "full", linked(Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 8, SlotWidth: 4}), false},
	{"link-slot", "the link is at fault as well", linked(Link{GTs: 2.5, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 5, SlotWidth: 4}), false},
	{"link-slot", "slot not known", linked(Link{GTs: 5, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 0, SlotWidth: 0}), false},
	{"link-errors", "few corrected", linked(Link{Correctable: 99}), false},
	{"link-errors", "many corrected", linked(Link{Correctable: 100}), true},
	{"link-errors", "one uncorrected", linked(Link{Uncorrectable: 1}), true},
	{"link-errors", "no link", func(*Facts) {}, false},
	{"link-ok", "full", linked(Link{GTs: 8, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 0, SlotWidth: 0}), true},
	{"link-ok", "narrow", linked(Link{GTs: 8, Width: 3, DriveGTs: 8, DriveWidth: 4, SlotGTs: 0, SlotWidth: 0}), false},
	{"link-ok", "slow", linked(Link{GTs: 5, Width: 4, DriveGTs: 8, DriveWidth: 4, SlotGTs: 0, SlotWidth: 0}), false},
	{"link-ok", "not known", linked(Link{GTs: 8, Width: 4, DriveGTs: 0, DriveWidth: 0, SlotGTs: 0, SlotWidth: 0}), false},

	{"latency-not-xpoint", "at the limit", read(40, mediaXPoint, 10, false), false},
	{"latency-not-xpoint", "above", read(40.1, mediaXPoint, 10, false), true},
	{"latency-not-xpoint", "flash", read(80, "TLC NAND", 0, false), false},
	{"latency-high", "at the limit", read(24, mediaXPoint, 10, true), false},
	{"latency-high", "above", read(24.1, mediaXPoint, 10, true), true},
	{"latency-high", "not checked", read(24.1, mediaXPoint, 10, false), false},
	{"latency-high", "said already", read(41, mediaXPoint, 10, true), false},
	{"latency-high-indicative", "at the limit", read(24, mediaXPoint, 10, false), false},
	{"latency-high-indicative", "above", read(24.1, mediaXPoint, 10, false), true},
	{"latency-high-indicative", "checked", read(24.1, mediaXPoint, 10, true), false},
	{"latency-high-flash", "at the limit", func(f *Facts) { f.QD1ReadP50US = 150 }, false},
	{"latency-high-flash", "above", func(f *Facts) { f.QD1ReadP50US = 150.1 }, true},
	{"latency-high-flash", "said already", read(160, "TLC NAND", 85, true), false},
	{"latency-high-flash", "3D XPoint", read(160, mediaXPoint, 10, true), false},
	{"latency-ok", "at the limit", read(24, mediaXPoint, 10, false), true},
	{"latency-ok", "above", read(24.1, mediaXPoint, 10, false), false},
	{"latency-ok", "not measured", read(0, mediaXPoint, 10, false), false},
	{"latency-ok", "not rated", read(10, mediaXPoint, 0, false), false},

	{"temperature-over-limit", "below", warmed(69, 70), false},
	{"temperature-over-limit", "at", warmed(70, 70), true},
	{"temperature-over-limit", "no limit", warmed(90, 0), false},
	{"temperature-over-limit", "not read", func(f *Facts) { f.SMART = nil }, false},
	{"temperature-high", "below", warmed(79, 0), false},
	{"temperature-high", "at", warmed(80, 0), true},
	{"temperature-high", "the limit counts", warmed(80, 85), false},
	{"temperature-high", "no Identify data", kelvin(273 + 80), true},
	{"temperature-warm", "905P at", both(named("INTEL SSDPE21D960GA", ""), warmed(60, 0)), false},
	{"temperature-warm", "905P above", both(named("INTEL SSDPE21D960GA", ""), warmed(61, 0)), true},
	{"temperature-warm", "905P too hot", both(named("INTEL SSDPE21D960GA", ""), warmed(80, 0)), false},
	{"temperature-warm", "M.2 at", both(named("INTEL SSDPEL1D380GA", ""), warmed(70, 0)), false},
	{"temperature-warm", "M.2 above", both(named("INTEL SSDPEL1D380GA", ""), warmed(71, 0)), true},
	{"temperature-warm", "flash", warmed(75, 0), false},
	{"temperature-warm", "a limit of its own", both(named("INTEL SSDPEK1A118GA", ""), warmed(71, 78)), false},
}

func linked(l Link) func(*Facts) { return func(f *Facts) { f.Link = &l } }

// read gives a measured latency and what the model is rated for.
func read(p50 float64, media string, rated float64, checked bool) func(*Facts) {
	return func(f *Facts) {
		f.QD1ReadP50US = p50
		f.Model = &drivedb.Entry{Media: media, RatedReadLatencyUS: rated}
		if !checked {
			f.Model.Indicative = []string{"rated_read_latency_us"}
		}
	}
}

// warmed gives a temperature and the limit of the drive, 0 for none.
func warmed(celsius, limit nvme.Kelvin) func(*Facts) {
	return func(f *Facts) {
		kelvin(273 + celsius)(f)
		f.Controller = new(nvme.IdentifyController)
		copy(f.Controller.SerialNumber[:], fmt.Sprint("S", limit))
		if limit > 0 {
			f.Controller.WCTEMP = 273 + limit
		}
	}
}
