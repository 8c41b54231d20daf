package nvme

import "context"

// Queue says which submission queue a command belongs to. Admin and I/O
// opcodes overlap (02h is Get Log Page and Read), so an opcode means nothing
// without it.
type Queue uint8

// The queues.
const (
	AdminQueue Queue = iota
	IOQueue
)

// String returns "admin" or "io".
func (q Queue) String() string {
	if q == IOQueue {
		return "io"
	}
	return "admin"
}

// NSID is a namespace identifier. 0 means that the command does not use one.
type NSID uint32

// BroadcastNSID addresses all namespaces, or the controller as a whole in Get
// Log Page.
const BroadcastNSID NSID = 0xFFFFFFFF

// Command is one submission queue entry as a user can fill it. The transfer
// direction is not a field: bits 1:0 of the opcode give it.
//
// Data is the buffer of the transfer, filled by Submit for a command that
// reads. Its length is the length of the transfer. It is not retained after
// Submit returns, unless Submit returns because its context ended.
type Command struct {
	Queue    Queue
	Opcode   uint8
	NSID     NSID
	CDW2     uint32
	CDW3     uint32
	CDW10    uint32
	CDW11    uint32
	CDW12    uint32
	CDW13    uint32
	CDW14    uint32
	CDW15    uint32
	Data     []byte
	Metadata []byte
}

// Transfer is the data transfer direction of an opcode.
type Transfer uint8

// The directions, as bits 1:0 of the opcode.
const (
	NoTransfer Transfer = iota
	HostToController
	ControllerToHost
	Bidirectional
)

// Transfer returns the direction that the opcode encodes.
func (c *Command) Transfer() Transfer { return Transfer(c.Opcode & 3) }

// Completion is the device's answer: the command specific result (dwords 1:0
// of the completion queue entry) and the status.
type Completion struct {
	Result uint64
	Status Status
}

// Passthru submits commands to one controller.
//
// An error means that the host or the transport failed and the device did not
// answer; what the device answered, good or bad, is in the Completion. Submit
// takes its time-out from the deadline of ctx. It must be safe for concurrent
// use.
type Passthru interface {
	Submit(ctx context.Context, cmd *Command) (Completion, error)
}

// PassthruFunc is a function as a Passthru.
type PassthruFunc func(ctx context.Context, cmd *Command) (Completion, error)

// Submit calls f.
func (f PassthruFunc) Submit(ctx context.Context, cmd *Command) (Completion, error) {
	return f(ctx, cmd)
}
