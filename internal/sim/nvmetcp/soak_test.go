package nvmetcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestSoak lets hosts of all kinds, most of them broken, use a drive that
// misbehaves at random, for the time in QD1_SOAK (such as 30m). Goroutines,
// files and memory must not grow.
func TestSoak(t *testing.T) {
	span, err := time.ParseDuration(os.Getenv("QD1_SOAK"))
	if err != nil {
		t.Skip("QD1_SOAK is not a time: this test runs for as long as it says")
	}
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	var first, last uint64
	t.Run("load", func(t *testing.T) {
		addr := startServer(t, Options{}, Subsystem{testNQN, moody()})
		end := time.Now().Add(span)
		soak(addr, time.Now().Add(span/6))
		first = heapInUse()
		soak(addr, end)
		last = heapInUse()
	})
	t.Logf("heap after a sixth of the time %d bytes, at the end %d bytes", first, last)
	if last > 2*first+(16<<20) {
		t.Errorf("the heap grew from %d to %d bytes", first, last)
	}
	settled := func() bool { return runtime.NumGoroutine() <= goroutines && openFiles(t) <= files }
	for end := time.Now().Add(10 * time.Second); !settled(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines and %d files, before %d and %d", runtime.NumGoroutine(), openFiles(t), goroutines, files)
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// moody is a drive that now and then fails, waits or breaks the connection.
func moody() *memory {
	d := newMemory()
	d.before = func(ctx context.Context, cmd *nvme.Command) (c nvme.Completion, err error, done bool) {
		switch rand.IntN(100) {
		case 0:
			return c, ErrDisconnect, true
		case 1:
			return c, errors.New("a host error"), true
		case 2:
			return nvme.Completion{Status: nvme.StatusInternalError}, nil, true
		case 3:
			select {
			case <-ctx.Done():
				return c, ctx.Err(), true
			case <-time.After(time.Duration(rand.IntN(200)) * time.Millisecond):
			}
		}
		return c, nil, false
	}
	return d
}

// soak lets eight hosts connect again and again until end.
func soak(addr string, end time.Time) {
	var hosts sync.WaitGroup
	for range 8 {
		hosts.Go(func() {
			for time.Now().Before(end) {
				session(addr)
			}
		})
	}
	hosts.Wait()
}

// session sends what a host may send, damaged at random, in pieces, and leaves
// at any moment.
func session(addr string) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Duration(50+rand.IntN(500)) * time.Millisecond))
	var reader sync.WaitGroup
	reader.Go(func() { _, _ = io.Copy(io.Discard, conn) })
	for out := damaged(conversation()); len(out) > 0; {
		n := 1 + rand.IntN(len(out))
		if _, err := conn.Write(out[:n]); err != nil {
			break
		}
		out = out[n:]
	}
	if rand.IntN(2) == 0 {
		conn.Close()
	}
	reader.Wait()
}

// conversation is all that a host says on one queue.
func conversation() []byte {
	h := &host{}
	queue, cntlid := uint16(rand.IntN(2)), uint16(0xFFFF)
	if queue > 0 {
		cntlid = uint16(1 + rand.IntN(16))
	}
	parts := [][]byte{icreq(0, 0), h.pdu(4, 0, h.connectSQE(queue, 31, uint32(rand.IntN(3000))), connectData(cntlid, testNQN, "nqn.2014-08.org.nvmexpress:soak"))}
	for range rand.IntN(40) {
		parts = append(parts, [][]byte{
			h.pdu(4, 0, fabricsSQE(0, 0, 0x14, 0x460001), nil),
			h.pdu(4, 0, sqe(nvme.AdminIdentify, 0, 1), nil),
			h.pdu(4, 0, sqe(nvme.AdminAsynchronousEventRequest, 0), nil),
			h.pdu(4, 0, read(uint32(rand.IntN(64)), 4096), nil),
			h.pdu(4, 0, write(uint32(rand.IntN(64)), 4096), pattern(4096, 1)),
			h.pdu(4, 0, longRead(), nil),
			h.pdu(6, 4, make([]byte, 16), pattern(1024, 0)),
		}[rand.IntN(7)])
	}
	return bytes.Join(parts, nil)
}

// damaged changes, cuts or leaves a conversation.
func damaged(b []byte) []byte {
	switch rand.IntN(4) {
	case 0:
		return b
	case 1:
		return b[:rand.IntN(len(b))]
	}
	for range 1 + rand.IntN(8) {
		b[rand.IntN(len(b))] = byte(rand.IntN(256))
	}
	return b
}
