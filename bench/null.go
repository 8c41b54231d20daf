package bench

// null completes every request at once.
type null struct{ pending []Event }

// NewNull returns the engine that does no I/O. What a run with it measures is
// the cost of the measuring loop: the floor below every other result. It marks
// the data of a read as not blank.
func NewNull() Engine { return &null{} }

// Submit takes all requests.
//
//go:nosplit
func (n *null) Submit(requests []Request) (int, error) {
	for i := range requests {
		r := &requests[i]
		if !r.Write {
			r.Data[0] = 1
		}
		n.pending = append(n.pending, Event{Buffer: r.Buffer, Bytes: len(r.Data)})
	}
	return len(requests), nil
}

// Reap returns what was submitted, the latest first.
//
//go:nosplit
func (n *null) Reap(events []Event, _ int) (int, error) {
	return reapLatest(events, &n.pending), nil
}

// reapLatest takes as many of the pending events as there is room for, from the
// end.
//
//go:nosplit
func reapLatest(events []Event, pending *[]Event) int {
	k := min(len(events), len(*pending))
	rest := len(*pending) - k
	copy(events, (*pending)[rest:])
	*pending = (*pending)[:rest]
	return k
}

// Fork returns another one.
func (n *null) Fork() (Engine, error) { return NewNull(), nil }

// Close does nothing.
func (n *null) Close() error { return nil }
