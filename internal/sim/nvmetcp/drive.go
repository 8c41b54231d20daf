package nvmetcp

import (
	"context"
	"errors"
	"time"

	"qd1.example/qd1/nvme"
)

// Drive answers the commands of all hosts that are connected to a subsystem.
// It must be safe for concurrent use and return when ctx ends, which it does
// with the connection.
//
// An error that is not a status means that the drive did not answer. One that
// wraps [ErrDisconnect] breaks the connection, any other is Internal Error to
// the host.
type Drive interface {
	Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error)
}

// ErrDisconnect is the error of a drive that breaks the connection on which
// the command came, without a word.
var ErrDisconnect = errors.New("the drive breaks the connection")

// Scheduler is what a [Drive] may be besides: one that can say when a command
// will end instead of waiting for it. Many commands at once then need neither
// a goroutine nor a timer each. It is asked for I/O commands only.
type Scheduler interface {
	// Schedule does a command, with its data, and returns at once what the
	// drive will answer and when; a time that has passed means now. Without ok
	// nothing has happened, and the command goes to Submit.
	Schedule(cmd *nvme.Command) (c nvme.Completion, ready time.Time, ok bool)
}

// Resetter is what a [Drive] may be besides: one that is told of a Controller
// Level Reset, which a host does by clearing CC.EN.
type Resetter interface {
	// Reset must return soon.
	Reset(ctx context.Context)
}

// Event is an asynchronous event.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Request command, Completion.
type Event struct {
	// Type is the Asynchronous Event Type: 0 error, 1 SMART / health, 2
	// notice, 6 I/O command specific, 7 vendor specific.
	Type uint8
	// Info is the Asynchronous Event Information of the type.
	Info uint8
	// LogPage is the log to read, which clears the event.
	LogPage nvme.LID
}

// result returns dword 0 of the completion.
func (e Event) result() uint64 {
	return uint64(e.Type&7) | uint64(e.Info)<<8 | uint64(e.LogPage)<<16
}

// Notifier is what a [Drive] may be besides: one with asynchronous events. It
// sends only those that its Asynchronous Event Configuration feature enables.
type Notifier interface {
	// Events returns a channel that Serve reads for as long as it runs. Each
	// event goes to all hosts of the subsystem. A closed channel ends them.
	Events() <-chan Event
}
