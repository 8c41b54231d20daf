package nvmetcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// FuzzReader gives junk to the PDU reader: it must end, with a fault whose
// message is well formed.
func FuzzReader(f *testing.F) {
	h := &host{}
	f.Add(byte(0), icreq(0, 0))
	f.Add(byte(0), h.pdu(4, 0, sqe(nvme.IORead, 1), pattern(16, 0)))
	f.Add(byte(0), h.pdu(6, 4, make([]byte, 16), pattern(64, 0)))
	h.header, h.data = true, true
	f.Add(byte(3), h.pdu(4, 0, sqe(nvme.IORead, 1), pattern(16, 0)))
	f.Add(byte(1), []byte{4, 1, 72, 255, 255, 0, 0, 0})
	f.Fuzz(func(t *testing.T, digests byte, junk []byte) {
		r := newPDUReader(bytes.NewReader(junk))
		r.headerDigest, r.dataDigest = digests&1 != 0, digests&2 != 0
		for {
			p, err := r.next()
			if err == nil && p.data > maxH2CData {
				t.Fatalf("%d data bytes in a PDU", p.data)
			}
			if err == nil {
				_, err = r.in.Discard(p.data)
			}
			if fault := (*fault)(nil); errors.As(err, &fault) {
				if b := fault.encode(); len(b) < 24 || len(b) > 152 || int(b[4]) != len(b) {
					t.Fatalf("termination request % x", b)
				}
			}
			if err != nil {
				return
			}
		}
	})
}

// FuzzConnection gives junk to a whole connection, before and after Connect.
// The connection must end when the host closes it.
func FuzzConnection(f *testing.F) {
	h := &host{}
	f.Add(false, icreq(0, 0))
	f.Add(true, h.pdu(4, 0, sqe(nvme.AdminIdentify, 0, 1), nil))
	f.Add(true, h.pdu(4, 0, fabricsSQE(0, 0, 0x14, 0), nil))
	f.Add(true, h.pdu(4, 0, sqe(nvme.AdminAsynchronousEventRequest, 0), nil))
	f.Add(true, append(h.pdu(4, 0, longRead(), nil), h.pdu(6, 4, make([]byte, 16), pattern(1024, 0))...))
	f.Fuzz(func(t *testing.T, connected bool, junk []byte) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newServer(ctx, nil, []Subsystem{{testNQN, nvme.PassthruFunc(agree)}}, Options{})
		ours, theirs := net.Pipe()
		ended := make(chan struct{})
		go func() {
			newQueue(s, theirs).serve()
			close(ended)
		}()
		if connected {
			(&host{t: t, conn: ours}).initialize(0, 0).admin(testNQN, 0)
		}
		go io.Copy(io.Discard, ours)
		_ = ours.SetWriteDeadline(time.Now().Add(2 * time.Second))
		_, _ = ours.Write(junk)
		ours.Close()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("the connection does not end")
		}
		cancel()
		s.group.Wait()
	})
}

// agree answers everything with success and no data.
func agree(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if cmd.Opcode == nvme.AdminAsynchronousEventRequest && cmd.Queue == nvme.AdminQueue {
		<-ctx.Done()
	}
	return nvme.Completion{}, ctx.Err()
}
