package nvmetcp

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// recorder keeps what Trace is told.
type recorder struct {
	mu   sync.Mutex
	told []string
}

func (r *recorder) trace(subsystem string, cmd *nvme.Command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, fmt.Sprintf("%s %s %02X nsid %d %X", subsystem, cmd.Queue, cmd.Opcode, cmd.NSID, cmd.CDW10))
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.told)
}

// TestTrace checks that each command of a host is told of, refused ones and
// those that never reach the drive among them, and no Fabrics command.
func TestTrace(t *testing.T) {
	r := new(recorder)
	admin, h := pair(t, startServer(t, Options{Trace: r.trace}, Subsystem{testNQN, newMemory()}), 0)
	admin.get(0x1C, 0)
	admin.do(sqe(nvme.AdminKeepAlive, 0), nil, 0, nil)
	admin.do(sqe(nvme.AdminFormatNVM, 1, 0x200), nil, 0, nil) // refused by the drive
	admin.do(sqe(nvme.AdminCreateIOSQ, 0), nil, 0, nil)       // refused by the server
	h.do(write(8, 4096), pattern(4096, 1), 0, nil)
	h.do(write(16, 64<<10), nil, 64<<10, pattern(64<<10, 1))
	h.do(read(8, 4096), nil, 4096, nil)
	bad := write(0, 512)
	bad[1] |= 1 // fused: refused before it is looked at
	h.do(bad, pattern(512, 1), 0, nil)
	stranger := dial(t, admin.conn.RemoteAddr().String()).initialize(0, 0)
	stranger.do(sqe(nvme.AdminGetFeatures, 0, 7), nil, 0, nil)
	want := []string{
		testNQN + " admin 18 nsid 0 0",
		testNQN + " admin 80 nsid 1 200",
		testNQN + " admin 01 nsid 0 0",
		testNQN + " io 01 nsid 1 8",
		testNQN + " io 01 nsid 1 10",
		testNQN + " io 02 nsid 1 8",
		testNQN + " io 01 nsid 1 0",
		" admin 0A nsid 0 7",
	}
	if diff := cmp.Diff(want, r.all()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// deaf is a drive that does not answer Keep Alive until it is told to.
type deaf struct {
	*memory
	answer chan error
}

func (d deaf) KeepAlive(ctx context.Context) error {
	select {
	case err := <-d.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestKeepAliveWaits has a drive that keeps the host waiting. The Keep Alive
// Timeout starts anew all the same.
func TestKeepAliveWaits(t *testing.T) {
	d := deaf{newMemory(), make(chan error, 1)}
	admin := dial(t, startServer(t, Options{}, Subsystem{testNQN, d})).initialize(0, 0)
	admin.admin(testNQN, 200)
	first := admin.send(sqe(nvme.AdminKeepAlive, 0), nil, 0)
	if a := admin.do(sqe(nvme.AdminGetFeatures, 0, 2), nil, 0, nil); a.status != 0 {
		t.Errorf("another command meanwhile: status %#x", a.status)
	}
	d.answer <- nil
	if a := admin.await(nil); a.cid != first || a.status != 0 {
		t.Errorf("Keep Alive: command %d, status %#x", a.cid, a.status)
	}
	d.answer <- context.DeadlineExceeded
	if a := admin.do(sqe(nvme.AdminKeepAlive, 0), nil, 0, nil); nvme.Status(a.status).Code() != nvme.StatusInternalError {
		t.Errorf("Keep Alive of a drive that fails: status %#x", a.status)
	}
	for begin := time.Now(); time.Since(begin) < 300*time.Millisecond; time.Sleep(20 * time.Millisecond) {
		admin.send(sqe(nvme.AdminKeepAlive, 0), nil, 0)
	}
	if a := admin.do(sqe(nvme.AdminGetFeatures, 0, 2), nil, 0, nil); a.status != 0 {
		t.Errorf("a host that is alive: status %#x", a.status)
	}
}
