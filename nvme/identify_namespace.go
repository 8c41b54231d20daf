package nvme

import "math/bits"

// IdentifyNamespace is the Identify Namespace data structure of the NVM
// command set (CNS 00h), 4096 bytes. A page of zeroes is an inactive
// namespace.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Identify
// Namespace Data Structure, NVM Command Set.
type IdentifyNamespace struct {
	// 7:0 Namespace Size (NSZE), logical blocks.
	NSZE uint64 `json:"nsze"`
	// 15:8 Namespace Capacity (NCAP), logical blocks.
	NCAP uint64 `json:"ncap"`
	// 23:16 Namespace Utilization (NUSE), logical blocks.
	NUSE uint64 `json:"nuse"`
	// 24:24 Namespace Features (NSFEAT).
	NSFEAT uint8 `json:"nsfeat"`
	// 25:25 Number of LBA Formats (NLBAF), 0's based.
	NLBAF uint8 `json:"nlbaf"`
	// 26:26 Formatted LBA Size (FLBAS).
	FLBAS uint8 `json:"flbas"`
	// 27:27 Metadata Capabilities (MC).
	MC uint8 `json:"mc"`
	// 28:28 End-to-end Data Protection Capabilities (DPC).
	DPC uint8 `json:"dpc"`
	// 29:29 End-to-end Data Protection Type Settings (DPS).
	DPS uint8 `json:"dps"`
	// 30:30 Namespace Multi-path I/O and Namespace Sharing Capabilities (NMIC).
	NMIC uint8 `json:"nmic"`
	// 31:31 Reservation Capabilities (RESCAP).
	RESCAP uint8 `json:"rescap"`
	// 32:32 Format Progress Indicator (FPI): bit 7 supported, bits 6:0 percent
	// that remains.
	FPI uint8 `json:"fpi"`
	// 33:33 Deallocate Logical Block Features (DLFEAT).
	DLFEAT uint8 `json:"dlfeat"`
	// 35:34 Namespace Atomic Write Unit Normal (NAWUN), logical blocks, 0's
	// based.
	NAWUN uint16 `json:"nawun"`
	// 37:36 Namespace Atomic Write Unit Power Fail (NAWUPF), logical blocks,
	// 0's based.
	NAWUPF uint16 `json:"nawupf"`
	// 39:38 Namespace Atomic Compare & Write Unit (NACWU), logical blocks, 0's
	// based.
	NACWU uint16 `json:"nacwu"`
	// 41:40 Namespace Atomic Boundary Size Normal (NABSN), logical blocks, 0's
	// based.
	NABSN uint16 `json:"nabsn"`
	// 43:42 Namespace Atomic Boundary Offset (NABO), logical blocks.
	NABO uint16 `json:"nabo"`
	// 45:44 Namespace Atomic Boundary Size Power Fail (NABSPF), logical blocks,
	// 0's based.
	NABSPF uint16 `json:"nabspf"`
	// 47:46 Namespace Optimal I/O Boundary (NOIOB), logical blocks. 0 means not
	// reported.
	NOIOB uint16 `json:"noiob"`
	// 63:48 NVM Capacity (NVMCAP), bytes. 0 means not reported.
	NVMCAP Uint128 `json:"nvmcap"`
	// 65:64 Namespace Preferred Write Granularity (NPWG), logical blocks, 0's
	// based.
	NPWG uint16 `json:"npwg"`
	// 67:66 Namespace Preferred Write Alignment (NPWA), logical blocks, 0's
	// based.
	NPWA uint16 `json:"npwa"`
	// 69:68 Namespace Preferred Deallocate Granularity (NPDG), logical blocks,
	// 0's based.
	NPDG uint16 `json:"npdg"`
	// 71:70 Namespace Preferred Deallocate Alignment (NPDA), logical blocks,
	// 0's based.
	NPDA uint16 `json:"npda"`
	// 73:72 Namespace Optimal Write Size (NOWS), logical blocks, 0's based.
	NOWS uint16 `json:"nows"`
	// 75:74 Maximum Single Source Range Length (MSSRL), logical blocks.
	MSSRL uint16 `json:"mssrl"`
	// 79:76 Maximum Copy Length (MCL), logical blocks.
	MCL uint32 `json:"mcl"`
	// 80:80 Maximum Source Range Count (MSRC), 0's based.
	MSRC uint8 `json:"msrc"`
	_    byte
	// 82:82 Number of Unique Attribute LBA Formats (NULBAF); of revision 1.1, 0
	// on older drives.
	NULBAF uint8 `json:"nulbaf"`
	_      [9]byte
	// 95:92 ANA Group Identifier (ANAGRPID).
	ANAGRPID uint32 `json:"anagrpid"`
	_        [3]byte
	// 99:99 Namespace Attributes (NSATTR).
	NSATTR uint8 `json:"nsattr"`
	// 101:100 NVM Set Identifier (NVMSETID).
	NVMSETID uint16 `json:"nvmsetid"`
	// 103:102 Endurance Group Identifier (ENDGID).
	ENDGID uint16 `json:"endgid"`
	// 119:104 Namespace Globally Unique Identifier (NGUID). All zero means none.
	NGUID Hex128 `json:"nguid"`
	// 127:120 IEEE Extended Unique Identifier (EUI64). All zero means none.
	EUI64 Hex64 `json:"eui64"`
	// 383:128 LBA Formats (LBAF0 to LBAF63), 4 bytes each. The first
	// NLBAF+NULBAF+1 are valid.
	LBAF [64]LBAFormat `json:"-"`
	// 4095:384 Vendor Specific (VS).
	VendorSpecific [3712]byte `json:"-"`
}

// LBAFormat is an LBA Format data structure, 4 bytes.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, LBA Format
// Data Structure, NVM Command Set Specific.
type LBAFormat struct {
	// 1:0 Metadata Size (MS), bytes. 0 means no metadata.
	MetadataBytes uint16 `json:"metadata_bytes"`
	// 2:2 LBA Data Size (LBADS), as a power of two. Below 9 the format is not
	// available.
	LBADS uint8 `json:"lbads"`
	// 3:3 bits 1:0 Relative Performance (RP): 0 is the best.
	RP uint8 `json:"rp"`
}

// DataBytes returns the data bytes of one logical block, 0 if the format is
// not available or the value makes no sense.
func (f LBAFormat) DataBytes() uint64 {
	if f.LBADS < 9 || f.LBADS > 31 {
		return 0
	}
	return 1 << f.LBADS
}

// FormatIndex returns the index of the LBA format in use: bits 6:5 and 3:0 of
// FLBAS. Bits 6:5 count only where there are more than 16 formats. The index
// can be beyond [IdentifyNamespace.Formats] if the page is corrupt.
func (n *IdentifyNamespace) FormatIndex() int {
	i := int(n.FLBAS & 0x0F)
	if n.formatCount() > 16 {
		i |= int(n.FLBAS>>5&3) << 4
	}
	return i
}

// Format returns the LBA format in use. It is zero, which is no format, if the
// index is of none.
func (n *IdentifyNamespace) Format() LBAFormat {
	if i := n.FormatIndex(); i < n.formatCount() {
		return n.LBAF[i]
	}
	return LBAFormat{}
}

// MetadataInLBA reports whether metadata lie at the end of each logical block
// (an extended LBA), which the Linux block layer cannot use: bit 4 of FLBAS, if
// the format in use has metadata.
func (n *IdentifyNamespace) MetadataInLBA() bool {
	return n.FLBAS&0x10 != 0 && n.Format().MetadataBytes != 0
}

// Formats returns the valid LBA formats.
func (n *IdentifyNamespace) Formats() []LBAFormat { return n.LBAF[:n.formatCount()] }

func (n *IdentifyNamespace) formatCount() int {
	return min(int(n.NLBAF)+int(n.NULBAF)+1, len(n.LBAF))
}

// SizeBytes returns the namespace size without metadata in bytes: NSZE in
// logical blocks of the format in use. 0 if the page has no such format.
func (n *IdentifyNamespace) SizeBytes() Uint128 { return n.blocks(n.NSZE) }

// CapacityBytes returns the namespace capacity (NCAP) in bytes.
func (n *IdentifyNamespace) CapacityBytes() Uint128 { return n.blocks(n.NCAP) }

// UtilizationBytes returns the namespace utilization (NUSE) in bytes.
func (n *IdentifyNamespace) UtilizationBytes() Uint128 { return n.blocks(n.NUSE) }

func (n *IdentifyNamespace) blocks(count uint64) Uint128 {
	hi, lo := bits.Mul64(count, n.Format().DataBytes())
	return Uint128{Lo: lo, Hi: hi}
}

// Inactive reports whether the page says that there is no such namespace: it
// has no size, no capacity and no LBA format.
func (n *IdentifyNamespace) Inactive() bool {
	return n.NSZE == 0 && n.NCAP == 0 && n.LBAF == [64]LBAFormat{}
}

// UnmarshalBinary decodes b, which must hold at least 4096 bytes.
func (n *IdentifyNamespace) UnmarshalBinary(b []byte) error {
	return decode("Identify Namespace", n, b)
}
