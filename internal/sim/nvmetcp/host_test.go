package nvmetcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net"
	"testing"
	"time"
)

// host is a minimal initiator: one connection. It shares no code with the
// target.
type host struct {
	t                *testing.T
	conn             net.Conn
	header, data     bool // digests
	noFlow           bool
	cid              uint16
	pieces           int // in how many PDUs data are sent on request
	limit, successes int // MAXH2CDATA, and how many answers came in data PDUs
}

// startServer serves subsystems until the test ends and returns the address.
func startServer(t *testing.T, opts Options, subs ...Subsystem) string {
	t.Helper()
	return serveOn(t, listen(t), opts, subs...)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// remote is a listener whose connections seem to come from elsewhere.
type remote struct{ net.Listener }

type remoteConn struct{ net.Conn }

func (l remote) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return remoteConn{conn}, err
}

func (remoteConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)} }

func serveOn(t *testing.T, l net.Listener, opts Options, subs ...Subsystem) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, subs, opts) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, addr string) *host {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &host{t: t, conn: conn, pieces: 1}
}

// initialize exchanges the initialization PDUs.
func (h *host) initialize(digests, align byte) *host {
	h.t.Helper()
	b := make([]byte, 128)
	b[0], b[2], b[4], b[10], b[11] = 0, 128, 128, align, digests
	h.write(b)
	resp := make([]byte, 128)
	if _, err := io.ReadFull(h.conn, resp); err != nil {
		h.t.Fatal(err)
	}
	if resp[0] != 1 || resp[2] != 128 || resp[8] != 0 || resp[10] != 0 || resp[11] != digests {
		h.t.Fatalf("initialization response % x", resp[:16])
	}
	if h.limit = int(binary.LittleEndian.Uint32(resp[12:])); h.limit < 4096 || h.limit%4 != 0 {
		h.t.Fatalf("MAXH2CDATA %d", h.limit)
	}
	h.header, h.data = digests&1 != 0, digests&2 != 0
	return h
}

func (h *host) write(b []byte) {
	h.t.Helper()
	if _, err := h.conn.Write(b); err != nil {
		h.t.Fatal(err)
	}
}

func crc(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// pdu makes a PDU of a header without its common part, and data.
func (h *host) pdu(kind, flags byte, rest, data []byte) []byte {
	head := append([]byte{kind, flags, byte(8 + len(rest)), 0, 0, 0, 0, 0}, rest...)
	length := len(head)
	if h.header {
		head[1] |= 1
		length += 4
	}
	if len(data) > 0 {
		head[3] = byte(length)
		length += len(data)
		if h.data {
			head[1] |= 2
			length += 4
		}
	}
	binary.LittleEndian.PutUint32(head[4:], uint32(length))
	out := bytes.Clone(head)
	if h.header {
		out = append(out, crc(head)...)
	}
	out = append(out, data...)
	if h.data && len(data) > 0 {
		out = append(out, crc(data)...)
	}
	return out
}

// received is a PDU of the target.
type received struct{ head, data []byte }

// read reads a PDU and checks what every PDU must have.
func (h *host) read() (received, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(h.conn, head); err != nil {
		return received{}, err
	}
	length := int(binary.LittleEndian.Uint32(head[4:]))
	all := append(head, make([]byte, length-8)...)
	if _, err := io.ReadFull(h.conn, all[8:]); err != nil {
		return received{}, err
	}
	hlen := int(all[2])
	p := received{head: all[:hlen]}
	if all[0] == 3 {
		p.data = all[hlen:]
		return p, nil
	}
	if (all[1]&1 != 0) != h.header || h.header && !bytes.Equal(crc(p.head), all[hlen:hlen+4]) {
		h.t.Errorf("header digest of % x", all[:8])
	}
	if all[0] == 7 {
		n := int(binary.LittleEndian.Uint32(all[16:]))
		p.data = all[all[3]:][:n]
		if (all[1]&2 != 0) != h.data || h.data && !bytes.Equal(crc(p.data), all[length-4:]) {
			h.t.Errorf("data digest of % x", all[:8])
		}
	}
	return p, nil
}

// sqe makes a submission queue entry. The SGL is filled in by send.
func sqe(opcode byte, nsid uint32, cdws ...uint32) []byte {
	b := make([]byte, 64)
	b[0], b[1] = opcode, 1<<6
	binary.LittleEndian.PutUint32(b[4:], nsid)
	for i, v := range cdws {
		binary.LittleEndian.PutUint32(b[40+4*i:], v)
	}
	return b
}

// fabricsSQE makes the entry of a Fabrics command.
func fabricsSQE(fctype byte, cdws ...uint32) []byte { return sqe(0x7F, uint32(fctype), cdws...) }

// send sends a command with a new identifier, with data in the capsule or a
// transfer of n bytes.
func (h *host) send(entry, data []byte, n int) uint16 {
	h.t.Helper()
	h.cid++
	binary.LittleEndian.PutUint16(entry[2:], h.cid)
	if len(data) > 0 {
		entry[39] = 0x01
		n = len(data)
	} else {
		entry[39] = 0x5A
	}
	binary.LittleEndian.PutUint32(entry[32:], uint32(n))
	h.write(h.pdu(4, 0, entry, data))
	return h.cid
}

// answer is a completion with the data that came before it.
type answer struct {
	cid, status, head uint16
	result            uint64
	data              []byte
}

// await receives PDUs until a command is answered. When the target asks for
// data, they come from write.
func (h *host) await(write []byte) answer {
	h.t.Helper()
	data := map[uint16][]byte{}
	for {
		p, err := h.read()
		if err != nil {
			h.t.Fatalf("instead of an answer: %v", err)
		}
		cid := binary.LittleEndian.Uint16(p.head[8:])
		switch p.head[0] {
		case 5:
			c := p.head[8:]
			a := answer{cid: binary.LittleEndian.Uint16(c[12:]), status: binary.LittleEndian.Uint16(c[14:]) >> 1,
				head: binary.LittleEndian.Uint16(c[8:]), result: binary.LittleEndian.Uint64(c)}
			a.data = data[a.cid]
			return a
		case 7:
			data[cid] = p.data
			if p.head[1]&8 != 0 {
				h.successes++
				return answer{cid: cid, data: p.data}
			}
		case 9:
			h.supply(p, write)
		default:
			h.t.Fatalf("PDU % x %x", p.head, p.data)
		}
	}
}

// supply sends the data that an R2T asks for, in pieces.
func (h *host) supply(r2t received, write []byte) {
	h.t.Helper()
	off := int(binary.LittleEndian.Uint32(r2t.head[12:]))
	n := int(binary.LittleEndian.Uint32(r2t.head[16:]))
	step := min((n/h.pieces+3)&^3, h.limit)
	for sent := 0; sent < n; sent += step {
		part := write[off+sent : off+min(sent+step, n)]
		flags := byte(0)
		if sent+step >= n {
			flags = 4
		}
		h.write(h.h2c(r2t, flags, off+sent, part))
	}
}

// h2c makes a data PDU that answers an R2T.
func (h *host) h2c(r2t received, flags byte, off int, data []byte) []byte {
	rest := make([]byte, 16)
	copy(rest, r2t.head[8:12])
	binary.LittleEndian.PutUint32(rest[4:], uint32(off))
	binary.LittleEndian.PutUint32(rest[8:], uint32(len(data)))
	return h.pdu(6, flags, rest, data)
}

// do sends a command and returns its answer.
func (h *host) do(entry, capsule []byte, n int, write []byte) answer {
	h.t.Helper()
	cid := h.send(entry, capsule, n)
	a := h.await(write)
	if a.cid != cid {
		h.t.Fatalf("answer to command %d, not %d", a.cid, cid)
	}
	return a
}

const (
	hostNQN = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001"
	testNQN = "nqn.2026-01.example.qd1:test"
)

// connectData is the data of a Connect command.
func connectData(cntlid uint16, subnqn, hostnqn string) []byte {
	d := make([]byte, 1024)
	d[0] = 1
	binary.LittleEndian.PutUint16(d[16:], cntlid)
	copy(d[256:], subnqn)
	copy(d[512:], hostnqn)
	return d
}

// connectSQE makes a Connect command for a queue of some entries.
func (h *host) connectSQE(queue, entries uint16, kato uint32) []byte {
	attributes := uint32(0)
	if h.noFlow {
		attributes = 1 << 18
	}
	return fabricsSQE(1, uint32(queue)<<16, uint32(entries-1)|attributes, kato)
}

// admin makes the connection the admin queue of a new, enabled controller.
func (h *host) admin(subnqn string, kato uint32) uint16 {
	h.t.Helper()
	a := h.do(h.connectSQE(0, 32, kato), connectData(0xFFFF, subnqn, hostNQN), 0, nil)
	if a.status != 0 {
		h.t.Fatalf("Connect: status %#x, result %#x", a.status, a.result)
	}
	h.enable()
	return uint16(a.result)
}

// enable sets CC.EN and checks CSTS.RDY.
func (h *host) enable() {
	h.t.Helper()
	if a := h.set(0x14, 6<<16|4<<20|1); a.status != 0 {
		h.t.Fatalf("Property Set CC: status %#x", a.status)
	}
	if a := h.get(0x1C, 0); a.result != 1 {
		h.t.Fatalf("CSTS: got %#x, want 1", a.result)
	}
}

func (h *host) get(offset, size uint32) answer {
	h.t.Helper()
	return h.do(fabricsSQE(4, size, offset), nil, 0, nil)
}

func (h *host) set(offset, value uint32) answer {
	h.t.Helper()
	return h.do(fabricsSQE(0, 0, offset, value), nil, 0, nil)
}

// join makes the connection an I/O queue.
func (h *host) join(cntlid, queue, entries uint16) *host {
	h.t.Helper()
	a := h.do(h.connectSQE(queue, entries, 0), connectData(cntlid, testNQN, hostNQN), 0, nil)
	if a.status != 0 {
		h.t.Fatalf("Connect of I/O queue %d: status %#x, result %#x", queue, a.status, a.result)
	}
	return h
}

// pair connects an admin queue and one I/O queue of 64 entries.
func pair(t *testing.T, addr string, digests byte) (admin, io *host) {
	t.Helper()
	admin = dial(t, addr).initialize(digests, 0)
	id := admin.admin(testNQN, 0)
	return admin, dial(t, addr).initialize(digests, 0).join(id, 1, 64)
}

// fatal expects a termination request and the end of the connection.
func (h *host) fatal(what string, status uint16, info uint32) {
	h.t.Helper()
	for {
		p, err := h.read()
		if err != nil {
			h.t.Errorf("%s: no termination request: %v", what, err)
			return
		}
		if p.head[0] != 3 {
			continue
		}
		gotStatus, gotInfo := binary.LittleEndian.Uint16(p.head[8:]), binary.LittleEndian.Uint32(p.head[10:])
		if gotStatus != status || gotInfo != info || len(p.head) != 24 || len(p.data) > 128 {
			h.t.Errorf("%s: status %d, information %d, header %d bytes, want %d, %d, 24", what, gotStatus, gotInfo, len(p.head), status, info)
		}
		break
	}
	h.closed(what)
}

// closed expects the end of the connection.
func (h *host) closed(what string) {
	h.t.Helper()
	if n, err := h.conn.Read(make([]byte, 1)); err == nil || isTimeout(err) {
		h.t.Errorf("%s: the connection is still open: %d bytes, %v", what, n, err)
	}
}

func isTimeout(err error) bool {
	t, ok := err.(net.Error)
	return ok && t.Timeout()
}
