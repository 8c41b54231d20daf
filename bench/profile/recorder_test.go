package profile

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"qd1.example/qd1/bench"
)

// recorder is an engine that does nothing but note what is asked of it. Each
// fork has its own log.
type recorder struct {
	logs    *[]*workerLog
	log     *workerLog
	pending []bench.Request
}

// workerLog is what one worker submitted.
type workerLog struct {
	offsets  []int64
	sizes    map[int]bool
	writes   int
	inFlight int // the most at once
}

func newRecorder() *recorder {
	r := &recorder{logs: new([]*workerLog)}
	return r.another()
}

func (r *recorder) another() *recorder {
	log := &workerLog{sizes: map[int]bool{}}
	*r.logs = append(*r.logs, log)
	return &recorder{logs: r.logs, log: log}
}

func (r *recorder) Submit(requests []bench.Request) (int, error) {
	for _, q := range requests {
		r.log.offsets = append(r.log.offsets, q.Offset)
		r.log.sizes[len(q.Data)] = true
		if q.Write {
			r.log.writes++
		} else {
			q.Data[0] = 1
		}
		r.pending = append(r.pending, q)
	}
	r.log.inFlight = max(r.log.inFlight, len(r.pending))
	return len(requests), nil
}

// Reap completes one request, the oldest, so that the queue stays full.
func (r *recorder) Reap(events []bench.Event, _ int) (int, error) {
	if len(r.pending) == 0 {
		return 0, nil
	}
	events[0] = bench.Event{Buffer: r.pending[0].Buffer, Bytes: len(r.pending[0].Data)}
	r.pending = slices.Delete(r.pending, 0, 1)
	return 1, nil
}

func (r *recorder) Close() error                { return nil }
func (r *recorder) Fork() (bench.Engine, error) { return r.another(), nil }

// describe says what was asked for, as "read random 4096 x32 x1": operation,
// pattern, block size, most in flight of a worker, workers.
func (r *recorder) describe(t *testing.T, span int64) string {
	t.Helper()
	var operations, writes int
	blocks, depths := map[int]bool{}, map[int]bool{}
	pattern := ""
	for _, l := range *r.logs {
		operations, writes = operations+len(l.offsets), writes+l.writes
		for size := range l.sizes {
			blocks[size] = true
		}
		depths[l.inFlight] = true
		pattern = l.pattern(t, span)
	}
	if len(blocks) != 1 || len(depths) != 1 {
		t.Errorf("block sizes %v, most in flight %v: want one of each", blocks, depths)
	}
	return fmt.Sprintf("%s %s %d x%d x%d", operationOf(operations, writes), pattern, only(blocks), only(depths), len(*r.logs))
}

func only(set map[int]bool) int {
	for v := range set {
		return v
	}
	return 0
}

// operationOf names the operation; a mix by the share of reads of a profile
// that is nearest, or by what it is if none is near.
func operationOf(operations, writes int) string {
	switch writes {
	case 0:
		return "read"
	case operations:
		return "write"
	}
	reads := 100 * float64(operations-writes) / float64(operations)
	for _, share := range []float64{67, 70, 80} {
		if math.Abs(reads-share) < 1.5 {
			return fmt.Sprintf("mix R%g", share)
		}
	}
	return fmt.Sprintf("mix R%.1f", reads)
}

// pattern tells how the offsets follow one another, and checks that they are
// blocks of the span.
func (l *workerLog) pattern(t *testing.T, span int64) string {
	t.Helper()
	block := int64(only(l.sizes))
	blocks := span / block
	sequential := true
	for i, o := range l.offsets {
		if o < 0 || o%block != 0 || o/block >= blocks {
			t.Fatalf("offset %d is no block of %d in a span of %d", o, block, span)
		}
		sequential = sequential && (i == 0 || o == l.offsets[i-1]+block || o == 0 && l.offsets[i-1] == (blocks-1)*block)
	}
	if sequential {
		return "sequential"
	}
	if low, high := slices.Min(l.offsets), slices.Max(l.offsets); low > span/10 || high < span-span/10 {
		t.Errorf("random offsets from %d to %d do not cover a span of %d", low, high, span)
	}
	return "random"
}

// observe runs the job of a row, cut to a number of operations, and describes
// what was asked of the engine.
func observe(t *testing.T, j bench.Job, target bench.Target) string {
	t.Helper()
	j.Operations = 10000
	switch {
	case j.BlockBytes > 8<<20:
		j.Operations = 12
	case j.BlockBytes > 64<<10 && j.Op == bench.OpMix:
		j.Operations = 1000
	case j.BlockBytes > 64<<10:
		j.Operations = 100
	}
	j.Warmup, j.ThinkTime, j.HoldCPULatency, j.Seed = 0, 0, false, 7
	r := newRecorder()
	result, err := bench.Run(t.Context(), r, target, j, nil)
	if err != nil {
		t.Fatalf("%s: %v", j.Name, err)
	}
	if result.Operations != j.Operations {
		t.Fatalf("%s: %d operations, want %d", j.Name, result.Operations, j.Operations)
	}
	span := j.Span
	if span == 0 {
		span = target.Bytes
	}
	return r.describe(t, span)
}
