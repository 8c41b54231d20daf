package bench

import (
	"errors"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// ioctlEngine sends one NVMe command at a time through the ioctl of the block
// device.
type ioctlEngine struct {
	opened
	namespace namespace
	request   rawio.NVMeRequest
	mayWrite  bool
	exchange  rawio.NVMeExchange
	statuses  statusErrors
	pending   Event
	busy      bool
}

// newIoctl opens a whole namespace for commands, one at a time.
func newIoctl(s Spec) (Engine, error) {
	if err := wholeNamespace(EngineIoctl, s); err != nil {
		return nil, err
	}
	o, err := openDirect(s, EngineIoctl)
	if err != nil {
		return nil, err
	}
	e := &ioctlEngine{opened: o, request: rawio.NVMeIO64, mayWrite: s.writing()}
	if e.namespace, err = identify(o.fd, EngineIoctl, s.Target); err == nil {
		err = e.probe(s)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// probe reads one block of the job's size, to learn now whether the kernel sends
// such commands, and through which request.
func (e *ioctlEngine) probe(s Spec) error {
	n := trialBytes(s)
	buffer, err := rawio.Alloc(n)
	if err != nil {
		return err
	}
	defer buffer.Free()
	r := &Request{Offset: s.Job.Start, Data: buffer.Bytes()[:n]}
	_, errno := e.send(r)
	if errno == unix.ENOTTY { // Before Linux 5.5.
		e.request = rawio.NVMeIO
		_, errno = e.send(r)
	}
	if errno != 0 {
		return commandError(EngineIoctl, s.Target, n, errno)
	}
	return nil // A failure of the drive is the run's to report.
}

// send is one call of the kernel.
//
//go:nosplit
func (e *ioctlEngine) send(r *Request) (uint16, unix.Errno) {
	e.namespace.command(&e.exchange.NVMeCommand, r.Write, r.Offset, len(r.Data))
	return rawio.NVMe(e.fd, e.request, &e.exchange, r.Data)
}

// MaxQueueDepth returns 1.
func (e *ioctlEngine) MaxQueueDepth() int { return 1 }

// Submit does the first request.
//
//go:nosplit
func (e *ioctlEngine) Submit(requests []Request) (int, error) {
	if e.busy || len(requests) == 0 {
		return 0, nil
	}
	r := &requests[0]
	if r.Write && !e.mayWrite {
		return 0, unix.EBADF // The kernel would let root write.
	}
	status, errno := e.send(r)
	e.pending.Buffer, e.pending.Bytes, e.pending.Err = r.Buffer, len(r.Data), nil
	if errno != 0 || status != 0 {
		e.failed(status, errno)
	}
	e.busy = true
	return 1, nil
}

// failed notes why the command failed.
func (e *ioctlEngine) failed(status uint16, errno unix.Errno) {
	e.pending.Bytes, e.pending.Err = 0, errno
	if errno == 0 {
		e.pending.Err = e.statuses.of(status)
	}
}

// Reap returns the completion of the request that Submit took.
//
//go:nosplit
func (e *ioctlEngine) Reap(events []Event, _ int) (int, error) {
	return reapOne(events, &e.pending, &e.busy)
}

// Fork returns another engine on the same open device.
func (e *ioctlEngine) Fork() (Engine, error) {
	return &ioctlEngine{opened: e.shared(), namespace: e.namespace, request: e.request, mayWrite: e.mayWrite}, nil
}

// Gone reports whether the device has no size any more or its node is missing.
func (e *ioctlEngine) Gone() bool { return e.gone() }

// Close closes the device if the engine opened it.
func (e *ioctlEngine) Close() error { return e.close() }
