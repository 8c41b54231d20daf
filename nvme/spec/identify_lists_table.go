package spec

import "fmt"

// namespaceList is CNS 02h, 07h, 10h and 1Ah.
func namespaceList(title, source string) *Structure {
	return &Structure{
		Name: title, Title: title, Source: base21 + source, Bytes: 4096,
		Lists: []List{{Name: "NSID", Title: "Namespaces", Until: ZeroEntry, Entry: &Structure{
			Name: "Namespace List entry", Source: base21 + "Namespace List Format", Bytes: 4,
			Fields: []Field{{Name: "NSID", Title: "Namespace Identifier", Len: 4}},
		}}},
	}
}

// controllerList is CNS 12h and 13h.
func controllerList(title, source string) *Structure {
	return &Structure{
		Name: title, Title: title, Source: base21 + source, Bytes: 4096,
		Fields: []Field{{Name: "NUMID", Title: "Number of Identifiers", Len: 2}},
		Lists: []List{{Name: "CNTLID", Title: "Controllers", At: 2, Count: CountAt(0, 2), Entry: &Structure{
			Name: "Controller List entry", Source: base21 + "Controller List Format", Bytes: 2,
			Fields: []Field{{Name: "CNTLID", Title: "Controller Identifier", Len: 2}},
		}}},
	}
}

// namespaceDescriptors is CNS 03h.
func namespaceDescriptors() *Structure {
	return &Structure{
		Name: "Namespace Identification Descriptor List", Title: "Namespace Identification Descriptor list",
		Source: base21 + "Namespace Identification Descriptor List (CNS 03h)", Bytes: 4096,
		Lists: []List{{Name: "DESCRIPTOR", Title: "Descriptors", Entry: namespaceDescriptor(),
			Size:  func(rest []byte) int { return 4 + int(rest[1]) },
			Until: func(entry []byte) bool { return entry[0] == 0 && entry[1] == 0 }}},
	}
}

func namespaceDescriptor() *Structure {
	kinds := map[uint64]string{1: "EUI-64", 2: "NGUID", 3: "UUID", 4: "Command Set Identifier"}
	return &Structure{
		Name: "Namespace Identification Descriptor", Source: base21 + "Namespace Identification Descriptor List (CNS 03h)", Bytes: 4,
		Fields: []Field{
			{Name: "NIDT", Title: "Namespace Identifier Type", At: 0, Len: 1, Values: kinds},
			{Name: "NIDL", Title: "Namespace Identifier Length", At: 1, Len: 1, Unit: "bytes"},
		},
		Variant: func(b []byte) *Structure {
			length := map[byte]int{1: 8, 2: 16, 3: 16, 4: 1}[b[0]]
			if int(b[1]) != length {
				return nil
			}
			f := Field{Name: "NID", Title: "Namespace Identifier", Len: length, Kind: Hex}
			switch b[0] {
			case 3:
				f.Name = "UUID"
			case 4:
				f = Field{Name: "CSI", Title: "Command Set Identifier", Len: 1, Values: commandSets()}
			}
			return &Structure{Name: "Namespace Identifier", Source: base21 + "Namespace Identification Descriptor List (CNS 03h)", Bytes: length, Fields: []Field{f}}
		},
	}
}

// nvmSetList is CNS 04h.
func nvmSetList() *Structure {
	return &Structure{
		Name: "NVM Set List", Title: "NVM Set List", Source: base21 + "NVM Set List (CNS 04h)", Bytes: 4096,
		Fields: []Field{{Name: "NUMID", Title: "Number of Identifiers", Len: 1}},
		Lists: []List{{Name: "NVMSET", Title: "NVM Sets", At: 128, Count: CountAt(0, 1), Entry: &Structure{
			Name: "NVM Set Attributes Entry", Source: base21 + "NVM Set List (CNS 04h)", Bytes: 128,
			Fields: []Field{
				{Name: "NVMSETID", Title: "NVM Set Identifier", At: 0, Len: 2},
				{Name: "ENDGID", Title: "Endurance Group Identifier", At: 2, Len: 2},
				{Name: "RR4KT", Title: "Random 4 KiB Read Typical", At: 8, Len: 4, Scale: 100, Unit: "ns", Zero: NotReported},
				{Name: "OWS", Title: "Optimal Write Size", At: 12, Len: 4, Unit: "bytes", Zero: NotReported},
				{Name: "TNVMSETCAP", Title: "Total NVM Set Capacity", At: 16, Len: 16, Unit: "bytes"},
				{Name: "UNVMSETCAP", Title: "Unallocated NVM Set Capacity", At: 32, Len: 16, Unit: "bytes"},
			},
		}}},
	}
}

// primaryController is CNS 14h.
func primaryController() *Structure {
	return &Structure{
		Name: "Primary Controller Capabilities", Title: "Primary Controller Capabilities data structure",
		Source: base21 + "Primary Controller Capabilities Data Structure (CNS 14h)", Bytes: 4096,
		Fields: []Field{
			{Name: "CNTLID", Title: "Controller Identifier", At: 0, Len: 2},
			{Name: "PORTID", Title: "Port Identifier", At: 2, Len: 2},
			{Name: "CRT", Title: "Controller Resource Types", At: 4, Len: 1, Kind: Flags, Bits: flags("VQRST VQ Resources", "VIRST VI Resources")},
			{Name: "VQFRT", Title: "VQ Resources Flexible Total", At: 32, Len: 4},
			{Name: "VQRFA", Title: "VQ Resources Flexible Assigned", At: 36, Len: 4},
			{Name: "VQRFAP", Title: "VQ Resources Flexible Allocated to Primary", At: 40, Len: 2},
			{Name: "VQPRT", Title: "VQ Resources Private Total", At: 42, Len: 2},
			{Name: "VQFRSM", Title: "VQ Resources Flexible Secondary Maximum", At: 44, Len: 2},
			{Name: "VQGRAN", Title: "VQ Flexible Resource Preferred Granularity", At: 46, Len: 2},
			{Name: "VIFRT", Title: "VI Resources Flexible Total", At: 64, Len: 4},
			{Name: "VIRFA", Title: "VI Resources Flexible Assigned", At: 68, Len: 4},
			{Name: "VIRFAP", Title: "VI Resources Flexible Allocated to Primary", At: 72, Len: 2},
			{Name: "VIPRT", Title: "VI Resources Private Total", At: 74, Len: 2},
			{Name: "VIFRSM", Title: "VI Resources Flexible Secondary Maximum", At: 76, Len: 2},
			{Name: "VIGRAN", Title: "VI Flexible Resource Preferred Granularity", At: 78, Len: 2},
		},
	}
}

// secondaryControllers is CNS 15h.
func secondaryControllers() *Structure {
	return &Structure{
		Name: "Secondary Controller List", Title: "Secondary Controller List", Source: base21 + "Secondary Controller List (CNS 15h)", Bytes: 4096,
		Fields: []Field{{Name: "NUMID", Title: "Number of Identifiers", Len: 1}},
		Lists: []List{{Name: "SC", Title: "Secondary Controllers", At: 32, Count: CountAt(0, 1), Entry: &Structure{
			Name: "Secondary Controller Entry", Source: base21 + "Secondary Controller List (CNS 15h)", Bytes: 32,
			Fields: []Field{
				{Name: "SCID", Title: "Secondary Controller Identifier", At: 0, Len: 2},
				{Name: "PCID", Title: "Primary Controller Identifier", At: 2, Len: 2},
				{Name: "SCS", Title: "Secondary Controller State", At: 4, Len: 1, Kind: Flags, Bits: []Bits{
					{Low: 0, Name: "SCSTAT", Title: "State", Values: map[uint64]string{0: "offline", 1: "online"}}}},
				{Name: "VFN", Title: "Virtual Function Number", At: 8, Len: 2},
				{Name: "NVQ", Title: "Number of VQ Flexible Resources Assigned", At: 10, Len: 2},
				{Name: "NVI", Title: "Number of VI Flexible Resources Assigned", At: 12, Len: 2},
			},
		}}},
	}
}

// granularityList is CNS 16h.
func granularityList() *Structure {
	return &Structure{
		Name: "Namespace Granularity List", Title: "Namespace Granularity List", Source: nvmSet11 + "Namespace Granularity List (CNS 16h)", Bytes: 4096,
		Fields: []Field{
			{Name: "NGA", Title: "Namespace Granularity Attributes", At: 0, Len: 4, Kind: Flags, Bits: flags("GDV Each Descriptor Belongs to One LBA Format")},
			{Name: "NOD", Title: "Number of Descriptors", At: 4, Len: 1, Kind: ZeroBased},
		},
		Lists: []List{{Name: "NGD", Title: "Namespace Granularity Descriptors", At: 32, Index: "descriptor",
			Count: func(b []byte) int { return int(u(b, 4, 1)) + 1 }, Entry: &Structure{
				Name: "Namespace Granularity Descriptor", Source: nvmSet11 + "Namespace Granularity List (CNS 16h)", Bytes: 16,
				Fields: []Field{
					{Name: "NSZEGRAN", Title: "Namespace Size Granularity", At: 0, Len: 8, Unit: "bytes", Zero: NotReported},
					{Name: "NCAPGRAN", Title: "Namespace Capacity Granularity", At: 8, Len: 8, Unit: "bytes", Zero: NotReported},
				},
			}}},
	}
}

// uuidList is CNS 17h. The first entry is for the index 1.
func uuidList() *Structure {
	return &Structure{
		Name: "UUID List", Title: "UUID List", Source: base21 + "UUID List (CNS 17h)", Bytes: 4096,
		Lists: []List{{Name: "ENTRY", Title: "UUIDs", At: 32, Index: "entry", Until: func(e []byte) bool { return zero(e[16:]) },
			Label: func(_ []byte, i int) string { return fmt.Sprintf("index %d", i+1) }, Entry: &Structure{
				Name: "UUID List Entry", Source: base21 + "UUID List (CNS 17h)", Bytes: 32,
				Fields: []Field{
					{Name: "ULEH", Title: "UUID Lists Entry Header", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
						{High: 1, Low: 0, Name: "IDASSOC", Title: "Identifier Association", Values: map[uint64]string{
							0: "no association", 1: "PCI Vendor ID", 2: "PCI Subsystem Vendor ID"}}}},
					{Name: "UUID", Title: "UUID", At: 16, Len: 16, Kind: Hex},
				},
			}}},
	}
}

// domainList is CNS 18h.
func domainList() *Structure {
	return &Structure{
		Name: "Domain List", Title: "Domain List", Source: base21 + "Domain List (CNS 18h)", Bytes: 4096,
		Fields: []Field{{Name: "NUMDENT", Title: "Number of Domain Entries", Len: 1}},
		Lists: []List{{Name: "DOMAIN", Title: "Domains", At: 128, Count: CountAt(0, 1), Entry: &Structure{
			Name: "Domain Attributes Entry", Source: base21 + "Domain List (CNS 18h)", Bytes: 128,
			Fields: []Field{
				{Name: "DID", Title: "Domain Identifier", At: 0, Len: 2},
				{Name: "TDC", Title: "Total Domain Capacity", At: 16, Len: 16, Unit: "bytes"},
				{Name: "UDC", Title: "Unallocated Domain Capacity", At: 32, Len: 16, Unit: "bytes"},
				{Name: "MEGDC", Title: "Max Endurance Group Domain Capacity", At: 48, Len: 16, Unit: "bytes", Zero: NotReported},
			},
		}}},
	}
}

// enduranceGroupList is CNS 19h.
func enduranceGroupList() *Structure {
	return &Structure{
		Name: "Endurance Group List", Title: "Endurance Group List", Source: base21 + "Endurance Group List (CNS 19h)", Bytes: 4096,
		Fields: []Field{{Name: "NEGIDS", Title: "Number of Identifiers", Len: 2}},
		Lists: []List{{Name: "ENDGID", Title: "Endurance Groups", At: 2, Count: CountAt(0, 2), Entry: &Structure{
			Name: "Endurance Group List entry", Source: base21 + "Endurance Group List (CNS 19h)", Bytes: 2,
			Fields: []Field{{Name: "ENDGID", Title: "Endurance Group Identifier", Len: 2}},
		}}},
	}
}

// commandSetCombinations is CNS 1Ch.
func commandSetCombinations() *Structure {
	return &Structure{
		Name: "I/O Command Set", Title: "I/O Command Set data structure", Source: base21 + "I/O Command Set Data Structure (CNS 1Ch)", Bytes: 4096,
		Lists: []List{{Name: "IOCSC", Title: "I/O Command Set Combinations", Index: "combination", Until: ZeroEntry, Entry: &Structure{
			Name: "I/O Command Set Vector", Source: base21 + "I/O Command Set Data Structure (CNS 1Ch)", Bytes: 8,
			Fields: []Field{{Name: "IOCSV", Title: "I/O Command Set Vector", Len: 8, Kind: Flags, Bits: flags(
				"NVMCS NVM Command Set", "KVCS Key Value Command Set", "ZNSCS Zoned Namespace Command Set",
				"SLMCS Subsystem Local Memory Command Set", "CPNCS Computational Programs Command Set")}},
		}}},
	}
}

// controllerStateFormats is CNS 20h: two lists, one behind the other.
func controllerStateFormats() *Structure {
	const source = base21 + "Supported Controller State Formats (CNS 20h)"
	return &Structure{
		Name: "Supported Controller State Formats", Title: "Supported Controller State Formats data structure", Source: source, Bytes: 4096,
		Fields: []Field{
			{Name: "NV", Title: "Number of Versions", At: 0, Len: 1, Since: "2.1"},
			{Name: "NUUID", Title: "Number of UUIDs", At: 1, Len: 1, Since: "2.1"},
		},
		Lists: []List{
			{Name: "CSV", Title: "NVMe Controller State Versions", At: 2, Count: CountAt(0, 1), Entry: &Structure{
				Name: "NVMe Controller State Version", Source: source, Bytes: 2,
				Fields: []Field{{Name: "CSV", Title: "NVMe Controller State Version", Len: 2}},
			}},
			{Name: "CSUUID", Title: "Vendor Specific Controller States", Start: func(b []byte) int { return 2 + 2*int(u(b, 0, 1)) }, Count: CountAt(1, 1), Entry: &Structure{
				Name: "Vendor Specific Controller State", Source: source, Bytes: 16,
				Fields: []Field{{Name: "UUID", Title: "Vendor Specific Controller State UUID Supported", Len: 16, Kind: Hex}},
			}},
		},
	}
}
