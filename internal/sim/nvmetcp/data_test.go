package nvmetcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestTransfers writes in a capsule and on request, and reads, with all
// digests, several alignments, and with and without flow control.
func TestTransfers(t *testing.T) {
	d := newMemory()
	near := startServer(t, Options{}, Subsystem{testNQN, d})
	far := serveOn(t, remote{listen(t)}, Options{}, Subsystem{testNQN, d})
	for digests := range byte(4) {
		for _, align := range []byte{0, 31} {
			t.Run(fmt.Sprintf("digests %d align %d", digests, align), func(t *testing.T) {
				addr, want := near, 4096
				if digests == 1 || digests == 3 {
					addr, want = far, 128<<10
				}
				admin := dial(t, addr).initialize(digests, align)
				id := admin.admin(testNQN, 0)
				h := dial(t, addr).initialize(digests, align)
				if h.limit != want {
					t.Errorf("MAXH2CDATA %d, want %d", h.limit, want)
				}
				h.noFlow = align > 0
				h.join(id, 1, 8)
				checkTransfers(t, h)
			})
		}
	}
}

func checkTransfers(t *testing.T, h *host) {
	small, large := pattern(4096, 1), pattern(300<<10, 2)
	if a := h.do(write(8, 4096), small, 0, nil); a.status != 0 {
		t.Errorf("write in a capsule: status %#x", a.status)
	}
	for pieces := 1; pieces < 8; pieces += 3 {
		h.pieces = pieces
		if a := h.do(write(1000, 300<<10), nil, len(large), large); a.status != 0 {
			t.Errorf("write on request: status %#x", a.status)
		}
	}
	for range 20 {
		a := h.do(read(8, 4096), nil, 4096, nil)
		if a.status != 0 || !bytes.Equal(a.data, small) {
			t.Fatalf("read: status %#x, %d bytes", a.status, len(a.data))
		}
	}
	if a := h.do(read(1000, 300<<10), nil, len(large), nil); a.status != 0 || !bytes.Equal(a.data, large) {
		t.Errorf("large read: status %#x, %d bytes", a.status, len(a.data))
	}
	a := h.do(read(1<<20, 4096), nil, 4096, nil)
	if want := uint16(nvme.StatusLBAOutOfRange); a.status != want || a.data != nil {
		t.Errorf("read beyond the end: status %#x and %d bytes, want %#x and none", a.status, len(a.data), want)
	}
	if (h.successes > 0) != h.noFlow {
		t.Errorf("%d successes in data PDUs, flow control off: %t", h.successes, h.noFlow)
	}
	if (a.head == 0xFFFF) != h.noFlow || !h.noFlow && a.head >= 8 {
		t.Errorf("SQ head pointer %#x, flow control off: %t", a.head, h.noFlow)
	}
}

// TestManyLargeReads has more data in flight than a connection may hold.
func TestManyLargeReads(t *testing.T) {
	d := newMemory()
	copy(d.data[:], pattern(len(d.data), 3))
	_, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, d}), 0)
	const size, count = 1 << 20, 32
	for i := range uint32(count) {
		h.send(read(i*8, size), nil, size)
	}
	for range count {
		a := h.await(nil)
		lba := (int(a.cid) - 2) * 8
		if a.status != 0 || !bytes.Equal(a.data, d.bytes(lba*512, size)) {
			t.Fatalf("read of block %d: status %#x, %d bytes", lba, a.status, len(a.data))
		}
	}
}

// TestManyLargeWrites has the same for data that the host sends.
func TestManyLargeWrites(t *testing.T) {
	d := newMemory()
	_, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, d}), 3)
	h.pieces = 8
	data := pattern(1<<20, 9)
	for i := range uint32(8) {
		h.send(write(i*2048, 1<<20), nil, 1<<20)
	}
	for range 8 {
		if a := h.await(data); a.status != 0 {
			t.Errorf("write: status %#x", a.status)
		}
	}
	if !bytes.Equal(d.bytes(7<<20, 1<<20), data) {
		t.Error("the last write did not arrive")
	}
}

// TestOutOfOrder has reads in flight that end in the opposite order.
func TestOutOfOrder(t *testing.T) {
	d := newMemory()
	const depth = 32
	var gates [depth]chan struct{}
	for i := range gates {
		gates[i] = make(chan struct{})
	}
	d.before = func(ctx context.Context, cmd *nvme.Command) (c nvme.Completion, err error, done bool) {
		if cmd.Queue == nvme.IOQueue {
			select {
			case <-gates[cmd.CDW10]:
			case <-ctx.Done():
			}
		}
		return c, ctx.Err(), ctx.Err() != nil
	}
	_, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, d}), 0)
	for i := range uint32(depth) {
		h.send(read(i, 512), nil, 512)
	}
	for i := depth - 1; i >= 0; i-- {
		close(gates[i])
		if a := h.await(nil); int(a.cid) != i+2 || a.status != 0 {
			t.Fatalf("answer to command %d, status %#x, want command %d", a.cid, a.status, i+2)
		}
	}
}

// scheduled is a drive that tells when its commands will end.
type scheduled struct{ *memory }

func (d scheduled) Schedule(cmd *nvme.Command) (nvme.Completion, time.Time, bool) {
	if cmd.Opcode == nvme.IOFlush {
		return nvme.Completion{}, time.Time{}, false
	}
	c, _ := d.Submit(context.Background(), cmd)
	return c, time.Now().Add(time.Duration(cmd.CDW13) * time.Millisecond), true
}

func TestScheduler(t *testing.T) {
	_, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, scheduled{newMemory()}}), 0)
	var got []uint16
	want := []uint16{2}
	for i := range uint16(20) {
		delay := uint32(60 - 3*i)
		if i == 0 {
			delay = 0
		}
		h.send(sqe(nvme.IORead, 1, 0, 0, 0, delay), nil, 512)
		if i > 0 {
			want = append(want, 22-i)
		}
	}
	for range want {
		got = append(got, h.await(nil).cid)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of the answers (-want +got):\n%s", diff)
	}
	if a := h.do(sqe(nvme.IOFlush, 1), nil, 0, nil); a.status != 0 {
		t.Errorf("Flush, which the drive does not schedule: status %#x", a.status)
	}
}

// TestDataDigest sends data with a wrong digest: the command fails, the
// connection stays.
func TestDataDigest(t *testing.T) {
	d := newMemory()
	_, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, d}), 2)
	entry := write(0, 512)
	entry[39], entry[33] = 0x01, 2
	b := h.pdu(4, 0, entry, pattern(512, 1))
	b[len(b)-1] ^= 1
	h.write(b)
	const want = 0x22 // Transient Transport Error
	if a := h.await(nil); a.status&0x7FF != want {
		t.Errorf("wrong digest in a capsule: status %#x, want %#x", a.status, want)
	}
	h.send(write(0, 1024), nil, 1024)
	r2t, err := h.read()
	if err != nil || r2t.head[0] != 9 {
		t.Fatalf("instead of an R2T: % x, %v", r2t.head, err)
	}
	first := h.h2c(r2t, 0, 0, pattern(512, 1))
	first[len(first)-1] ^= 1
	h.write(append(first, h.h2c(r2t, 4, 512, pattern(512, 1))...))
	if a := h.await(nil); a.status&0x7FF != want {
		t.Errorf("wrong digest in a data PDU: status %#x, want %#x", a.status, want)
	}
	if !bytes.Equal(d.bytes(0, 1024), make([]byte, 1024)) {
		t.Error("corrupt data reached the drive")
	}
	if a := h.do(read(0, 512), nil, 512, nil); a.status != 0 {
		t.Errorf("read afterwards: status %#x", a.status)
	}
}

func TestDescriptors(t *testing.T) {
	_, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, newMemory()}), 0)
	tests := []struct {
		name   string
		change func([]byte)
		data   int
		opcode byte
		want   nvme.Status
	}{
		{"offset", func(e []byte) { e[24], e[33] = 4, 2 }, 516, nvme.IOWrite, nvme.StatusSuccess},
		{"offset beyond the data", func(e []byte) { e[25] = 4 }, 512, nvme.IOWrite, nvme.StatusSGLOffsetInvalid},
		{"negative offset", func(e []byte) { e[31] = 0x80 }, 512, nvme.IOWrite, nvme.StatusSGLOffsetInvalid},
		{"length beyond the data", func(e []byte) { e[33] = 3 }, 512, nvme.IOWrite, nvme.StatusDataSGLLengthInvalid},
		{"unknown type", func(e []byte) { e[39] = 0x00 }, 512, nvme.IOWrite, nvme.StatusSGLDescriptorTypeInvalid},
		{"read into the capsule", func([]byte) {}, 512, nvme.IORead, nvme.StatusSGLDescriptorTypeInvalid},
		{"PRP", func(e []byte) { e[1] = 0 }, 512, nvme.IOWrite, nvme.StatusInvalidField},
		{"fused", func(e []byte) { e[1] |= 1 }, 512, nvme.IOWrite, nvme.StatusInvalidField},
		{"data of a command without", func([]byte) {}, 512, nvme.IOFlush, nvme.StatusSuccess},
		{"too long", func(e []byte) { e[35], e[39] = 1, 0x5A }, 0, nvme.IORead, nvme.StatusInvalidField},
		{"both directions", func([]byte) {}, 512, 0x83, nvme.StatusInvalidOpcode},
	}
	for _, tt := range tests {
		e := sqe(tt.opcode, 1, 0, 0, 0)
		h.cid++
		binary.LittleEndian.PutUint16(e[2:], h.cid)
		e[39], e[33] = 0x01, 2
		tt.change(e)
		h.write(h.pdu(4, 0, e, pattern(tt.data, 0)))
		if a := h.await(nil); nvme.Status(a.status).Code() != tt.want || a.cid != h.cid {
			t.Errorf("%s: %v, want %v", tt.name, nvme.Status(a.status), tt.want)
		}
	}
}
