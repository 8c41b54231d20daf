package guard

import (
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// Operation is what is to be done to a drive.
type Operation struct {
	// Name is one word for messages and for the phrase: "erase", "format".
	Name string
	// Commands are all commands that may be sent, without data, in order. The
	// guard finds out from opcode and fields what they reach.
	Commands []nvme.Command
	// Namespaces are written to through their block devices, besides what
	// Commands reach. An operation that Writes and has neither reaches all
	// namespaces of the drive.
	Namespaces []nvme.NSID
	// Writes says that the medium is also written through the block devices
	// (canaries, overwriting), by [Permit.Medium].
	Writes bool
	// KeepsData says that no user data are touched, as by a firmware update:
	// identity and consent are asked for, use and signatures are not.
	KeepsData bool
	// Timeout is the time that each command gets.
	Timeout time.Duration
}

// Drive is the drive that is to be written to.
type Drive struct {
	// Passthru sends commands. Inspect reads through it and nothing else.
	Passthru nvme.Passthru
	// Controller is what the host shows.
	Controller *sysfs.Controller
	// Simulated says that no real drive stands behind Passthru.
	Simulated bool
	// Host is the computer that the drive is attached to.
	Host Host
}

// ErrOperation is an operation that cannot be inspected, because the program
// made it wrong.
var ErrOperation = errors.New("not an operation")

// check returns an error for an operation that makes no sense.
func (op *Operation) check() error {
	switch {
	case op.Name == "":
		return fmt.Errorf("%w: it has no name", ErrOperation)
	case len(op.Commands) == 0 && !op.Writes:
		return fmt.Errorf("%w: it does nothing", ErrOperation)
	case len(op.Commands) > 0 && op.Timeout <= 0:
		return fmt.Errorf("%w: its commands have no time", ErrOperation)
	case op.KeepsData && op.Writes:
		return fmt.Errorf("%w: it writes to the medium and keeps the data", ErrOperation)
	}
	for i := range op.Commands {
		if len(op.Commands[i].Data) > 0 || len(op.Commands[i].Metadata) > 0 {
			return fmt.Errorf("%w: command %d of it has data", ErrOperation, i)
		}
		if e := nvme.EffectOf(&op.Commands[i], nil); op.KeepsData && e.Access == nvme.Destroys {
			return fmt.Errorf("%w: it keeps the data, and command %d does not: %s", ErrOperation, i, e.Why)
		}
	}
	return nil
}

// sanitizes reports whether all commands are Sanitize, which alone a drive does
// whose last sanitize operation failed.
func (op *Operation) sanitizes() bool {
	for i := range op.Commands {
		if op.Commands[i].Queue != nvme.AdminQueue || op.Commands[i].Opcode != nvme.AdminSanitize {
			return false
		}
	}
	return len(op.Commands) > 0
}

// abortsSelfTest reports whether all that is done is to abort a self-test, which
// makes sense only while one is running.
func (op *Operation) abortsSelfTest() bool {
	const abort = 0xF // Self-test Code.
	for i := range op.Commands {
		c := &op.Commands[i]
		if c.Queue != nvme.AdminQueue || c.Opcode != nvme.AdminDeviceSelfTest || c.CDW10&0xF != abort {
			return false
		}
	}
	return len(op.Commands) > 0
}
