package ioctl

import (
	"fmt"
	"math"

	"qd1.example/qd1/internal/rawio"
	"qd1.example/qd1/nvme"
)

// transfer is the memory of one command that the kernel sees: copies of the
// caller's buffers, page-aligned, outside the Go heap, at least a page each.
type transfer struct {
	data, meta       *rawio.Buffer
	dataLen, metaLen uint32
}

// newTransfer allocates the memory for cmd and copies in what goes to the
// controller.
func newTransfer(cmd *nvme.Command) (*transfer, error) {
	t := &transfer{}
	var err error
	if t.data, t.dataLen, err = stage(cmd, cmd.Data); err != nil {
		return nil, err
	}
	if t.meta, t.metaLen, err = stage(cmd, cmd.Metadata); err != nil {
		t.free()
		return nil, err
	}
	return t, nil
}

// stage returns a copy of b for the kernel; nil if b is empty. What a drive does
// not fill of the answer to an admin command stays as the caller had it, so that
// the caller can tell.
func stage(cmd *nvme.Command, b []byte) (*rawio.Buffer, uint32, error) {
	if len(b) == 0 {
		return nil, 0, nil
	}
	if uint64(len(b)) > math.MaxUint32 {
		return nil, 0, fmt.Errorf("transfer of %d bytes does not fit in the request", len(b))
	}
	buf, err := rawio.Alloc(len(b))
	if err != nil {
		return nil, 0, err
	}
	if cmd.Transfer()&nvme.HostToController != 0 || cmd.Queue == nvme.AdminQueue {
		copy(buf.Bytes(), b)
	}
	return buf, uint32(len(b)), nil
}

// describe writes addresses and lengths into the request. The lengths are the
// caller's, not those of the buffers.
func (t *transfer) describe(p *passthru) {
	p.Addr, p.DataLen = address(t.data), t.dataLen
	p.Metadata, p.MetadataLen = address(t.meta), t.metaLen
}

// address returns the address of b, 0 for nil. It stays valid until free.
func address(b *rawio.Buffer) uint64 {
	if b == nil {
		return 0
	}
	return uint64(uintptr(b.Pointer()))
}

// copyOut gives the caller what the controller sent.
func (t *transfer) copyOut(cmd *nvme.Command) {
	if cmd.Transfer()&nvme.ControllerToHost == 0 {
		return
	}
	for _, c := range []struct {
		to   []byte
		from *rawio.Buffer
	}{{cmd.Data, t.data}, {cmd.Metadata, t.meta}} {
		if c.from != nil {
			copy(c.to, c.from.Bytes())
		}
	}
}

// free gives the memory back. The error of unmapping memory that was mapped
// leaves nothing to do.
func (t *transfer) free() {
	for _, b := range []*rawio.Buffer{t.data, t.meta} {
		if b != nil {
			_ = b.Free()
		}
	}
}
