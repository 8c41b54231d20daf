package bench

import (
	"math"
	"testing"
	"time"
)

// benchmarkLoop measures the loop of one worker on the engine that does no I/O.
func benchmarkLoop(b *testing.B, j Job) {
	j.Engine, j.HoldCPULatency, j.Duration, j.Operations = EngineNull, false, time.Hour, int64(b.N)
	j.Warmup = 0
	r := &runner{job: j, target: Target{Kind: SimulatedTarget, Path: "x", Bytes: 1 << 30, BlockBytes: 512, Writable: true}}
	if err := r.prepare(NewNull()); err != nil {
		b.Fatal(err)
	}
	defer r.release()
	w := r.workers[0]
	w.clock = startClock(time.Now(), false)
	w.start = w.clock.now()
	b.ReportAllocs()
	b.ResetTimer()
	w.loop(math.MaxInt64, int64(b.N))
	b.StopTimer()
	if w.err != nil || w.tally.latency.Count() != int64(b.N) {
		b.Fatalf("%d of %d operations: %v", w.tally.latency.Count(), b.N, w.err)
	}
}

func BenchmarkLoopReadQD1(b *testing.B) { benchmarkLoop(b, QD1Read(1)) }

func BenchmarkLoopReadQD32(b *testing.B) {
	j := QD1Read(1)
	j.QueueDepth = 32
	benchmarkLoop(b, j)
}
