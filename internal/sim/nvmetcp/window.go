package nvmetcp

import "slices"

// window is what a queue knows of its commands in flight.
type window struct {
	// size is the number of entries of the queue, head the Submission Queue
	// Head Pointer. fixedHead is whether the host does without it.
	size, head int
	fixedHead  bool
	// flying counts commands that are not answered, but for parked ones.
	flying int
	// used has a bit for each command identifier in flight.
	used [1 << 16 / 64]uint64
	// held is how much data the commands in flight hold; waiting are the
	// commands for which there was no room, the oldest first.
	held    int
	waiting []*request
	// asked are the commands whose data the host was asked for, by tag.
	asked []*request
	free  []*request
}

// newRequest returns a request to fill.
func (q *queue) newRequest() *request {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.state.free)
	if n == 0 {
		return new(request)
	}
	r := q.state.free[n-1]
	q.state.free = q.state.free[:n-1]
	return r
}

// begin counts a command in. A host must not have more than the queue has
// entries, nor two with one identifier.
func (q *queue) begin(r *request, p pdu) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &q.state
	if w.flying >= w.size {
		return newFault(fesSequence, 0, p.head)
	}
	word, bit := &w.used[r.cid/64], uint64(1)<<(r.cid%64)
	if *word&bit != 0 {
		return invalidField(p.head, commonBytes+atCID)
	}
	*word |= bit
	w.flying++
	return nil
}

// retire counts a command out. It comes before the answer is sent, because
// the host may use the identifier again at once. It returns the new head.
func (q *queue) retire(r *request) uint16 {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &q.state
	w.used[r.cid/64] &^= 1 << (r.cid % 64)
	w.flying--
	if w.fixedHead {
		return noHead
	}
	w.head = (w.head + 1) % w.size
	return uint16(w.head)
}

// park takes a command out of the count while it waits for an event.
func (q *queue) park(by int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.flying -= by
}

// reserve counts the memory of a command, or lets it wait for some.
func (q *queue) reserve(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &q.state
	if len(w.waiting) > 0 || w.held+bytesOf(r.want) > ConnectionBytes {
		w.waiting = append(w.waiting, r)
		return false
	}
	r.charged = bytesOf(r.want)
	w.held += r.charged
	return true
}

// release gives up the memory of a request and the request itself, after its
// answer was sent, and goes on with those that waited.
func (q *queue) release(r *request) {
	if r.buf != nil && !r.lost {
		q.server.buffers.put(r.buf)
	}
	for _, next := range q.recycle(r) {
		q.admitted(next)
	}
}

func (q *queue) recycle(r *request) []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &q.state
	w.held -= r.charged
	if !r.lost {
		*r = request{}
		w.free = append(w.free, r)
	}
	n := 0
	for n < len(w.waiting) && w.held+bytesOf(w.waiting[n].want) <= ConnectionBytes {
		w.waiting[n].charged = bytesOf(w.waiting[n].want)
		w.held += w.waiting[n].charged
		n++
	}
	if n == 0 {
		return nil
	}
	next := slices.Clone(w.waiting[:n])
	w.waiting = slices.Delete(w.waiting, 0, n)
	return next
}

// expect gives a request the tag by which the host will send its data.
func (q *queue) expect(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &q.state
	i := slices.Index(w.asked, nil)
	if i < 0 {
		i = len(w.asked)
		w.asked = append(w.asked, nil)
	}
	w.asked[i], r.tag = r, uint16(i)
}

// expected returns the request of a tag, nil if there is none.
func (q *queue) expected(tag uint16) *request {
	q.mu.Lock()
	defer q.mu.Unlock()
	if int(tag) >= len(q.state.asked) {
		return nil
	}
	return q.state.asked[tag]
}

// complete frees the tag of a request whose data are there.
func (q *queue) complete(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.asked[r.tag] = nil
}
