package vendor

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// WDCExtendedSMART is the extended SMART page (LID C0h) of some Western Digital
// drives, 512 bytes.
//
// Source: nvme-cli, plugin wdc. The unit of what was written is not certain: the
// plugin says bytes, other drives with this layout count units of 512,000.
type WDCExtendedSMART struct {
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
	// 71:64 End to End Detected Errors.
	EndToEndDetected uint64 `json:"end_to_end_detected_errors" row:"End to End Detected Errors" unit:"count"`
	// 79:72 End to End Uncorrected Errors.
	EndToEndUncorrected uint64 `json:"end_to_end_uncorrected_errors" row:"End to End Uncorrected Errors" unit:"count"`
	// 80:80 System Data Percent Used, percent.
	SystemDataUsed uint8 `json:"system_data_used_percent" row:"System Data Percent Used" unit:"percent"`
	_              [3]byte
	// 91:84 Minimum User Data Erase Count, TLC.
	MinEraseTLC uint64 `json:"min_erase_tlc_cycles" row:"Minimum User Data Erase Count, TLC" unit:"cycles"`
	// 99:92 Maximum User Data Erase Count, TLC.
	MaxEraseTLC uint64 `json:"max_erase_tlc_cycles" row:"Maximum User Data Erase Count, TLC" unit:"cycles"`
	// 107:100 Average User Data Erase Count, TLC.
	AverageEraseTLC uint64 `json:"average_erase_tlc_cycles" row:"Average User Data Erase Count, TLC" unit:"cycles"`
	// 115:108 Minimum Erase Count, SLC.
	MinEraseSLC uint64 `json:"min_erase_slc_cycles" row:"Minimum Erase Count, SLC" unit:"cycles"`
	// 123:116 Maximum Erase Count, SLC.
	MaxEraseSLC uint64 `json:"max_erase_slc_cycles" row:"Maximum Erase Count, SLC" unit:"cycles"`
	// 131:124 Average Erase Count, SLC.
	AverageEraseSLC uint64 `json:"average_erase_slc_cycles" row:"Average Erase Count, SLC" unit:"cycles"`
	// 133:132 Program Fail Count, normalized.
	ProgramFailsNormalized uint16 `json:"program_fails_normalized" row:"Program Fail Count, Normalized" unit:"percent"`
	// 139:134 Program Fail Count, raw.
	ProgramFails Uint48 `json:"program_fails" row:"Program Fail Count" unit:"count"`
	// 141:140 Erase Fail Count, normalized.
	EraseFailsNormalized uint16 `json:"erase_fails_normalized" row:"Erase Fail Count, Normalized" unit:"percent"`
	// 147:142 Erase Fail Count, raw.
	EraseFails Uint48 `json:"erase_fails" row:"Erase Fail Count" unit:"count"`
	// 155:148 PCIe Correctable Error Count.
	PCIeCorrectable uint64 `json:"pcie_correctable_errors" row:"PCIe Correctable Error Count" unit:"count"`
	// 156:156 Percent Free Blocks, User, percent.
	FreeUser uint8 `json:"free_user_blocks_percent" row:"Percent Free Blocks, User" unit:"percent"`
	_        [3]byte
	// 167:160 Security Version Number.
	SecurityVersion uint64 `json:"security_version" row:"Security Version Number"`
	// 168:168 Percent Free Blocks, System, percent.
	FreeSystem uint8 `json:"free_system_blocks_percent" row:"Percent Free Blocks, System" unit:"percent"`
	_          [27]byte
	// 197:196 Format NVM Count.
	Formats uint16 `json:"formats" row:"Format NVM Count" unit:"count"`
	_       [298]byte
	// 511:496 Log Page GUID.
	GUID GUID `json:"-"`
}

// UnmarshalBinary decodes b, which must hold at least 512 bytes and the GUID of
// the page.
func (p *WDCExtendedSMART) UnmarshalBinary(b []byte) error {
	if err := decode("WDC extended SMART", p, b); err != nil {
		return err
	}
	return p.GUID.expect("WDC extended SMART", guidWDCExtended)
}

// Rows implements [Value].
func (p *WDCExtendedSMART) Rows() []Row { return fieldRows(p) }

// WDCEndOfLife is the End of Life Status page (LID C0h) of older Western Digital
// and HGST drives, of which 112 bytes are known.
//
// Source: nvme-cli, plugin wdc.
type WDCEndOfLife struct {
	_ [76]byte
	// 79:76 Reallocated Block Count.
	ReallocatedBlocks uint32 `json:"reallocated_blocks" row:"Reallocated Block Count" unit:"count"`
	_                 [4]byte
	// 87:84 Write Amplification, as the drive counts it.
	WriteAmplification uint32 `json:"write_amplification" row:"Write Amplification" unit:"count"`
	// 91:88 Percent Life Remaining, percent.
	LifeRemaining uint32 `json:"life_remaining_percent" row:"Percent Life Remaining" unit:"percent"`
	_             [4]byte
	// 99:96 Program Fail Count.
	ProgramFails uint32 `json:"program_fails" row:"Program Fail Count" unit:"count"`
	// 103:100 Erase Fail Count.
	EraseFails uint32 `json:"erase_fails" row:"Erase Fail Count" unit:"count"`
	_          [4]byte
	// 111:108 Raw Read Error Rate.
	RawReadErrors uint32 `json:"raw_read_error_rate" row:"Raw Read Error Rate" unit:"count"`
}

const fullLife = 100

// UnmarshalBinary decodes b, which must hold at least 112 bytes. The page has no
// GUID: one with more than 100 percent of life is an error.
func (p *WDCEndOfLife) UnmarshalBinary(b []byte) error {
	if err := decode("WDC End of Life Status", p, b); err != nil {
		return err
	}
	if p.LifeRemaining > fullLife {
		return fmt.Errorf("%w: WDC End of Life Status: %d percent of life", ErrLayout, p.LifeRemaining)
	}
	return nil
}

// Rows implements [Value].
func (p *WDCEndOfLife) Rows() []Row { return fieldRows(p) }
