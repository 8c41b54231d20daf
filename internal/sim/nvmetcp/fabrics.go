package nvmetcp

import (
	"bytes"
	"time"

	"qd1.example/qd1/nvme"
)

// Fabrics Command Types.
//
// Source: NVM Express Base Specification, Revision 2.0, Fabrics Command Types.
const (
	fabricsPropertySet = 0x00
	fabricsConnect     = 0x01
	fabricsPropertyGet = 0x04
	fabricsDisconnect  = 0x08
)

// Status values of Fabrics commands, which share their codes with those of I/O
// commands.
//
// Source: NVM Express Base Specification, Revision 2.0, Status Code - Command
// Specific Status Values, Fabrics Commands.
const (
	statusIncompatibleFormat nvme.Status = 0x180
	statusControllerBusy     nvme.Status = 0x181
	statusConnectInvalid     nvme.Status = 0x182
)

// doNotRetry is set with every status that the same command would get again.
const doNotRetry nvme.Status = 1 << 14

// refuse answers a command with an error that stays.
func (q *queue) refuse(r *request, s nvme.Status) {
	q.finish(r, nvme.Completion{Status: s | doNotRetry})
}

// succeed answers a command with a result.
func (q *queue) succeed(r *request, result uint64) {
	q.finish(r, nvme.Completion{Result: result})
}

// fabrics carries out a Fabrics command.
func (q *queue) fabrics(r *request) {
	c := q.controller
	switch {
	case (c == nil) != (r.fctype == fabricsConnect):
		q.refuse(r, nvme.StatusCommandSequenceError)
	case c == nil:
		q.connect(r)
	case r.fctype == fabricsDisconnect && q.kind == nvme.IOQueue:
		r.hangUp = true
		q.succeed(r, 0)
	case q.kind == nvme.AdminQueue && r.fctype == fabricsPropertyGet:
		q.getProperty(r)
	case q.kind == nvme.AdminQueue && r.fctype == fabricsPropertySet:
		q.setProperty(r)
	default:
		q.refuse(r, nvme.StatusInvalidOpcode)
	}
}

// Places in the Connect command and its data, for the Invalid Parameter Offset
// of the answer.
const (
	atRecordFormat = 40
	atQueueID      = 42
	atQueueSize    = 44
	connectBytes   = 1024
	atCNTLID       = 16
	atSUBNQN       = 256
	atHOSTNQN      = 512
	nqnFieldBytes  = 256
)

// anyController asks for a controller of the subsystem's choice.
const anyController = 0xFFFF

// noSQFlow is the bit of CATTR that turns SQ flow control off.
const noSQFlow = 1 << 2

// connectArgs is what a Connect command says.
type connectArgs struct {
	queue   uint16
	entries int
	noFlow  bool
	timeout time.Duration

	cntlid     uint16
	hostnqn    string
	hostNameOK bool
	// subsystem is nil if there is none of that name.
	subsystem *subsystem
}

// connect makes the connection a queue of a controller.
//
// Source: NVM Express Base Specification, Revision 2.0, Connect Command and
// Response.
func (q *queue) connect(r *request) {
	if uint16(r.cmd.CDW10) != 0 {
		q.refuse(r, statusIncompatibleFormat)
		return
	}
	if len(r.cmd.Data) < connectBytes {
		q.refuse(r, nvme.StatusDataSGLLengthInvalid)
		return
	}
	a := q.connectArgs(r)
	switch {
	case a.entries < 2 || a.entries > QueueEntries:
		q.invalidInCommand(r, atQueueSize)
	case a.subsystem == nil:
		q.invalidInData(r, atSUBNQN)
	case !a.hostNameOK:
		q.invalidInData(r, atHOSTNQN)
	case a.queue == 0:
		q.connectAdmin(r, a)
	default:
		q.connectIO(r, a)
	}
}

func (q *queue) connectArgs(r *request) connectArgs {
	d := r.cmd.Data
	a := connectArgs{
		queue:   uint16(r.cmd.CDW10 >> 16),
		entries: int(uint16(r.cmd.CDW11)) + 1,
		noFlow:  r.cmd.CDW11>>16&noSQFlow != 0,
		timeout: time.Duration(r.cmd.CDW12) * time.Millisecond,
		cntlid:  le16(d[atCNTLID:]),
	}
	if subnqn, ok := name(d[atSUBNQN:]); ok {
		a.subsystem = q.server.find(subnqn, q.conn.LocalAddr())
	}
	a.hostnqn, a.hostNameOK = name(d[atHOSTNQN:])
	return a
}

// name returns a qualified name of Connect data, and whether it is one: not
// empty, and not longer than a name may be.
func name(field []byte) (string, bool) {
	n := bytes.IndexByte(field[:nqnFieldBytes], 0)
	if n <= 0 || n > maxNQNBytes {
		return "", false
	}
	return string(field[:n]), true
}

// invalidInCommand refuses a Connect for a field of the command, invalidInData
// for one of its data.
func (q *queue) invalidInCommand(r *request, offset uint64) {
	q.finish(r, nvme.Completion{Result: offset, Status: statusConnectInvalid | doNotRetry})
}

func (q *queue) invalidInData(r *request, offset uint64) {
	q.invalidInCommand(r, offset|1<<16)
}

func (q *queue) connectAdmin(r *request, a connectArgs) {
	if a.cntlid != anyController {
		q.invalidInData(r, atCNTLID)
		return
	}
	sub := a.subsystem
	sub.await(q.ctx)
	c := newController(q.server, sub, a.hostnqn)
	c.capsuleData = q.capsuleBytes()
	if !q.server.register(c) {
		q.finish(r, nvme.Completion{Status: statusControllerBusy})
		return
	}
	q.joined(c, a)
	c.setKeepAlive(a.timeout)
	q.succeed(r, uint64(c.id))
}

func (q *queue) connectIO(r *request, a connectArgs) {
	c := q.server.controller(a.subsystem, a.cntlid)
	switch {
	case c == nil || c.host != a.hostnqn:
		q.invalidInData(r, atCNTLID)
	case !c.enabled():
		q.refuse(r, nvme.StatusCommandSequenceError)
	case int(a.queue) > c.queueLimit():
		q.invalidInCommand(r, atQueueID)
	case !c.join(q, a.queue):
		q.refuse(r, nvme.StatusCommandSequenceError)
	default:
		q.joined(c, a)
		q.succeed(r, uint64(c.id))
	}
}

// joined makes the connection what Connect asked for.
func (q *queue) joined(c *controller, a connectArgs) {
	q.controller, q.id = c, a.queue
	if a.queue > 0 {
		q.kind = nvme.IOQueue
	} else {
		c.join(q, 0)
	}
	q.mu.Lock()
	q.state.size, q.state.fixedHead = a.entries, a.noFlow
	q.mu.Unlock()
	_ = q.conn.SetReadDeadline(time.Time{})
}
