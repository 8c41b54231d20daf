package nvmetcp

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

func TestFeatures(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	h := dial(t, addr).initialize(0, 0)
	id := h.admin(testNQN, 0)
	set, get := byte(nvme.AdminSetFeatures), byte(nvme.AdminGetFeatures)
	tests := []struct {
		name   string
		entry  []byte
		status nvme.Status
		result uint64
	}{
		{"4 queues", sqe(set, 0, 7, 3<<16|3), 0, 3<<16 | 3},
		{"the smaller number", sqe(set, 0, 7, 5<<16|2), 0, 2<<16 | 2},
		{"what was granted", sqe(get, 0, 7), 0, 2<<16 | 2},
		{"the default is the drive's", sqe(get, 0, 7|1<<8), 0, 0xF7},
		{"more than there are", sqe(set, 0, 7, 99<<16|99), 0, 15<<16 | 15},
		{"invalid number", sqe(set, 0, 7, 0xFFFF), nvme.StatusInvalidField, 0},
		{"a feature of the drive", sqe(get, 0, 2), 0, 0xF2},
		{"setting it", sqe(set, 0, 2), nvme.StatusInvalidOpcode, 0},
		{"no keep alive", sqe(get, 0, 0x0F), 0, 0},
		{"Abort", sqe(nvme.AdminAbort, 0, 1), 0, 1},
		{"Create I/O Submission Queue", sqe(nvme.AdminCreateIOSQ, 0, 1), nvme.StatusInvalidOpcode, 0},
	}
	for _, tt := range tests {
		a := h.do(tt.entry, nil, 0, nil)
		if nvme.Status(a.status).Code() != tt.status || a.result != tt.result {
			t.Errorf("%s: status %#x, result %#x, want %#x, %#x", tt.name, a.status, a.result, uint16(tt.status), tt.result)
		}
	}
	dial(t, addr).initialize(0, 0).join(id, 16, 8)
	if a := h.do(sqe(set, 0, 7, 0), nil, 0, nil); nvme.Status(a.status).Code() != nvme.StatusCommandSequenceError {
		t.Errorf("Number of Queues with an I/O queue: status %#x", a.status)
	}
}

// TestEvents has events before and after the requests for them, two of one
// type, and the clearing of one.
func TestEvents(t *testing.T) {
	d := newMemory()
	h := dial(t, startServer(t, Options{}, Subsystem{testNQN, d})).initialize(0, 0)
	h.admin(testNQN, 0)
	hot := event{kind: 1, info: 1, page: 2}
	worn := event{kind: 1, info: 2, page: 2}
	changed := event{kind: 2, info: 0, page: 4}

	d.events <- hot
	d.events <- hot
	request := func() uint16 { return h.send(sqe(nvme.AdminAsynchronousEventRequest, 0), nil, 0) }
	expect := func(what string, cid uint16, e event) {
		t.Helper()
		want := uint64(e.kind) | uint64(e.info)<<8 | uint64(e.page)<<16
		if a := h.await(nil); a.cid != cid || a.status != 0 || a.result != want {
			t.Errorf("%s: command %d, status %#x, result %#x, want command %d, %#x", what, a.cid, a.status, a.result, cid, want)
		}
	}
	expect("event before the request", request(), hot)
	first, second, third := request(), request(), request()
	d.events <- worn // is masked by the one before
	d.events <- changed
	expect("event of another type", first, changed)
	first = request()
	last := request()
	if a := h.await(nil); a.cid != last || nvme.Status(a.status).Code() != nvme.StatusAsynchronousEventLimitExceeded {
		t.Errorf("one request too many: command %d, status %#x", a.cid, a.status)
	}
	smart := func(flags uint32) uint16 {
		return h.send(sqe(nvme.AdminGetLogPage, 0xFFFFFFFF, 2|flags|127<<16), nil, 512)
	}
	retained := smart(1 << 15)
	if a := h.await(nil); a.cid != retained {
		t.Errorf("reading with RAE: command %d is answered, want %d", a.cid, retained)
	}
	clearing := smart(0)
	got := []uint16{h.await(nil).cid, h.await(nil).cid}
	if !slices.Contains(got, clearing) || !slices.Contains(got, second) {
		t.Errorf("reading without RAE: commands %d are answered, want %d and %d", got, clearing, second)
	}
	d.events <- changed // is masked
	close(d.events)
	if a := h.do(sqe(nvme.AdminKeepAlive, 0), nil, 0, nil); a.status != 0 {
		t.Errorf("with parked requests %d and %d: status %#x", third, first, a.status)
	}
}

// TestEventsEndWithReset checks that a reset forgets the requests for events:
// their identifiers are free, and as many can be sent again.
func TestEventsEndWithReset(t *testing.T) {
	d := newMemory()
	h := dial(t, startServer(t, Options{}, Subsystem{testNQN, d})).initialize(0, 0)
	h.admin(testNQN, 0)
	for range 3 {
		first := h.cid
		var last uint16
		for range memoryAERL + 1 {
			last = h.send(sqe(nvme.AdminAsynchronousEventRequest, 0), nil, 0)
		}
		if a := h.set(0x14, 0); a.status != 0 {
			t.Fatalf("reset: status %#x", a.status)
		}
		h.enable()
		h.cid = first
		if cid := h.send(sqe(nvme.AdminAsynchronousEventRequest, 0), nil, 0); cid > last {
			t.Fatalf("identifier %d is not used again", cid)
		}
		d.events <- event{kind: 2, page: 4}
		if a := h.await(nil); a.cid != first+1 || a.status != 0 {
			t.Errorf("event after a reset: command %d, status %#x, want command %d", a.cid, a.status, first+1)
		}
		h.cid = last
	}
}

// TestOverlay checks that Identify Controller differs from the drive's only
// where the table says, and there as fabrics need it.
func TestOverlay(t *testing.T) {
	d := newMemory()
	h := dial(t, startServer(t, Options{}, Subsystem{testNQN, d})).initialize(0, 0)
	id := h.admin(testNQN, 0)
	page := h.do(sqe(nvme.AdminIdentify, 0, 1), nil, 4096, nil).data
	if len(page) != 4096 {
		t.Fatalf("Identify Controller has %d bytes", len(page))
	}
	changeable := make([]bool, len(page))
	for _, f := range overlayFields() {
		for i := range f.bytes {
			changeable[f.at+i] = true
		}
	}
	for i := range page {
		named := changeable[i] || i >= 768 && i < 1024
		if page[i] != d.page[i] && !named {
			t.Errorf("byte %d: got %#x, the drive has %#x", i, page[i], d.page[i])
		}
	}
	var c nvme.IdentifyController
	if err := c.UnmarshalBinary(page); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name      string
		got, want uint64
	}{
		{"MDTS", uint64(c.MDTS), 9}, {"CNTLID", uint64(c.CNTLID), uint64(id)}, {"CNTRLTYPE", uint64(c.CNTRLTYPE), 111},
		{"KAS", uint64(c.KAS), 0x4140}, {"MAXCMD", uint64(c.MAXCMD), 128}, {"SGLS", uint64(c.SGLS), 0x300001},
		{"IOCCSZ", uint64(c.IOCCSZ), (64 + 4096) / 16}, {"IORCSZ", uint64(c.IORCSZ), 1}, {"ICDOFF", uint64(c.ICDOFF), 0},
		{"FCATT", uint64(c.FCATT), 0}, {"MSDBD", uint64(c.MSDBD), 1}, {"OFCS", uint64(c.OFCS), 1},
		{"VER", uint64(c.Version), 0x10300},
	}
	for _, tt := range want {
		if tt.got != tt.want {
			t.Errorf("%s: got %#x, want %#x", tt.name, tt.got, tt.want)
		}
	}
	if got := strings.TrimRight(string(page[768:1024]), "\x00"); got != testNQN {
		t.Errorf("SUBNQN: got %q", got)
	}
	if ns := h.do(sqe(nvme.AdminIdentify, 1, 0), nil, 4096, nil).data; ns[1792] != 0 || ns[77] != 77 {
		t.Error("Identify Namespace was changed")
	}
}

func TestOverlayOfSmallValues(t *testing.T) {
	page := make([]byte, identifyBytes)
	page[77] = 5
	c := &controller{subsystem: newSubsystem(Subsystem{NQN: testNQN})}
	c.overlay(page)
	if page[77] != 5 || page[320] != 1 {
		t.Errorf("MDTS %d and KAS %d, want the drive's 5, and 1 where it has none", page[77], page[320])
	}
	c.overlay(make([]byte, 100)) // must not panic
}

func TestDiscovery(t *testing.T) {
	names := []string{testNQN, testNQN + "2"}
	addr := startServer(t, Options{}, Subsystem{names[0], newMemory()}, Subsystem{names[1], newMemory()})
	h := dial(t, addr).initialize(3, 0)
	h.admin(DiscoveryNQN, 0)
	var c nvme.IdentifyController
	if err := c.UnmarshalBinary(h.do(sqe(nvme.AdminIdentify, 0, 1), nil, 4096, nil).data); err != nil {
		t.Fatal(err)
	}
	if c.CNTRLTYPE != 2 || c.SUBNQN.String() != DiscoveryNQN || c.Version != 0x10400 {
		t.Errorf("controller type %d, SUBNQN %q, version %#x", c.CNTRLTYPE, c.SUBNQN.String(), uint32(c.Version))
	}
	log := h.do(sqe(nvme.AdminGetLogPage, 0, 0x70|1023<<16), nil, 4096, nil).data
	if n := binary.LittleEndian.Uint64(log[8:]); n != 2 || binary.LittleEndian.Uint64(log) == 0 {
		t.Errorf("%d records, generation %d", n, binary.LittleEndian.Uint64(log))
	}
	ip, port, _ := strings.Cut(addr, ":")
	for i, name := range names {
		e := log[1024*(i+1):]
		got := []string{text(e[256:512]), text(e[512:768]), text(e[32:64])}
		if want := []string{name, ip, port}; !slices.Equal(got, want) || e[0] != 3 || e[1] != 1 || e[2] != 2 {
			t.Errorf("entry %d: %q, types % d, want %q", i, got, e[:3], want)
		}
	}
	part := h.do(sqe(nvme.AdminGetLogPage, 0, 0x70|255<<16, 0, 1024), nil, 1024, nil).data
	if text(part[256:512]) != names[0] {
		t.Errorf("log page from offset 1024: %q", text(part[256:512]))
	}
	refused := []struct {
		name  string
		entry []byte
		want  nvme.Status
	}{
		{"offset", sqe(nvme.AdminGetLogPage, 0, 0x70|255<<16, 0, 1<<20), nvme.StatusInvalidField},
		{"another log", sqe(nvme.AdminGetLogPage, 0, 2|127<<16), nvme.StatusInvalidLogPage},
		{"another structure", sqe(nvme.AdminIdentify, 1, 0), nvme.StatusInvalidField},
		{"feature", sqe(nvme.AdminGetFeatures, 0, 2), nvme.StatusInvalidField},
		{"queues", sqe(nvme.AdminGetFeatures, 0, 1), nvme.StatusInvalidField},
		{"format", sqe(nvme.AdminFormatNVM, 1), nvme.StatusInvalidOpcode},
	}
	if a := h.do(sqe(nvme.AdminSetFeatures, 0, 7), nil, 0, nil); nvme.Status(a.status).Code() != nvme.StatusInvalidField {
		t.Errorf("Number of Queues: %v", nvme.Status(a.status))
	}
	for _, tt := range refused {
		if a := h.do(tt.entry, nil, 4096, nil); nvme.Status(a.status).Code() != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, nvme.Status(a.status), tt.want)
		}
	}
}

// text returns a field without its padding.
func text(b []byte) string { return strings.TrimRight(string(b), " \x00") }

func TestFamily(t *testing.T) {
	for address, want := range map[string]uint8{"127.0.0.1": 1, "::1": 2, "pipe": 1} {
		if got := family(address); got != want {
			t.Errorf("%s: got %d, want %d", address, got, want)
		}
	}
}
