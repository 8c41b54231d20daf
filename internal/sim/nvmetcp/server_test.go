package nvmetcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func TestSubsystemChecks(t *testing.T) {
	d := newMemory()
	tests := []struct {
		name string
		subs []Subsystem
		want string
	}{
		{"no name", []Subsystem{{"", d}}, "0 bytes"},
		{"long name", []Subsystem{{strings.Repeat("n", 224), d}}, "224 bytes"},
		{"twice", []Subsystem{{testNQN, d}, {testNQN, d}}, "is taken"},
		{"discovery", []Subsystem{{DiscoveryNQN, d}}, "is taken"},
		{"no drive", []Subsystem{{testNQN, nil}}, "no drive"},
	}
	for _, tt := range tests {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := Serve(t.Context(), l, tt.subs, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.name, err, tt.want)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the listener is still open: %v", tt.name, err)
		}
	}
}

// broken is a listener that fails, twice for a while and then for good.
type broken struct {
	net.Listener
	times int
}

type tooManyFiles struct{ error }

func (tooManyFiles) Temporary() bool { return true }

func (b *broken) Accept() (net.Conn, error) {
	if b.times++; b.times < 3 {
		return nil, tooManyFiles{errors.New("too many open files")}
	}
	return nil, errors.New("no more connections")
}

func (b *broken) Close() error { return nil }

func TestAcceptFails(t *testing.T) {
	l := &broken{}
	err := Serve(t.Context(), l, nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "no more connections") || l.times != 3 {
		t.Errorf("got %v after %d calls, want the error that stays after 3", err, l.times)
	}
}

func TestConnectionLimit(t *testing.T) {
	addr := startServer(t, Options{Connections: 2}, Subsystem{testNQN, newMemory()})
	first, _ := pair(t, addr, 0)
	dial(t, addr).closed("third connection")
	if a := first.get(0x1C, 0); a.status != 0 {
		t.Errorf("first connection afterwards: status %#x", a.status)
	}
}

// TestDriveErrors has a drive that fails to answer.
func TestDriveErrors(t *testing.T) {
	d := newMemory()
	d.before = func(_ context.Context, cmd *nvme.Command) (c nvme.Completion, err error, done bool) {
		switch {
		case cmd.Queue != nvme.IOQueue:
			return c, nil, false
		case cmd.CDW10 == 1:
			return c, errors.New("no answer"), true
		case cmd.CDW10 == 2:
			return c, fmt.Errorf("fault script: %w", ErrDisconnect), true
		}
		return c, nil, false
	}
	admin, h := pair(t, startServer(t, Options{}, Subsystem{testNQN, d}), 0)
	if a := h.do(read(1, 512), nil, 512, nil); a.status != uint16(nvme.StatusInternalError) || a.data != nil {
		t.Errorf("host error: status %#x, %d bytes", a.status, len(a.data))
	}
	h.send(read(2, 512), nil, 512)
	h.closed("after ErrDisconnect")
	if a := admin.get(0x1C, 0); a.result != 1 {
		t.Errorf("CSTS of the admin queue afterwards: %#x", a.result)
	}
}

// TestSilentDrive has a drive that answers nothing: hosts can connect, and the
// server can end.
func TestSilentDrive(t *testing.T) {
	d := newMemory()
	d.before = func(ctx context.Context, _ *nvme.Command) (c nvme.Completion, err error, done bool) {
		<-ctx.Done()
		return c, ctx.Err(), true
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, []Subsystem{{testNQN, d}}, Options{}) }()
	h := dial(t, l.Addr().String()).initialize(0, 0)
	h.admin(testNQN, 0)
	if a := h.get(0x08, 0); a.result != oldVersion {
		t.Errorf("VS: got %#x, want %#x", a.result, oldVersion)
	}
	h.send(sqe(nvme.AdminIdentify, 0, 1), nil, 4096)
	if a := h.do(sqe(nvme.AdminKeepAlive, 0), nil, 0, nil); a.status != 0 {
		t.Errorf("Keep Alive beside a silent command: status %#x", a.status)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Serve does not return")
	}
}

// TestNoLeaks leaves connections in all states and ends the server.
func TestNoLeaks(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	t.Run("server", func(t *testing.T) {
		d := newMemory()
		d.before = func(ctx context.Context, cmd *nvme.Command) (c nvme.Completion, err error, done bool) {
			if cmd.Opcode != nvme.IOFlush || cmd.Queue != nvme.IOQueue {
				return c, nil, false
			}
			<-ctx.Done()
			return c, ctx.Err(), true
		}
		addr := startServer(t, Options{}, Subsystem{testNQN, d})
		for range 3 {
			dial(t, addr)                  // says nothing
			dial(t, addr).initialize(3, 0) // does not connect
			admin, h := pair(t, addr, 0)
			admin.send(sqe(nvme.AdminAsynchronousEventRequest, 0), nil, 0)
			h.send(sqe(nvme.IOFlush, 1), nil, 0)
			h.send(write(0, 1024), nil, 1024)
			h.write([]byte{4, 0, 72, 0, 72, 0, 0, 0, 1}) // half a command
			dial(t, addr).conn.Close()
		}
	})
	settled := func() bool { return runtime.NumGoroutine() <= goroutines && openFiles(t) <= files }
	for end := time.Now().Add(5 * time.Second); !settled(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines and %d files, before %d and %d", runtime.NumGoroutine(), openFiles(t), goroutines, files)
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestPool(t *testing.T) {
	tests := []struct{ n, want int }{{0, 4096}, {1, 4096}, {4096, 4096}, {4097, 8192}, {128 << 10, 128 << 10}, {TransferBytes, TransferBytes}}
	var p pool
	for _, tt := range tests {
		b := p.get(tt.n)
		if len(*b) != tt.want || bytesOf(tt.n) != tt.want {
			t.Errorf("buffer for %d bytes has %d, want %d", tt.n, len(*b), tt.want)
		}
		(*b)[0] = 1
		p.put(b)
		if c := p.get(tt.n); tt.n > 0 && (*c)[0] != 0 {
			t.Errorf("buffer for %d bytes has old data", tt.n)
		}
	}
}

func TestDueHeap(t *testing.T) {
	var h dueHeap
	start := time.Now()
	for i := range 50 {
		h.push(&request{cid: uint16(i * 37 % 50), due: start.Add(time.Duration(i * 37 % 50))})
	}
	for i := range 50 {
		if r := h.pop(); int(r.cid) != i {
			t.Fatalf("request %d comes at place %d", r.cid, i)
		}
	}
}
