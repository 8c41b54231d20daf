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
//
// Serve itself submits Identify Controller once, and Asynchronous Event
// Requests, one at a time, for as long as they are answered with success. Each
// answer goes to all hosts, so a drive without events refuses the first one, or
// never answers it.
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

// KeepAliver is what a [Drive] may be besides: one that does not always answer
// Keep Alive. The Keep Alive Timeout of the host starts anew in any case.
type KeepAliver interface {
	// KeepAlive returns when a Keep Alive command is to be answered. An error
	// means that it is not.
	KeepAlive(ctx context.Context) error
}

// Resetter is what a [Drive] may be besides: one that is told of what a host
// does to its controller. The methods must return soon. A drive with several
// hosts hears of what each of them does.
type Resetter interface {
	// Reset is a Controller Level Reset: the host clears CC.EN, or its admin
	// queue ends.
	Reset()
	// SubsystemReset is an NVM Subsystem Reset, by the property NSSR.
	SubsystemReset()
	// Shutdown is a shutdown notification, by CC.SHN.
	Shutdown()
}
