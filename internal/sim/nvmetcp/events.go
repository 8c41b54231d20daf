package nvmetcp

import (
	"slices"

	"qd1.example/qd1/nvme"
)

// eventState is the asynchronous events of one controller.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Request command: after an event its type is masked until the host reads the
// log page that belongs to it.
type eventState struct {
	// parked are the requests that wait for an event.
	parked []*request
	// pending are the events that wait for a request.
	pending []Event
	// masked are the events that were told and not cleared, by type.
	masked [8]*Event
}

// park keeps an Asynchronous Event Request until there is an event. It returns
// false if the controller has enough of them.
func (c *controller) park(q *queue, r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.events.parked) >= c.subsystem.events {
		return false
	}
	q.park(1)
	c.events.parked = append(c.events.parked, r)
	c.tell()
	return true
}

// notify brings an event. One that waits already is not told twice.
func (c *controller) notify(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Type &= 7
	s := &c.events
	if c.closed || len(s.pending) >= maxEvents || slices.Contains(s.pending, e) {
		return
	}
	s.pending = append(s.pending, e)
	c.tell()
}

// tell answers parked requests with events that are not masked.
func (c *controller) tell() {
	s := &c.events
	admin := c.queues[0]
	for len(s.parked) > 0 && admin != nil {
		i := slices.IndexFunc(s.pending, func(e Event) bool { return s.masked[e.Type] == nil })
		if i < 0 {
			return
		}
		e, r := s.pending[i], s.parked[0]
		s.pending, s.parked = slices.Delete(s.pending, i, i+1), slices.Delete(s.parked, 0, 1)
		s.masked[e.Type] = &e
		admin.park(-1)
		admin.succeed(r, e.result())
	}
}

// cleared unmasks the events that the reading of a log page clears.
func (c *controller) cleared(page nvme.LID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.events.masked {
		if e != nil && e.LogPage == page {
			c.events.masked[i] = nil
		}
	}
	c.tell()
}
