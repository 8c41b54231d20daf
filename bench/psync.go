package bench

import (
	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// psync reads or writes one block at a time with pread64 and pwrite64.
type psync struct {
	opened
	pending Event
	busy    bool
}

// OpenPsync opens a block device or regular file for direct reads, one at a
// time. The target is opened read-only.
func OpenPsync(t Target) (Engine, error) { return newPsync(reading(t)) }

func newPsync(s Spec) (Engine, error) {
	o, err := openDirect(s, EnginePsync)
	if err != nil {
		return nil, err
	}
	return &psync{opened: o}, nil
}

// MaxQueueDepth returns 1.
func (p *psync) MaxQueueDepth() int { return 1 }

// Submit does the first request.
//
//go:nosplit
func (p *psync) Submit(requests []Request) (int, error) {
	if p.busy || len(requests) == 0 {
		return 0, nil
	}
	r := &requests[0]
	n, errno := p.transfer(r)
	for errno == unix.EINTR {
		n, errno = p.transfer(r)
	}
	p.pending.Buffer, p.pending.Bytes, p.pending.Err = r.Buffer, n, nil
	if errno != 0 {
		p.pending.Err = errno
	}
	p.busy = true
	return 1, nil
}

// transfer is one call of the kernel.
//
//go:nosplit
func (p *psync) transfer(r *Request) (int, unix.Errno) {
	if r.Write {
		return rawio.Pwrite(p.fd, r.Data, r.Offset)
	}
	return rawio.Pread(p.fd, r.Data, r.Offset)
}

// Reap returns the completion of the request that Submit took.
//
//go:nosplit
func (p *psync) Reap(events []Event, _ int) (int, error) {
	return reapOne(events, &p.pending, &p.busy)
}

// Fork returns another engine on the same open file.
func (p *psync) Fork() (Engine, error) { return &psync{opened: p.shared()}, nil }

// Gone reports whether the device has no size any more or its node is missing.
func (p *psync) Gone() bool { return p.gone() }

// Close closes the file if the engine opened it.
func (p *psync) Close() error { return p.close() }
