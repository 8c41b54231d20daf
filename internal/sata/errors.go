package sata

import (
	"errors"
	"fmt"
)

// Errors of this package. They stand beside the cause in the chain.
var (
	// ErrNotDisk is a path that is not a disk of the kernel's SCSI layer, such as
	// /dev/sda.
	ErrNotDisk = errors.New("not a SCSI disk")
	// ErrNotATA is a disk behind which no ATA command can arrive: a SAS drive, an
	// NVMe drive in a USB box, a virtual disk.
	ErrNotATA = errors.New("no ATA drive to talk to")
	// ErrNotTranslated is a bridge or adapter that does not know ATA PASS-THROUGH,
	// or refuses this use of it.
	ErrNotTranslated = errors.New("the bridge or adapter does not pass ATA commands on")
	// ErrAborted is a command that the drive refused.
	ErrAborted = errors.New("the drive aborted the command")
	// ErrNotReady is a drive that does not take commands now.
	ErrNotReady = errors.New("the drive is not ready")
	// ErrTimeout is a command that was not answered in time. The kernel has
	// reset the link or the bridge after it.
	ErrTimeout = errors.New("the drive did not answer in time")
	// ErrGone is a drive that was removed or that the kernel has given up.
	ErrGone = errors.New("the drive is gone")
	// ErrIO is a command that failed on the way, or that the drive could not
	// carry out.
	ErrIO = errors.New("the command failed")
	// ErrNoRegisters is an answer without the registers in which the drive puts
	// its SMART status. USB bridges often drop them.
	ErrNoRegisters = errors.New("the answer came without the drive's registers")
	// ErrUnknownStatus is an answer to SMART RETURN STATUS that is neither of the
	// two that the standard knows.
	ErrUnknownStatus = errors.New("the drive gave neither good nor bad SMART status")
	// ErrShort is an answer that is shorter than asked for.
	ErrShort = errors.New("the answer is too short")
	// ErrEmptyPage is a page of nothing but zeros or ones, which is no answer.
	ErrEmptyPage = errors.New("the page holds no data")
	// ErrNotAllowed is a command that is not on the list of those that read.
	ErrNotAllowed = errors.New("only commands that read are sent")
)

// CommandError is a command that was refused or failed, with what the drive or
// the bridge said about it.
type CommandError struct {
	// Command is the name of the ATA command.
	Command string
	// Sense is the sense data, nil if none came.
	Sense *Sense
	// Detail is what else is known, "" for nothing.
	Detail string
	// Err is one of the errors of this package.
	Err error
}

// Error returns the command, the kind of failure and the sense data.
func (e *CommandError) Error() string {
	s := e.Command + ": " + e.Err.Error()
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	if e.Sense != nil {
		s += ": " + e.Sense.String()
	}
	return s
}

// Unwrap returns Err.
func (e *CommandError) Unwrap() error { return e.Err }

// short returns an ErrShort for a structure of the name given.
func short(name string, got, want int) error {
	return fmt.Errorf("%s: %w: %d bytes of %d", name, ErrShort, got, want)
}
