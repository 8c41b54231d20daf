package vendor

import "qd1.example/qd1/nvme"

// OCPSMART is the SMART / Health Information Extended page (LID C0h) of drives
// that follow the OCP Datacenter NVMe SSD Specification, 512 bytes. Fields that
// a drive of an older version does not know read 0.
//
// Source: Datacenter NVMe SSD Specification, Version 2.5, SMART / Health
// Information Extended (Log Identifier C0h), as nvme-cli reads it.
type OCPSMART struct {
	// 15:0 Physical Media Units Written, bytes.
	MediaWritten nvme.Uint128 `json:"physical_media_written_bytes" row:"Physical Media Units Written" unit:"bytes"`
	// 31:16 Physical Media Units Read, bytes.
	MediaRead nvme.Uint128 `json:"physical_media_read_bytes" row:"Physical Media Units Read" unit:"bytes"`
	// 37:32 Bad User NAND Blocks, raw.
	BadUserBlocks Uint48 `json:"bad_user_nand_blocks" row:"Bad User NAND Blocks" unit:"count"`
	// 39:38 Bad User NAND Blocks, normalized: percent of the allowed ones left.
	BadUserBlocksNormalized uint16 `json:"bad_user_nand_blocks_normalized" row:"Bad User NAND Blocks, Normalized" unit:"percent"`
	// 45:40 Bad System NAND Blocks, raw.
	BadSystemBlocks Uint48 `json:"bad_system_nand_blocks" row:"Bad System NAND Blocks" unit:"count"`
	// 47:46 Bad System NAND Blocks, normalized.
	BadSystemBlocksNormalized uint16 `json:"bad_system_nand_blocks_normalized" row:"Bad System NAND Blocks, Normalized" unit:"percent"`
	// 55:48 XOR Recovery Count.
	XORRecoveries uint64 `json:"xor_recoveries" row:"XOR Recovery Count" unit:"count"`
	// 63:56 Uncorrectable Read Error Count.
	UncorrectableReads uint64 `json:"uncorrectable_read_errors" row:"Uncorrectable Read Error Count" unit:"count"`
	// 71:64 Soft ECC Error Count.
	SoftECCErrors uint64 `json:"soft_ecc_errors" row:"Soft ECC Error Count" unit:"count"`
	// 75:72 End to End Detected Errors.
	EndToEndDetected uint32 `json:"end_to_end_detected_errors" row:"End to End Detected Errors" unit:"count"`
	// 79:76 End to End Corrected Errors.
	EndToEndCorrected uint32 `json:"end_to_end_corrected_errors" row:"End to End Corrected Errors" unit:"count"`
	// 80:80 System Data Percent Used, percent.
	SystemDataUsed uint8 `json:"system_data_used_percent" row:"System Data Percent Used" unit:"percent"`
	// 87:81 Refresh Counts.
	Refreshes Uint56 `json:"refreshes" row:"Refresh Counts" unit:"count"`
	// 91:88 Maximum User Data Erase Count.
	MaxErase uint32 `json:"max_erase_cycles" row:"Maximum User Data Erase Count" unit:"cycles"`
	// 95:92 Minimum User Data Erase Count.
	MinErase uint32 `json:"min_erase_cycles" row:"Minimum User Data Erase Count" unit:"cycles"`
	// 96:96 Number of Thermal Throttling Events. Stays at 255.
	ThrottleEvents uint8 `json:"throttle_events" row:"Thermal Throttling Events" unit:"count"`
	// 97:97 Current Throttling Status. 0 means that the drive does not throttle.
	ThrottleStatus uint8 `json:"throttle_status" row:"Current Throttling Status"`
	// 98:98 DSSD errata version.
	ErrataVersion uint8 `json:"dssd_errata_version"`
	// 100:99 DSSD point version.
	PointVersion uint16 `json:"dssd_point_version"`
	// 102:101 DSSD minor version.
	MinorVersion uint16 `json:"dssd_minor_version"`
	// 103:103 DSSD major version. 0 before version 2.0.
	MajorVersion uint8 `json:"dssd_major_version"`
	// 111:104 PCIe Correctable Error Count.
	PCIeCorrectable uint64 `json:"pcie_correctable_errors" row:"PCIe Correctable Error Count" unit:"count"`
	// 115:112 Incomplete Shutdowns: power went before the drive had saved its
	// state.
	IncompleteShutdowns uint32 `json:"incomplete_shutdowns" row:"Incomplete Shutdowns" unit:"count"`
	_                   [4]byte
	// 120:120 Percent Free Blocks, percent.
	FreeBlocks uint8 `json:"free_blocks_percent" row:"Percent Free Blocks" unit:"percent"`
	_          [7]byte
	// 129:128 Capacitor Health, percent of what the drive needs; FFFFh means that
	// it has no capacitors.
	CapacitorHealth uint16 `json:"capacitor_health_percent" row:"Capacitor Health" unit:"percent"`
	_               [6]byte
	// 143:136 Unaligned I/O: writes that did not fit the drive's own unit.
	UnalignedIO uint64 `json:"unaligned_io" row:"Unaligned I/O" unit:"count"`
	// 151:144 Security Version Number.
	SecurityVersion uint64 `json:"security_version" row:"Security Version Number"`
	// 159:152 Total NUSE, logical blocks.
	TotalNUSE uint64 `json:"total_nuse_blocks" row:"Total NUSE" unit:"blocks"`
	// 175:160 PLP Start Count: how often power loss protection set in.
	PLPStarts nvme.Uint128 `json:"plp_starts" row:"PLP Start Count" unit:"count"`
	// 191:176 Endurance Estimate, bytes.
	EnduranceEstimate nvme.Uint128 `json:"endurance_estimate_bytes" row:"Endurance Estimate" unit:"bytes"`
	// 199:192 PCIe Link Retraining Count.
	LinkRetrainings uint64 `json:"pcie_link_retrainings" row:"PCIe Link Retraining Count" unit:"count"`
	// 207:200 Power State Change Count.
	PowerStateChanges uint64 `json:"power_state_changes" row:"Power State Change Count" unit:"count"`
	// 215:208 Lowest Permitted Firmware Revision.
	LowestFirmware nvme.ASCII8 `json:"lowest_permitted_firmware" row:"Lowest Permitted Firmware Revision"`
	// 217:216 Total Media Dies. 0 before version 2.5, here and below.
	MediaDies uint16 `json:"media_dies" row:"Total Media Dies" unit:"count"`
	// 219:218 Total Die Failure Tolerance.
	DieFailureTolerance uint16 `json:"die_failure_tolerance" row:"Total Die Failure Tolerance" unit:"count"`
	// 221:220 Media Dies Offline.
	DiesOffline uint16 `json:"media_dies_offline" row:"Media Dies Offline" unit:"count"`
	// 222:222 Maximum Temperature Recorded, degrees Celsius. 0 means not reported.
	MaxTemperature uint8 `json:"max_temperature_celsius" row:"Maximum Temperature Recorded" unit:"celsius"`
	_              byte
	// 231:224 NAND Average Erase Count.
	AverageErase uint64 `json:"average_erase_cycles" row:"NAND Average Erase Count" unit:"cycles"`
	// 235:232 Command Timeouts.
	CommandTimeouts uint32 `json:"command_timeouts" row:"Command Timeouts" unit:"count"`
	_               [258]byte
	// 495:494 Log Page Version.
	Version uint16 `json:"log_page_version" row:"Log Page Version"`
	// 511:496 Log Page GUID.
	GUID GUID `json:"-"`
}

// UnmarshalBinary decodes b, which must hold at least 512 bytes and the GUID of
// the page.
func (p *OCPSMART) UnmarshalBinary(b []byte) error {
	if err := decode("OCP SMART / Health Information Extended", p, b); err != nil {
		return err
	}
	return p.GUID.expect("OCP SMART / Health Information Extended", guidOCPSMART)
}

// Rows implements [Value].
func (p *OCPSMART) Rows() []Row { return fieldRows(p) }

// written implements writer: the host side is in the SMART log.
func (p *OCPSMART) written() (media, host nvme.Uint128) { return p.MediaWritten, nvme.Uint128{} }
