package bench

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// StatusError is the answer of a drive to a command that failed, from the engines
// that send NVMe commands: Status Code in bits 7:0, Status Code Type in bits 10:8,
// Do Not Retry in bit 14 (NVM Express Base Specification 2.0, Completion Queue
// Entry: Status Field).
type StatusError uint16

// Error names the fields in hexadecimal.
func (s StatusError) Error() string {
	return fmt.Sprintf("NVMe status code type %Xh, status code %02Xh", uint16(s)>>8&7, uint16(s)&0xff)
}

// statusErrors keeps one error of each status, so that a drive that fails every
// command does not fill the memory.
type statusErrors struct{ seen []error }

// of returns the error for a status other than 0.
func (s *statusErrors) of(status uint16) error {
	for _, e := range s.seen {
		if e == StatusError(status) {
			return e
		}
	}
	e := error(StatusError(status))
	s.seen = append(s.seen, e)
	return e
}

// commandError says what it means that the kernel did not send a command with
// data of n bytes, and what to do.
func commandError(engine string, t Target, n int, errno unix.Errno) error {
	e := &Error{
		Cause: fmt.Sprintf("engine %q: the kernel does not send the command to %s (%s)", engine, t.Path, unix.ErrnoName(errno)),
		Err:   errno,
	}
	switch errno {
	case unix.EACCES, unix.EPERM:
		e.Hint = "run as root (CAP_SYS_ADMIN); from Linux 6.2 on, permission to read the node is enough for reads if the drive reports the effects of its commands"
	case unix.EINVAL, unix.ENOMEM, unix.E2BIG:
		e.Cause = fmt.Sprintf("engine %q: %s does not take a command of %d bytes (%s)", engine, t.Path, n, unix.ErrnoName(errno))
		e.Hint = "one command cannot be split: use a smaller block (see queue/max_hw_sectors_kb and queue/max_segments in sysfs, often 128 KiB), or the engine uring"
		e.Err = errors.Join(ErrBadJob, errno)
	case unix.ENOTTY, unix.EOPNOTSUPP:
		e.Hint = "the driver of this device takes no commands: use the engine psync or uring"
		e.Err = errors.Join(ErrBadJob, errno)
	}
	return e
}
