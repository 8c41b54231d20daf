package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// simHost is the computer that a simulated drive of this process is attached
// to: nobody else can use it.
type simHost struct {
	root  fs.FS
	host  *sysfs.Controller
	drive *sim.Drive
}

func (h simHost) Sysfs() fs.FS { return h.root }

func (h simHost) Survey(context.Context, []string) (*inuse.Survey, error) {
	return &inuse.Survey{}, nil
}

func (h simHost) Power() []guard.Check { return nil }

func (h simHost) Open(block string) (guard.BlockReader, error) { return h.namespace(block) }

func (h simHost) Claim(device string) (guard.Claim, error) {
	if device == h.host.Name {
		return simNamespace{Drive: h.drive}, nil
	}
	return h.namespace(device)
}

// namespace is the block device of that name.
func (h simHost) namespace(block string) (simNamespace, error) {
	for i, n := range h.host.Namespaces {
		if n.Block == block {
			return simNamespace{Drive: h.drive, first: i == 0, nsid: nvme.NSID(n.NSID), blockBytes: n.LBABytes}, nil
		}
	}
	return simNamespace{}, fmt.Errorf("%s: %w", block, fs.ErrNotExist)
}

// simNamespace is a namespace of a simulated drive, which outlives it. The
// first one is read with the latency of the drive, the others by commands.
type simNamespace struct {
	*sim.Drive
	first      bool
	nsid       nvme.NSID
	blockBytes int
}

func (n simNamespace) Close() error   { return nil }
func (n simNamespace) Refresh() error { return nil }

// Sync makes the drive keep what was written.
func (n simNamespace) Sync() error {
	return n.command(&nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOFlush, NSID: n.nsid})
}

// ReadAt reads whole blocks, or any part of the first namespace.
func (n simNamespace) ReadAt(b []byte, off int64) (int, error) {
	if n.first {
		return n.Drive.ReadAt(b, off)
	}
	return n.transfer(nvme.IORead, b, off)
}

// WriteAt writes whole blocks, or any part of the first namespace.
func (n simNamespace) WriteAt(b []byte, off int64) (int, error) {
	if n.first {
		return n.Drive.WriteAt(b, off)
	}
	return n.transfer(nvme.IOWrite, b, off)
}

// most is what one command transfers, bytes.
const most = 64 << 10

func (n simNamespace) transfer(opcode uint8, b []byte, off int64) (done int, err error) {
	size := int64(n.blockBytes)
	if size == 0 || off%size != 0 || int64(len(b))%size != 0 {
		return 0, errors.New("a simulated namespace is read and written in whole blocks")
	}
	for done < len(b) {
		part := b[done:min(done+most, len(b))]
		lba := uint64(off+int64(done)) / uint64(size)
		err := n.command(&nvme.Command{
			Queue: nvme.IOQueue, Opcode: opcode, NSID: n.nsid, Data: part,
			CDW10: uint32(lba), CDW11: uint32(lba >> 32), CDW12: uint32(int64(len(part))/size - 1),
		})
		if errors.Is(err, nvme.StatusLBAOutOfRange) {
			return done, io.EOF
		}
		if err != nil {
			return done, err
		}
		done += len(part)
	}
	return done, nil
}

func (n simNamespace) command(cmd *nvme.Command) error {
	c, err := n.Submit(context.Background(), cmd)
	if err == nil && !c.Status.OK() {
		err = c.Status
	}
	return err
}
