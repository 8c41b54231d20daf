package nvme

// IdentifyController is the Identify Controller data structure (CNS 01h),
// 4096 bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure (CNS 01h). Fields that a drive of an older revision does not
// know read 0.
type IdentifyController struct {
	// 1:0 PCI Vendor ID (VID).
	VID uint16 `json:"vid"`
	// 3:2 PCI Subsystem Vendor ID (SSVID).
	SSVID uint16 `json:"ssvid"`
	// 23:4 Serial Number (SN).
	SerialNumber ASCII20 `json:"sn"`
	// 63:24 Model Number (MN).
	ModelNumber ASCII40 `json:"mn"`
	// 71:64 Firmware Revision (FR).
	FirmwareRevision ASCII8 `json:"fr"`
	// 72:72 Recommended Arbitration Burst (RAB), as a power of two.
	RAB uint8 `json:"rab"`
	// 75:73 IEEE OUI Identifier (IEEE).
	IEEE OUI `json:"ieee"`
	// 76:76 Controller Multi-Path I/O and Namespace Sharing Capabilities (CMIC).
	CMIC uint8 `json:"cmic"`
	// 77:77 Maximum Data Transfer Size (MDTS), as a power of two in units of
	// the minimum memory page size. 0 means no limit.
	MDTS uint8 `json:"mdts"`
	// 79:78 Controller ID (CNTLID).
	CNTLID uint16 `json:"cntlid"`
	// 83:80 Version (VER). 0 on drives older than NVMe 1.2.
	Version Version `json:"ver"`
	// 87:84 RTD3 Resume Latency (RTD3R), microseconds. 0 means not reported.
	RTD3R uint32 `json:"rtd3r"`
	// 91:88 RTD3 Entry Latency (RTD3E), microseconds. 0 means not reported.
	RTD3E uint32 `json:"rtd3e"`
	// 95:92 Optional Asynchronous Events Supported (OAES).
	OAES uint32 `json:"oaes"`
	// 99:96 Controller Attributes (CTRATT).
	CTRATT uint32 `json:"ctratt"`
	// 101:100 Read Recovery Levels Supported (RRLS).
	RRLS uint16 `json:"rrls"`
	_    [9]byte
	// 111:111 Controller Type (CNTRLTYPE). 0 means not reported.
	CNTRLTYPE uint8 `json:"cntrltype"`
	// 127:112 FRU Globally Unique Identifier (FGUID). All zero means none.
	FGUID Hex128 `json:"fguid"`
	// 129:128 Command Retry Delay Time 1 (CRDT1), units of 100 ms.
	CRDT1 uint16 `json:"crdt1"`
	// 131:130 Command Retry Delay Time 2 (CRDT2), units of 100 ms.
	CRDT2 uint16 `json:"crdt2"`
	// 133:132 Command Retry Delay Time 3 (CRDT3), units of 100 ms.
	CRDT3 uint16 `json:"crdt3"`
	_     [119]byte
	// 253:253 NVM Subsystem Report (NVMSR).
	NVMSR uint8 `json:"nvmsr"`
	// 254:254 VPD Write Cycle Information (VWCI).
	VWCI uint8 `json:"vwci"`
	// 255:255 Management Endpoint Capabilities (MEC).
	MEC uint8 `json:"mec"`
	// 257:256 Optional Admin Command Support (OACS).
	OACS OACS `json:"oacs"`
	// 258:258 Abort Command Limit (ACL), 0's based.
	ACL uint8 `json:"acl"`
	// 259:259 Asynchronous Event Request Limit (AERL), 0's based.
	AERL uint8 `json:"aerl"`
	// 260:260 Firmware Updates (FRMW).
	FRMW FRMW `json:"frmw"`
	// 261:261 Log Page Attributes (LPA).
	LPA LPA `json:"lpa"`
	// 262:262 Error Log Page Entries (ELPE), 0's based.
	ELPE uint8 `json:"elpe"`
	// 263:263 Number of Power States Support (NPSS), 0's based.
	NPSS uint8 `json:"npss"`
	// 264:264 Admin Vendor Specific Command Configuration (AVSCC).
	AVSCC uint8 `json:"avscc"`
	// 265:265 Autonomous Power State Transition Attributes (APSTA).
	APSTA uint8 `json:"apsta"`
	// 267:266 Warning Composite Temperature Threshold (WCTEMP), kelvins. 0
	// means not reported.
	WCTEMP Kelvin `json:"wctemp"`
	// 269:268 Critical Composite Temperature Threshold (CCTEMP), kelvins. 0
	// means not reported.
	CCTEMP Kelvin `json:"cctemp"`
	// 271:270 Maximum Time for Firmware Activation (MTFA), units of 100 ms. 0
	// means undefined.
	MTFA uint16 `json:"mtfa"`
	// 275:272 Host Memory Buffer Preferred Size (HMPRE), units of 4 KiB. 0
	// means that there is no host memory buffer.
	HMPRE uint32 `json:"hmpre"`
	// 279:276 Host Memory Buffer Minimum Size (HMMIN), units of 4 KiB.
	HMMIN uint32 `json:"hmmin"`
	// 295:280 Total NVM Capacity (TNVMCAP), bytes. 0 means not reported.
	TNVMCAP Uint128 `json:"tnvmcap"`
	// 311:296 Unallocated NVM Capacity (UNVMCAP), bytes.
	UNVMCAP Uint128 `json:"unvmcap"`
	// 315:312 Replay Protected Memory Block Support (RPMBS).
	RPMBS uint32 `json:"rpmbs"`
	// 317:316 Extended Device Self-test Time (EDSTT), minutes.
	EDSTT uint16 `json:"edstt"`
	// 318:318 Device Self-test Options (DSTO).
	DSTO uint8 `json:"dsto"`
	// 319:319 Firmware Update Granularity (FWUG), units of 4 KiB. 0 means not
	// reported, FFh no restriction.
	FWUG uint8 `json:"fwug"`
	// 321:320 Keep Alive Support (KAS), units of 100 ms. 0 means none.
	KAS uint16 `json:"kas"`
	// 323:322 Host Controlled Thermal Management Attributes (HCTMA).
	HCTMA uint16 `json:"hctma"`
	// 325:324 Minimum Thermal Management Temperature (MNTMT), kelvins. 0
	// means not reported.
	MNTMT Kelvin `json:"mntmt"`
	// 327:326 Maximum Thermal Management Temperature (MXTMT), kelvins. 0
	// means not reported.
	MXTMT Kelvin `json:"mxtmt"`
	// 331:328 Sanitize Capabilities (SANICAP). 0 means no sanitize.
	SANICAP uint32 `json:"sanicap"`
	// 335:332 Host Memory Buffer Minimum Descriptor Entry Size (HMMINDS), units
	// of 4 KiB.
	HMMINDS uint32 `json:"hmminds"`
	// 337:336 Host Memory Maximum Descriptors Entries (HMMAXD).
	HMMAXD uint16 `json:"hmmaxd"`
	// 339:338 NVM Set Identifier Maximum (NSETIDMAX).
	NSETIDMAX uint16 `json:"nsetidmax"`
	// 341:340 Endurance Group Identifier Maximum (ENDGIDMAX).
	ENDGIDMAX uint16 `json:"endgidmax"`
	// 342:342 ANA Transition Time (ANATT), seconds.
	ANATT uint8 `json:"anatt"`
	// 343:343 Asymmetric Namespace Access Capabilities (ANACAP).
	ANACAP uint8 `json:"anacap"`
	// 347:344 ANA Group Identifier Maximum (ANAGRPMAX).
	ANAGRPMAX uint32 `json:"anagrpmax"`
	// 351:348 Number of ANA Group Identifiers (NANAGRPID).
	NANAGRPID uint32 `json:"nanagrpid"`
	// 355:352 Persistent Event Log Size (PELS), units of 64 KiB.
	PELS uint32 `json:"pels"`
	// 357:356 Domain Identifier.
	DomainID uint16 `json:"domainid"`
	_        [10]byte
	// 383:368 Max Endurance Group Capacity (MEGCAP), bytes.
	MEGCAP Uint128 `json:"megcap"`
	_      [128]byte
	// 512:512 Submission Queue Entry Size (SQES), powers of two.
	SQES uint8 `json:"sqes"`
	// 513:513 Completion Queue Entry Size (CQES), powers of two.
	CQES uint8 `json:"cqes"`
	// 515:514 Maximum Outstanding Commands (MAXCMD). 0 means not reported.
	MAXCMD uint16 `json:"maxcmd"`
	// 519:516 Number of Namespaces (NN): the greatest valid NSID.
	NN uint32 `json:"nn"`
	// 521:520 Optional NVM Command Support (ONCS).
	ONCS ONCS `json:"oncs"`
	// 523:522 Fused Operation Support (FUSES).
	FUSES uint16 `json:"fuses"`
	// 524:524 Format NVM Attributes (FNA).
	FNA FNA `json:"fna"`
	// 525:525 Volatile Write Cache (VWC).
	VWC uint8 `json:"vwc"`
	// 527:526 Atomic Write Unit Normal (AWUN), logical blocks, 0's based.
	AWUN uint16 `json:"awun"`
	// 529:528 Atomic Write Unit Power Fail (AWUPF), logical blocks, 0's based.
	AWUPF uint16 `json:"awupf"`
	// 530:530 I/O Command Set Vendor Specific Command Configuration (ICSVSCC).
	ICSVSCC uint8 `json:"icsvscc"`
	// 531:531 Namespace Write Protection Capabilities (NWPC).
	NWPC uint8 `json:"nwpc"`
	// 533:532 Atomic Compare & Write Unit (ACWU), logical blocks, 0's based.
	ACWU uint16 `json:"acwu"`
	// 535:534 Optional Copy Formats Supported (OCFS).
	OCFS uint16 `json:"ocfs"`
	// 539:536 SGL Support (SGLS).
	SGLS uint32 `json:"sgls"`
	// 543:540 Maximum Number of Allowed Namespaces (MNAN). 0 means NN.
	MNAN uint32 `json:"mnan"`
	// 559:544 Maximum Domain Namespace Attachments (MAXDNA).
	MAXDNA Uint128 `json:"maxdna"`
	// 563:560 Maximum I/O Controller Namespace Attachments (MAXCNA).
	MAXCNA uint32 `json:"maxcna"`
	_      [204]byte
	// 1023:768 NVM Subsystem NVMe Qualified Name (SUBNQN).
	SUBNQN ASCII256 `json:"subnqn"`
	_      [768]byte
	// 1795:1792 I/O Queue Command Capsule Supported Size (IOCCSZ), units of 16
	// bytes; NVMe over Fabrics only.
	IOCCSZ uint32 `json:"ioccsz"`
	// 1799:1796 I/O Queue Response Capsule Supported Size (IORCSZ), units of 16
	// bytes; NVMe over Fabrics only.
	IORCSZ uint32 `json:"iorcsz"`
	// 1801:1800 In Capsule Data Offset (ICDOFF), units of 16 bytes.
	ICDOFF uint16 `json:"icdoff"`
	// 1802:1802 Fabrics Controller Attributes (FCATT).
	FCATT uint8 `json:"fcatt"`
	// 1803:1803 Maximum SGL Data Block Descriptors (MSDBD). 0 means no limit.
	MSDBD uint8 `json:"msdbd"`
	// 1805:1804 Optional Fabric Commands Support (OFCS).
	OFCS uint16 `json:"ofcs"`
	_    [242]byte
	// 3071:2048 Power State Descriptors (PSD0 to PSD31), 32 bytes each. The
	// first NPSS+1 are valid.
	PSD [32]PowerState `json:"-"`
	// 4095:3072 Vendor Specific (VS).
	VendorSpecific [1024]byte `json:"-"`
}

// PowerState is a Power State Descriptor, 32 bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify - Power State
// Descriptor Data Structure.
type PowerState struct {
	// 1:0 Maximum Power (MP), in units that Flags bit 0 selects.
	MaxPower uint16 `json:"mp"`
	_        byte
	// 3:3 bit 0 Max Power Scale (MXPS): 0 units of 0.01 W, 1 units of 0.0001 W;
	// bit 1 Non-Operational State (NOPS).
	Flags uint8 `json:"flags"`
	// 7:4 Entry Latency (ENLAT), microseconds. 0 means not reported.
	EntryLatency uint32 `json:"enlat_us"`
	// 11:8 Exit Latency (EXLAT), microseconds. 0 means not reported.
	ExitLatency uint32 `json:"exlat_us"`
	// 12:12 Relative Read Throughput (RRT), lower is better.
	RRT uint8 `json:"rrt"`
	// 13:13 Relative Read Latency (RRL), lower is better.
	RRL uint8 `json:"rrl"`
	// 14:14 Relative Write Throughput (RWT), lower is better.
	RWT uint8 `json:"rwt"`
	// 15:15 Relative Write Latency (RWL), lower is better.
	RWL uint8 `json:"rwl"`
	// 17:16 Idle Power (IDLP), in units that IdleScale selects. 0 means not
	// reported.
	IdlePower uint16 `json:"idlp"`
	// 18:18 bits 7:6 Idle Power Scale (IPS): 1 units of 0.0001 W, 2 of 0.01 W.
	IdleScale uint8 `json:"ips"`
	_         byte
	// 21:20 Active Power (ACTP), in units that ActiveScale selects. 0 means not
	// reported.
	ActivePower uint16 `json:"actp"`
	// 22:22 bits 7:6 Active Power Scale (APS), bits 2:0 Active Power Workload
	// (APW).
	ActiveScale uint8 `json:"aps"`
	_           [9]byte
}

// MaxMilliwatts returns the maximum power in milliwatts. 0 means not reported.
func (p *PowerState) MaxMilliwatts() float64 {
	if p.Flags&1 != 0 {
		return float64(p.MaxPower) / 10
	}
	return float64(p.MaxPower) * 10
}

// NonOperational reports whether the controller processes no I/O in this state.
func (p *PowerState) NonOperational() bool { return p.Flags&2 != 0 }

// PowerStates returns the valid power state descriptors.
func (c *IdentifyController) PowerStates() []PowerState {
	return c.PSD[:min(int(c.NPSS)+1, len(c.PSD))]
}

// MaxTransferBytes returns the greatest data transfer of one command in bytes,
// for a minimum memory page size of 4 KiB. 0 means no limit.
func (c *IdentifyController) MaxTransferBytes() uint64 {
	if c.MDTS == 0 || c.MDTS > 40 {
		return 0
	}
	return 4096 << c.MDTS
}

// UnmarshalBinary decodes b, which must hold at least 4096 bytes.
func (c *IdentifyController) UnmarshalBinary(b []byte) error {
	return decode("Identify Controller", c, b)
}
