package nvmetcp

import (
	"bytes"
	"encoding/binary"
	"testing"

	"qd1.example/qd1/nvme"
)

// icreq makes an initialization request with one byte changed.
func icreq(at int, value byte) []byte {
	b := make([]byte, 128)
	b[2], b[4] = 128, 128
	b[at] = value
	return b
}

// TestBrokenInitialization sends first PDUs that no host may send.
func TestBrokenInitialization(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	plain := &host{t: t}
	tests := []struct {
		name   string
		send   []byte
		status uint16
		info   uint32
	}{
		{"unknown version", icreq(8, 1), 6, 8},
		{"alignment", icreq(10, 32), 1, 10},
		{"header length", icreq(2, 127), 1, 2},
		{"PDU too short", icreq(4, 127), 1, 4},
		{"PDU too long", icreq(7, 0x80), 1, 4},
		{"data where none are", icreq(4, 129), 1, 4},
		{"unknown type", icreq(0, 0x0A), 1, 0},
		{"a target's type", icreq(0, 0x05), 1, 0},
		{"command first", plain.pdu(4, 0, sqe(0, 0), nil), 2, 0},
	}
	for _, tt := range tests {
		h := dial(t, addr)
		h.write(tt.send)
		p, err := h.read()
		if err != nil {
			t.Errorf("%s: no termination request: %v", tt.name, err)
			continue
		}
		status, info := binary.LittleEndian.Uint16(p.head[8:]), binary.LittleEndian.Uint32(p.head[10:])
		if p.head[0] != 3 || len(p.head) != 24 || status != tt.status || info != tt.info {
			t.Errorf("%s: % x, want status %d and information %d", tt.name, p.head, tt.status, tt.info)
		}
		if !bytes.HasPrefix(tt.send, p.data) || len(p.data) < 8 {
			t.Errorf("%s: the header that comes back is % x", tt.name, p.data)
		}
		h.closed(tt.name)
	}
}

// TestBrokenPDUs sends PDUs on an I/O queue that no host may send.
func TestBrokenPDUs(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	flush := func() []byte { return sqe(nvme.IOFlush, 1) }
	change := func(b []byte, at int, v byte) []byte { b[at] = v; return b }
	tests := []struct {
		name    string
		digests byte
		send    func(h *host) []byte
		status  uint16
		info    uint32
	}{
		{"second initialization", 0, func(*host) []byte { return icreq(0, 0) }, 2, 0},
		{"header digest", 1, func(h *host) []byte { return change(h.pdu(4, 0, flush(), nil), 75, 0) }, 3, 0},
		{"missing digest flag", 1, func(h *host) []byte { return change(h.pdu(4, 0, flush(), nil), 1, 0) }, 1, 1},
		{"digest flag of none", 0, func(h *host) []byte { return change(h.pdu(4, 0, flush(), nil), 1, 1) }, 1, 1},
		{"data digest flag of none", 0, func(h *host) []byte { return change(h.pdu(4, 0, flush(), pattern(4, 0)), 1, 2) }, 1, 1},
		{"data too long", 0, func(h *host) []byte { return h.pdu(4, 0, flush(), pattern(8196, 0)) }, 1, 4},
		{"data offset in the header", 0, func(h *host) []byte { return change(h.pdu(4, 0, flush(), pattern(8, 0)), 3, 68) }, 1, 3},
		{"data offset not aligned", 0, func(h *host) []byte { return change(h.pdu(4, 0, flush(), pattern(8, 0)), 3, 74) }, 1, 3},
		{"data offset behind the end", 0, func(h *host) []byte { return change(h.pdu(4, 0, flush(), pattern(8, 0)), 3, 96) }, 1, 4},
		{"tag of nothing", 0, func(h *host) []byte { return h.pdu(6, 4, make([]byte, 16), pattern(4, 0)) }, 1, 10},
		{"two of one identifier", 0, func(h *host) []byte {
			b := h.pdu(4, 0, bytes.Clone(longRead()), nil)
			return append(b, b...)
		}, 1, 10},
	}
	for _, tt := range tests {
		_, h := pair(t, addr, tt.digests)
		b := tt.send(h)
		if tt.status == 3 {
			tt.info = binary.LittleEndian.Uint32(b[72:])
		}
		h.write(b)
		h.fatal(tt.name, tt.status, tt.info)
	}
}

// longRead asks for data that the target asks the host for, which keeps the
// command in flight.
func longRead() []byte {
	e := write(0, 1024)
	e[2], e[39], e[33] = 9, 0x5A, 4
	return e
}

// TestBrokenData answers an R2T of 1024 bytes as no host may.
func TestBrokenData(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	tests := []struct {
		name   string
		send   func(h *host, r2t received) []byte
		status uint16
		info   uint32
	}{
		{"second half first", func(h *host, r received) []byte { return h.h2c(r, 4, 512, pattern(512, 0)) }, 2, 0},
		{"too long", func(h *host, r received) []byte { return h.h2c(r, 4, 0, pattern(1028, 0)) }, 4, 0},
		{"twice", func(h *host, r received) []byte {
			return append(h.h2c(r, 0, 0, pattern(512, 0)), h.h2c(r, 0, 0, pattern(512, 0))...)
		}, 2, 0},
		{"last too soon", func(h *host, r received) []byte { return h.h2c(r, 4, 0, pattern(512, 0)) }, 1, 1},
		{"last not marked", func(h *host, r received) []byte { return h.h2c(r, 0, 0, pattern(1024, 0)) }, 1, 1},
		{"another command", func(h *host, r received) []byte {
			r.head[8]++
			return h.h2c(r, 4, 0, pattern(1024, 0))
		}, 1, 8},
		{"another tag", func(h *host, r received) []byte {
			r.head[11]++
			return h.h2c(r, 4, 0, pattern(1024, 0))
		}, 1, 10},
		{"another length", func(h *host, r received) []byte {
			b := h.h2c(r, 4, 0, pattern(1020, 0))
			binary.LittleEndian.PutUint32(b[16:], 1024)
			return b
		}, 1, 16},
		{"length beyond MAXH2CDATA", func(h *host, r received) []byte {
			b := h.h2c(r, 4, 0, pattern(1020, 0))
			b[19] = 0xFF
			return b
		}, 5, 0},
		{"PDU beyond all limits", func(h *host, r received) []byte { return h.h2c(r, 4, 0, pattern(128<<10+4, 0)) }, 1, 4},
	}
	for _, tt := range tests {
		_, h := pair(t, addr, 0)
		h.send(write(0, 1024), nil, 1024)
		r2t, err := h.read()
		if err != nil || r2t.head[0] != 9 {
			t.Fatalf("instead of an R2T: % x, %v", r2t.head, err)
		}
		h.write(tt.send(h, r2t))
		h.fatal(tt.name, tt.status, tt.info)
	}
}

// TestTooManyCommands has more commands in flight than the queue has entries.
func TestTooManyCommands(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	admin := dial(t, addr).initialize(0, 0)
	h := dial(t, addr).initialize(0, 0).join(admin.admin(testNQN, 0), 1, 4)
	for range 5 {
		h.send(write(0, 1024), nil, 1024)
	}
	h.fatal("a fifth command", 2, 0)
	if a := admin.get(0x1C, 0); a.status != 0 {
		t.Errorf("the admin queue afterwards: status %#x", a.status)
	}
}

// TestTermination checks that a host may end a connection with a reason.
func TestTermination(t *testing.T) {
	_, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, newMemory()}), 3)
	b := make([]byte, 32)
	b[0], b[2], b[4], b[8] = 2, 24, 32, 1
	h.write(b)
	h.closed("after H2CTermReq")
}
