package nvme

// SelfTestLog is the Device Self-test log page (LID 06h), 564 bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Device Self-test Log
// Page.
type SelfTestLog struct {
	// 0:0 Current Device Self-Test Operation: bits 3:0, 0 means none, 1 short,
	// 2 extended, Eh vendor specific.
	CurrentOperation uint8 `json:"current_operation"`
	// 1:1 Current Device Self-Test Completion: bits 6:0, percent. Only valid
	// while an operation is in progress.
	CurrentCompletion uint8 `json:"current_completion_percent"`
	_                 [2]byte
	// 563:4 Self-test Result Data Structures, 28 bytes each, the newest first.
	Results [20]SelfTestResult `json:"results"`
}

// SelfTestResult is a Self-test Result data structure, 28 bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Self-test Result Data
// Structure.
type SelfTestResult struct {
	// 0:0 Device Self-test Status: bits 7:4 which test, bits 3:0 the result. A
	// result of Fh means that the entry is not used.
	Status uint8 `json:"status"`
	// 1:1 Segment Number of the first failure; only valid for a result of 7h.
	Segment uint8 `json:"segment"`
	// 2:2 Valid Diagnostic Information: bit 0 NSID, bit 1 failing LBA, bit 2
	// SCT, bit 3 SC.
	Valid uint8 `json:"valid"`
	_     byte
	// 11:4 Power On Hours (POH) when the test ended.
	PowerOnHours uint64 `json:"power_on_hours"`
	// 15:12 Namespace Identifier (NSID) of the failing LBA.
	NSID NSID `json:"nsid"`
	// 23:16 Failing LBA.
	LBA uint64 `json:"failing_lba"`
	// 24:24 Status Code Type: bits 2:0.
	SCT uint8 `json:"sct"`
	// 25:25 Status Code.
	SC uint8 `json:"sc"`
	// 27:26 Vendor Specific.
	VendorSpecific uint16 `json:"vendor_specific"`
}

// The results of a self-test.
const (
	SelfTestPassed            = 0x0
	SelfTestAbortedByCommand  = 0x1
	SelfTestAbortedByReset    = 0x2
	SelfTestAbortedByRemoval  = 0x3
	SelfTestAbortedByFormat   = 0x4
	SelfTestFatalError        = 0x5
	SelfTestFailedUnknown     = 0x6
	SelfTestFailedSegment     = 0x7
	SelfTestAbortedUnknown    = 0x8
	SelfTestAbortedBySanitize = 0x9
	SelfTestUnused            = 0xF
)

// Result returns how the test ended; SelfTestUnused for an empty entry.
func (r *SelfTestResult) Result() uint8 { return r.Status & 0xF }

// Code returns which test it was: 1 short, 2 extended.
func (r *SelfTestResult) Code() uint8 { return r.Status >> 4 }

const selfTestLogBytes = 564

// UnmarshalBinary decodes b, which must hold at least 564 bytes.
func (l *SelfTestLog) UnmarshalBinary(b []byte) error {
	return decode("Device Self-test log", l, b)
}
