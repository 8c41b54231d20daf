package spec

import "qd1.example/qd1/nvme"

// hostFeatures are what the host tells the drive about itself.
func hostFeatures() []Feature {
	return []Feature{hostMemoryBuffer(), timestamp(), hostBehavior(), commandSetProfile(), controllerDataQueue(), softwareProgressMarker(), hostIdentifier()}
}

// memoryPage is the unit of the size of a host memory buffer: the memory page
// that the Linux driver sets (CC.MPS 0).
const memoryPage = 4096

func hostMemoryBuffer() Feature {
	const title = "Host Memory Buffer"
	return Feature{
		FID: uint8(nvme.FIDHostMemoryBuffer), Name: "host-mem-buf", Title: title,
		When: where("it wants no host memory (HMPRE is 0)", func(id *nvme.IdentifyController) bool { return id.HMPRE != 0 }),
		Result: dword0(baseSpec, title,
			onOff(0, "EHM", "Enable Host Memory"),
			onOff(2, "HMNARE", "Host Memory Non-operational Access Restriction Enable"),
			Bits{Low: 3, Name: "HMNAR", Title: "Host Memory Non-operational Access Restricted", Values: map[uint64]string{0: "not restricted now", 1: "restricted now"}}),
		Set: dwords(baseSpec, title,
			[]Bits{
				onOff(0, "EHM", "Enable Host Memory"),
				{Low: 1, Name: "MR", Title: "Memory Return", Values: map[uint64]string{0: "new memory", 1: "the memory that the drive had before"}},
				onOff(2, "HMNARE", "Host Memory Non-operational Access Restriction Enable"),
			},
			[]Bits{{High: 31, Low: 0, Name: "HSIZE", Title: "Host Memory Buffer Size", Unit: "pages"}},
			[]Bits{{High: 31, Low: 4, Name: "HMDLLA", Title: "Host Memory Descriptor List Lower Address"}},
			[]Bits{{High: 31, Low: 0, Name: "HMDLUA", Title: "Host Memory Descriptor List Upper Address"}},
			[]Bits{{High: 31, Low: 0, Name: "HMDLEC", Title: "Host Memory Descriptor List Entry Count"}}),
		DataBytes: 4096,
		Data: &Structure{
			Name: "attributes", Title: "Host Memory Buffer - Attributes Data Structure", Bytes: 4096,
			Source: baseSpec + "Host Memory Buffer - Attributes Data Structure",
			Fields: []Field{
				{Name: "HSIZE", Title: "Host Memory Buffer Size", At: 0, Len: 4, Scale: memoryPage, Unit: "bytes"},
				{Name: "HMDLAL", Title: "Host Memory Descriptor List Address Lower", At: 4, Len: 4, Kind: Flags},
				{Name: "HMDLAU", Title: "Host Memory Descriptor List Address Upper", At: 8, Len: 4, Kind: Flags},
				{Name: "HMDLEC", Title: "Host Memory Descriptor List Entry Count", At: 12, Len: 4},
			},
		},
	}
}

func timestamp() Feature {
	const title = "Timestamp"
	return Feature{
		FID: uint8(nvme.FIDTimestamp), Name: "timestamp", Title: title, When: oncs(nvme.ONCSTimestamp, "Timestamp (ONCS bit 6)"),
		DataBytes: 8,
		Data: &Structure{
			Name: "timestamp", Title: title, Source: baseSpec + "Timestamp - Data Structure for Get Features", Bytes: 8,
			Fields: []Field{
				{Name: "TSTMP", Title: "Timestamp", At: 0, Len: 6, Unit: "ms"},
				{Name: "TSA", Title: "Timestamp Attributes", At: 6, Len: 1, Kind: Flags, Bits: []Bits{
					{Name: "SYNCH", Title: "Synch", Values: map[uint64]string{0: "counted all the time", 1: "may have stopped, as in non-operational power states"}},
					{High: 3, Low: 1, Name: "TO", Title: "Timestamp Origin", Values: map[uint64]string{0: "0 since the last reset", 1: "set by the host"}},
				}},
			},
		},
	}
}

func hostBehavior() Feature {
	const title = "Host Behavior Support"
	flag := func(at int, name, text string) Field {
		return Field{Name: name, Title: text, At: at, Len: 1, Values: Enabled}
	}
	return Feature{
		FID: uint8(nvme.FIDHostBehavior), Name: "host-behavior", Title: title,
		When: where("neither retry delays (CRDT1) nor extended LBA formats (CTRATT bit 15) nor telemetry data area 4 (LPA bit 6)",
			func(id *nvme.IdentifyController) bool {
				return id.CRDT1 != 0 || id.CTRATT&ctrattExtendedFormats != 0 || id.LPA&nvme.LPATelemetryArea4 != 0
			}),
		DataBytes: 512,
		Data: &Structure{
			Name: "behavior", Title: title, Source: baseSpec + "Host Behavior Support - Data Structure", Bytes: 512,
			Fields: []Field{
				flag(0, "ACRE", "Advanced Command Retry Enable"),
				flag(1, "ETDAS", "Extended Telemetry Data Area 4 Supported"),
				flag(2, "LBAFEE", "LBA Format Extension Enable"),
				flag(3, "HDISNS", "Host Dispersed Namespace Support"),
				{Name: "CDFE", Title: "Copy Descriptor Formats Enable", At: 4, Len: 2, Kind: Flags, Bits: []Bits{
					onOff(2, "CDF2E", "Copy Descriptor Format 2h Enable"),
					onOff(3, "CDF3E", "Copy Descriptor Format 3h Enable"),
					onOff(4, "CDF4E", "Copy Descriptor Format 4h Enable"),
				}},
			},
		},
	}
}

func commandSetProfile() Feature {
	const title = "I/O Command Set Profile"
	bits := []Bits{{High: 8, Low: 0, Name: "IOCSCI", Title: "I/O Command Set Combination Index"}}
	return Feature{
		FID: uint8(nvme.FIDCommandSetProfile), Name: "iocs-profile", Title: title, When: unlisted,
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func controllerDataQueue() Feature {
	const title = "Controller Data Queue"
	return Feature{
		FID: uint8(nvme.FIDControllerDataQueue), Name: "ctrl-data-queue", Title: title, When: unlisted,
		Set: dwords(baseSpec, title,
			[]Bits{{High: 15, Low: 0, Name: "CDQID", Title: "Controller Data Queue Identifier"}, onOff(31, "ETPT", "Enable Tail Pointer Trigger")},
			[]Bits{{High: 31, Low: 0, Name: "HP", Title: "Head Pointer"}},
			[]Bits{{High: 31, Low: 0, Name: "TPT", Title: "Tail Pointer Trigger"}}),
		DataBytes: 512,
		Data: &Structure{
			Name: "queue", Title: title, Source: baseSpec + "Controller Data Queue - Data Structure", Bytes: 512,
			Fields: []Field{
				{Name: "HP", Title: "Head Pointer", At: 0, Len: 4, Since: "2.1"},
				{Name: "TPT", Title: "Tail Pointer Trigger", At: 4, Len: 4, Since: "2.1"},
			},
		},
	}
}

func softwareProgressMarker() Feature {
	const title = "Software Progress Marker"
	bits := []Bits{{High: 7, Low: 0, Name: "PBSLC", Title: "Pre-boot Software Load Count"}}
	return Feature{
		FID: uint8(nvme.FIDSoftwareProgressMarker), Name: "sw-progress", Title: title, When: unlisted,
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func hostIdentifier() Feature {
	const title = "Host Identifier"
	return Feature{
		FID: uint8(nvme.FIDHostIdentifier), Name: "host-id", Title: title,
		When: where("neither a Host Identifier of 16 bytes (CTRATT bit 0) nor reservations (ONCS bit 5)", func(id *nvme.IdentifyController) bool {
			return id.CTRATT&ctrattHostID16 != 0 || id.ONCS&nvme.ONCSReservations != 0
		}),
		Set:       dwords(baseSpec, title, []Bits{onOff(0, "EXHID", "Enable Extended Host Identifier")}),
		DataBytes: 16,
		Data: &Structure{
			Name: "host_identifier", Title: title, Source: baseSpec + "Host Identifier - Data Structure", Bytes: 8,
			Fields: []Field{{Name: "HOSTID", Title: "Host Identifier", At: 0, Len: 8, Kind: Hex, Zero: "none"}},
			Variant: func([]byte) *Structure {
				return &Structure{
					Name: "upper", Title: "Host Identifier, upper half", Source: baseSpec + "Host Identifier - Data Structure", Bytes: 8,
					Fields: []Field{{Name: "HOSTIDU", Title: "Host Identifier, upper half", At: 0, Len: 8, Kind: Hex, Zero: "none"}},
				}
			},
		},
	}
}
