package bench

import (
	"math"
	"testing"
)

// BenchmarkLoop measures the loop of one worker on the engine that does no I/O,
// for each operation.
func BenchmarkLoop(b *testing.B) {
	for name, j := range workloads() {
		if name == "workers" || name == "think time" {
			continue
		}
		b.Run(name, func(b *testing.B) {
			r := prepared(b, NewNull(), j)
			w := r.workers[0]
			w.start = w.clock.now()
			b.ReportAllocs()
			b.ResetTimer()
			w.part(math.MaxInt64, int64(b.N))
			b.StopTimer()
			if n := w.tally.operations(); w.err != nil || n != int64(b.N) {
				b.Fatalf("%d of %d operations: %v", n, b.N, w.err)
			}
		})
	}
}
