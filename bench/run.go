package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"qd1.example/qd1/internal/rawio"
)

const (
	tickEvery = 100 * time.Millisecond
	// lateGrace is how long a timed job may be late before the drive counts as
	// silent, and how long a worker may take to stop.
	lateGrace = 2 * time.Second
)

// Run drives engine through the job and returns what was measured. The engine
// remains the caller's to close.
//
// A run that ends early returns both: a partial result and an error that wraps
// [ErrStalled], [ErrGone], [ErrManyErrors] or [ErrInterrupted]. Every other
// error comes without a result.
//
// When the drive does not answer for the job's stall limit, or is 2 s late at
// the end of a timed job, Run returns although a thread still waits in the
// kernel. Its buffers are then kept, its scheduler slot stays occupied, and a
// garbage collection would wait for it: the process should do no more than
// report and exit.
//
// Run raises GOMAXPROCS to one more than the workers if it is lower. With the
// environment of [WorkerEnv] the loop gives way to the scheduler every 0.1 s
// only; a garbage collection in the same process waits for that.
func Run(ctx context.Context, engine Engine, t Target, j Job, observe Observer) (*Result, error) {
	if err := (Spec{t, j}).check(); err != nil {
		return nil, err
	}
	if l, ok := engine.(DepthLimiter); ok && j.QueueDepth > l.MaxQueueDepth() {
		return nil, &Error{
			Cause: fmt.Sprintf("queue depth %d: engine %q has at most %d", j.QueueDepth, j.Engine, l.MaxQueueDepth()),
			Hint:  "use more workers or another engine",
			Err:   ErrBadJob,
		}
	}
	if j.Seed == 0 {
		j.Seed = rand.Uint64N(1<<53-1) + 1
	}
	r := &runner{job: j, target: t, observe: observe, sum: newTally(j), reporter: newReporter(j)}
	r.reporter.ask(engine)
	if err := r.prepare(engine); err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// runner is one call of Run.
type runner struct {
	job     Job
	target  Target
	observe Observer
	workers []*worker
	forks   []io.Closer
	memory  *rawio.Buffer
	stop    atomic.Bool
	base    time.Time
	done    chan struct{} // closed when all workers have returned

	sum      *tally // of all workers, made anew each second
	reporter *reporter
}

// prepare makes the workers with all their memory.
func (r *runner) prepare(engine Engine) error {
	cpus, err := chooseCPUs(r.job)
	if err != nil {
		return err
	}
	if r.memory, err = rawio.Alloc(int(r.job.memory())); err != nil {
		return err
	}
	for i := range r.job.Workers {
		e, err := r.engineFor(i, engine)
		if err != nil {
			r.release()
			return err
		}
		w := r.newWorker(i, e)
		if cpus != nil {
			w.cpu = cpus[i]
		}
		r.workers = append(r.workers, w)
	}
	return nil
}

// engineFor returns the engine of worker i: the one given, then forks of it.
func (r *runner) engineFor(i int, engine Engine) (Engine, error) {
	if i == 0 {
		return engine, nil
	}
	f, ok := engine.(Forker)
	if !ok {
		return nil, badJob("engine %q cannot be used by several workers", r.job.Engine)
	}
	e, err := f.Fork()
	if err != nil {
		return nil, fmt.Errorf("engine for worker %d: %w", i, err)
	}
	r.forks = append(r.forks, e)
	return e, nil
}

// newWorker makes worker i, not pinned.
func (r *runner) newWorker(i int, e Engine) *worker {
	j := r.job
	w := &worker{
		engine:    e,
		offsets:   newOffsets(j, r.target.span(j), i),
		mixer:     newMixer(j, i),
		depth:     j.QueueDepth,
		requests:  make([]Request, j.buffers()),
		submitted: make([]time.Duration, j.buffers()),
		waiting:   make([]Request, 0, j.QueueDepth),
		events:    make([]Event, j.QueueDepth),
		batch:     j.Batch,
		special:   j.writes() || j.Rate > 0,
		device:    r.target.Kind == BlockTarget,
		pace:      newPace(j, i),
		cpu:       -1,
		warmup:    j.Warmup,
		duration:  j.Duration,
		limit:     j.share(i),
		maxErrors: j.maxErrors(),
		tally:     newTally(j),
		published: newTally(j),
		stop:      &r.stop,
	}
	for b := range w.requests {
		data := r.memory.Bytes()[(i*len(w.requests)+b)*j.stride():]
		write := j.Op == OpWrite || b >= j.QueueDepth
		w.requests[b] = Request{Data: data[:j.BlockBytes:j.BlockBytes], Buffer: b, Write: write}
	}
	for place := range w.depth {
		w.free = append(w.free, place)
	}
	w.content = newContent(j, i, w.requests)
	return w
}

// release gives up what prepare took.
func (r *runner) release() {
	for _, f := range r.forks {
		_ = f.Close()
	}
	_ = r.memory.Free()
}

// run starts the workers, waits for them and puts the result together.
func (r *runner) run(ctx context.Context) (*Result, error) {
	result := blankResult(r.target, r.job)
	if n, ok := r.workers[0].engine.(Namer); ok {
		result.Engine = n.Name()
	}
	if r.workers[0].cpu >= 0 {
		result.CPU = new(r.workers[0].cpu)
	}
	if r.job.HoldCPULatency {
		if hold, err := HoldCPULatency(); err == nil {
			defer hold.Close()
			result.CPULatencyHeld = true
		}
	}
	r.startWorkers()
	err := r.wait(ctx)
	if !r.abandoned() {
		if d, ok := r.workers[0].engine.(Describer); ok {
			result.EngineFlags = d.Flags()
		}
		r.release()
		if failure := r.failure(); failure != nil {
			err = failure
		}
	}
	totals := r.totals()
	if !totals.measuring {
		totals.restart()
	}
	result.fill(totals)
	result.end(err)
	if err != nil && !endsEarly(err) {
		return nil, err
	}
	return result, err
}

// startWorkers starts every worker on its goroutine.
func (r *runner) startWorkers() {
	if need := r.job.Workers + 1; runtime.GOMAXPROCS(0) < need {
		runtime.GOMAXPROCS(need)
	}
	r.done = make(chan struct{})
	r.base = time.Now()
	left := new(atomic.Int64)
	left.Store(int64(len(r.workers)))
	for _, w := range r.workers {
		_, virtual := w.engine.(*readerAt)
		w.clock = startClock(r.base, virtual)
		go func() {
			w.run()
			if left.Add(-1) == 0 {
				close(r.done)
			}
		}()
	}
}

// abandoned reports whether a worker has not returned.
func (r *runner) abandoned() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// failure returns the first failure of a worker. All must have returned.
func (r *runner) failure() error {
	for _, w := range r.workers {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// endsEarly reports whether err leaves a partial result.
func endsEarly(err error) bool {
	for _, e := range []error{ErrStalled, ErrGone, ErrManyErrors, ErrInterrupted} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
