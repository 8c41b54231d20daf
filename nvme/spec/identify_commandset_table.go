package spec

// identifyNVMNamespace is CNS 05h, 0Ah and 1Bh with CSI 00h.
func identifyNVMNamespace() *Structure {
	return &Structure{
		Name: "NVM Command Set Identify Namespace", Title: "I/O Command Set specific Identify Namespace data structure, NVM Command Set",
		Source: nvmSet11 + "I/O Command Set specific Identify Namespace Data Structure (CNS 05h, CSI 00h)", Bytes: 4096,
		Fields: []Field{
			{Name: "LBSTM", Title: "Logical Block Storage Tag Mask", At: 0, Len: 8, Kind: Flags},
			{Name: "PIC", Title: "Protection Information Capabilities", At: 8, Len: 1, Kind: Flags, Bits: flags(
				"16BPISTS 16b Guard Protection Information Storage Tag", "16BPISTM 16b Guard Protection Information Storage Tag Mask Is All Ones",
				"STCRS Storage Tag Check Read", "QPIFS Qualified Protection Information Format")},
			{Name: "PIFA", Title: "Protection Information Format Attribute", At: 9, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 2, Low: 0, Name: "STMLA", Title: "Storage Tag Masking Level Attribute", Values: map[uint64]string{0: "bit granularity", 1: "byte granularity", 2: "not supported"}},
			}},
			{Name: "NPDGL", Title: "Namespace Preferred Deallocate Granularity Large", At: 268, Len: 4, Kind: ZeroBased, Unit: "blocks", Since: "2.1"},
			{Name: "NPRG", Title: "Namespace Preferred Read Granularity", At: 272, Len: 4, Kind: ZeroBased, Unit: "blocks", Since: "2.1"},
			{Name: "NPRA", Title: "Namespace Preferred Read Alignment", At: 276, Len: 4, Kind: ZeroBased, Unit: "blocks", Since: "2.1"},
			{Name: "NORS", Title: "Namespace Optimal Read Size", At: 280, Len: 4, Kind: ZeroBased, Unit: "blocks", Since: "2.1"},
			{Name: "NPDAL", Title: "Namespace Preferred Deallocate Alignment Large", At: 284, Len: 4, Kind: ZeroBased, Unit: "blocks", Since: "2.1"},
			{Name: "LBAPSS", Title: "LBA Format Placement Shard Size", At: 288, Len: 4, Unit: "blocks", Since: "2.1"},
			{Name: "TLBAAG", Title: "Tracked LBA Allocation Granularity", At: 292, Len: 4, Unit: "blocks", Since: "2.1"},
		},
		Lists: []List{{Name: "ELBAF", Title: "Extended LBA Formats that say something", At: 12, Entry: extendedFormat(), Index: "elbaf", Skip: ZeroEntry,
			Count: func([]byte) int { return 64 }}},
	}
}

func extendedFormat() *Structure {
	return &Structure{
		Name: "Extended LBA Format", Source: nvmSet11 + "Extended LBA Format Data Structure, NVM Command Set Specific", Bytes: 4,
		Fields: []Field{
			{Name: "ELBAFD", Title: "Extended LBA Format", Len: 4, Kind: Flags, Bits: []Bits{
				{High: 6, Low: 0, Name: "STS", Title: "Storage Tag Size", Unit: "bits"},
				{High: 8, Low: 7, Name: "PIF", Title: "Protection Information Format", Values: map[uint64]string{
					0: "16b Guard", 1: "32b Guard", 2: "64b Guard", 3: "as QPIF says"}},
				{High: 12, Low: 9, Name: "QPIF", Title: "Qualified Protection Information Format", Values: map[uint64]string{
					0: "16b Guard", 1: "32b Guard", 2: "64b Guard"}},
			}},
		},
	}
}

// identifyNVMController is CNS 06h with CSI 00h.
func identifyNVMController() *Structure {
	return &Structure{
		Name: "NVM Command Set Identify Controller", Title: "I/O Command Set specific Identify Controller data structure, NVM Command Set",
		Source: nvmSet11 + "I/O Command Set specific Identify Controller Data Structure (CNS 06h, CSI 00h)", Bytes: 4096,
		Fields: []Field{
			{Name: "VSL", Title: "Verify Size Limit, for memory pages of 4 KiB", At: 0, Len: 1, Kind: PowerOfTwo, Scale: 4096, Unit: "bytes", Zero: "no limit"},
			{Name: "WZSL", Title: "Write Zeroes Size Limit, for memory pages of 4 KiB", At: 1, Len: 1, Kind: PowerOfTwo, Scale: 4096, Unit: "bytes", Zero: "no limit"},
			{Name: "WUSL", Title: "Write Uncorrectable Size Limit, for memory pages of 4 KiB", At: 2, Len: 1, Kind: PowerOfTwo, Scale: 4096, Unit: "bytes", Zero: "no limit"},
			{Name: "DMRL", Title: "Dataset Management Ranges Limit", At: 3, Len: 1, Unit: "ranges", Zero: NotReported},
			{Name: "DMRSL", Title: "Dataset Management Range Size Limit", At: 4, Len: 4, Unit: "blocks", Zero: NotReported},
			{Name: "DMSL", Title: "Dataset Management Size Limit", At: 8, Len: 8, Unit: "blocks", Zero: NotReported},
			{Name: "KPIOCAP", Title: "Key Per I/O Capabilities", At: 16, Len: 1, Kind: Flags, Since: "2.1", Bits: flags("KPIOS Key Per I/O", "KPIOSC Key Per I/O on All Namespaces")},
			{Name: "WZDSL", Title: "Write Zeroes With Deallocate Size Limit, for memory pages of 4 KiB", At: 17, Len: 1, Kind: PowerOfTwo, Scale: 4096, Unit: "bytes", Zero: "as WZSL says", Since: "2.1"},
			{Name: "AOCS", Title: "Admin Optional Command Support", At: 18, Len: 2, Kind: Flags, Since: "2.1", Bits: flags("RALBAS Reporting Allocated LBA")},
			{Name: "VER", Title: "Version of the NVM Command Set Specification", At: 20, Len: 4, Kind: Flags, Zero: "older than 1.1", Since: "2.1", Note: version(20)},
			{Name: "LBAMQF", Title: "LBA Migration Queue Format", At: 24, Len: 1, Since: "2.1"},
		},
	}
}

// identifyZonedNamespace is CNS 05h with CSI 02h.
func identifyZonedNamespace() *Structure {
	return &Structure{
		Name: "Zoned Identify Namespace", Title: "I/O Command Set specific Identify Namespace data structure, Zoned Namespace Command Set",
		Source: zoned12 + "I/O Command Set specific Identify Namespace Data Structure (CNS 05h, CSI 02h)", Bytes: 4096,
		Fields: []Field{
			{Name: "ZOC", Title: "Zone Operation Characteristics", At: 0, Len: 2, Kind: Flags, Bits: flags("VZC Variable Zone Capacity", "ZAE Zone Active Excursions")},
			{Name: "OZCS", Title: "Optional Zoned Command Support", At: 2, Len: 2, Kind: Flags, Bits: flags("RAZB Read Across Zone Boundaries", "ZRWASUP Zone Random Write Area")},
			{Name: "MAR", Title: "Maximum Active Resources", At: 4, Len: 4, Kind: ZeroBased, Unit: "zones", Ones: "no limit"},
			{Name: "MOR", Title: "Maximum Open Resources", At: 8, Len: 4, Kind: ZeroBased, Unit: "zones", Ones: "no limit"},
			{Name: "RRL", Title: "Reset Recommended Limit", At: 12, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "FRL", Title: "Finish Recommended Limit", At: 16, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "RRL1", Title: "Reset Recommended Limit 1", At: 20, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "RRL2", Title: "Reset Recommended Limit 2", At: 24, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "RRL3", Title: "Reset Recommended Limit 3", At: 28, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "FRL1", Title: "Finish Recommended Limit 1", At: 32, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "FRL2", Title: "Finish Recommended Limit 2", At: 36, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "FRL3", Title: "Finish Recommended Limit 3", At: 40, Len: 4, Unit: "s", Zero: NotReported},
			{Name: "NUMZRWA", Title: "Number of ZRWA Resources", At: 44, Len: 4, Kind: ZeroBased},
			{Name: "ZRWAFG", Title: "ZRWA Flush Granularity", At: 48, Len: 2, Unit: "blocks"},
			{Name: "ZRWAS", Title: "ZRWA Size", At: 50, Len: 2, Unit: "blocks"},
			{Name: "ZRWACAP", Title: "ZRWA Capability", At: 52, Len: 1, Kind: Flags, Bits: flags("EXPFLUSHSUP Explicit ZRWA Flush Operation")},
			{Name: "VS", Title: "Vendor Specific", At: 3840, Len: 256, Kind: Hex},
		},
		Lists: []List{{Name: "LBAFE", Title: "LBA Format Extensions that say something", At: 2816, Entry: zonedFormat(), Index: "lbafe", Skip: ZeroEntry,
			Count: func([]byte) int { return 64 }}},
	}
}

func zonedFormat() *Structure {
	return &Structure{
		Name: "LBA Format Extension", Source: zoned12 + "LBA Format Extension Data Structure", Bytes: 16,
		Fields: []Field{
			{Name: "ZSZE", Title: "Zone Size", At: 0, Len: 8, Unit: "blocks"},
			{Name: "ZDES", Title: "Zone Descriptor Extension Size", At: 8, Len: 1, Scale: 64, Unit: "bytes"},
		},
	}
}

// identifyZonedController is CNS 06h with CSI 02h.
func identifyZonedController() *Structure {
	return &Structure{
		Name: "Zoned Identify Controller", Title: "I/O Command Set specific Identify Controller data structure, Zoned Namespace Command Set",
		Source: zoned12 + "I/O Command Set specific Identify Controller Data Structure (CNS 06h, CSI 02h)", Bytes: 4096,
		Fields: []Field{
			{Name: "ZASL", Title: "Zone Append Size Limit, for memory pages of 4 KiB", At: 0, Len: 1, Kind: PowerOfTwo, Scale: 4096, Unit: "bytes", Zero: "as MDTS says"},
		},
	}
}
