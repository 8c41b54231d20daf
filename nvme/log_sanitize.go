package nvme

// SanitizeLog is the Sanitize Status log page (LID 81h), 512 bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize Status Log
// Page.
type SanitizeLog struct {
	// 1:0 Sanitize Progress (SPROG), parts of 65536. FFFFh means that none is
	// in progress.
	Progress uint16 `json:"sprog"`
	// 3:2 Sanitize Status (SSTAT): bits 2:0 state, bits 7:3 completed overwrite
	// passes, bit 8 Global Data Erased.
	Status SanitizeStatus `json:"sstat"`
	// 7:4 Sanitize Command Dword 10 Information (SCDW10) of the last Sanitize.
	CDW10 uint32 `json:"scdw10"`
	// 11:8 Estimated Time For Overwrite, seconds. FFFFFFFFh means not reported,
	// here and below.
	OverwriteTime uint32 `json:"overwrite_s"`
	// 15:12 Estimated Time For Block Erase, seconds.
	BlockTime uint32 `json:"block_erase_s"`
	// 19:16 Estimated Time For Crypto Erase, seconds.
	CryptoTime uint32 `json:"crypto_erase_s"`
	// 23:20 Estimated Time For Overwrite With No-Deallocate Media Modification,
	// seconds.
	OverwriteNoDeallocateTime uint32 `json:"overwrite_no_deallocate_s"`
	// 27:24 Estimated Time For Block Erase With No-Deallocate Media
	// Modification, seconds.
	BlockNoDeallocateTime uint32 `json:"block_erase_no_deallocate_s"`
	// 31:28 Estimated Time For Crypto Erase With No-Deallocate Media
	// Modification, seconds.
	CryptoNoDeallocateTime uint32 `json:"crypto_erase_no_deallocate_s"`
	_                      [480]byte
}

// SanitizeStatus is the SSTAT field.
type SanitizeStatus uint16

// The states of a sanitize operation.
const (
	SanitizeNever               = 0
	SanitizeCompleted           = 1
	SanitizeInProgress          = 2
	SanitizeFailed              = 3
	SanitizeCompletedDeallocate = 4

	// SanitizeGlobalDataErased is the bit that says that nothing was written
	// since the last successful sanitize, or ever.
	SanitizeGlobalDataErased SanitizeStatus = 1 << 8
)

// State returns the state of the most recent sanitize operation.
func (s SanitizeStatus) State() uint8 { return uint8(s & 7) }

// Passes returns the number of completed overwrite passes.
func (s SanitizeStatus) Passes() int { return int(s >> 3 & 0x1F) }

const sanitizeLogBytes = 512

// UnmarshalBinary decodes b, which must hold at least 512 bytes.
func (l *SanitizeLog) UnmarshalBinary(b []byte) error {
	return decode("Sanitize Status log", l, b)
}
