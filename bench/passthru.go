package bench

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
	"qd1.example/qd1/internal/uring"
)

// commands is what an engine needs to send NVMe commands. Without a namespace it
// sends none.
type commands struct {
	generic   opened // the node that takes them
	namespace *namespace
	mayWrite  bool
	ordinary  bool // the kernel does not take registered memory for them
	command   rawio.NVMeCommand
	statuses  statusErrors
}

// again returns the same for another engine.
func (c *commands) again() commands {
	return commands{generic: c.generic.shared(), namespace: c.namespace, mayWrite: c.mayWrite, ordinary: c.ordinary}
}

// refuses reports whether a request would write although the job does not: the
// kernel would let root do it.
//
//go:nosplit
func (c *commands) refuses(r *Request) bool {
	return r.Write && c.namespace != nil && !c.mayWrite
}

// answered completes the event of a command that the drive has answered.
//
//go:nosplit
func (u *ringEngine) answered(e *Event, status uint16) {
	e.Bytes = len(u.slots[e.Buffer].data)
	if status != 0 {
		e.Bytes, e.Err = 0, u.statuses.of(status)
	}
}

// newPassthru opens the generic node of a namespace, to send NVMe commands
// through io_uring past the block layer. The node is opened for writing only if
// the block device is claimed: nothing else holds a namespace against others.
func newPassthru(s Spec) (Engine, error) {
	if err := checkSubmitThread(s.Job, runtime.NumCPU()); err != nil {
		return nil, err
	}
	if err := commandsKnown(); err != nil {
		return nil, err
	}
	if err := wholeNamespace(EnginePassthru, s); err != nil {
		return nil, err
	}
	o, err := openDirect(s, EnginePassthru)
	if err != nil {
		return nil, err
	}
	u, err := openGeneric(s, o)
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	if err := u.probeCommands(s); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// commandsKnown says so if the kernel has no commands in io_uring.
func commandsKnown() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ring, err := uring.Open(uring.Options{Entries: 1, File: -1, Commands: true})
	switch {
	case err == nil:
		return ring.Close()
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return &Error{
			Cause: fmt.Sprintf("engine %q needs Linux 5.19 or newer, and this is %s", EnginePassthru, release()),
			Hint:  "use the engine ioctl, which sends commands one by one, or psync",
			Err:   errors.Join(ErrBadJob, err),
		}
	}
	return uringError(err)
}

// release returns the kernel's version.
func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "of an unknown version"
	}
	return "Linux " + unix.ByteSliceToString(u.Release[:])
}

// openGeneric opens the generic node that belongs to the block device o.
func openGeneric(s Spec, o opened) (*ringEngine, error) {
	t := s.Target
	if t.Generic == "" {
		return nil, &Error{
			Cause: fmt.Sprintf("engine %q needs the generic node of the namespace (/dev/ng0n1), and there is none for %s", EnginePassthru, t.Path),
			Hint:  "the driver makes it from Linux 5.13 on; use the engine ioctl or psync",
			Err:   ErrBadJob,
		}
	}
	fd, err := unix.Open(t.Generic, accessOf(s)|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, openError(t.Generic, err)
	}
	u := newRingEngine(o, fd, s.Job)
	u.options.Commands = true
	u.generic = opened{fd: fd, path: t.Generic, ours: true}
	if err := u.checkGeneric(s); err != nil {
		return nil, errors.Join(err, u.generic.close())
	}
	return u, nil
}

// checkGeneric makes sure that both nodes are of one namespace, and learns how
// it is addressed.
func (u *ringEngine) checkGeneric(s Spec) error {
	ok, err := sameNamespace("/sys", u.generic.fd, u.fd)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("compare %s and %s: %w", u.generic.path, u.path, err)
	}
	if !ok {
		return badJob("%s and %s are not of one namespace", u.generic.path, u.path)
	}
	n, err := identify(u.generic.fd, EnginePassthru, s.Target)
	if err != nil {
		return err
	}
	u.namespace, u.mayWrite = &n, s.writing()
	return nil
}

// probeCommands reads one block of the job's size, to learn now whether the
// kernel sends such commands, and whether from registered memory.
func (u *ringEngine) probeCommands(s Spec) error {
	if s.Job.IOPoll {
		if err := checkPollQueues("/sys", u.fd); err != nil {
			return err
		}
	}
	runtime.LockOSThread() // The ring belongs to the thread that opened it.
	defer runtime.UnlockOSThread()
	o := u.options
	o.Entries, o.Buffers = 1, 1
	ring, err := uring.Open(o)
	if err != nil {
		return uringError(err)
	}
	defer ring.Close()
	result, err := u.trial(ring, s, true)
	if err == nil && unix.Errno(-result) == unix.EINVAL { // Linux 5.19 and 6.0 need ordinary memory.
		u.ordinary = true
		result, err = u.trial(ring, s, false)
	}
	switch errno := unix.Errno(-result); {
	case err != nil:
		return err
	case result >= 0:
		return nil // A failure of the drive is the run's to report.
	case errno == unix.EOPNOTSUPP && s.Job.IOPoll:
		return pollError(fmt.Sprintf("%s does not let the kernel poll for completions (EOPNOTSUPP)", u.generic.path), errno)
	default:
		return commandError(EnginePassthru, s.Target, trialBytes(s), errno)
	}
}
