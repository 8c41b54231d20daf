package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"qd1.example/qd1/internal/rawio"
)

// Blocks says which blocks [ReadEach] reads, and how.
type Blocks struct {
	// Bytes of a block, a multiple of the target's unit.
	Bytes int
	// Count is the number of blocks, and Offset the place of block i in bytes,
	// for i from 0 to Count-1. Offset is called by several goroutines at once.
	Count  int64
	Offset func(i int64) int64
	// Depth is the number of requests in flight. 0: 1. An engine with a smaller
	// queue is forked to reach it, where it can be.
	Depth int
	// StallLimit is the longest time without any completion. 0: 30 s.
	StallLimit time.Duration
}

// Block is one block that [ReadEach] has read, or failed to read.
type Block struct {
	// Index and Offset are those of [Blocks].
	Index  int64
	Offset int64
	// Data are valid until the visit ends, and not at all if Err is not nil.
	Data []byte
	// Err is what this block failed with, an errno where there is one.
	Err error
}

// ReadEach reads blocks through an engine and calls visit for each of them, in
// no particular order and for one at a time, not always on the same goroutine.
// A block that cannot be read is visited too. An error of visit ends the reading
// and is returned.
//
// Other errors wrap [ErrInterrupted] when ctx ends, [ErrStalled] when the drive
// does not answer, [ErrGone] when it has left the system, or [ErrBadJob]. After
// the first two a thread may still wait in the kernel; its buffers are then kept,
// and a garbage collection may wait for it. After ReadEach has returned, visit is
// not called.
//
// The engine remains the caller's to close and can be used again. What Run says
// of GOMAXPROCS holds here too.
func ReadEach(ctx context.Context, e Engine, b Blocks, visit func(Block) error) error {
	if err := b.validate(); err != nil || b.Count == 0 {
		return err
	}
	r := &eachReader{blocks: b, visit: visit, done: make(chan struct{})}
	if err := r.prepare(e); err != nil {
		return err
	}
	r.start()
	err := r.wait(ctx)
	select {
	case <-r.done:
		r.release()
		return cmpErr(r.err, err)
	default:
		r.abandon()
		return err
	}
}

func (b Blocks) validate() error {
	switch {
	case b.Bytes < 512 || b.Bytes > maxBlockBytes || b.Bytes%512 != 0:
		return badJob("block size of %d bytes: a multiple of 512 up to %d is possible", b.Bytes, maxBlockBytes)
	case b.Depth < 0 || b.Depth > maxQueueDepth:
		return badJob("queue depth %d: up to %d is possible", b.Depth, maxQueueDepth)
	case b.Count < 0 || b.Offset == nil && b.Count > 0:
		return badJob("%d blocks without places", b.Count)
	case int64(b.Bytes)*int64(max(b.Depth, 1)) > 1<<32:
		return badJob("%d buffers of %d bytes are too large", b.Depth, b.Bytes)
	}
	return nil
}

// eachReader is one call of ReadEach.
type eachReader struct {
	blocks  Blocks
	visit   func(Block) error
	workers []*eachWorker
	forks   []io.Closer
	memory  *rawio.Buffer

	next      atomic.Int64 // the block to read next
	completed atomic.Int64 // requests that have ended
	stop      atomic.Bool
	done      chan struct{} // closed when all workers have returned

	mu     sync.Mutex // held during visit
	closed bool       // visit must not be called any more
	err    error      // the first failure
}

// eachWorker keeps the queue of one engine full.
type eachWorker struct {
	reader   *eachReader
	engine   Engine
	requests []Request // one a buffer
	index    []int64   // of the block, by buffer
	held     int64     // block that the engine did not take, -1: none
	free     []int     // buffers not in flight
	events   []Event
}

// prepare makes as many workers as the depth needs.
func (r *eachReader) prepare(e Engine) error {
	depth := max(int(min(int64(max(r.blocks.Depth, 1)), r.blocks.Count)), 1)
	each := depth
	if l, ok := e.(DepthLimiter); ok {
		each = min(depth, max(l.MaxQueueDepth(), 1))
	}
	forker, ok := e.(Forker)
	if !ok {
		depth = each
	}
	stride := (r.blocks.Bytes + 4095) &^ 4095
	var err error
	if r.memory, err = rawio.Alloc(depth * stride); err != nil {
		return err
	}
	for first := 0; first < depth; first += each {
		w := r.newWorker(e, first, min(each, depth-first), stride)
		if ok {
			if w.engine, err = forker.Fork(); err != nil {
				r.release()
				return fmt.Errorf("fork the engine: %w", err)
			}
			r.forks = append(r.forks, w.engine)
		}
		r.workers = append(r.workers, w)
	}
	return nil
}

// newWorker makes a worker with n buffers, the first of which is given.
func (r *eachReader) newWorker(e Engine, first, n, stride int) *eachWorker {
	w := &eachWorker{reader: r, engine: e, held: -1, index: make([]int64, n), events: make([]Event, n)}
	for b := range n {
		data := r.memory.Bytes()[(first+b)*stride:]
		w.requests = append(w.requests, Request{Data: data[:r.blocks.Bytes:r.blocks.Bytes], Buffer: b})
		w.free = append(w.free, b)
	}
	return w
}

// start starts every worker on its goroutine.
func (r *eachReader) start() {
	if need := len(r.workers) + 1; holdsSlot(r.workers[0].engine) && runtime.GOMAXPROCS(0) < need {
		runtime.GOMAXPROCS(need)
	}
	left := new(atomic.Int64)
	left.Store(int64(len(r.workers)))
	for _, w := range r.workers {
		go func() {
			w.run()
			if left.Add(-1) == 0 {
				close(r.done)
			}
		}()
	}
}

// holdsSlot reports whether a thread in the kernel keeps its slot of the Go
// scheduler.
func holdsSlot(e Engine) bool {
	_, ordinary := e.(*readerAt)
	return !ordinary
}

// wait returns when all workers have, when they had time to stop after ctx
// ended, or when the drive has been silent for too long.
func (r *eachReader) wait(ctx context.Context) error {
	limit := Job{StallLimit: r.blocks.StallLimit}.stallLimit()
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	ended := ctx.Done()
	var interrupted error
	var seen int64
	last := time.Now()
	for {
		select {
		case <-r.done:
			return interrupted
		case <-ended:
			ended = nil
			interrupted = fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
			limit, last = min(limit, lateGrace), time.Now()
			r.stop.Store(true)
		case <-ticker.C:
		}
		if n := r.completed.Load(); n != seen {
			seen, last = n, time.Now()
		}
		if silent := time.Since(last); silent >= limit {
			return cmpErr(interrupted, stalled(silent))
		}
	}
}

// abandon leaves the workers to themselves. A visit that is under way may end.
func (r *eachReader) abandon() {
	r.stop.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// release gives up what prepare took.
func (r *eachReader) release() {
	for _, f := range r.forks {
		_ = f.Close()
	}
	_ = r.memory.Free()
}

// fail keeps the first failure and ends the reading.
func (r *eachReader) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failLocked(err)
}

func (r *eachReader) failLocked(err error) {
	if r.err == nil {
		r.err = err
	}
	r.stop.Store(true)
}

// run reads until there is no block left or the reading has ended.
func (w *eachWorker) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		if err := w.fill(); err != nil {
			w.reader.fail(err)
		}
		if len(w.free) == len(w.requests) {
			return
		}
		n, err := w.engine.Reap(w.events, 1)
		if err != nil {
			w.reader.fail(fmt.Errorf("engine: %w", err))
			return
		}
		for i := range w.events[:n] {
			w.complete(&w.events[i])
		}
	}
}

// fill submits requests one by one while there are buffers and blocks.
func (w *eachWorker) fill() error {
	r := w.reader
	for len(w.free) > 0 && !r.stop.Load() {
		i := w.take()
		if i >= r.blocks.Count {
			return nil
		}
		buffer := w.free[len(w.free)-1]
		w.index[buffer] = i
		w.requests[buffer].Offset = r.blocks.Offset(i)
		n, err := w.engine.Submit(w.requests[buffer : buffer+1])
		if err != nil {
			return fmt.Errorf("engine: %w", err)
		}
		if n == 0 {
			w.held = i
			return w.full()
		}
		w.free = w.free[:len(w.free)-1]
	}
	return nil
}

// take returns the block to read next.
func (w *eachWorker) take() int64 {
	if i := w.held; i >= 0 {
		w.held = -1
		return i
	}
	return w.reader.next.Add(1) - 1
}

// full reports an engine that takes nothing although it has nothing to do.
func (w *eachWorker) full() error {
	if len(w.free) == len(w.requests) {
		return errors.New("engine: takes no request")
	}
	return nil
}

// complete passes one block on.
func (w *eachWorker) complete(e *Event) {
	r := w.reader
	request := &w.requests[e.Buffer]
	b := Block{Index: w.index[e.Buffer], Offset: request.Offset, Data: request.Data, Err: e.Err}
	if b.Err == nil && e.Bytes != len(b.Data) {
		b.Err = io.ErrUnexpectedEOF
	}
	r.completed.Add(1)
	w.free = append(w.free, e.Buffer)
	if b.Err != nil && isGone(w.engine, b.Err) {
		r.fail(goneError(b.Err, b.Offset))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.err != nil {
		return
	}
	if err := r.visit(b); err != nil {
		r.failLocked(err)
	}
}
