package nvmetcp

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func TestConnectRefusals(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	live := dial(t, addr).initialize(0, 0)
	id := live.admin(testNQN, 0)
	idle := dial(t, addr).initialize(0, 0)
	notEnabled := uint16(idle.do(idle.connectSQE(0, 32, 0), connectData(0xFFFF, testNQN, hostNQN), 0, nil).result)
	finder := dial(t, addr).initialize(0, 0)
	discoveryID := finder.admin(DiscoveryNQN, 0)
	const inData = 1 << 16
	long := string(bytes.Repeat([]byte("x"), 256))
	tests := []struct {
		name   string
		entry  []byte
		data   []byte
		status nvme.Status
		result uint64
	}{
		{"record format", fabricsSQE(1, 1, 31), connectData(0xFFFF, testNQN, hostNQN), 0x180, 0},
		{"short data", fabricsSQE(1, 0, 31), make([]byte, 1020), nvme.StatusDataSGLLengthInvalid, 0},
		{"no entries", fabricsSQE(1, 0, 0), connectData(0xFFFF, testNQN, hostNQN), 0x182, 44},
		{"too many entries", fabricsSQE(1, 0, 128), connectData(0xFFFF, testNQN, hostNQN), 0x182, 44},
		{"wrong subsystem", fabricsSQE(1, 0, 31), connectData(0xFFFF, testNQN+"x", hostNQN), 0x182, inData | 256},
		{"endless subsystem", fabricsSQE(1, 0, 31), connectData(0xFFFF, "nqn."+long, hostNQN), 0x182, inData | 256},
		{"no host", fabricsSQE(1, 0, 31), connectData(0xFFFF, testNQN, ""), 0x182, inData | 512},
		{"endless host", fabricsSQE(1, 0, 31), connectData(0xFFFF, testNQN, "nqn."+long), 0x182, inData | 512},
		{"a certain controller", fabricsSQE(1, 0, 31), connectData(1, testNQN, hostNQN), 0x182, inData | 16},
		{"I/O without controller", fabricsSQE(1, 1<<16, 31), connectData(999, testNQN, hostNQN), 0x182, inData | 16},
		{"I/O of another host", fabricsSQE(1, 1<<16, 31), connectData(id, testNQN, hostNQN+"2"), 0x182, inData | 16},
		{"I/O of another subsystem", fabricsSQE(1, 1<<16, 31), connectData(id, DiscoveryNQN, hostNQN), 0x182, inData | 16},
		{"queue beyond the limit", fabricsSQE(1, 17<<16, 31), connectData(id, testNQN, hostNQN), 0x182, 42},
		{"I/O queue of discovery", fabricsSQE(1, 1<<16, 31), connectData(discoveryID, DiscoveryNQN, hostNQN), 0x182, inData | 16},
		{"I/O before CC.EN", fabricsSQE(1, 1<<16, 31), connectData(notEnabled, testNQN, hostNQN), nvme.StatusCommandSequenceError, 0},
		{"another command", sqe(nvme.AdminIdentify, 0, 1), nil, nvme.StatusCommandSequenceError, 0},
		{"Property Get", fabricsSQE(4, 0, 8), nil, nvme.StatusCommandSequenceError, 0},
	}
	h := dial(t, addr).initialize(0, 0)
	for _, tt := range tests {
		a := h.do(tt.entry, tt.data, 4096, nil)
		if nvme.Status(a.status).Code() != tt.status || a.result != tt.result {
			t.Errorf("%s: %#x with result %#x, want %#x with %#x", tt.name, a.status, a.result, uint16(tt.status), tt.result)
		}
	}
	// After all that the connection is as good as before.
	h.join(id, 1, 32)
	second := dial(t, addr).initialize(0, 0)
	a := second.do(second.connectSQE(1, 32, 0), connectData(id, testNQN, hostNQN), 0, nil)
	if nvme.Status(a.status).Code() != nvme.StatusCommandSequenceError {
		t.Errorf("queue 1 twice: status %#x", a.status)
	}
	if a := h.do(h.connectSQE(2, 32, 0), connectData(id, testNQN, hostNQN), 0, nil); nvme.Status(a.status).Code() != nvme.StatusCommandSequenceError {
		t.Errorf("Connect twice: status %#x", a.status)
	}
}

// TestControllerID checks that the first controller has the drive's own
// identifier, that others have others, and that it is free again.
func TestControllerID(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()}, Subsystem{testNQN + "2", newMemory()})
	first := dial(t, addr).initialize(0, 0)
	if id := first.admin(testNQN, 0); id != memoryID {
		t.Errorf("first controller: identifier %d, want the drive's own, %d", id, memoryID)
	}
	if id := dial(t, addr).initialize(0, 0).admin(testNQN, 0); id != memoryID+1 {
		t.Errorf("second controller: identifier %d, want %d", id, memoryID+1)
	}
	if id := dial(t, addr).initialize(0, 0).admin(testNQN+"2", 0); id != memoryID {
		t.Errorf("another subsystem: identifier %d, want %d", id, memoryID)
	}
	first.conn.Close()
	for end := time.Now().Add(5 * time.Second); dial(t, addr).initialize(0, 0).admin(testNQN, 0) != memoryID; {
		if time.Now().After(end) {
			t.Fatal("the identifier is not free again")
		}
	}
}

// TestConnectOnRequest sends the data of Connect on request, not in the
// capsule.
func TestConnectOnRequest(t *testing.T) {
	h := dial(t, startServer(t, Options{}, Subsystem{testNQN, newMemory()})).initialize(3, 0)
	if a := h.do(h.connectSQE(0, 32, 0), nil, 1024, connectData(0xFFFF, testNQN, hostNQN)); a.status != 0 || a.result != uint64(memoryID) {
		t.Errorf("status %#x, result %#x", a.status, a.result)
	}
}

func TestProperties(t *testing.T) {
	d := newMemory()
	h := dial(t, startServer(t, Options{}, Subsystem{testNQN, d})).initialize(0, 0)
	h.admin(testNQN, 0)
	gets := []struct {
		name         string
		offset, size uint32
		status       nvme.Status
		want         uint64
	}{
		{"CAP", 0x00, 1, 0, 1<<37 | 1<<36 | 40<<24 | 1<<16 | 127},
		{"VS", 0x08, 0, 0, 0x10300},
		{"CC", 0x14, 0, 0, 6<<16 | 4<<20 | 1},
		{"CAP in 4 bytes", 0x00, 0, nvme.StatusInvalidField, 0},
		{"VS in 8 bytes", 0x08, 1, nvme.StatusInvalidField, 0},
		{"NSSR", 0x20, 0, 0, 0},
		{"unknown", 0x24, 0, nvme.StatusInvalidField, 0},
	}
	for _, tt := range gets {
		if a := h.get(tt.offset, tt.size); nvme.Status(a.status).Code() != tt.status || a.result != tt.want {
			t.Errorf("%s: status %#x, value %#x, want %#x, %#x", tt.name, a.status, a.result, uint16(tt.status), tt.want)
		}
	}
	if a := h.set(0x1C, 0); nvme.Status(a.status).Code() != nvme.StatusInvalidField {
		t.Errorf("Property Set of CSTS: status %#x", a.status)
	}
	sets := []struct {
		name     string
		cc, csts uint32
	}{
		{"shutdown", 6<<16 | 4<<20 | 1 | 1<<14, 1 | 1<<3},
		{"no shutdown", 6<<16 | 4<<20 | 1, 1},
		{"off", 0, 0},
		{"entry sizes", 5<<16 | 4<<20 | 1, 2},
		{"off again", 0, 0},
		{"command set", 6<<16 | 4<<20 | 1 | 6<<4, 2},
	}
	for _, tt := range sets {
		h.set(0x14, tt.cc)
		if a := h.get(0x1C, 0); a.result != uint64(tt.csts) {
			t.Errorf("%s: CSTS %#x, want %#x", tt.name, a.result, tt.csts)
		}
	}
	if d.resets.Load() != 2 || d.shutdowns.Load() != 1 {
		t.Errorf("the drive was reset %d and shut down %d times, want 2 and 1", d.resets.Load(), d.shutdowns.Load())
	}
	if a := h.do(sqe(nvme.AdminIdentify, 0, 1), nil, 4096, nil); nvme.Status(a.status).Code() != nvme.StatusCommandSequenceError {
		t.Errorf("Identify of a controller that is not enabled: status %#x", a.status)
	}
}

// TestReset checks that a reset ends the I/O queues and that they can be
// connected again.
func TestReset(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	admin, h := pair(t, addr, 0)
	id := memoryID
	admin.set(0x14, 0)
	h.closed("I/O queue after CC.EN was cleared")
	admin.enable()
	for end := time.Now().Add(5 * time.Second); ; {
		h = dial(t, addr).initialize(0, 0)
		a := h.do(h.connectSQE(1, 32, 0), connectData(id, testNQN, hostNQN), 0, nil)
		if a.status == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("Connect after a reset: status %#x", a.status)
		}
	}
	if a := h.do(read(0, 512), nil, 512, nil); a.status != 0 {
		t.Errorf("read after a reset: status %#x", a.status)
	}
}

// TestSubsystemReset checks that all hosts of a subsystem lose their
// connections, but for the queue on which the reset was asked for.
func TestSubsystemReset(t *testing.T) {
	d := newMemory()
	addr := startServer(t, Options{}, Subsystem{testNQN, d}, Subsystem{testNQN + "2", newMemory()})
	admin, h := pair(t, addr, 0)
	other, otherIO := pair(t, addr, 0)
	bystander := dial(t, addr).initialize(0, 0)
	bystander.admin(testNQN+"2", 0)
	if a := admin.set(0x20, 1); a.status != 0 || d.hardResets.Load() != 0 {
		t.Errorf("another value than the one that resets: status %#x, %d resets", a.status, d.hardResets.Load())
	}
	if a := admin.set(0x20, 0x4E564D65); a.status != 0 || d.hardResets.Load() != 1 {
		t.Errorf("NSSR: status %#x, %d resets", a.status, d.hardResets.Load())
	}
	for what, conn := range map[string]*host{"own I/O": h, "other admin": other, "other I/O": otherIO} {
		conn.closed(what + " queue after NSSR")
	}
	if a := admin.get(0x14, 0); a.status != 0 || a.result != 0 {
		t.Errorf("CC on the admin queue that asked: status %#x, value %#x, want it cleared", a.status, a.result)
	}
	admin.enable()
	if a := bystander.get(0x1C, 0); a.result != 1 {
		t.Errorf("CSTS of the other subsystem: %#x", a.result)
	}
}

// TestNoResets has a drive that is not told of resets.
func TestNoResets(t *testing.T) {
	h := dial(t, startServer(t, Options{}, Subsystem{testNQN, nvme.PassthruFunc(agree)})).initialize(0, 0)
	h.admin(testNQN, 0)
	if a := h.get(0x00, 1); a.result&(1<<36) != 0 {
		t.Errorf("CAP: %#x, want no NVM Subsystem Reset", a.result)
	}
	if a := h.set(0x20, 0x4E564D65); nvme.Status(a.status).Code() != nvme.StatusInvalidField {
		t.Errorf("NSSR: status %#x", a.status)
	}
	if h.set(0x14, 0); h.get(0x1C, 0).result != 0 {
		t.Error("the controller is still ready")
	}
}

func TestVersionOfOldDrive(t *testing.T) {
	d := newMemory()
	binary.LittleEndian.PutUint32(d.page[80:], 0)
	h := dial(t, startServer(t, Options{}, Subsystem{testNQN, d})).initialize(0, 0)
	h.admin(testNQN, 0)
	if a := h.get(0x08, 0); a.result != 0x10000 {
		t.Errorf("VS: got %#x, want 1.0", a.result)
	}
}

// TestKeepAlive lets the Keep Alive Timeout pass, after it was kept up for
// longer than that.
func TestKeepAlive(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	admin := dial(t, addr).initialize(0, 0)
	h := dial(t, addr).initialize(0, 0).join(admin.admin(testNQN, 1), 1, 8)
	if a := admin.do(sqe(nvme.AdminGetFeatures, 0, 0x0F), nil, 0, nil); a.result != 100 {
		t.Errorf("Keep Alive Timer: got %d ms, want it rounded up to 100", a.result)
	}
	if a := admin.do(sqe(nvme.AdminGetFeatures, 0, 0x30F), nil, 0, nil); a.status != 0 || a.result != 4 {
		t.Errorf("capabilities of the Keep Alive Timer: status %#x, %#x, want changeable alone", a.status, a.result)
	}
	if a := admin.do(sqe(nvme.AdminSetFeatures, 0, 0x0F, 400), nil, 0, nil); a.status != 0 {
		t.Errorf("Set Features: status %#x", a.status)
	}
	begin := time.Now()
	for time.Since(begin) < 600*time.Millisecond {
		if a := admin.do(sqe(nvme.AdminKeepAlive, 0), nil, 0, nil); a.status != 0 {
			t.Fatalf("Keep Alive: status %#x", a.status)
		}
		time.Sleep(20 * time.Millisecond)
	}
	h.closed("I/O queue after the time-out")
	admin.closed("admin queue after the time-out")
	if d := time.Since(begin); d < 900*time.Millisecond {
		t.Errorf("the controller ended %v after the start, before its time", d)
	}
}

// TestAdminQueueEnds checks that the I/O queues end with the admin queue.
func TestAdminQueueEnds(t *testing.T) {
	addr := startServer(t, Options{}, Subsystem{testNQN, newMemory()})
	admin, h := pair(t, addr, 0)
	admin.conn.Close()
	h.closed("I/O queue without admin queue")
}

func TestDisconnect(t *testing.T) {
	admin, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, newMemory()}), 0)
	if a := admin.do(fabricsSQE(8), nil, 0, nil); nvme.Status(a.status).Code() != nvme.StatusInvalidOpcode {
		t.Errorf("Disconnect of the admin queue: status %#x", a.status)
	}
	if a := h.do(fabricsSQE(8), nil, 0, nil); a.status != 0 {
		t.Errorf("Disconnect: status %#x", a.status)
	}
	h.closed("after Disconnect")
	if a := admin.do(fabricsSQE(6), nil, 0, nil); nvme.Status(a.status).Code() != nvme.StatusInvalidOpcode {
		t.Errorf("Authentication Receive: status %#x", a.status)
	}
}
