package nvmetcp

import (
	"context"
	"slices"

	"qd1.example/qd1/nvme"
)

// event is an asynchronous event.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Request command, Completion.
type event struct {
	kind, info uint8
	page       nvme.LID
}

// decodeEvent takes an event from dword 0 of a completion.
func decodeEvent(result uint64) event {
	return event{kind: uint8(result & 7), info: uint8(result >> 8), page: nvme.LID(result >> 16)}
}

func (e event) result() uint64 {
	return uint64(e.kind) | uint64(e.info)<<8 | uint64(e.page)<<16
}

// forward gives the events of a drive to all its controllers.
func (s *server) forward(ctx context.Context, sub *subsystem) {
	for {
		c, err := sub.Drive.Submit(ctx, &nvme.Command{Opcode: nvme.AdminAsynchronousEventRequest})
		if err != nil || !c.Status.OK() {
			return
		}
		for _, one := range s.controllersOf(sub) {
			one.notify(decodeEvent(c.Result))
		}
	}
}

// eventState is the asynchronous events of one controller.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Request command: after an event its type is masked until the host reads the
// log page that belongs to it.
type eventState struct {
	// parked are the requests that wait for an event.
	parked []*request
	// pending are the events that wait for a request.
	pending []event
	// masked are the events that were told and not cleared, by type.
	masked [8]*event
}

// park keeps an Asynchronous Event Request until there is an event. It returns
// false if the controller has enough of them.
func (c *controller) park(q *queue, r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.events.parked) >= int(c.subsystem.events.Load()) {
		return false
	}
	q.park(1)
	c.events.parked = append(c.events.parked, r)
	c.tell()
	return true
}

// notify brings an event. One that waits already is not told twice.
func (c *controller) notify(e event) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
		i := slices.IndexFunc(s.pending, func(e event) bool { return s.masked[e.kind] == nil })
		if i < 0 {
			return
		}
		e, r := s.pending[i], s.parked[0]
		s.pending, s.parked = slices.Delete(s.pending, i, i+1), slices.Delete(s.parked, 0, 1)
		s.masked[e.kind] = &e
		admin.park(-1)
		admin.succeed(r, e.result())
	}
}

// cleared unmasks the events that the reading of a log page clears.
func (c *controller) cleared(page nvme.LID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.events.masked {
		if e != nil && e.page == page {
			c.events.masked[i] = nil
		}
	}
	c.tell()
}

// dropEvents forgets all events, and the requests for them, which a reset ends
// without an answer.
func (c *controller) dropEvents() {
	c.mu.Lock()
	parked, admin := c.events.parked, c.queues[0]
	c.events = eventState{}
	c.mu.Unlock()
	if admin == nil {
		return
	}
	for _, r := range parked {
		admin.park(-1)
		admin.retire(r)
		admin.release(r)
	}
}
