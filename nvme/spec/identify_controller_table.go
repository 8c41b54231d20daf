package spec

// identifyController is CNS 01h. Fields of revision 2.3 are here too where drives
// are known to have them.
func identifyController() *Structure {
	return &Structure{
		Name: "Identify Controller", Title: "Identify Controller data structure",
		Source: base21 + "Identify Controller Data Structure (CNS 01h)", Bytes: 4096,
		Fields: concat(controllerCapabilities(), controllerAdmin(), controllerMore(), controllerIO(), controllerFabrics(), []Field{
			{Name: "VS", Title: "Vendor Specific", At: 3072, Len: 1024, Kind: Hex},
		}),
		Lists: []List{{
			Name: "PSD", Title: "Power State Descriptors", At: 2048, Entry: powerState(), Index: "ps",
			Count: func(b []byte) int { return min(int(u(b, 263, 1))+1, 32) },
		}},
	}
}

// controllerCapabilities are bytes 0 to 255: Controller Capabilities and Features.
func controllerCapabilities() []Field {
	return []Field{
		{Name: "VID", Title: "PCI Vendor ID", At: 0, Len: 2, Kind: Flags},
		{Name: "SSVID", Title: "PCI Subsystem Vendor ID", At: 2, Len: 2, Kind: Flags},
		{Name: "SN", Title: "Serial Number", At: 4, Len: 20, Kind: Text},
		{Name: "MN", Title: "Model Number", At: 24, Len: 40, Kind: Text},
		{Name: "FR", Title: "Firmware Revision", At: 64, Len: 8, Kind: Text},
		{Name: "RAB", Title: "Recommended Arbitration Burst", At: 72, Len: 1, Kind: PowerOfTwo, Unit: "commands"},
		{Name: "IEEE", Title: "IEEE OUI Identifier", At: 73, Len: 3, Kind: OUI},
		{Name: "CMIC", Title: "Controller Multi-Path I/O and Namespace Sharing Capabilities", At: 76, Len: 1, Kind: Flags, Bits: []Bits{
			{Low: 0, Name: "MPORTS", Title: "More Than One Port"},
			{Low: 1, Name: "MCTRS", Title: "More Than One Controller"},
			{Low: 2, Name: "FT", Title: "Controller Is an SR-IOV Virtual Function"},
			{Low: 3, Name: "ANARS", Title: "Asymmetric Namespace Access Reporting"},
		}},
		{Name: "MDTS", Title: "Maximum Data Transfer Size, for memory pages of 4 KiB", At: 77, Len: 1, Kind: PowerOfTwo, Scale: 4096, Unit: "bytes", Zero: "no limit"},
		{Name: "CNTLID", Title: "Controller ID", At: 78, Len: 2},
		{Name: "VER", Title: "Version", At: 80, Len: 4, Kind: Flags, Zero: "older than 1.2", Note: version(80)},
		{Name: "RTD3R", Title: "RTD3 Resume Latency", At: 84, Len: 4, Unit: "us", Zero: NotReported},
		{Name: "RTD3E", Title: "RTD3 Entry Latency", At: 88, Len: 4, Unit: "us", Zero: NotReported},
		{Name: "OAES", Title: "Optional Asynchronous Events Supported", At: 92, Len: 4, Kind: Flags, Bits: []Bits{
			{Low: 8, Name: "NSAN", Title: "Attached Namespace Attribute Notices"},
			{Low: 9, Name: "FAN", Title: "Firmware Activation Notices"},
			{Low: 11, Name: "ANACN", Title: "Asymmetric Namespace Access Change Notices"},
			{Low: 12, Name: "PLEAN", Title: "Predictable Latency Event Aggregate Log Change Notices"},
			{Low: 13, Name: "LSIAN", Title: "LBA Status Information Alert Notices"},
			{Low: 14, Name: "EGEAN", Title: "Endurance Group Event Aggregate Log Change Notices"},
			{Low: 15, Name: "NNSS", Title: "Normal NVM Subsystem Shutdown"},
			{Low: 16, Name: "TTHRY", Title: "Temperature Threshold Hysteresis Recovery"},
			{Low: 17, Name: "RGCNS", Title: "Reachability Groups Change Notices"},
			{Low: 19, Name: "ANSAN", Title: "Allocated Namespace Attribute Notices"},
			{Low: 27, Name: "ZDCN", Title: "Zone Descriptor Changed Notices"},
			{Low: 31, Name: "DLPCN", Title: "Discovery Log Page Change Notification"},
		}},
		{Name: "CTRATT", Title: "Controller Attributes", At: 96, Len: 4, Kind: Flags, Bits: flags(
			"HIDS Host Identifier of 128 Bits", "NOPSPM Non-Operational Power State Permissive Mode", "NSETS NVM Sets", "RRLVLS Read Recovery Levels",
			"EGS Endurance Groups", "PLM Predictable Latency Mode", "TBKAS Traffic Based Keep Alive", "NG Namespace Granularity",
			"SQA SQ Associations", "ULIST UUID List", "MDS Multi-Domain Subsystem", "FCM Fixed Capacity Management",
			"VCM Variable Capacity Management", "DEG Delete Endurance Group", "DNVMS Delete NVM Set", "ELBAS Extended LBA Formats",
			"MEM MDTS and Size Limits Exclude Metadata", "HMBR HMB Restrict Non-Operational Power State Access", "RHII Reservations and Host Identifier Interaction", "FDPS Flexible Data Placement",
			"PLS Power Limit", "PMS Power Measurement")},
		{Name: "RRLS", Title: "Read Recovery Levels Supported", At: 100, Len: 2, Kind: Flags, Bits: flags(
			"RRL0 level 0", "RRL1 level 1", "RRL2 level 2", "RRL3 level 3", "RRL4 level 4 (default)", "RRL5 level 5", "RRL6 level 6", "RRL7 level 7",
			"RRL8 level 8", "RRL9 level 9", "RRL10 level 10", "RRL11 level 11", "RRL12 level 12", "RRL13 level 13", "RRL14 level 14", "RRL15 level 15 (fast fail)")},
		{Name: "BPCAP", Title: "Boot Partition Capabilities", At: 102, Len: 1, Kind: Flags, Zero: "not specified", Since: "2.1", Bits: []Bits{
			{High: 1, Low: 0, Name: "RPMBBPWPS", Title: "RPMB Boot Partition Write Protection", Values: map[uint64]string{0: "not specified", 1: "not supported", 2: "supported"}},
			{Low: 2, Name: "SFBPWPS", Title: "Set Features Boot Partition Write Protection"},
		}},
		{Name: "NSSL", Title: "NVM Subsystem Shutdown Latency", At: 104, Len: 4, Unit: "us", Zero: NotReported, Since: "2.1"},
		{Name: "PLSI", Title: "Power Loss Signaling Information", At: 110, Len: 1, Kind: Flags, Since: "2.1",
			Bits: flags("PLSEPF PLS Emergency Power Fail", "PLSFQ PLS Forced Quiescence")},
		{Name: "CNTRLTYPE", Title: "Controller Type", At: 111, Len: 1, Zero: NotReported, Values: map[uint64]string{1: "I/O controller", 2: "Discovery controller", 3: "Administrative controller"}},
		{Name: "FGUID", Title: "FRU Globally Unique Identifier", At: 112, Len: 16, Kind: Hex},
		{Name: "CRDT1", Title: "Command Retry Delay Time 1", At: 128, Len: 2, Scale: 100, Unit: "ms"},
		{Name: "CRDT2", Title: "Command Retry Delay Time 2", At: 130, Len: 2, Scale: 100, Unit: "ms"},
		{Name: "CRDT3", Title: "Command Retry Delay Time 3", At: 132, Len: 2, Scale: 100, Unit: "ms"},
		{Name: "CRCAP", Title: "Controller Reachability Capabilities", At: 134, Len: 1, Kind: Flags, Since: "2.1",
			Bits: flags("RRSUP Reachability Reporting", "RGIDC Reachability Group ID Changeable")},
		{Name: "NVMSR", Title: "NVM Subsystem Report", At: 253, Len: 1, Kind: Flags,
			Bits: flags("NVMESD NVMe Storage Device", "NVMEE NVMe Enclosure")},
		{Name: "VWCI", Title: "VPD Write Cycle Information", At: 254, Len: 1, Kind: Flags, Bits: []Bits{
			{High: 6, Low: 0, Name: "VWCR", Title: "VPD Write Cycles Remaining"},
			{Low: 7, Name: "VWCRV", Title: "VPD Write Cycles Remaining Valid"},
		}},
		{Name: "MEC", Title: "Management Endpoint Capabilities", At: 255, Len: 1, Kind: Flags,
			Bits: flags("TWPME 2-Wire Port Management Endpoint", "PCIEME PCIe Port Management Endpoint")},
	}
}

// controllerAdmin are bytes 256 to 331: Admin Command Set Attributes.
func controllerAdmin() []Field {
	return []Field{
		{Name: "OACS", Title: "Optional Admin Command Support", At: 256, Len: 2, Kind: Flags, Bits: flags(
			"SSRS Security Send and Receive", "FNVMS Format NVM", "FWDS Firmware Download and Commit", "NMS Namespace Management",
			"DSTS Device Self-test", "DIRS Directives", "NSRS NVMe-MI Send and Receive", "VMS Virtualization Management",
			"DBCS Doorbell Buffer Config", "GLSS Get LBA Status", "CFLS Command and Feature Lockdown", "HMLMS Host Managed Live Migration")},
		{Name: "ACL", Title: "Abort Command Limit", At: 258, Len: 1, Kind: ZeroBased, Unit: "commands"},
		{Name: "AERL", Title: "Asynchronous Event Request Limit", At: 259, Len: 1, Kind: ZeroBased, Unit: "commands"},
		{Name: "FRMW", Title: "Firmware Updates", At: 260, Len: 1, Kind: Flags, Bits: []Bits{
			{Low: 0, Name: "FFSRO", Title: "First Firmware Slot Read Only"},
			{High: 3, Low: 1, Name: "NOFS", Title: "Number Of Firmware Slots"},
			{Low: 4, Name: "FAWR", Title: "Firmware Activation Without Reset"},
			{Low: 5, Name: "SMUD", Title: "Support Multiple Update Detection"},
		}},
		{Name: "LPA", Title: "Log Page Attributes", At: 261, Len: 1, Kind: Flags, Bits: flags(
			"SMARTS SMART / Health Log of Each Namespace", "CSES Commands Supported and Effects Log", "LPEDS Log Page Extended Data", "TS Telemetry Logs",
			"PES Persistent Event Log", "MLPS Supported Log Pages and Effects Logs of Features and NVMe-MI", "DA4S Telemetry Data Area 4")},
		{Name: "ELPE", Title: "Error Log Page Entries", At: 262, Len: 1, Kind: ZeroBased, Unit: "entries"},
		{Name: "NPSS", Title: "Number of Power States Support", At: 263, Len: 1, Kind: ZeroBased, Unit: "states"},
		{Name: "AVSCC", Title: "Admin Vendor Specific Command Configuration", At: 264, Len: 1, Kind: Flags,
			Bits: flags("AVSCF Vendor Specific Commands Use the Format of the Specification")},
		{Name: "APSTA", Title: "Autonomous Power State Transition Attributes", At: 265, Len: 1, Kind: Flags,
			Bits: flags("APSTS Autonomous Power State Transitions")},
		{Name: "WCTEMP", Title: "Warning Composite Temperature Threshold", At: 266, Len: 2, Unit: "kelvin", Zero: NotReported},
		{Name: "CCTEMP", Title: "Critical Composite Temperature Threshold", At: 268, Len: 2, Unit: "kelvin", Zero: NotReported},
		{Name: "MTFA", Title: "Maximum Time for Firmware Activation", At: 270, Len: 2, Scale: 100, Unit: "ms", Zero: NotReported},
		{Name: "HMPRE", Title: "Host Memory Buffer Preferred Size", At: 272, Len: 4, Scale: 4096, Unit: "bytes", Zero: "no host memory buffer"},
		{Name: "HMMIN", Title: "Host Memory Buffer Minimum Size", At: 276, Len: 4, Scale: 4096, Unit: "bytes"},
		{Name: "TNVMCAP", Title: "Total NVM Capacity", At: 280, Len: 16, Unit: "bytes", Zero: NotReported},
		{Name: "UNVMCAP", Title: "Unallocated NVM Capacity", At: 296, Len: 16, Unit: "bytes"},
		{Name: "RPMBS", Title: "Replay Protected Memory Block Support", At: 312, Len: 4, Kind: Flags, Zero: "not supported", Bits: []Bits{
			{High: 2, Low: 0, Name: "NRPMBU", Title: "Number of RPMB Units"},
			{High: 5, Low: 3, Name: "AUTHM", Title: "Authentication Method", Values: map[uint64]string{0: "HMAC SHA-256"}},
			{High: 23, Low: 16, Name: "TSZ", Title: "Total Size", Kind: ZeroBased, Scale: 131072, Unit: "bytes"},
			{High: 31, Low: 24, Name: "ASZ", Title: "Access Size", Kind: ZeroBased, Scale: 512, Unit: "bytes"},
		}},
		{Name: "EDSTT", Title: "Extended Device Self-test Time", At: 316, Len: 2, Unit: "minutes"},
		{Name: "DSTO", Title: "Device Self-test Options", At: 318, Len: 1, Kind: Flags,
			Bits: flags("SDSO One Self-test at a Time in the Subsystem", "HIRS Host-Initiated Refresh")},
		{Name: "FWUG", Title: "Firmware Update Granularity", At: 319, Len: 1, Scale: 4096, Unit: "bytes", Zero: NotReported, Ones: "no restriction"},
		{Name: "KAS", Title: "Keep Alive Support: granularity of the timer", At: 320, Len: 2, Scale: 100, Unit: "ms", Zero: "not supported"},
		{Name: "HCTMA", Title: "Host Controlled Thermal Management Attributes", At: 322, Len: 2, Kind: Flags,
			Bits: flags("HCTMS Host Controlled Thermal Management")},
		{Name: "MNTMT", Title: "Minimum Thermal Management Temperature", At: 324, Len: 2, Unit: "kelvin", Zero: NotReported},
		{Name: "MXTMT", Title: "Maximum Thermal Management Temperature", At: 326, Len: 2, Unit: "kelvin", Zero: NotReported},
		{Name: "SANICAP", Title: "Sanitize Capabilities", At: 328, Len: 4, Kind: Flags, Zero: "not supported", Bits: []Bits{
			{Low: 0, Name: "CES", Title: "Crypto Erase"},
			{Low: 1, Name: "BES", Title: "Block Erase"},
			{Low: 2, Name: "OWS", Title: "Overwrite"},
			{Low: 3, Name: "VERS", Title: "Verification"},
			{Low: 29, Name: "NDI", Title: "No-Deallocate Inhibited"},
			{High: 31, Low: 30, Name: "NODMMAS", Title: "No-Deallocate Modifies Media After Sanitize", Values: map[uint64]string{
				0: "not defined", 1: "media are not modified after the operation", 2: "media are modified after the operation"}},
		}},
	}
}

// controllerMore are bytes 332 to 511.
func controllerMore() []Field {
	return []Field{
		{Name: "HMMINDS", Title: "Host Memory Buffer Minimum Descriptor Entry Size", At: 332, Len: 4, Scale: 4096, Unit: "bytes", Zero: "no limit"},
		{Name: "HMMAXD", Title: "Host Memory Maximum Descriptors Entries", At: 336, Len: 2, Zero: "no limit"},
		{Name: "NSETIDMAX", Title: "NVM Set Identifier Maximum", At: 338, Len: 2},
		{Name: "ENDGIDMAX", Title: "Endurance Group Identifier Maximum", At: 340, Len: 2},
		{Name: "ANATT", Title: "ANA Transition Time", At: 342, Len: 1, Unit: "s"},
		{Name: "ANACAP", Title: "Asymmetric Namespace Access Capabilities", At: 343, Len: 1, Kind: Flags, Bits: flags(
			"ANAOS ANA Optimized State", "ANANOS ANA Non-Optimized State", "ANAIS ANA Inaccessible State", "ANAPLS ANA Persistent Loss State",
			"ANACS ANA Change State", "", "ANAGIDSA ANAGRPID Does Not Change While Attached", "ANAGIDN ANAGRPID in Namespace Management")},
		{Name: "ANAGRPMAX", Title: "ANA Group Identifier Maximum", At: 344, Len: 4},
		{Name: "NANAGRPID", Title: "Number of ANA Group Identifiers", At: 348, Len: 4},
		{Name: "PELS", Title: "Persistent Event Log Size", At: 352, Len: 4, Scale: 65536, Unit: "bytes"},
		{Name: "DID", Title: "Domain Identifier", At: 356, Len: 2, Since: "2.0"},
		{Name: "KPIOC", Title: "Key Per I/O Capabilities", At: 358, Len: 1, Kind: Flags, Since: "2.1",
			Bits: flags("KPIOS Key Per I/O", "KPIOSC Key Per I/O on All Namespaces")},
		{Name: "MPTFAWR", Title: "Maximum Processing Time for Firmware Activation Without Reset", At: 360, Len: 2, Scale: 100, Unit: "ms", Zero: NotReported, Since: "2.1"},
		{Name: "MEGCAP", Title: "Max Endurance Group Capacity", At: 368, Len: 16, Unit: "bytes", Zero: NotReported, Since: "2.0"},
		{Name: "TMPTHHA", Title: "Temperature Threshold Hysteresis Attributes", At: 384, Len: 1, Kind: Flags, Since: "2.1", Bits: []Bits{
			{High: 2, Low: 0, Name: "TMPTHMH", Title: "Temperature Threshold Maximum Hysteresis", Unit: "k"},
		}},
		{Name: "CQT", Title: "Command Quiesce Time", At: 386, Len: 2, Unit: "ms", Zero: NotReported, Since: "2.1"},
		{Name: "CDPA", Title: "Configurable Device Personality Attributes", At: 388, Len: 2, Kind: Flags, Since: "2.3",
			Bits: flags("HMAC384 HMAC-SHA-384")},
		{Name: "MUP", Title: "Maximum Unlimited Power, in the scale of MUPS", At: 390, Len: 2, Since: "2.3"},
		{Name: "IPMSR", Title: "Interval Power Measurement Sample Rate", At: 392, Len: 2, Kind: Flags, Since: "2.3", Bits: []Bits{
			{High: 7, Low: 0, Name: "SRV", Title: "Sample Rate Value"},
			{High: 15, Low: 8, Name: "SRS", Title: "Sample Rate Scale"},
		}},
		{Name: "MSMT", Title: "Maximum Stop Measurement Time", At: 394, Len: 2, Unit: "minutes", Zero: NotReported, Since: "2.3"},
	}
}

// controllerIO are bytes 512 to 1023: NVM Command Set Attributes.
func controllerIO() []Field {
	return []Field{
		{Name: "SQES", Title: "Submission Queue Entry Size", At: 512, Len: 1, Kind: Flags, Bits: entrySizes()},
		{Name: "CQES", Title: "Completion Queue Entry Size", At: 513, Len: 1, Kind: Flags, Bits: entrySizes()},
		{Name: "MAXCMD", Title: "Maximum Outstanding Commands", At: 514, Len: 2, Zero: NotReported},
		{Name: "NN", Title: "Number of Namespaces: greatest valid NSID", At: 516, Len: 4},
		{Name: "ONCS", Title: "Optional NVM Command Support", At: 520, Len: 2, Kind: Flags, Bits: flags(
			"NVMCMPS Compare", "NVMWUSV Write Uncorrectable", "NVMDSMSV Dataset Management", "NVMWZSV Write Zeroes",
			"SSFS Save and Select Feature", "RESERVS Reservations", "TSS Timestamp", "NVMVFYS Verify",
			"NVMCPYS Copy", "NVMCSA NVM Copy Single Atomicity", "NVMAFC NVM All Fast Copy", "MAXWZD Maximum Write Zeroes with Deallocate", "NSZS Namespace Zeroes")},
		{Name: "FUSES", Title: "Fused Operation Support", At: 522, Len: 2, Kind: Flags, Bits: flags("FCWS Fused Compare and Write")},
		{Name: "FNA", Title: "Format NVM Attributes", At: 524, Len: 1, Kind: Flags, Bits: flags(
			"FNS A Format Is One of All Namespaces", "SENS A Secure Erase Is One of All Namespaces", "CRYES Cryptographic Erase", "BCNSID The Broadcast NSID Is Not Taken")},
		{Name: "VWC", Title: "Volatile Write Cache", At: 525, Len: 1, Kind: Flags, Bits: []Bits{
			{Low: 0, Name: "VWCP", Title: "Volatile Write Cache Present"},
			{High: 2, Low: 1, Name: "FB", Title: "Flush Behavior", Values: map[uint64]string{
				0: "not indicated", 2: "the broadcast NSID is not taken", 3: "the broadcast NSID flushes all namespaces"}},
		}},
		{Name: "AWUN", Title: "Atomic Write Unit Normal", At: 526, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "AWUPF", Title: "Atomic Write Unit Power Fail", At: 528, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "ICSVSCC", Title: "I/O Command Set Vendor Specific Command Configuration", At: 530, Len: 1, Kind: Flags,
			Bits: flags("SNVSCF Vendor Specific Commands Use the Format of the Specification")},
		{Name: "NWPC", Title: "Namespace Write Protection Capabilities", At: 531, Len: 1, Kind: Flags, Bits: flags(
			"NWPWPS Write Protect", "WPUPCS Write Protect Until Power Cycle", "PWPS Permanent Write Protect")},
		{Name: "ACWU", Title: "Atomic Compare & Write Unit", At: 532, Len: 2, Kind: ZeroBased, Unit: "blocks"},
		{Name: "CDFS", Title: "Copy Descriptor Formats Supported", At: 534, Len: 2, Kind: Flags, Since: "2.0",
			Bits: flags("CDF0S Format 0", "CDF1S Format 1", "CDF2S Format 2", "CDF3S Format 3", "CDF4S Format 4")},
		{Name: "SGLS", Title: "SGL Support", At: 536, Len: 4, Kind: Flags, Zero: "not supported", Bits: []Bits{
			{High: 1, Low: 0, Name: "NSGLS", Title: "NVM SGL Support", Values: map[uint64]string{
				0: "not supported", 1: "supported, no alignment needed", 2: "supported, dword alignment needed"}},
			{Low: 2, Name: "KSDBDS", Title: "Keyed SGL Data Block Descriptor"},
			{High: 15, Low: 8, Name: "SDT", Title: "SGL Descriptor Threshold"},
			{Low: 16, Name: "SBBDS", Title: "SGL Bit Bucket Descriptor"},
			{Low: 17, Name: "BACMDB", Title: "Byte Aligned Contiguous Metadata Buffer"},
			{Low: 18, Name: "SLLDTS", Title: "SGL Longer Than Data"},
			{Low: 19, Name: "MPTRSDS", Title: "MPTR with an SGL Descriptor"},
			{Low: 20, Name: "SASAOS", Title: "Address Field as an Offset"},
			{Low: 21, Name: "TSDBDS", Title: "Transport SGL Data Block"},
		}},
		{Name: "MNAN", Title: "Maximum Number of Allowed Namespaces", At: 540, Len: 4, Zero: "as NN says"},
		{Name: "MAXDNA", Title: "Maximum Domain Namespace Attachments", At: 544, Len: 16, Zero: "no limit", Since: "2.0"},
		{Name: "MAXCNA", Title: "Maximum I/O Controller Namespace Attachments", At: 560, Len: 4, Zero: "no limit", Since: "2.0"},
		{Name: "OAQD", Title: "Optimal Aggregated Queue Depth", At: 564, Len: 4, Zero: NotReported, Since: "2.1"},
		{Name: "RHIRI", Title: "Recommended Host-Initiated Refresh Interval", At: 568, Len: 1, Unit: "days", Zero: NotReported, Since: "2.1"},
		{Name: "HIRT", Title: "Host-Initiated Refresh Time", At: 569, Len: 1, Unit: "minutes", Zero: NotReported, Since: "2.1"},
		{Name: "CMMRTD", Title: "Controller Maximum Memory Range Tracking Descriptors", At: 570, Len: 2, Since: "2.1"},
		{Name: "NMMRTD", Title: "NVM Subsystem Maximum Memory Range Tracking Descriptors", At: 572, Len: 2, Since: "2.1"},
		{Name: "MINMRTG", Title: "Minimum Memory Range Tracking Granularity", At: 574, Len: 1, Since: "2.1"},
		{Name: "MAXMRTG", Title: "Maximum Memory Range Tracking Granularity", At: 575, Len: 1, Since: "2.1"},
		{Name: "TRATTR", Title: "Tracking Attributes", At: 576, Len: 1, Kind: Flags, Since: "2.1",
			Bits: flags("THMCS Track Host Memory Changes", "TUDCS Track User Data Changes", "MRTLL Memory Range Tracking Length Limit")},
		{Name: "MCUDMQ", Title: "Maximum Controller User Data Migration Queues", At: 578, Len: 2, Since: "2.1"},
		{Name: "MNSUDMQ", Title: "Maximum NVM Subsystem User Data Migration Queues", At: 580, Len: 2, Since: "2.1"},
		{Name: "MCMR", Title: "Maximum CDQ Memory Ranges", At: 582, Len: 2, Since: "2.1"},
		{Name: "NMCMR", Title: "NVM Subsystem Maximum CDQ Memory Ranges", At: 584, Len: 2, Since: "2.1"},
		{Name: "MCDQPC", Title: "Maximum Controller Data Queue PRP Count", At: 586, Len: 2, Since: "2.1"},
		{Name: "SUBNQN", Title: "NVM Subsystem NVMe Qualified Name", At: 768, Len: 256, Kind: Text},
	}
}

// controllerFabrics are bytes 1792 to 2047: Fabrics Specific.
func controllerFabrics() []Field {
	return []Field{
		{Name: "IOCCSZ", Title: "I/O Queue Command Capsule Supported Size", At: 1792, Len: 4, Scale: 16, Unit: "bytes"},
		{Name: "IORCSZ", Title: "I/O Queue Response Capsule Supported Size", At: 1796, Len: 4, Scale: 16, Unit: "bytes"},
		{Name: "ICDOFF", Title: "In Capsule Data Offset", At: 1800, Len: 2, Scale: 16, Unit: "bytes"},
		{Name: "FCATT", Title: "Fabrics Controller Attributes", At: 1802, Len: 1, Kind: Flags, Bits: flags("CM Static Controller Model")},
		{Name: "MSDBD", Title: "Maximum SGL Data Block Descriptors", At: 1803, Len: 1, Zero: "no limit"},
		{Name: "OFCS", Title: "Optional Fabrics Commands Support", At: 1804, Len: 2, Kind: Flags, Bits: flags("DCS Disconnect")},
		{Name: "DCTYPE", Title: "Discovery Controller Type", At: 1806, Len: 1, Since: "2.1",
			Zero: NotReported, Values: map[uint64]string{1: "Direct Discovery controller", 2: "Central Discovery controller"}},
	}
}

// entrySizes are the parts of SQES and CQES.
func entrySizes() []Bits {
	return []Bits{
		{High: 3, Low: 0, Name: "MIN", Title: "Required", Kind: PowerOfTwo, Unit: "bytes"},
		{High: 7, Low: 4, Name: "MAX", Title: "Maximum", Kind: PowerOfTwo, Unit: "bytes"},
	}
}

// powerState is one of the descriptors of Identify Controller.
func powerState() *Structure {
	scales := map[uint64]string{0: NotReported, 1: "0.0001 W", 2: "0.01 W"}
	return &Structure{
		Name: "Power State Descriptor", Source: base21 + "Identify Controller Data Structure (CNS 01h), Power State Descriptor Data Structure", Bytes: 32,
		Fields: []Field{
			{Name: "MP", Title: "Maximum Power", At: 0, Len: 2, Zero: NotReported, Note: maximumPower},
			{Name: "PSF", Title: "Power State Flags", At: 3, Len: 1, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "MXPS", Title: "Max Power Scale", Aside: true, Values: map[uint64]string{0: "0.01 W", 1: "0.0001 W"}},
				{Low: 1, Name: "NOPS", Title: "Non-Operational State"},
			}},
			{Name: "ENLAT", Title: "Entry Latency", At: 4, Len: 4, Unit: "us", Zero: NotReported},
			{Name: "EXLAT", Title: "Exit Latency", At: 8, Len: 4, Unit: "us", Zero: NotReported},
			{Name: "RRT", Title: "Relative Read Throughput, 0 is the best", At: 12, Len: 1},
			{Name: "RRL", Title: "Relative Read Latency, 0 is the best", At: 13, Len: 1},
			{Name: "RWT", Title: "Relative Write Throughput, 0 is the best", At: 14, Len: 1},
			{Name: "RWL", Title: "Relative Write Latency, 0 is the best", At: 15, Len: 1},
			{Name: "IDLP", Title: "Idle Power", At: 16, Len: 2, Zero: NotReported, Note: power(16, 18)},
			{Name: "IPSF", Title: "Idle Power Scale", At: 18, Len: 1, Kind: Flags, Bits: []Bits{{High: 7, Low: 6, Name: "IPS", Title: "Idle Power Scale", Aside: true, Values: scales}}},
			{Name: "ACTP", Title: "Active Power", At: 20, Len: 2, Zero: NotReported, Note: activePower},
			{Name: "APSF", Title: "Active Power Workload and Scale", At: 22, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 2, Low: 0, Name: "APW", Title: "Active Power Workload", Aside: true, Values: map[uint64]string{0: "no workload", 1: "workload 1", 2: "workload 2"}},
				{High: 7, Low: 6, Name: "APS", Title: "Active Power Scale", Aside: true, Values: scales},
			}},
			{Name: "EPFRT", Title: "Emergency Power Fail Recovery Time", At: 23, Len: 1, Zero: NotReported, Since: "2.1"},
			{Name: "FQVT", Title: "Forced Quiescence Vault Time", At: 24, Len: 1, Zero: NotReported, Since: "2.1"},
			{Name: "EPFVT", Title: "Emergency Power Fail Vault Time", At: 25, Len: 1, Zero: NotReported, Since: "2.1"},
			{Name: "PLSTS", Title: "Scales of the Power Loss Signaling Times", At: 26, Len: 1, Kind: Flags, Since: "2.1", Bits: []Bits{
				{High: 3, Low: 0, Name: "EPFRTS", Title: "Emergency Power Fail Recovery Time Scale", Aside: true},
				{High: 7, Low: 4, Name: "FQVTS", Title: "Forced Quiescence Vault Time Scale", Aside: true},
			}},
			{Name: "EPFVTSF", Title: "Emergency Power Fail Vault Time Scale", At: 27, Len: 1, Kind: Flags, Since: "2.1",
				Bits: []Bits{{High: 3, Low: 0, Name: "EPFVTS", Title: "Emergency Power Fail Vault Time Scale", Aside: true}}},
		},
	}
}
