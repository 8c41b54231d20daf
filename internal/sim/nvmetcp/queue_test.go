package nvmetcp

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// address is a connection that has only addresses.
type address struct {
	net.Conn
	local, remote net.Addr
}

func (a address) LocalAddr() net.Addr  { return a.local }
func (a address) RemoteAddr() net.Addr { return a.remote }

func TestIsLocal(t *testing.T) {
	tcp := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 1} }
	tests := []struct {
		local, remote net.Addr
		want          bool
	}{
		{tcp("127.0.0.1"), tcp("127.0.0.1"), true},
		{tcp("::1"), tcp("::1"), true},
		{tcp("192.0.2.1"), tcp("192.0.2.1"), true},
		{tcp("::ffff:192.0.2.1"), tcp("192.0.2.1"), true},
		{tcp("192.0.2.1"), tcp("192.0.2.2"), false},
		{tcp("2001:db8::1"), tcp("2001:db8::2"), false},
		{&net.UnixAddr{}, &net.UnixAddr{}, false},
	}
	for _, tt := range tests {
		if got := isLocal(address{local: tt.local, remote: tt.remote}); got != tt.want {
			t.Errorf("%v and %v: got %t, want %t", tt.local, tt.remote, got, tt.want)
		}
	}
}

func TestName(t *testing.T) {
	full := strings.Repeat("n", maxNQNBytes)
	tests := []struct {
		text, want string
		ok         bool
	}{
		{"nqn.2026-01.example:a", "nqn.2026-01.example:a", true},
		{"anything", "anything", true},
		{full, full, true},
		{full + "n", "", false},
		{"", "", false},
		{strings.Repeat("n", 300), "", false},
	}
	for _, tt := range tests {
		field := make([]byte, 512)
		copy(field, tt.text)
		if got, ok := name(field); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %q, %t, want %q, %t", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

// newTestQueue returns a queue of some entries without a connection.
func newTestQueue(entries int) *queue {
	q := &queue{server: &server{}}
	q.state.size = entries
	return q
}

func TestWindow(t *testing.T) {
	q := newTestQueue(2)
	a, b := &request{cid: 7}, &request{cid: 0xFFFF}
	for _, r := range []*request{a, b} {
		if err := q.begin(r, pdu{}); err != nil {
			t.Errorf("command %d: %v", r.cid, err)
		}
	}
	if err := q.begin(&request{cid: 8}, pdu{}); err == nil {
		t.Error("a third command on a queue of two: no fault")
	}
	q.park(1)
	var f *fault
	if err := q.begin(&request{cid: 7}, pdu{}); !errors.As(err, &f) || f.status != fesInvalidField {
		t.Errorf("an identifier twice: got %v", err)
	}
	if err := q.begin(&request{cid: 8}, pdu{}); err != nil {
		t.Errorf("a command beside a parked one: %v", err)
	}
	for i, want := range []uint16{1, 0, 1} {
		if got := q.retire(a); got != want {
			t.Errorf("head after %d answers: %d, want %d", i+1, got, want)
		}
	}
	q.state.fixedHead = true
	if got := q.retire(b); got != noHead {
		t.Errorf("head without flow control: %#x", got)
	}
	q.state.flying = 0
	if err := q.begin(&request{cid: 7}, pdu{}); err != nil {
		t.Errorf("an identifier after its answer: %v", err)
	}
}

// TestReserve fills the memory of a connection: commands wait in order, also
// one for which there would be room.
func TestReserve(t *testing.T) {
	q := newTestQueue(8)
	large := func() *request { return &request{want: TransferBytes} }
	first, second, third, small := large(), large(), large(), &request{want: 1}
	for i, r := range []*request{first, second} {
		if !q.reserve(r) {
			t.Fatalf("no room for command %d", i)
		}
	}
	if q.reserve(third) || q.reserve(small) {
		t.Fatal("room for more than a connection may hold")
	}
	got := q.recycle(first)
	if len(got) != 1 || got[0] != third {
		t.Fatalf("%d commands go on, want the third alone", len(got))
	}
	if got := q.recycle(second); len(got) != 1 || got[0] != small || small.charged != 4096 {
		t.Fatalf("%d commands go on, want the small one", len(got))
	}
	q.recycle(third)
	if q.recycle(small); q.state.held != 0 || len(q.state.free) != 4 {
		t.Errorf("%d bytes held and %d requests free at the end, want 0 and 4", q.state.held, len(q.state.free))
	}
}

func TestTags(t *testing.T) {
	q := newTestQueue(8)
	a, b, c := new(request), new(request), new(request)
	q.expect(a)
	q.expect(b)
	if a.tag == b.tag || q.expected(a.tag) != a || q.expected(b.tag) != b || q.expected(2) != nil {
		t.Errorf("tags %d and %d", a.tag, b.tag)
	}
	q.complete(a)
	if q.expected(a.tag) != nil {
		t.Error("a tag is taken after its data came")
	}
	if q.expect(c); c.tag != a.tag {
		t.Errorf("tag %d, want %d again", c.tag, a.tag)
	}
}

// TestRandomLoad has several hosts read and write at random, each in its own
// part of the drive, and compares all data with a model.
func TestRandomLoad(t *testing.T) {
	d := newMemory()
	near := startServer(t, Options{}, Subsystem{testNQN, scheduled{d}})
	far := serveOn(t, remote{listen(t)}, Options{}, Subsystem{testNQN, d})
	var group sync.WaitGroup
	for part := range uint32(4) {
		addr := near
		if part%2 == 1 {
			addr = far
		}
		group.Go(func() {
			admin := dial(t, addr).initialize(byte(part), 0)
			h := dial(t, addr).initialize(byte(part), byte(part)).join(admin.admin(testNQN, 0), 1, 64)
			h.pieces = int(part) + 1
			randomLoad(h, part*4096, rand.New(rand.NewPCG(1, uint64(part))))
		})
	}
	group.Wait()
}

// randomLoad works on 4096 blocks from first on.
func randomLoad(h *host, first uint32, random *rand.Rand) {
	model := make([]byte, 2<<20)
	for range 150 {
		blocks := 1 + random.IntN(600)
		at := random.IntN(4096 - blocks)
		part := model[at*512 : (at+blocks)*512]
		n := uint32(len(part))
		if random.IntN(2) == 0 {
			if a := h.do(read(first+uint32(at), n), nil, len(part), nil); a.status != 0 || !bytes.Equal(a.data, part) {
				h.t.Errorf("read of %d blocks at %d: status %#x, or other data", blocks, at, a.status)
			}
			continue
		}
		copy(part, pattern(len(part), byte(random.Uint32())))
		var capsule []byte
		if len(part) <= 4096 {
			capsule = part
		}
		if a := h.do(write(first+uint32(at), n), capsule, len(part), part); a.status != 0 {
			h.t.Errorf("write of %d blocks at %d: status %#x", blocks, at, a.status)
		}
	}
}

// TestStorm connects and disconnects many hosts at a time. In the end there is
// no controller left.
func TestStorm(t *testing.T) {
	l := listen(t)
	s := newServer(t.Context(), l, []Subsystem{{testNQN, newMemory()}}, Options{})
	accepted := make(chan error, 1)
	go func() { accepted <- s.accept() }()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 10 {
				admin := dial(t, l.Addr().String()).initialize(byte(i%4), 0)
				h := dial(t, l.Addr().String()).initialize(0, 0).join(admin.admin(testNQN, 0), 1, 8)
				if a := h.do(read(uint32(j), 512), nil, 512, nil); a.status != 0 {
					t.Errorf("read: status %#x", a.status)
				}
				admin.conn.Close()
				h.closed(fmt.Sprintf("I/O queue %d of host %d", j, i))
			}
		})
	}
	group.Wait()
	for end := time.Now().Add(5 * time.Second); controllers(s) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d controllers are left", controllers(s))
		}
	}
	l.Close()
	if err := <-accepted; err == nil {
		t.Error("accept ends without an error when the listener is closed from outside")
	}
}

func controllers(s *server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.controllers)
}

// TestDecode checks that a command arrives with all its dwords.
func TestDecode(t *testing.T) {
	e := sqe(nvme.AdminGetLogPage, 0xA1A2A3A4, 10, 11, 12, 13, 14, 15)
	e[2], e[3], e[8], e[12], e[33], e[39] = 0x34, 0x12, 2, 3, 2, 0x5A
	var r request
	if s := r.decode(e, nvme.AdminQueue, 0); s != nvme.StatusSuccess {
		t.Fatal(s)
	}
	want := nvme.Command{Opcode: nvme.AdminGetLogPage, NSID: 0xA1A2A3A4, CDW2: 2, CDW3: 3,
		CDW10: 10, CDW11: 11, CDW12: 12, CDW13: 13, CDW14: 14, CDW15: 15}
	if got := fmt.Sprint(r.cmd); got != fmt.Sprint(want) || r.cid != 0x1234 || r.want != 512 {
		t.Errorf("command %s, identifier %#x, %d bytes, want %v, 0x1234, 512", got, r.cid, r.want, want)
	}
}
