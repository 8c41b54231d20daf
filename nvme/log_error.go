package nvme

// ErrorLogEntry is one entry of the Error Information log page (LID 01h), 64
// bytes. An entry with an error count of 0 is empty.
//
// Source: NVM Express Base Specification, Revision 2.0, Error Information Log
// Page; the opcode is of revision 2.1 (0 on older drives).
type ErrorLogEntry struct {
	// 7:0 Error Count: a unique number, counted up for each error. 0 means that
	// the entry is empty.
	ErrorCount uint64 `json:"error_count"`
	// 9:8 Submission Queue ID (SQID). FFFFh means not tied to a queue.
	SQID uint16 `json:"sqid"`
	// 11:10 Command ID (CID). FFFFh means not tied to a command.
	CID uint16 `json:"cid"`
	// 13:12 Status Info: bits 15:1 status, bit 0 phase tag.
	StatusInfo StatusInfo `json:"status_field"`
	// 15:14 Parameter Error Location: bits 7:0 byte, bits 10:8 bit. FFFFh means
	// not tied to a parameter.
	ParameterErrorLocation uint16 `json:"parameter_error_location"`
	// 23:16 LBA of the first block with an error.
	LBA uint64 `json:"lba"`
	// 27:24 Namespace (NSID).
	NSID NSID `json:"nsid"`
	// 28:28 Vendor Specific Information Available (VSIA): the LID of a log page.
	VSIA uint8 `json:"vsia"`
	// 29:29 Transport Type (TRTYPE). 0 means not tied to a transport.
	TRTYPE uint8 `json:"trtype"`
	// 30:30 Command Set Indicator (CSI).
	CSI uint8 `json:"csi"`
	// 31:31 Opcode (OPC) of the command.
	Opcode uint8 `json:"opcode"`
	// 39:32 Command Specific Information.
	CommandSpecific uint64 `json:"command_specific"`
	// 41:40 Transport Type Specific Information (TTSI).
	TTSI uint16 `json:"ttsi"`
	_    [21]byte
	// 63:63 Log Page Version (LPVER).
	LPVER uint8 `json:"lpver"`
}

// StatusInfo is a status as the completion queue entry has it: shifted left by
// one, with the phase tag in bit 0.
type StatusInfo uint16

// Status returns the status without the phase tag.
func (s StatusInfo) Status() Status { return Status(s >> 1) }

// Phase returns the phase tag.
func (s StatusInfo) Phase() uint8 { return uint8(s & 1) }

// ErrorLog is the Error Information log page as far as it was read.
type ErrorLog []ErrorLogEntry

// UnmarshalBinary decodes the whole entries in b; empty entries are left out.
func (l *ErrorLog) UnmarshalBinary(b []byte) error {
	*l = (*l)[:0]
	for ; len(b) >= errorLogEntryBytes; b = b[errorLogEntryBytes:] {
		var e ErrorLogEntry
		if err := decode("Error Information log entry", &e, b); err != nil {
			return err
		}
		if e.ErrorCount != 0 {
			*l = append(*l, e)
		}
	}
	return nil
}

const errorLogEntryBytes = 64
