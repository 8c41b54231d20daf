package nvmetcp

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"qd1.example/qd1/nvme"
)

// queue is one connection: a submission queue with its completion queue. Three
// kinds of goroutines work for it: one reads PDUs, one writes them, and as many
// as needed wait for the drive.
type queue struct {
	server *server
	conn   net.Conn
	reader *pduReader
	sender *sender
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup
	work   chan *request
	// sending is whether the sender runs, local whether the host is on the
	// same computer.
	sending, local bool

	// These are set by Connect and read by the same goroutine or later ones.
	controller *controller
	id         uint16
	kind       nvme.Queue

	mu    sync.Mutex
	state window
}

func newQueue(s *server, conn net.Conn) *queue {
	q := &queue{server: s, conn: conn, reader: newPDUReader(conn), work: make(chan *request), local: isLocal(conn)}
	q.ctx, q.cancel = context.WithCancel(s.ctx)
	q.sender = newSender(q)
	q.state.size = 1
	return q
}

// isLocal reports whether both ends of a connection are on this computer.
func isLocal(conn net.Conn) bool {
	a, ok := conn.RemoteAddr().(*net.TCPAddr)
	b, okToo := conn.LocalAddr().(*net.TCPAddr)
	return ok && okToo && (a.IP.IsLoopback() || a.IP.Equal(b.IP))
}

// hostBytes returns how much data one PDU of the host may carry, of those that
// answer an R2T.
func (q *queue) hostBytes() int {
	if q.local {
		return localBytes
	}
	return maxH2CData
}

// capsuleBytes returns how much data the host is told that a capsule of an I/O
// queue may carry.
func (q *queue) capsuleBytes() int {
	if q.local {
		return localBytes
	}
	return InCapsuleBytes
}

// serve works until the connection ends.
func (q *queue) serve() {
	stop := context.AfterFunc(q.ctx, func() { q.conn.Close() })
	defer stop()
	err := q.handshake()
	if err == nil {
		q.sending = true
		q.group.Go(q.sender.run)
		err = q.read()
	}
	if f := (*fault)(nil); errors.As(err, &f) {
		q.farewell(f)
	}
	q.cancel()
	q.conn.Close()
	if q.controller != nil {
		q.controller.leave(q)
	}
	q.group.Wait()
}

// farewell tells the host its fault and waits for it to close the connection,
// so that the message is not lost.
func (q *queue) farewell(f *fault) {
	_ = q.conn.SetDeadline(time.Now().Add(farewellTime))
	if q.sending {
		q.sender.end(f.encode())
	} else {
		_, _ = q.conn.Write(f.encode())
	}
	if c, ok := q.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(q.conn, ConnectionBytes))
}

// read takes PDUs until the host closes the connection or breaks the protocol.
func (q *queue) read() error {
	for {
		p, err := q.reader.next()
		if err != nil {
			return err
		}
		switch p.kind {
		case pduCapsuleCmd:
			err = q.capsule(p)
		case pduH2CData:
			err = q.hostData(p)
		case pduH2CTermReq:
			return io.EOF
		default:
			err = newFault(fesSequence, 0, p.head)
		}
		if err != nil {
			return err
		}
	}
}

// capsule takes a command.
func (q *queue) capsule(p pdu) error {
	r := q.newRequest()
	status := r.decode(p.head[commonBytes:], q.kind, p.data)
	if err := q.begin(r, p); err != nil {
		return err
	}
	q.trace(r)
	offset := int(le64(p.head[commonBytes+atSGLOffset:]) & maxUint31)
	intact, err := q.capsuleData(r, p.data, offset)
	switch {
	case err != nil:
		return err
	case status == nvme.StatusSuccess && !intact:
		status = nvme.StatusTransientTransportError
	}
	if status != nvme.StatusSuccess {
		q.finish(r, nvme.Completion{Status: status})
		return nil
	}
	q.admit(r)
	return nil
}

// trace tells the server's user of a command, unless it belongs to fabrics.
func (q *queue) trace(r *request) {
	t := q.server.trace
	if t == nil || r.fabrics() {
		return
	}
	name := ""
	if q.controller != nil {
		name = q.controller.subsystem.NQN
	}
	t(name, &r.cmd)
}

const maxUint31 = 1<<31 - 1

// capsuleData reads the data of a capsule and reports whether their digest is
// right.
func (q *queue) capsuleData(r *request, n, offset int) (bool, error) {
	if n == 0 {
		return true, nil
	}
	buf := q.server.buffers.get(n)
	data := (*buf)[:n]
	if err := q.reader.data(data); err != nil {
		return false, err
	}
	if !r.inCapsule {
		q.server.buffers.put(buf)
		return q.reader.digest(q.reader.sum(data))
	}
	r.buf, r.cmd.Data = buf, data[offset:offset+r.want]
	return q.reader.digest(q.reader.sum(data))
}

// admit goes on with a command as soon as there is memory for its data.
func (q *queue) admit(r *request) {
	if r.inCapsule || r.want == 0 {
		q.start(r)
		return
	}
	if q.reserve(r) {
		q.admitted(r)
	}
}

// admitted goes on with a command that has been given memory: the host is
// asked for the data of a write, and everything else starts.
func (q *queue) admitted(r *request) {
	r.buf = q.server.buffers.get(r.want)
	r.cmd.Data = (*r.buf)[:r.want]
	if r.fromHost() {
		r.ask = true
		q.expect(r)
		q.sender.push(r)
		return
	}
	q.start(r)
}

// start carries out a command that has all its data.
func (q *queue) start(r *request) {
	switch {
	case r.fabrics():
		q.fabrics(r)
	case q.controller == nil:
		q.finish(r, nvme.Completion{Status: nvme.StatusCommandSequenceError})
	case !q.controller.enabled():
		q.finish(r, nvme.Completion{Status: nvme.StatusCommandSequenceError})
	case q.kind == nvme.AdminQueue:
		q.admin(r)
	case !q.schedule(r):
		q.dispatch(r)
	}
}

// schedule gives a command to a drive that tells when it will end.
func (q *queue) schedule(r *request) bool {
	s := q.controller.subsystem.scheduler
	if s == nil {
		return false
	}
	c, due, ok := s.Schedule(&r.cmd)
	if ok {
		r.due = due
		q.finish(r, c)
	}
	return ok
}

// dispatch gives a command to a goroutine that waits for the drive: an idle
// one, or a new one. There are never more than commands in flight.
func (q *queue) dispatch(r *request) {
	select {
	case q.work <- r:
	default:
		q.group.Go(func() { q.wait(r) })
	}
}

// wait submits one command after the other.
func (q *queue) wait(r *request) {
	for {
		q.submit(r)
		select {
		case r = <-q.work:
		case <-q.ctx.Done():
			return
		}
	}
}

// submit lets the drive answer a command.
func (q *queue) submit(r *request) {
	c, err := q.ask(&r.cmd)
	switch {
	case q.ctx.Err() != nil:
		r.lost = true
	case errors.Is(err, ErrDisconnect):
		r.lost = true
		q.abort()
	case err != nil:
		c = nvme.Completion{Status: nvme.StatusInternalError}
	}
	if q.kind == nvme.AdminQueue && err == nil {
		q.controller.amend(r, c.Status)
	}
	q.finish(r, c)
}

// ask lets the drive answer a command, or tell when a Keep Alive is answered.
func (q *queue) ask(cmd *nvme.Command) (nvme.Completion, error) {
	sub := q.controller.subsystem
	if q.kind == nvme.AdminQueue && cmd.Opcode == nvme.AdminKeepAlive {
		return nvme.Completion{}, sub.keepAliver.KeepAlive(q.ctx)
	}
	return sub.Drive.Submit(q.ctx, cmd)
}

// finish sends the answer to a command.
func (q *queue) finish(r *request, c nvme.Completion) {
	r.answer = c
	q.sender.push(r)
}

// abort breaks the connection without a word.
func (q *queue) abort() {
	if c, ok := q.conn.(interface{ SetLinger(int) error }); ok {
		_ = c.SetLinger(0)
	}
	q.conn.Close()
	q.cancel()
}
