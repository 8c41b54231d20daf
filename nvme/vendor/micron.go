package vendor

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// MicronSMART is the Extended SMART page (LID D0h) of Micron 7300 and 9300
// drives, of which 184 bytes are known.
//
// Source: nvme-cli, plugin micron, vs-nand-stats.
type MicronSMART struct {
	_ [4]byte
	// 7:4 Number of NSZE Modifications.
	SizeChanges uint32 `json:"nsze_modifications" row:"Number of NSZE Modifications" unit:"count"`
	_           [4]byte
	// 15:12 Bad Block Count.
	BadBlocks uint32 `json:"bad_blocks" row:"Bad Block Count" unit:"count"`
	_         [80]byte
	// 103:96 Erase Failures.
	EraseFails uint64 `json:"erase_fails" row:"Erase Failures" unit:"count"`
	_          [40]byte
	// 159:144 Program Failure Count.
	ProgramFails nvme.Uint128 `json:"program_fails" row:"Program Failure Count" unit:"count"`
	_            [16]byte
	// 183:176 NAND Writes, bytes.
	MediaWritten uint64 `json:"nand_written_bytes" row:"NAND Writes" unit:"bytes"`
}

// UnmarshalBinary decodes b, which must hold at least 184 bytes. The page has no
// GUID: one with 2^32 failures or more is an error.
func (p *MicronSMART) UnmarshalBinary(b []byte) error {
	if err := decode("Micron Extended SMART", p, b); err != nil {
		return err
	}
	if p.ProgramFails.Hi != 0 || p.ProgramFails.Lo>>32 != 0 || p.EraseFails>>32 != 0 {
		return fmt.Errorf("%w: Micron Extended SMART: %v program and %d erase failures", ErrLayout, p.ProgramFails, p.EraseFails)
	}
	return nil
}

// Rows implements [Value].
func (p *MicronSMART) Rows() []Row { return fieldRows(p) }

// written implements writer.
func (p *MicronSMART) written() (media, host nvme.Uint128) {
	return nvme.U128(p.MediaWritten), nvme.Uint128{}
}

// MicronHealth is the Vendor Specific Health page (LID FBh) of Micron 2200
// drives, 512 bytes.
//
// Source: nvme-cli, plugin micron, vs-nand-stats. The unit of what was written
// is not stated.
type MicronHealth struct {
	// 15:0 Physical Media Units Written, TLC.
	MediaWrittenTLC nvme.Uint128 `json:"physical_media_written_tlc" row:"Physical Media Units Written, TLC" unit:"units"`
	// 31:16 Physical Media Units Written, SLC.
	MediaWrittenSLC nvme.Uint128 `json:"physical_media_written_slc" row:"Physical Media Units Written, SLC" unit:"units"`
	// 33:32 Bad User NAND Blocks, normalized.
	BadUserBlocksNormalized uint16 `json:"bad_user_nand_blocks_normalized" row:"Bad User NAND Blocks, Normalized" unit:"percent"`
	// 39:34 Bad User NAND Blocks, raw.
	BadUserBlocks Uint48 `json:"bad_user_nand_blocks" row:"Bad User NAND Blocks" unit:"count"`
	// 47:40 XOR Recovery Count.
	XORRecoveries uint64 `json:"xor_recoveries" row:"XOR Recovery Count" unit:"count"`
	// 55:48 Uncorrectable Read Error Count.
	UncorrectableReads uint64 `json:"uncorrectable_read_errors" row:"Uncorrectable Read Error Count" unit:"count"`
	// 63:56 End to End Corrected Errors.
	EndToEndCorrected uint64 `json:"end_to_end_corrected_errors" row:"End to End Corrected Errors" unit:"count"`
	// 67:64 End to End Detected Errors.
	EndToEndDetected uint32 `json:"end_to_end_detected_errors" row:"End to End Detected Errors" unit:"count"`
	// 71:68 End to End Uncorrected Errors.
	EndToEndUncorrected uint32 `json:"end_to_end_uncorrected_errors" row:"End to End Uncorrected Errors" unit:"count"`
	// 72:72 System Data Percent Used, percent.
	SystemDataUsed uint8 `json:"system_data_used_percent" row:"System Data Percent Used" unit:"percent"`
	// 80:73 Minimum User Data Erase Count, TLC.
	MinEraseTLC uint64 `json:"min_erase_tlc_cycles" row:"Minimum User Data Erase Count, TLC" unit:"cycles"`
	// 88:81 Maximum User Data Erase Count, TLC.
	MaxEraseTLC uint64 `json:"max_erase_tlc_cycles" row:"Maximum User Data Erase Count, TLC" unit:"cycles"`
	// 96:89 Minimum User Data Erase Count, SLC.
	MinEraseSLC uint64 `json:"min_erase_slc_cycles" row:"Minimum User Data Erase Count, SLC" unit:"cycles"`
	// 104:97 Maximum User Data Erase Count, SLC.
	MaxEraseSLC uint64 `json:"max_erase_slc_cycles" row:"Maximum User Data Erase Count, SLC" unit:"cycles"`
	// 106:105 Program Fail Count, normalized.
	ProgramFailsNormalized uint16 `json:"program_fails_normalized" row:"Program Fail Count, Normalized" unit:"percent"`
	// 112:107 Program Fail Count, raw.
	ProgramFails Uint48 `json:"program_fails" row:"Program Fail Count" unit:"count"`
	// 114:113 Erase Fail Count, normalized.
	EraseFailsNormalized uint16 `json:"erase_fails_normalized" row:"Erase Fail Count, Normalized" unit:"percent"`
	// 120:115 Erase Fail Count, raw.
	EraseFails Uint48 `json:"erase_fails" row:"Erase Fail Count" unit:"count"`
	// 128:121 PCIe Correctable Error Count.
	PCIeCorrectable uint64 `json:"pcie_correctable_errors" row:"PCIe Correctable Error Count" unit:"count"`
	// 129:129 Percent Free Blocks, User, percent.
	FreeUser uint8 `json:"free_user_blocks_percent" row:"Percent Free Blocks, User" unit:"percent"`
	// 137:130 Security Version Number.
	SecurityVersion uint64 `json:"security_version" row:"Security Version Number"`
	// 138:138 Percent Free Blocks, System, percent.
	FreeSystem uint8 `json:"free_system_blocks_percent" row:"Percent Free Blocks, System" unit:"percent"`
	// 154:139 Dataset Management (Deallocate) Commands.
	Deallocates nvme.Uint128 `json:"deallocate_commands" row:"Dataset Management (Deallocate) Commands" unit:"count"`
	_           [10]byte
	// 172:165 Soft ECC Error Count.
	SoftECCErrors uint64 `json:"soft_ecc_errors" row:"Soft ECC Error Count" unit:"count"`
	// 180:173 Refresh Count.
	Refreshes uint64 `json:"refreshes" row:"Refresh Count" unit:"count"`
	// 182:181 Bad System NAND Blocks, normalized.
	BadSystemBlocksNormalized uint16 `json:"bad_system_nand_blocks_normalized" row:"Bad System NAND Blocks, Normalized" unit:"percent"`
	// 188:183 Bad System NAND Blocks, raw.
	BadSystemBlocks Uint48 `json:"bad_system_nand_blocks" row:"Bad System NAND Blocks" unit:"count"`
	// 204:189 Endurance Estimate.
	EnduranceEstimate nvme.Uint128 `json:"endurance_estimate" row:"Endurance Estimate" unit:"units"`
	// 205:205 Thermal Throttling Count.
	ThrottleEvents uint8 `json:"throttle_events" row:"Thermal Throttling Count" unit:"count"`
	// 206:206 Thermal Throttling Status. 0 means that the drive does not throttle.
	ThrottleStatus uint8 `json:"throttle_status" row:"Thermal Throttling Status"`
	// 214:207 Unaligned I/O.
	UnalignedIO uint64 `json:"unaligned_io" row:"Unaligned I/O" unit:"count"`
	// 230:215 Physical Media Units Read.
	MediaRead nvme.Uint128 `json:"physical_media_read" row:"Physical Media Units Read" unit:"units"`
	_         [279]byte
	// 511:510 Log Page Version.
	Version uint16 `json:"log_page_version" row:"Log Page Version"`
}

// UnmarshalBinary decodes b, which must hold at least 512 bytes. The page has no
// GUID: one without a version, or whose percentages are none, is an error.
func (p *MicronHealth) UnmarshalBinary(b []byte) error {
	if err := decode("Micron Vendor Specific Health", p, b); err != nil {
		return err
	}
	if p.Version == 0 || max(p.BadUserBlocksNormalized, uint16(p.FreeUser), uint16(p.FreeSystem)) > 100 {
		return fmt.Errorf("%w: Micron Vendor Specific Health: version %d, %d and %d percent free", ErrLayout, p.Version, p.FreeUser, p.FreeSystem)
	}
	return nil
}

// Rows implements [Value].
func (p *MicronHealth) Rows() []Row { return fieldRows(p) }
