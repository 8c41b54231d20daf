package nvme

import (
	"errors"
	"fmt"
	"strings"
)

// Status is the status of a completion without the phase tag, 15 bits: Do Not
// Retry (bit 14), More (13), Command Retry Delay (12:11), Status Code Type
// (10:8) and Status Code (7:0). 0 is success.
//
// A Status is an error: [errors.Is] finds one in a chain by its code alone,
// whatever the other bits are.
type Status uint16

const (
	statusCodeMask Status = 0x07FF
	statusMore     Status = 1 << 13
	statusDNR      Status = 1 << 14
)

// SC returns the Status Code.
func (s Status) SC() uint8 { return uint8(s) }

// SCT returns the Status Code Type: 0 generic, 1 command specific, 2 media and
// data integrity, 3 path related, 7 vendor specific.
func (s Status) SCT() uint8 { return uint8(s >> 8 & 7) }

// CRD returns which of the three Command Retry Delay times of Identify
// Controller to wait before a retry. 0 means no delay.
func (s Status) CRD() uint8 { return uint8(s >> 11 & 3) }

// More reports whether the Error Information log has more about the command.
func (s Status) More() bool { return s&statusMore != 0 }

// DNR reports whether the same command would fail again.
func (s Status) DNR() bool { return s&statusDNR != 0 }

// Code returns the Status Code Type and Status Code alone, which are the
// identity of a status.
func (s Status) Code() Status { return s & statusCodeMask }

// OK reports whether the command succeeded.
func (s Status) OK() bool { return s.Code() == StatusSuccess }

const (
	vendorSCT     = 7
	firstVendorSC = 0xC0
)

// String returns the name of the status in the specification's words. One that
// is vendor specific or unknown is named with its numbers.
func (s Status) String() string {
	if name, ok := statusNames[s.Code()]; ok {
		return name
	}
	kind := "Reserved Status"
	if s.SCT() == vendorSCT || s.SC() >= firstVendorSC {
		kind = "Vendor Specific Status"
	}
	return fmt.Sprintf("%s SCT %Xh SC %02Xh", kind, s.SCT(), s.SC())
}

// Error returns the name, the code and what the other bits say.
func (s Status) Error() string {
	notes := []string{fmt.Sprintf("0x%03x", uint16(s.Code()))}
	if s.CRD() != 0 {
		notes = append(notes, fmt.Sprintf("retry delay %d", s.CRD()))
	}
	if s.More() {
		notes = append(notes, "more in the error log")
	}
	if s.DNR() {
		notes = append(notes, "do not retry")
	}
	return fmt.Sprintf("%s (%s)", s.String(), strings.Join(notes, ", "))
}

// Is reports whether target is the same status, compared by [Status.Code], or
// is [ErrNotSupported] and the status is one with which drives refuse what
// they do not have.
func (s Status) Is(target error) bool {
	if t, ok := target.(Status); ok {
		return s.Code() == t.Code()
	}
	return target == ErrNotSupported && s.notSupported()
}

func (s Status) notSupported() bool {
	switch s.Code() {
	case StatusInvalidOpcode, StatusInvalidField, StatusInvalidLogPage, StatusIOCommandSetNotSupported:
		return true
	}
	return false
}

// ErrNotSupported says that the drive does not have an optional command, log
// page, structure or feature. Drives say that with Invalid Command Opcode,
// Invalid Log Page, I/O Command Set Not Supported and, most of all, Invalid
// Field in Command, so all of them are this error. Invalid Field can also mean
// a command that was built wrongly; ask for this error only after commands that
// are valid wherever they are supported.
var ErrNotSupported = errors.New("not supported by the drive")

// ErrWouldModify says that a command was held back because it could change the
// drive; nothing was sent.
var ErrWouldModify = errors.New("would modify the drive")

// ErrShort is a structure that came with fewer bytes than it has.
var ErrShort = errors.New("too short")

// CommandError is a command that the device answered with a status other than
// success. It unwraps to the [Status].
type CommandError struct {
	// Command is the name of the command and of what it asked for.
	Command string
	Queue   Queue
	Opcode  uint8
	NSID    NSID
	Status  Status
}

// Error returns the command and the status.
func (e *CommandError) Error() string { return e.Command + ": " + e.Status.Error() }

// Unwrap returns the status.
func (e *CommandError) Unwrap() error { return e.Status }
