package nvmetcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"qd1.example/qd1/nvme"
)

// Subsystem is one drive under its name.
type Subsystem struct {
	// NQN is the NVMe Qualified Name, 1 to 223 bytes.
	NQN string
	// Drive answers the commands. It may also be a [Scheduler], a [KeepAliver]
	// and a [Resetter].
	Drive Drive
}

// Options are the limits of a server.
type Options struct {
	// Connections is the greatest number of connections at a time, which are
	// one for each queue of each host. 0 means [DefaultConnections].
	Connections int
	// Trace, unless it is nil, is told of each command that a host sends, admin
	// and I/O, also those that are refused and those that are answered here; not
	// of Connect and the other Fabrics commands. It is called when the command
	// has come, before it is carried out, on several goroutines at once. The
	// name is that of the subsystem, empty on a connection that has none. The
	// data of the command have not come yet; nothing of it may be changed, or
	// used after Trace returns.
	Trace func(subsystem string, cmd *nvme.Command)
}

// maxNQNBytes is the greatest length of an NVMe Qualified Name.
const maxNQNBytes = 223

// server is one running Serve.
type server struct {
	ctx        context.Context
	listener   net.Listener
	subsystems []*subsystem
	slots      chan struct{}
	group      sync.WaitGroup
	buffers    pool

	trace func(subsystem string, cmd *nvme.Command)

	// spinning counts the senders that wait without a timer.
	spinning atomic.Int32
	spinners int32

	mu          sync.Mutex
	controllers map[controllerKey]*controller
}

// Serve serves the subsystems until ctx ends, and then returns nil when
// everything that it started has ended. It closes the listener. An error is
// about the subsystems or the listener.
func Serve(ctx context.Context, l net.Listener, subsystems []Subsystem, opts Options) error {
	defer l.Close()
	if err := checkSubsystems(subsystems); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := newServer(ctx, l, subsystems, opts)
	defer s.group.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	return s.accept()
}

func checkSubsystems(subsystems []Subsystem) error {
	var names []string
	for _, s := range subsystems {
		switch {
		case len(s.NQN) == 0 || len(s.NQN) > maxNQNBytes:
			return fmt.Errorf("subsystem name %q has %d bytes, not 1 to %d", s.NQN, len(s.NQN), maxNQNBytes)
		case s.NQN == DiscoveryNQN || slices.Contains(names, s.NQN):
			return fmt.Errorf("subsystem name %s is taken", s.NQN)
		case s.Drive == nil:
			return fmt.Errorf("subsystem %s has no drive", s.NQN)
		}
		names = append(names, s.NQN)
	}
	return nil
}

func newServer(ctx context.Context, l net.Listener, subsystems []Subsystem, opts Options) *server {
	if opts.Connections <= 0 {
		opts.Connections = DefaultConnections
	}
	s := &server{
		ctx: ctx, listener: l, trace: opts.Trace,
		slots:       make(chan struct{}, min(opts.Connections, lastController)),
		controllers: make(map[controllerKey]*controller),
		spinners:    int32(max(1, runtime.GOMAXPROCS(0)-1)),
	}
	for _, sub := range subsystems {
		s.add(sub)
	}
	return s
}

// add adds a subsystem and starts what listens to its drive.
func (s *server) add(sub Subsystem) {
	one := newSubsystem(sub)
	s.subsystems = append(s.subsystems, one)
	s.group.Go(func() {
		one.learn(s.ctx)
		s.forward(s.ctx, one)
	})
}

// accept takes connections until the listener is closed. One too many is
// closed at once.
func (s *server) accept() error {
	for {
		conn, err := s.listener.Accept()
		switch {
		case s.ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case temporary(err):
			s.pause()
			continue
		case err != nil:
			return fmt.Errorf("accept connections: %w", err)
		}
		s.connect(conn)
	}
}

// temporary reports whether accepting may work again later: too many open
// files, or a host that went away.
func temporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}

func (s *server) pause() {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-s.ctx.Done():
	}
}

// connect starts to serve a connection.
func (s *server) connect(conn net.Conn) {
	select {
	case s.slots <- struct{}{}:
	default:
		conn.Close()
		return
	}
	s.group.Go(func() {
		newQueue(s, conn).serve()
		<-s.slots
	})
}

// spin reports whether one more sender may wait without a timer, and counts
// it. One processor stays free, or nobody would look for incoming data.
func (s *server) spin() bool {
	if s.spinning.Add(1) <= s.spinners {
		return true
	}
	s.spinning.Add(-1)
	return false
}

// find returns the subsystem of a name, nil if there is none. The discovery
// subsystem is another for each connection, since it tells the address by
// which the host came.
func (s *server) find(nqn string, local net.Addr) *subsystem {
	if nqn == DiscoveryNQN {
		return s.discovery(local)
	}
	for _, sub := range s.subsystems {
		if sub.NQN == nqn {
			return sub
		}
	}
	return nil
}

// controllersOf returns the controllers of a subsystem.
func (s *server) controllersOf(sub *subsystem) []*controller {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*controller
	for _, c := range s.controllers {
		if c.subsystem == sub {
			list = append(list, c)
		}
	}
	return list
}
