package nvmetcp

import (
	"net"
	"runtime"
	"sync"
	"time"
)

// sender writes PDUs of one queue. It keeps answers until they are due and
// writes all that are due at once with one call.
type sender struct {
	queue *queue
	align int
	wake  chan struct{}
	done  chan struct{}

	mu       sync.Mutex
	incoming []*request
	last     []byte

	// The rest belongs to the goroutine of run.
	taken  []*request
	timed  dueHeap
	ready  []*request
	text   []byte
	pieces net.Buffers
	left   net.Buffers
}

// Limits of one batch: how many requests, and how many bytes of headers and
// digests each has at most.
const (
	batchRequests = 64
	batchText     = 2*shortBytes + 3*digestBytes + maxAlign
)

// spinTime is how close to its time an answer is awaited without a timer, as
// timers may be a millisecond late, and yieldTime how close without giving way
// to other goroutines, which may cost more than that.
const (
	spinTime  = time.Millisecond
	yieldTime = 100 * time.Microsecond
)

func newSender(q *queue) *sender {
	return &sender{
		queue: q, align: 4,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
		text: make([]byte, 0, batchRequests*batchText),
	}
}

// push hands a request over: for an R2T if ask is set, else for its answer.
func (s *sender) push(r *request) {
	s.mu.Lock()
	s.incoming = append(s.incoming, r)
	s.mu.Unlock()
	s.signal()
}

func (s *sender) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// end makes a message the last one and returns when it was sent.
func (s *sender) end(message []byte) {
	s.mu.Lock()
	s.last = message
	s.mu.Unlock()
	s.signal()
	<-s.done
}

// run writes until the connection ends.
func (s *sender) run() {
	defer close(s.done)
	for s.collect() {
		if err := s.write(); err != nil {
			s.queue.cancel()
			return
		}
	}
}

// collect waits until something is ready. It returns false at the end.
func (s *sender) collect() bool {
	for {
		last := s.take()
		s.sort(time.Now())
		if len(s.ready) > 0 {
			return true
		}
		if last != nil {
			_, _ = s.queue.conn.Write(last)
			return false
		}
		if !s.await() {
			return false
		}
	}
}

// take fetches what was pushed, and the last message if there is one.
func (s *sender) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken, s.incoming = s.incoming, s.taken[:0]
	return s.last
}

// sort moves what is due at a time to the ready requests.
func (s *sender) sort(now time.Time) {
	for i, r := range s.taken {
		s.taken[i] = nil
		if r.due.After(now) {
			s.timed.push(r)
		} else {
			s.ready = append(s.ready, r)
		}
	}
	s.taken = s.taken[:0]
	for len(s.timed) > 0 && !s.timed[0].due.After(now) {
		s.ready = append(s.ready, s.timed.pop())
	}
}

// await waits for a push or for the next answer that becomes due. It returns
// false at the end of the connection.
func (s *sender) await() bool {
	var due <-chan time.Time
	if len(s.timed) > 0 {
		rest := time.Until(s.timed[0].due)
		if rest <= spinTime && s.queue.server.spin() {
			if rest > yieldTime {
				runtime.Gosched()
			}
			s.queue.server.spinning.Add(-1)
			return s.queue.ctx.Err() == nil
		}
		t := time.NewTimer(max(rest-spinTime, 0))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-s.wake:
	case <-due:
	case <-s.queue.ctx.Done():
		return false
	}
	return true
}

// write writes one batch.
func (s *sender) write() error {
	n := min(len(s.ready), batchRequests)
	hangUp := s.build(s.ready[:n])
	if err := s.queue.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	s.left = s.pieces
	if _, err := s.left.WriteTo(s.queue.conn); err != nil {
		return err
	}
	s.clean(n)
	if hangUp {
		return net.ErrClosed
	}
	return nil
}

// clean gives up the answered requests of a batch. Those that asked for data
// belong to the reader since.
func (s *sender) clean(n int) {
	for i, r := range s.ready[:n] {
		if r != nil {
			s.queue.release(r)
		}
		s.ready[i] = nil
	}
	rest := copy(s.ready, s.ready[n:])
	clear(s.ready[rest:])
	s.ready = s.ready[:rest]
	clear(s.pieces)
	s.pieces, s.text = s.pieces[:0], s.text[:0]
}
