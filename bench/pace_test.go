package bench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// starts notes when reads begin, counted from now on, and passes them on.
func starts(d drive) (source drive, list func() []time.Duration) {
	base := time.Now()
	var mu sync.Mutex
	var all []time.Duration
	source = func(p []byte, off int64) (int, error) {
		mu.Lock()
		all = append(all, time.Since(base))
		mu.Unlock()
		return d(p, off)
	}
	return source, func() []time.Duration {
		slices.Sort(all)
		return all
	}
}

// every returns n times, d apart.
func every(d time.Duration, n int) []time.Duration {
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = time.Duration(i) * d
	}
	return list
}

func TestRateIsEven(t *testing.T) {
	for _, tt := range []struct{ workers, rate, want int }{{1, 100, 200}, {4, 1000, 2000}} {
		synctest.Test(t, func(t *testing.T) {
			source, list := starts(steady(time.Millisecond))
			j := plain(2 * time.Second)
			j.Workers, j.Rate = tt.workers, float64(tt.rate)
			r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(every(time.Second/time.Duration(tt.rate), tt.want), list()); diff != "" {
				t.Errorf("%d workers: starts (-want +got):\n%s", tt.workers, diff)
			}
			if r.Operations != int64(tt.want) || r.IOPS != float64(tt.rate) || r.Seconds != 2 || r.RatePerS != float64(tt.rate) {
				t.Errorf("%d workers: %d operations in %g s, %g IOPS", tt.workers, r.Operations, r.Seconds, r.IOPS)
			}
			if *r.Latency.Max != 1000 || *r.Corrected.Max != 1000 || *r.Corrected.P50 != 1000 {
				t.Errorf("latency up to %g µs, corrected up to %g µs, want 1000", *r.Latency.Max, *r.Corrected.Max)
			}
		})
	}
}

func TestRateDoesNotSlip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		source := drive(func(p []byte, off int64) (int, error) {
			if n++; n == 51 {
				return steady(500*time.Millisecond)(p, off)
			}
			return steady(time.Millisecond)(p, off)
		})
		j := plain(2 * time.Second)
		j.Rate = 100
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 200 || r.Seconds != 2 {
			t.Errorf("%d operations in %g s, want 200 in 2", r.Operations, r.Seconds)
		}
		if *r.Latency.P90 > 1008 || *r.Latency.Max != 500_000 {
			t.Errorf("latency p90 %g µs, up to %g µs: one read took long", *r.Latency.P90, *r.Latency.Max)
		}
		// The read that was due k·10 ms after the slow one ends 500 ms + k·1 ms
		// after that was due: 54 more are late, the 20th by 320 ms.
		if *r.Corrected.Max != 500_000 || *r.Corrected.P90 < 318_000 || *r.Corrected.P90 > 322_000 || *r.Corrected.P50 > 1008 {
			t.Errorf("corrected latency p50 %g, p90 %g, up to %g µs", *r.Corrected.P50, *r.Corrected.P90, *r.Corrected.Max)
		}
	})
}

func TestRateBeginsAnewAfterWarmup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		source := drive(func(p []byte, off int64) (int, error) {
			if time.Since(started) < time.Second {
				return steady(100*time.Millisecond)(p, off)
			}
			return steady(time.Millisecond)(p, off)
		})
		j := plain(time.Second)
		j.Rate, j.Warmup = 100, time.Second
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 100 || *r.Corrected.Max != 1000 {
			t.Errorf("%d operations, corrected up to %g µs: what was due in the warm-up is in it", r.Operations, *r.Corrected.Max)
		}
	})
}

func TestThinkTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, list := starts(steady(time.Millisecond))
		j := plain(time.Second)
		j.ThinkTime = 9 * time.Millisecond
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(every(10*time.Millisecond, 100), list()); diff != "" {
			t.Errorf("starts (-want +got):\n%s", diff)
		}
		if r.Operations != 100 || r.IOPS != 100 || *r.Latency.Max != 1000 || r.ThinkTimeUS != 9000 || r.Corrected != nil {
			t.Errorf("got %d operations, %g IOPS, latency up to %g µs", r.Operations, r.IOPS, *r.Latency.Max)
		}
	})
}

func TestThinkTimeOfFullQueue(t *testing.T) {
	e := &recorder{}
	j := counted(OpRead, 40)
	j.QueueDepth, j.ThinkTime, j.Batch = 4, time.Microsecond, true
	runOn(t, e, j)
	if diff := cmp.Diff([]int{4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, e.calls); diff != "" {
		t.Errorf("requests in each submission (-want +got):\n%s", diff)
	}
}

func TestPausesEndWithTheRun(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"rate":       func(j *Job) { j.Rate = 0.01 },
		"think time": func(j *Job) { j.ThinkTime = time.Hour },
	} {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			j := plain(1234 * time.Millisecond)
			j.StallLimit = 500 * time.Millisecond
			change(&j)
			r, err := Run(t.Context(), NewReaderAt("sim", steady(time.Millisecond)), smallTarget, j, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if took := time.Since(started); took != 1234*time.Millisecond || r.Operations != 1 || r.Seconds != 1.234 {
				t.Errorf("%s: %d operations, returned after %v", name, r.Operations, took)
			}
		})
	}
}

func TestPausesEndWithTheContext(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"rate":       func(j *Job) { j.Rate = 0.01 },
		"think time": func(j *Job) { j.ThinkTime = time.Hour },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
			defer cancel()
			j := plain(time.Hour)
			j.StallLimit = time.Second
			change(&j)
			started := time.Now()
			r, err := Run(ctx, NewReaderAt("sim", steady(time.Millisecond)), smallTarget, j, nil)
			if !errors.Is(err, ErrInterrupted) || r.Operations != 1 {
				t.Fatalf("%s: got %+v, %v", name, r, err)
			}
			if took := time.Since(started); took > 10*time.Second+2*maxPause {
				t.Errorf("%s: took %v to stop", name, took)
			}
		})
	}
}

func TestPacedRunNoticesStall(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"rate":       func(j *Job) { j.Rate = 100 },
		"think time": func(j *Job) { j.ThinkTime = 10 * time.Millisecond },
	} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			defer synctest.Wait()
			defer close(release)
			j := plain(time.Hour)
			j.StallLimit = 3 * time.Second
			change(&j)
			r, err := Run(t.Context(), NewReaderAt("sim", silentAfter(100, release)), smallTarget, j, nil)
			if !errors.Is(err, ErrStalled) || r.Ended != "the drive did not answer for 3.0 s" || r.Operations < 80 {
				t.Errorf("%s: got %+v, %v", name, r, err)
			}
		})
	}
}

// delayed completes each request a time after its submission, by the clock of
// the machine.
type delayed struct {
	after   time.Duration
	pending []Event
	ends    []time.Time
	most    int // in flight at once
	polled  bool
}

func (e *delayed) Submit(requests []Request) (int, error) {
	for i := range requests {
		e.pending = append(e.pending, Event{Buffer: requests[i].Buffer, Bytes: len(requests[i].Data)})
		e.ends = append(e.ends, time.Now().Add(e.after))
	}
	e.most = max(e.most, len(e.pending))
	return len(requests), nil
}

func (e *delayed) Reap(events []Event, least int) (int, error) {
	if len(e.pending) == 0 {
		return 0, errors.New("nothing is in flight")
	}
	e.polled = e.polled || least == 0
	for least > 0 && time.Now().Before(e.ends[0]) {
	}
	n := 0
	for n < len(e.ends) && !time.Now().Before(e.ends[n]) {
		n++
	}
	ready := slices.Clone(e.pending[:n])
	e.pending, e.ends = e.pending[n:], e.ends[n:]
	return copy(events, ready), nil
}

func (e *delayed) Close() error { return nil }

func TestRateUsesTheQueue(t *testing.T) {
	for _, batch := range []bool{false, true} {
		e := &delayed{after: 5 * time.Millisecond}
		j := counted(OpRead, 100)
		j.Rate, j.QueueDepth, j.Batch = 1000, 32, batch
		r := runOn(t, e, j)
		if r.Operations != 100 || r.Seconds < 0.1 || *r.Corrected.Min < 5000 || *r.Latency.Min < 5000 {
			t.Errorf("%d operations in %g s, latencies from %g and %g µs", r.Operations, r.Seconds, *r.Latency.Min, *r.Corrected.Min)
		}
		if e.most < 4 || !e.polled {
			t.Errorf("up to %d were in flight; 5 are due while one is", e.most)
		}
	}
}

func TestRateOfMix(t *testing.T) {
	j := counted(OpMix, 200)
	j.Rate, j.QueueDepth = 100_000, 4
	r := runOn(t, &recorder{}, j)
	if r.Reads.Operations != 140 || r.Writes.Operations != 60 || r.Corrected == nil || r.Corrected.P50 == nil {
		t.Errorf("got %+v", r)
	}
}
