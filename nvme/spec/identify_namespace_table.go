package spec

// identifyNamespace is CNS 00h, and CNS 09h and 11h.
func identifyNamespace() *Structure {
	return &Structure{
		Name: "Identify Namespace", Title: "Identify Namespace data structure, NVM Command Set",
		Source: nvmSet11 + "NVM Command Set Identify Namespace Data Structure (CNS 00h)", Bytes: 4096,
		Fields: concat(namespaceSizes(), namespaceFormat(), namespaceUnits(), namespaceIdentifiers()),
		Lists:  []List{{Name: "LBAF", Title: "LBA Formats", At: 128, Entry: lbaFormat(), Index: "lbaf", Count: formatCount, Label: formatLabel}},
	}
}

func namespaceSizes() []Field {
	return []Field{
		{Name: "NSZE", Title: "Namespace Size", At: 0, Len: 8, Unit: "blocks", Note: blocks(0)},
		{Name: "NCAP", Title: "Namespace Capacity", At: 8, Len: 8, Unit: "blocks", Note: blocks(8)},
		{Name: "NUSE", Title: "Namespace Utilization", At: 16, Len: 8, Unit: "blocks", Note: blocks(16)},
		{Name: "NSFEAT", Title: "Namespace Features", At: 24, Len: 1, Kind: Flags, Bits: []Bits{
			{Low: 0, Name: "THINP", Title: "Thin Provisioning"},
			{Low: 1, Name: "NSABP", Title: "Atomic Write Units of the Namespace Are Defined"},
			{Low: 2, Name: "DAE", Title: "Deallocated or Unwritten Logical Block Error"},
			{Low: 3, Name: "UIDREUSE", Title: "Identifiers Are Never Reused"},
			{High: 5, Low: 4, Name: "OPTPERF", Title: "Optional Write Performance Attributes", Values: map[uint64]string{
				0: "not defined", 1: "NPWG, NPWA, NPDG, NPDA and NOWS are defined", 2: "NPWG, NPWA, NPDGL, NPDAL and NOWS are defined", 3: "NPWG, NPWA, NPDG, NPDA, NPDGL, NPDAL and NOWS are defined"}},
			{Low: 6, Name: "MAM", Title: "Multiple Atomicity Mode"},
			{Low: 7, Name: "OPTRPERF", Title: "Optional Read Performance Attributes Are Defined"},
		}},
		{Name: "NLBAF", Title: "Number of LBA Formats", At: 25, Len: 1, Kind: ZeroBased, Unit: "formats"},
	}
}

func namespaceFormat() []Field {
	return []Field{
		{Name: "FLBAS", Title: "Formatted LBA Size", At: 26, Len: 1, Kind: Flags, Bits: []Bits{
			{High: 3, Low: 0, Name: "FIDXL", Title: "Format Index, lower bits"},
			{Low: 4, Name: "MTELBA", Title: "Metadata at the End of Each Logical Block"},
			{High: 6, Low: 5, Name: "FIDXU", Title: "Format Index, upper bits"},
		}},
		{Name: "MC", Title: "Metadata Capabilities", At: 27, Len: 1, Kind: Flags,
			Bits: flags("MTELBAS Metadata at the End of Each Logical Block", "MTSBS Metadata in a Separate Buffer")},
		{Name: "DPC", Title: "End-to-end Data Protection Capabilities", At: 28, Len: 1, Kind: Flags, Bits: flags(
			"T1S Protection Information Type 1", "T2S Protection Information Type 2", "T3S Protection Information Type 3",
			"PIFB Protection Information in the First Bytes", "PILB Protection Information in the Last Bytes")},
		{Name: "DPS", Title: "End-to-end Data Protection Type Settings", At: 29, Len: 1, Kind: Flags, Zero: "no protection information", Bits: []Bits{
			{High: 2, Low: 0, Name: "PIT", Title: "Protection Information Type", Values: map[uint64]string{0: "not enabled", 1: "type 1", 2: "type 2", 3: "type 3"}},
			{Low: 3, Name: "PIP", Title: "Protection Information in the First Bytes"},
		}},
		{Name: "NMIC", Title: "Namespace Multi-path I/O and Namespace Sharing Capabilities", At: 30, Len: 1, Kind: Flags, Bits: sharing()},
		{Name: "RESCAP", Title: "Reservation Capabilities", At: 31, Len: 1, Kind: Flags, Bits: reservations()},
		{Name: "FPI", Title: "Format Progress Indicator", At: 32, Len: 1, Kind: Flags, Bits: formatProgress()},
		{Name: "DLFEAT", Title: "Deallocate Logical Block Features", At: 33, Len: 1, Kind: Flags, Bits: []Bits{
			{High: 2, Low: 0, Name: "DRB", Title: "Deallocated Blocks Read as", Values: map[uint64]string{0: NotReported, 1: "00h", 2: "FFh"}},
			{Low: 3, Name: "WZDS", Title: "Deallocate in Write Zeroes"},
			{Low: 4, Name: "GDS", Title: "Guard of Deallocated Blocks Is the CRC"},
		}},
	}
}

func sharing() []Bits {
	return flags("SHRNS Shared Namespace", "DISNS Dispersed Namespace")
}

func reservations() []Bits {
	return flags("PTPLS Persist Through Power Loss", "WES Write Exclusive", "EAS Exclusive Access", "WEROS Write Exclusive - Registrants Only",
		"EAROS Exclusive Access - Registrants Only", "WEARS Write Exclusive - All Registrants", "EAARS Exclusive Access - All Registrants",
		"IEKEY Ignore Existing Key as of Revision 1.3")
}

func formatProgress() []Bits {
	return []Bits{
		{High: 6, Low: 0, Name: "PRCTR", Title: "Remaining", Unit: "percent"},
		{Low: 7, Name: "FPII", Title: "Format Progress Indicator"},
	}
}

func namespaceUnits() []Field {
	return []Field{
		{Name: "NAWUN", Title: "Namespace Atomic Write Unit Normal", At: 34, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "NAWUPF", Title: "Namespace Atomic Write Unit Power Fail", At: 36, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "NACWU", Title: "Namespace Atomic Compare & Write Unit", At: 38, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "NABSN", Title: "Namespace Atomic Boundary Size Normal", At: 40, Len: 2, Kind: ZeroBased, Unit: "blocks", Zero: "no boundary"},
		{Name: "NABO", Title: "Namespace Atomic Boundary Offset", At: 42, Len: 2, Unit: "blocks"},
		{Name: "NABSPF", Title: "Namespace Atomic Boundary Size Power Fail", At: 44, Len: 2, Kind: ZeroBased, Unit: "blocks", Zero: "no boundary"},
		{Name: "NOIOB", Title: "Namespace Optimal I/O Boundary", At: 46, Len: 2, Unit: "blocks", Zero: NotReported},
		{Name: "NVMCAP", Title: "NVM Capacity", At: 48, Len: 16, Unit: "bytes", Zero: NotReported},
		{Name: "NPWG", Title: "Namespace Preferred Write Granularity", At: 64, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "NPWA", Title: "Namespace Preferred Write Alignment", At: 66, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "NPDG", Title: "Namespace Preferred Deallocate Granularity", At: 68, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "NPDA", Title: "Namespace Preferred Deallocate Alignment", At: 70, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "NOWS", Title: "Namespace Optimal Write Size", At: 72, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "MSSRL", Title: "Maximum Single Source Range Length", At: 74, Len: 2, Unit: "blocks"},
		{Name: "MCL", Title: "Maximum Copy Length", At: 76, Len: 4, Unit: "blocks"},
		{Name: "MSRC", Title: "Maximum Source Range Count", At: 80, Len: 1, Kind: ZeroBased, Unit: "ranges"},
		{Name: "KPIOS", Title: "Key Per I/O Status", At: 81, Len: 1, Kind: Flags, Since: "2.1", Bits: keyPerIO()},
		{Name: "NULBAF", Title: "Number of Unique Attribute LBA Formats", At: 82, Len: 1, Since: "2.0"},
		{Name: "KPIODAAG", Title: "Key Per I/O Data Access Alignment and Granularity", At: 84, Len: 4, Unit: "blocks", Since: "2.1"},
	}
}

func keyPerIO() []Bits {
	return flags("KPIOENS Key Per I/O Enabled in the Namespace", "KPIOSNS Key Per I/O in the Namespace")
}

func namespaceIdentifiers() []Field {
	return []Field{
		{Name: "ANAGRPID", Title: "ANA Group Identifier", At: 92, Len: 4},
		{Name: "NSATTR", Title: "Namespace Attributes", At: 99, Len: 1, Kind: Flags, Bits: flags("CWP Currently Write Protected")},
		{Name: "NVMSETID", Title: "NVM Set Identifier", At: 100, Len: 2},
		{Name: "ENDGID", Title: "Endurance Group Identifier", At: 102, Len: 2},
		{Name: "NGUID", Title: "Namespace Globally Unique Identifier", At: 104, Len: 16, Kind: Hex},
		{Name: "EUI64", Title: "IEEE Extended Unique Identifier", At: 120, Len: 8, Kind: Hex},
		{Name: "VS", Title: "Vendor Specific", At: 384, Len: 3712, Kind: Hex},
	}
}

func lbaFormat() *Structure {
	return &Structure{
		Name: "LBA Format", Source: nvmSet11 + "LBA Format Data Structure, NVM Command Set Specific", Bytes: 4,
		Fields: []Field{
			{Name: "MS", Title: "Metadata Size", At: 0, Len: 2, Unit: "bytes"},
			{Name: "LBADS", Title: "LBA Data Size", At: 2, Len: 1, Kind: PowerOfTwo, Unit: "bytes", Zero: "not available"},
			{Name: "RPF", Title: "Relative Performance", At: 3, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 1, Low: 0, Name: "RP", Title: "Relative Performance", Values: map[uint64]string{0: "best", 1: "better", 2: "good", 3: "degraded"}},
			}},
		},
	}
}

// identifyIndependent is CNS 08h and 1Fh.
func identifyIndependent() *Structure {
	return &Structure{
		Name: "I/O Command Set Independent Identify Namespace", Title: "I/O Command Set Independent Identify Namespace data structure",
		Source: base21 + "I/O Command Set Independent Identify Namespace Data Structure (CNS 08h)", Bytes: 4096,
		Fields: []Field{
			{Name: "NSFEAT", Title: "Common Namespace Features", At: 0, Len: 1, Kind: Flags, Bits: flags(
				"", "", "", "UIDREUSE Identifiers Are Never Reused", "RMEDIA Rotational Media", "VWCNP Volatile Write Cache Not Present")},
			{Name: "NMIC", Title: "Namespace Multi-path I/O and Namespace Sharing Capabilities", At: 1, Len: 1, Kind: Flags, Bits: sharing()},
			{Name: "RESCAP", Title: "Reservation Capabilities", At: 2, Len: 1, Kind: Flags, Bits: reservations()},
			{Name: "FPI", Title: "Format Progress Indicator", At: 3, Len: 1, Kind: Flags, Bits: formatProgress()},
			{Name: "ANAGRPID", Title: "ANA Group Identifier", At: 4, Len: 4},
			{Name: "NSATTR", Title: "Namespace Attributes", At: 8, Len: 1, Kind: Flags, Bits: flags("CWP Currently Write Protected")},
			{Name: "NVMSETID", Title: "NVM Set Identifier", At: 10, Len: 2},
			{Name: "ENDGID", Title: "Endurance Group Identifier", At: 12, Len: 2},
			{Name: "NSTAT", Title: "Namespace Status", At: 14, Len: 1, Kind: Flags, Bits: flags("NRDY Namespace Ready")},
			{Name: "KPIOS", Title: "Key Per I/O Status", At: 15, Len: 1, Kind: Flags, Since: "2.1", Bits: keyPerIO()},
			{Name: "MAXKT", Title: "Maximum Key Tag", At: 16, Len: 2, Since: "2.1"},
			{Name: "RGRPID", Title: "Reachability Group Identifier", At: 20, Len: 4, Since: "2.1"},
		},
	}
}
