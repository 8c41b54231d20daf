package sim

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"time"

	"qd1.example/qd1/nvme"
)

// ReadAt reads from the first namespace, with the time that the drive takes.
// The offset and length need not be whole blocks. What the drive refuses is an
// [nvme.CommandError].
func (d *Drive) ReadAt(p []byte, off int64) (int, error) {
	return d.transfer(nvme.IORead, p, off)
}

// WriteAt writes to the first namespace, with the time that the drive takes.
func (d *Drive) WriteAt(p []byte, off int64) (int, error) {
	n, err := d.transfer(nvme.IOWrite, p, off)
	if err == io.EOF {
		err = fmt.Errorf("write beyond the end of the simulated drive: %w", io.ErrShortWrite)
	}
	return n, err
}

// transfer moves the part of p that lies within the namespace. The error is
// io.EOF if that is not all.
func (d *Drive) transfer(op uint8, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("negative offset: %w", fs.ErrInvalid)
	}
	ctx := context.Background()
	if err := d.answering(ctx, nvme.IOQueue); err != nil {
		return 0, err
	}
	if d.controller.personality.dead {
		return 0, die(&nvme.Command{Opcode: op, Data: p})
	}
	n := int(max(0, min(int64(len(p)), d.Size()-off)))
	if n > 0 {
		if err := d.move(ctx, op, p[:n], off); err != nil {
			return 0, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// move does one access, with the faults that a command of the same blocks has.
func (d *Drive) move(ctx context.Context, op uint8, p []byte, off int64) error {
	if d.faults == nil && d.trace == nil {
		return d.access(ctx, op, p, off)
	}
	cmd := d.commandOf(op, len(p), off)
	if d.trace != nil {
		d.trace(cmd)
	}
	if d.faults != nil && cmd.NSID != 0 {
		return d.faults.move(ctx, d, cmd, p, off)
	}
	return d.access(ctx, op, p, off)
}

// commandOf returns the command, without data, that is about the same blocks as
// an access of the first namespace. Its NSID is 0 if there is none.
func (d *Drive) commandOf(op uint8, length int, off int64) *nvme.Command {
	n := d.controller.spaces.Load().first()
	if n == nil {
		return &nvme.Command{Queue: nvme.IOQueue, Opcode: op}
	}
	block := int64(n.blockBytes())
	slba := uint64(off / block)
	blocks := (off+int64(length)+block-1)/block - int64(slba)
	return &nvme.Command{
		Queue: nvme.IOQueue, Opcode: op, NSID: n.nsid,
		CDW10: uint32(slba), CDW11: uint32(slba >> 32), CDW12: uint32(max(blocks-1, 0)),
	}
}

// access does one access without faults.
func (d *Drive) access(ctx context.Context, op uint8, p []byte, off int64) error {
	var r reply
	var nsid nvme.NSID
	err := d.underWay(ctx, func() time.Duration {
		r, nsid = d.controller.access(op, p, off)
		return r.end
	})
	if err != nil {
		return err
	}
	return accessError(op, nsid, &r)
}

// accessError is what a host makes of the answer to an access.
func accessError(op uint8, nsid nvme.NSID, r *reply) error {
	if r.ok() {
		return nil
	}
	if r.status == nvme.StatusInternalError && op == nvme.IOWrite {
		return ErrFull
	}
	return commandError(op, nsid, r.status)
}

// commandError is what a host makes of a status.
func commandError(op uint8, nsid nvme.NSID, s nvme.Status) error {
	return &nvme.CommandError{
		Command: nvme.OpcodeName(nvme.IOQueue, op), Queue: nvme.IOQueue, Opcode: op, NSID: nsid, Status: s,
	}
}

// access reads or writes any bytes of the first namespace.
func (c *controller) access(op uint8, p []byte, off int64) (reply, nvme.NSID) {
	var r reply
	var hold time.Duration
	if s := c.spaces.Load(); s.busy && s.first() != nil {
		hold, r = c.gate(op, s.first().nsid)
	}
	n := c.spaces.Load().first() // The gate may have ended an operation.
	if n == nil || off+int64(len(p)) > n.bytes() {
		return refuse(nvme.StatusLBAOutOfRange, nowhere), 0
	}
	if r.ok() {
		if op == nvme.IOWrite {
			r = c.write(n, p, off)
		} else {
			r = c.read(n, p, off)
		}
		r.end = max(r.end, hold)
	}
	if !r.ok() && r.status != nvme.StatusInternalError {
		r = c.failIO(&nvme.Command{Queue: nvme.IOQueue, Opcode: op, NSID: n.nsid}, r)
	}
	return r, n.nsid
}

// die is what a host says of a drive that is gone. What can be read of it is
// all ones.
func die(cmd *nvme.Command) error {
	if cmd.Transfer() == nvme.ControllerToHost {
		for i := range cmd.Data {
			cmd.Data[i] = 0xFF
		}
	}
	return fmt.Errorf("simulated drive: %w", syscall.ENODEV)
}
