package bench

import (
	"encoding/json"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/google/go-cmp/cmp"
)

func repeated(n int) *Histogram {
	h := &Histogram{}
	for i := range n {
		h.Add(time.Duration(1000 + i%7))
	}
	return h
}

func TestPercentilesNeedTenSamplesBeyond(t *testing.T) {
	for _, tt := range []struct {
		samples int
		present int // of p50, p90, p99, p999, p9999
	}{{0, 0}, {1, 0}, {19, 0}, {20, 1}, {99, 1}, {100, 2}, {999, 2}, {1000, 3}, {9999, 3}, {10_000, 4}, {99_999, 4}, {100_000, 5}} {
		l := LatencyOf(repeated(tt.samples))
		got := 0
		for i, p := range []*float64{l.P50, l.P90, l.P99, l.P999, l.P9999} {
			if p == nil {
				break
			}
			got = i + 1
		}
		if got != tt.present {
			t.Errorf("%d samples: the first %d percentiles are present, want %d", tt.samples, got, tt.present)
		}
		if (l.Min != nil) != (tt.samples > 0) || (l.Max != nil) != (tt.samples > 0) || (l.Mean != nil) != (tt.samples > 0) {
			t.Errorf("%d samples: minimum, mean and maximum are %v, %v, %v", tt.samples, l.Min, l.Mean, l.Max)
		}
	}
}

func TestResultJSON(t *testing.T) {
	j := QD1Read(1)
	j.Seed = 42
	r := blankResult(Target{Bytes: 1 << 20}, j)
	total := newTally(j)
	total.blank, total.elapsed, total.usage = 1, 2*time.Second, usage{user: 40 * time.Microsecond, system: 160 * time.Microsecond}
	for i := range 40 {
		total.latency.Add(time.Duration(10_000 + i))
	}
	total.slowest.add(slowOperation{at: time.Second, latency: 10_039, offset: 4096})
	total.errors.add(unix.EIO, 8192)
	r.fill(total)
	r.CPU = new(1)
	r.Histogram = nil
	got, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "name": "RND4K Q1T1",
 "engine": "psync",
 "op": "read",
 "pattern": "random",
 "block_bytes": 4096,
 "queue_depth": 1,
 "workers": 1,
 "seconds": 2,
 "operations": 40,
 "iops": 20,
 "mb_per_s": 0.082,
 "latency_us": {
  "min": 10,
  "mean": 10.02,
  "p50": 10.039,
  "p90": null,
  "p99": null,
  "p999": null,
  "p9999": null,
  "max": 10.039
 },
 "latency_ci95_us": {
  "p50": [
   10,
   10.039
  ],
  "p90": null,
  "p99": null,
  "p999": null,
  "p9999": null
 },
 "bytes_read": 163840,
 "bytes_written": 0,
 "cpu_us_per_op": 5,
 "user_us_per_op": 1,
 "blank_percent": 2.5,
 "rated_percent": null,
 "errors": 1,
 "error_details": [
  {
   "error": "EIO",
   "count": 1,
   "first_offset": 8192
  }
 ],
 "cached": false,
 "submission": "one",
 "slowest": [
  {
   "at_seconds": 1,
   "latency_us": 10.039,
   "offset": 4096
  }
 ],
 "error_offsets": [
  {
   "offset": 8192,
   "count": 1
  }
 ],
 "warmup_seconds": 0.2,
 "seed": 42,
 "span_bytes": 1048576,
 "cpu": 1,
 "cpu_latency_held": false,
 "partial": false,
 "ended": "complete"
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestProgressOfWarmup(t *testing.T) {
	j := QD1Read(5)
	j.Operations = 1000
	total := newTally(j)
	total.elapsed = time.Second
	for range 100 {
		total.latency.Add(10_000)
	}
	r := newReporter(j)
	got := r.progress(total, 0, 1500*time.Millisecond)
	if !got.WarmingUp || got.PlannedSeconds != 0.5 || got.PlannedOperations != 1000 || got.IOPS != 100 || got.SilentSeconds != 1.5 {
		t.Errorf("got %+v", got)
	}
	total.measuring = true
	if got := r.progress(total, 0, 0); got.WarmingUp || got.PlannedSeconds != 5 {
		t.Errorf("measured part: got %+v", got)
	}
}
