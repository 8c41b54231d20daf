package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"qd1.example/qd1/nvme"
)

// Permit is the permission to do the operation: the claimed devices, and which
// of the commands were sent.
type Permit struct {
	c    *Case
	held []*held

	mu     sync.Mutex
	sent   []bool
	closed bool
}

// held is a device that is claimed. member is nil for a node of the drive as a
// whole.
type held struct {
	device string
	member *Member
	claim  Claim
}

// Submit sends one of the commands of the operation, after it has read the
// identity once more through the descriptor that carries it. arm, if not nil,
// is called between the two; its error stops the command. Anything else than a
// command of the operation is a *Refusal, and so is one that was sent as often
// as it stands in the list: a repetition takes a new Claim.
//
// A context that ends before arm is called stops the command. Afterwards it
// goes, and has the time of the operation whatever becomes of the context.
func (p *Permit) Submit(ctx context.Context, cmd *nvme.Command, arm func() error) (nvme.Completion, error) {
	h, i, first, err := p.reserve(cmd)
	if err != nil {
		return nvme.Completion{}, err
	}
	if err := p.ready(ctx, h, first, arm); err != nil {
		p.release(i)
		return nvme.Completion{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.c.op.Timeout)
	defer cancel()
	return h.claim.Submit(ctx, cmd)
}

// ready does what has to be done immediately before a command is sent. Until
// the first one the namespace must be what it was, too.
func (p *Permit) ready(ctx context.Context, h *held, first bool, arm func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.c.verify(ctx, h, first); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if arm == nil {
		return nil
	}
	return arm()
}

// reserve finds the command in the list and marks it as sent. It returns the
// descriptor that carries it and whether it is the first.
func (p *Permit) reserve(cmd *nvme.Command) (h *held, i int, first bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, 0, false, errClosed
	}
	first, known := true, false
	i = -1
	for j := range p.sent {
		matches := planned(&p.c.op.Commands[j], cmd)
		known = known || matches
		first = first && !p.sent[j]
		if matches && !p.sent[j] && i < 0 {
			i = j
		}
	}
	switch {
	case !known:
		return nil, 0, false, refusal(refuse(checkCommand, "", "the command is not one of the operation: %s", dwords(cmd)))
	case i < 0:
		return nil, 0, false, refusal(refuse(checkCommand, hintAgain, "the command was sent already: %s", dwords(cmd)))
	}
	if h = p.carrier(cmd); h == nil {
		return nil, 0, false, refusal(refuse(checkCommand, "", "no device was claimed that the command could be sent through: %s", dwords(cmd)))
	}
	p.sent[i] = true
	return h, i, first, nil
}

// release takes the mark of a command back that was not sent.
func (p *Permit) release(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[i] = false
}

// carrier returns the descriptor for a command: an I/O command goes through
// that of its namespace, as the kernel wants it. It is nil if there is none.
func (p *Permit) carrier(cmd *nvme.Command) *held {
	if cmd.Queue == nvme.AdminQueue {
		return p.held[0]
	}
	for _, h := range p.held {
		if h.member != nil && h.member.NSID == cmd.NSID {
			return h
		}
	}
	return nil
}

// planned reports whether a command is a planned one: all its fields are equal,
// and it carries data only if its opcode does.
func planned(want, got *nvme.Command) bool {
	if len(got.Metadata) > 0 || len(got.Data) > 0 && want.Transfer() == nvme.NoTransfer {
		return false
	}
	return want.Queue == got.Queue && want.Opcode == got.Opcode && want.NSID == got.NSID &&
		want.CDW2 == got.CDW2 && want.CDW3 == got.CDW3 &&
		want.CDW10 == got.CDW10 && want.CDW11 == got.CDW11 && want.CDW12 == got.CDW12 &&
		want.CDW13 == got.CDW13 && want.CDW14 == got.CDW14 && want.CDW15 == got.CDW15
}

// errClosed is a permit that was given back.
var errClosed = fmt.Errorf("permit: %w", fs.ErrClosed)

// open returns an error once the permit was given back.
func (p *Permit) open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	return nil
}

// Passthru reads through the claimed descriptor that carries admin commands.
func (p *Permit) Passthru() nvme.Passthru {
	return nvme.ReadOnly(nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		if err := p.open(); err != nil {
			return nvme.Completion{}, err
		}
		return p.held[0].claim.Submit(ctx, cmd)
	}))
}

// Medium reads and writes a claimed namespace past the cache.
type Medium interface {
	io.ReaderAt
	io.WriterAt
	// Sync makes the drive keep what was written.
	Sync() error
}

// ErrReadOnly is a write to a medium that the operation does not write to.
var ErrReadOnly = errors.New("the operation does not write to the medium")

// Medium is the claimed block device of a namespace, nil if it has none. Its
// WriteAt fails unless the operation Writes.
func (p *Permit) Medium(nsid nvme.NSID) Medium {
	for _, h := range p.held {
		if h.member != nil && h.member.NSID == nsid && h.device == h.member.Block {
			return &medium{p, h}
		}
	}
	return nil
}

// BlockBytes is the logical block size of a claimed namespace, in bytes, as the
// kernel has it at this moment. 0: it has no block device, or does not say.
func (p *Permit) BlockBytes(nsid nvme.NSID) int {
	m, ok := p.Medium(nsid).(*medium)
	if !ok || p.open() != nil {
		return 0
	}
	c, ok := m.h.claim.(blockSizer)
	if !ok {
		return 0
	}
	bytes, err := c.BlockBytes()
	if err != nil {
		return 0
	}
	return bytes
}

// medium is a claimed block device.
type medium struct {
	p *Permit
	h *held
}

// ReadAt reads from the device.
func (m *medium) ReadAt(b []byte, off int64) (int, error) {
	if err := m.p.open(); err != nil {
		return 0, err
	}
	return m.h.claim.ReadAt(b, off)
}

// WriteAt writes to the device.
func (m *medium) WriteAt(b []byte, off int64) (int, error) {
	if err := m.p.open(); err != nil {
		return 0, err
	}
	if !m.p.c.op.Writes {
		return 0, fmt.Errorf("write to %s: %w", m.h.device, ErrReadOnly)
	}
	return m.h.claim.WriteAt(b, off)
}

// Sync makes the drive keep what was written, where the claim can do that.
func (m *medium) Sync() error {
	if err := m.p.open(); err != nil {
		return err
	}
	if s, ok := m.h.claim.(syncer); ok {
		return s.Sync()
	}
	return nil
}

// Descriptor returns a second descriptor of the claimed block device of a
// namespace, for a process that writes to it in the place of this one. The
// identity is read once more through the claim first. It is the caller's to
// close, and to take from that process before the permit is closed. It fails
// with [ErrReadOnly] unless the operation Writes.
func (p *Permit) Descriptor(ctx context.Context, nsid nvme.NSID) (*os.File, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	m, ok := p.Medium(nsid).(*medium)
	if !ok {
		return nil, fmt.Errorf("namespace %d has no block device", nsid)
	}
	if !p.c.op.Writes {
		return nil, fmt.Errorf("descriptor of %s: %w", m.h.device, ErrReadOnly)
	}
	d, ok := m.h.claim.(duplicator)
	if !ok {
		return nil, fmt.Errorf("%s has no descriptor: %w", m.h.device, errors.ErrUnsupported)
	}
	if err := p.ready(ctx, m.h, true, nil); err != nil {
		return nil, err
	}
	return d.Duplicate()
}

// Refresh makes the kernel look at the namespaces and partitions again.
func (p *Permit) Refresh() error {
	if err := p.open(); err != nil {
		return err
	}
	var all []error
	for _, h := range p.held {
		if err := h.claim.Refresh(); err != nil {
			all = append(all, fmt.Errorf("refresh %s: %w", h.device, err))
		}
	}
	return errors.Join(all...)
}

// Close gives the devices back. A command that is under way goes on.
func (p *Permit) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	var all []error
	for _, h := range p.held {
		if err := h.claim.Close(); err != nil {
			all = append(all, fmt.Errorf("release %s: %w", h.device, err))
		}
	}
	return errors.Join(all...)
}
