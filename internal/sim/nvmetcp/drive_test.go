package nvmetcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"qd1.example/qd1/nvme"
)

// memory is a drive for tests: 8 MiB of 512-byte blocks, an Identify page in
// which each byte is its offset, and answers that a test can change.
type memory struct {
	mu   sync.Mutex
	data [8 << 20]byte
	page []byte
	// resets, hardResets and shutdowns count what the drive was told.
	resets, hardResets, shutdowns atomic.Int32
	events                        chan event
	// before may answer in place of the drive.
	before func(ctx context.Context, cmd *nvme.Command) (c nvme.Completion, err error, done bool)
}

// memoryAERL is the drive's Asynchronous Event Request Limit, 0's based, and
// memoryID its Controller ID: bytes 78 and 79 of the page.
const (
	memoryAERL        = 2
	memoryID   uint16 = 79<<8 | 78
)

func newMemory() *memory {
	d := &memory{page: make([]byte, 4096), events: make(chan event)}
	for i := range d.page {
		d.page[i] = byte(i)
	}
	binary.LittleEndian.PutUint32(d.page[80:], 0x10300)
	d.page[259] = memoryAERL
	return d
}

func (d *memory) Reset()          { d.resets.Add(1) }
func (d *memory) SubsystemReset() { d.hardResets.Add(1) }
func (d *memory) Shutdown()       { d.shutdowns.Add(1) }

func (d *memory) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if d.before != nil {
		if c, err, done := d.before(ctx, cmd); done {
			return c, err
		}
	}
	if cmd.Queue == nvme.IOQueue {
		return nvme.Completion{Status: d.io(cmd)}, nil
	}
	switch cmd.Opcode {
	case nvme.AdminIdentify:
		copy(cmd.Data, d.page)
	case nvme.AdminGetLogPage:
		clear(cmd.Data)
	case nvme.AdminAsynchronousEventRequest:
		select {
		case e, ok := <-d.events:
			if !ok {
				return nvme.Completion{Status: nvme.StatusAbortRequested}, nil
			}
			return nvme.Completion{Result: e.result()}, nil
		case <-ctx.Done():
			return nvme.Completion{}, ctx.Err()
		}
	case nvme.AdminGetFeatures:
		return nvme.Completion{Result: 0xF0 + uint64(cmd.CDW10&0xFF)}, nil
	default:
		return nvme.Completion{Status: nvme.StatusInvalidOpcode}, nil
	}
	return nvme.Completion{}, nil
}

func (d *memory) io(cmd *nvme.Command) nvme.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	off := int(cmd.CDW10) * 512
	if off+len(cmd.Data) > len(d.data) {
		return nvme.StatusLBAOutOfRange
	}
	switch cmd.Opcode {
	case nvme.IORead:
		copy(cmd.Data, d.data[off:])
	case nvme.IOWrite:
		copy(d.data[off:], cmd.Data)
	case nvme.IOFlush:
	default:
		return nvme.StatusInvalidOpcode
	}
	return nvme.StatusSuccess
}

// bytes returns a copy of the data at an offset.
func (d *memory) bytes(off, n int) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Clone(d.data[off : off+n])
}

func read(lba, bytes uint32) []byte  { return sqe(nvme.IORead, 1, lba, 0, bytes/512-1) }
func write(lba, bytes uint32) []byte { return sqe(nvme.IOWrite, 1, lba, 0, bytes/512-1) }

// pattern is data that tells its place.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8) ^ byte(i>>16) + seed
	}
	return b
}
