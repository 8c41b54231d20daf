package bench

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/uring"
)

// leastCPUs is the number of CPUs below which a kernel thread that polls for
// submissions takes away what the rest of the path needs.
const leastCPUs = 4

// OpenUring opens a block device or regular file for direct reads through
// io_uring, up to 1024 at a time. The target is opened read-only. The error says
// so if the kernel has no io_uring or forbids it.
//
// The engine belongs to the thread that submits first; another one needs a fork.
// [ReadEach] forks by itself, [Run] for every worker but the first.
func OpenUring(t Target) (Engine, error) { return newUring(reading(t)) }

func newUring(s Spec) (Engine, error) {
	if err := checkSubmitThread(s.Job, runtime.NumCPU()); err != nil {
		return nil, err
	}
	o, err := openDirect(s, EngineUring)
	if err != nil {
		return nil, err
	}
	u := newRingEngine(o, o.fd, s.Job)
	if err := u.probe(s); err != nil {
		_ = u.Close()
		return nil, err
	}
	return u, nil
}

// checkSubmitThread refuses a kernel thread for submissions where it would
// compete with the worker and the interrupts for the CPU.
func checkSubmitThread(j Job, cpus int) error {
	if !j.SQPoll || cpus >= leastCPUs {
		return nil
	}
	return &Error{
		Cause: fmt.Sprintf("a kernel thread that polls for submissions needs a CPU of its own: %d are here, %d are needed", cpus, leastCPUs),
		Hint:  "run without --sq-poll",
		Err:   ErrBadJob,
	}
}

// uringError says what a failed set-up means and what to do.
func uringError(err error) error {
	e := &Error{Cause: err.Error(), Err: err}
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		e.Cause = fmt.Sprintf("io_uring is forbidden here: %v", err)
		e.Hint = "look at the sysctl kernel.io_uring_disabled and at the seccomp profile of the container, or use the engine psync"
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		e.Cause = fmt.Sprintf("this kernel has no io_uring that qd1 can use: %v", err)
		e.Hint = "use the engine psync, or Linux 5.6 or newer"
	case errors.Is(err, unix.ENOMEM):
		e.Hint = "raise the limit of locked memory (ulimit -l), or use the engine psync"
	}
	return e
}

// probe opens a small ring, to learn now what is missing. Where the device is to
// be polled it reads one block.
func (u *ringEngine) probe(s Spec) error {
	runtime.LockOSThread() // The ring belongs to the thread that opened it.
	defer runtime.UnlockOSThread()
	o := u.options
	o.Entries, o.Buffers = 1, 1
	ring, err := uring.Open(o)
	if err != nil {
		return uringError(err)
	}
	defer ring.Close()
	if !s.Job.IOPoll {
		return nil
	}
	if err := checkPollQueues("/sys", u.fd); err != nil {
		return err
	}
	result, err := u.trial(ring, s, false)
	if err != nil {
		return err
	}
	if errno := unix.Errno(-result); result < 0 && (errno == unix.EOPNOTSUPP || errno == unix.EINVAL) {
		return pollError(fmt.Sprintf("%s does not let the kernel poll for completions (%s)", u.path, unix.ErrnoName(errno)), errno)
	}
	return nil
}
