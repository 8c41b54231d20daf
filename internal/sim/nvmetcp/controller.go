package nvmetcp

import (
	"sync"
	"sync/atomic"
	"time"
)

// controller is what a host has of a subsystem from the Connect of its admin
// queue to the end of that queue.
type controller struct {
	server    *server
	subsystem *subsystem
	host      string
	id        uint16
	ready     atomic.Bool
	// capsuleData is how much data a capsule of an I/O queue may carry, bytes.
	capsuleData int

	mu       sync.Mutex
	cc, csts uint32
	queues   map[uint16]*queue
	closed   bool
	// limit is the number of I/O queues that the host may have.
	limit int
	// keepAlive is the Keep Alive Timeout, 0 for none; timer ends the
	// controller after it.
	keepAlive time.Duration
	timer     *time.Timer
	events    eventState
}

// newController returns a controller without its identifier.
func newController(s *server, sub *subsystem, host string) *controller {
	return &controller{server: s, subsystem: sub, host: host, queues: make(map[uint16]*queue), limit: IOQueues}
}

// lastController is the greatest controller identifier; those above have a
// meaning.
const lastController = 0xFFEF

// controllerKey names a controller: identifiers are those of a subsystem.
type controllerKey struct {
	subsystem *subsystem
	id        uint16
}

func (c *controller) key() controllerKey { return controllerKey{c.subsystem, c.id} }

// register gives a controller its identifier: the drive's own if no other
// controller of the subsystem has it, so that controller lists mean what the
// drive means. It returns false when the server ends.
func (s *server) register(c *controller) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	c.id = uint16(min(c.subsystem.own.Load(), lastController))
	for s.controllers[c.key()] != nil {
		if c.id++; c.id > lastController {
			c.id = 1
		}
	}
	s.controllers[c.key()] = c
	return true
}

// controller returns a controller, nil if there is none.
func (s *server) controller(sub *subsystem, id uint16) *controller {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.controllers[controllerKey{sub, id}]
}

func (c *controller) enabled() bool { return c.ready.Load() }

func (c *controller) queueLimit() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// join adds a queue. It returns false if there is one of that number.
func (c *controller) join(q *queue, id uint16) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.queues[id] != nil {
		return false
	}
	c.queues[id] = q
	return true
}

// leave removes a queue that has ended. With the admin queue the controller
// ends.
func (c *controller) leave(q *queue) {
	c.mu.Lock()
	delete(c.queues, q.id)
	if q.id != 0 {
		c.mu.Unlock()
		return
	}
	enabled := c.cc&ccEnable != 0
	c.closed = true
	c.ready.Store(false)
	c.stopTimer()
	c.events = eventState{}
	c.mu.Unlock()

	c.hangUp(false)
	c.act(enabled, false)
	c.server.mu.Lock()
	delete(c.server.controllers, c.key())
	c.server.mu.Unlock()
}

// hangUp ends the I/O queues, and the admin queue if it is meant too.
func (c *controller) hangUp(admin bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, q := range c.queues {
		if id != 0 || admin {
			q.cancel()
		}
	}
}

// keepAliveUnit is the granularity of the Keep Alive Timeout.
const keepAliveUnit = 100 * time.Millisecond

// setKeepAlive sets the Keep Alive Timeout, rounded up, and starts it. 0 means
// none.
func (c *controller) setKeepAlive(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepAlive = (d + keepAliveUnit - 1) / keepAliveUnit * keepAliveUnit
	c.stopTimer()
	if d > 0 && !c.closed {
		c.timer = time.AfterFunc(c.keepAlive, c.expire)
	}
}

func (c *controller) stopTimer() {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// alive starts the Keep Alive Timeout anew.
func (c *controller) alive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Reset(c.keepAlive)
	}
}

// expire ends a controller whose host is silent.
//
// Source: NVM Express Base Specification, Revision 2.0, Keep Alive: the
// controller stops and all its connections end.
func (c *controller) expire() {
	c.mu.Lock()
	c.csts |= cstsFatal
	c.mu.Unlock()
	c.ready.Store(false)
	c.hangUp(true)
}
