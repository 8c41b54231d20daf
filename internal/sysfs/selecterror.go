package sysfs

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// Errors that a [SelectError] may carry, beside fs.ErrNotExist and
// fs.ErrPermission.
var (
	// ErrAmbiguous is a selector that several drives match.
	ErrAmbiguous = errors.New("several drives match")
	// ErrNotNVMe is a path to something that is not an NVMe drive.
	ErrNotNVMe = errors.New("not an NVMe drive")
)

// The next steps that more than one error offers.
const (
	hintList    = "qd1 list shows the drives"
	hintNotNVMe = "qd1 list shows the drives; USB bridges and SATA drives are not NVMe"
	hintRoot    = "run it as root, for example with sudo"
	hintSysfs   = "check that /sys is mounted and readable"
	hintNone    = "check that the drive is seated, that lspci shows it, that the firmware setup is not in RAID or VMD mode, and that the nvme module is loaded; " +
		"in a container, that /sys is the host's; sim:optane-905p is a simulated drive to try"
)

// SelectError says why a selector names no drive, and what to do next.
type SelectError struct {
	// Selector is what the user gave.
	Selector string
	// Cause is the reason, without full stop.
	Cause string
	// Hint is the next step, without full stop; "" for none.
	Hint string
	// Err is fs.ErrNotExist, fs.ErrPermission, [ErrAmbiguous], [ErrNotNVMe] or
	// the error of the host.
	Err error
}

// Error returns the selector and the cause.
func (e *SelectError) Error() string {
	if e.Selector == "" {
		return e.Cause
	}
	return quote(e.Selector) + ": " + e.Cause
}

// Unwrap returns Err.
func (e *SelectError) Unwrap() error { return e.Err }

// quote quotes a selector that a terminal should not get as it stands.
func quote(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
