package spec

import "qd1.example/qd1/nvme"

// blockFeatures are the features of blocks, of reading and of writing them.
func blockFeatures() []Feature {
	return []Feature{
		lbaRangeType(), errorRecovery(), volatileWriteCache(), writeAtomicity(),
		readRecoveryLevel(), predictableLatency(), predictableWindow(), lbaStatusAttributes(),
	}
}

const (
	lbaRangeBytes = 64
	lbaRanges     = 64
)

func lbaRangeType() Feature {
	const title = "LBA Range Type"
	bits := []Bits{{High: 5, Low: 0, Name: "NUM", Title: "Number of LBA Ranges", Kind: ZeroBased, Unit: "ranges"}}
	return Feature{
		FID: uint8(nvme.FIDLBARangeType), Name: "lba-range", Title: title, When: unlisted, NamespaceSpecific: true,
		Result: dword0(nvmSpec, title, bits...), Set: dwords(nvmSpec, title, bits),
		DataBytes: lbaRanges * lbaRangeBytes,
		Data: &Structure{
			Name: "ranges", Title: title, Source: nvmSpec + title + " - Data Structure Entry",
			Lists: []List{{Name: "ranges", Title: "LBA ranges", Entry: lbaRange(), Skip: ZeroEntry}},
		},
	}
}

func lbaRange() *Structure {
	return &Structure{
		Name: "range", Title: "LBA Range Type entry", Source: nvmSpec + "LBA Range Type - Data Structure Entry", Bytes: lbaRangeBytes,
		Fields: []Field{
			{Name: "TYPE", Title: "Type", At: 0, Len: 1, Values: map[uint64]string{
				0: "general purpose", 1: "file system", 2: "RAID", 3: "cache", 4: "page or swap file",
			}},
			{Name: "ATTR", Title: "Attributes", At: 1, Len: 1, Kind: Flags, Bits: []Bits{
				{Name: "OVR", Title: "may be overwritten", Values: YesNo},
				{Low: 1, Name: "HID", Title: "hidden from the operating system", Values: YesNo},
			}},
			{Name: "SLBA", Title: "Starting LBA", At: 16, Len: 8},
			{Name: "NLB", Title: "Number of Logical Blocks", At: 24, Len: 8, Kind: ZeroBased, Unit: "blocks"},
			{Name: "GUID", Title: "Unique Identifier", At: 32, Len: 16, Kind: Hex, Zero: "none"},
		},
	}
}

func errorRecovery() Feature {
	const title = "Error Recovery"
	fields := []Field{
		{Name: "TLER", Title: "Time Limited Error Recovery", At: 0, Len: 2, Scale: 100, Unit: "ms", Zero: "no limit"},
		{Name: "DULBE", Title: "Deallocated or Unwritten Logical Block Error Enable", At: 2, Len: 2, Kind: Flags, Bits: []Bits{
			onOff(0, "DULBE", "Deallocated or Unwritten Logical Block Error Enable"),
		}},
	}
	return Feature{
		FID: uint8(nvme.FIDErrorRecovery), Name: "err-recovery", Title: title, NamespaceSpecific: true,
		Result: dwordOf("result", nvmSpec, title, fields), Set: dwordOf("set", nvmSpec, title, fields),
	}
}

func volatileWriteCache() Feature {
	const title = "Volatile Write Cache"
	bits := []Bits{onOff(0, "WCE", "Volatile Write Cache Enable")}
	return Feature{
		FID: uint8(nvme.FIDVolatileWriteCache), Name: "volatile-wc", Title: title,
		When:   where("it has no volatile write cache (VWC bit 0)", func(id *nvme.IdentifyController) bool { return id.VWC&1 != 0 }),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func writeAtomicity() Feature {
	const title = "Write Atomicity Normal"
	bits := []Bits{{Name: "DN", Title: "Disable Normal", Values: map[uint64]string{
		0: "AWUN, NAWUN and their like hold", 1: "AWUPF, NAWUPF and their like alone hold",
	}}}
	return Feature{
		FID: uint8(nvme.FIDWriteAtomicity), Name: "write-atomic", Title: title,
		Result: dword0(nvmSpec, title, bits...), Set: dwords(nvmSpec, title, bits),
	}
}

// nvmSetBits are command dword 11 of the features of an NVM set.
func nvmSetBits() []Bits {
	return []Bits{{High: 15, Low: 0, Name: "NVMSETID", Title: "NVM Set Identifier"}}
}

func readRecoveryLevel() Feature {
	const title = "Read Recovery Level Config"
	bits := []Bits{{High: 3, Low: 0, Name: "RRL", Title: "Read Recovery Level", Values: map[uint64]string{
		4: "default", 15: "fast fail",
	}}}
	return Feature{
		FID: uint8(nvme.FIDReadRecoveryLevel), Name: "rrl", Title: title,
		When:   ctratt(ctrattReadRecovery, "Read Recovery Levels (CTRATT bit 3)"),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, nvmSetBits(), bits),
	}
}

func predictableLatency() Feature {
	const title = "Predictable Latency Mode Config"
	bits := []Bits{onOff(0, "PLE", "Predictable Latency Enable")}
	return Feature{
		FID: uint8(nvme.FIDPredictableLatency), Name: "plm-config", Title: title,
		When:   ctratt(ctrattPredictable, "Predictable Latency Mode (CTRATT bit 5)"),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, nvmSetBits(), bits),
		DataBytes: 512,
		Data: &Structure{
			Name: "thresholds", Title: "Deterministic Threshold Configuration", Bytes: 512,
			Source: baseSpec + "Predictable Latency Mode - Deterministic Threshold Configuration Data Structure",
			Fields: []Field{
				{Name: "EE", Title: "Enable Event", At: 0, Len: 2, Kind: Flags, Bits: []Bits{
					onOff(0, "DTWINRW", "DTWIN Reads Warning"),
					onOff(1, "DTWINWW", "DTWIN Writes Warning"),
					onOff(2, "DTWINTW", "DTWIN Time Warning"),
					onOff(14, "ATDTNDTM", "Autonomous transition from DTWIN to NDWIN: a typical or maximum value was exceeded"),
					onOff(15, "ATDTNDDE", "Autonomous transition from DTWIN to NDWIN: Deterministic Excursion"),
				}},
				{Name: "DTWINRT", Title: "DTWIN Reads Threshold", At: 32, Len: 8},
				{Name: "DTWINWT", Title: "DTWIN Writes Threshold", At: 40, Len: 8},
				{Name: "DTWINTT", Title: "DTWIN Time Threshold", At: 48, Len: 8, Unit: "ms"},
			},
		},
	}
}

func predictableWindow() Feature {
	const title = "Predictable Latency Mode Window"
	bits := []Bits{{High: 2, Low: 0, Name: "WSEL", Title: "Window Select", Values: map[uint64]string{
		1: "Deterministic Window (DTWIN)", 2: "Non-Deterministic Window (NDWIN)",
	}}}
	return Feature{
		FID: uint8(nvme.FIDPredictableWindow), Name: "plm-window", Title: title,
		When:   ctratt(ctrattPredictable, "Predictable Latency Mode (CTRATT bit 5)"),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, nvmSetBits(), bits),
	}
}

func lbaStatusAttributes() Feature {
	const title = "LBA Status Information Attributes"
	fields := []Field{
		{Name: "LSIRI", Title: "LBA Status Information Report Interval", At: 0, Len: 2, Scale: 100, Unit: "ms"},
		{Name: "LSIPI", Title: "LBA Status Information Poll Interval", At: 2, Len: 2, Scale: 100, Unit: "ms"},
	}
	return Feature{
		FID: uint8(nvme.FIDLBAStatusAttributes), Name: "lba-sts-interval", Title: title,
		When: where("LBA Status Information Notices (OAES bit 13)", func(id *nvme.IdentifyController) bool {
			return id.OAES&(1<<13) != 0
		}),
		Result: dwordOf("result", nvmSpec, title, fields), Set: dwordOf("set", nvmSpec, title, fields),
	}
}
