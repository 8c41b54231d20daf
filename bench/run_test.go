package bench

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/google/go-cmp/cmp"
)

// drive is a source whose behaviour a test gives as a function.
type drive func(p []byte, off int64) (int, error)

func (d drive) ReadAt(p []byte, off int64) (int, error) { return d(p, off) }

// steady returns a drive that answers every read after d, with data.
func steady(d time.Duration) drive {
	return func(p []byte, _ int64) (int, error) {
		time.Sleep(d)
		p[0] = 1
		return len(p), nil
	}
}

var smallTarget = Target{Kind: SimulatedTarget, Path: "sim:test", Bytes: 1 << 20, BlockBytes: 512}

// plain returns a job without warm-up and without special rights.
func plain(d time.Duration) Job {
	j := QD1Read(1)
	j.Duration, j.Warmup, j.HoldCPULatency = d, 0, false
	return j
}

func TestRunInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := plain(2 * time.Second)
		j.Warmup = 500 * time.Millisecond
		r, err := Run(t.Context(), NewReaderAt("sim", steady(100*time.Microsecond)), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 20_000 || r.Seconds != 2 || r.IOPS != 10_000 || r.MBPerS != 40.96 || r.WarmupSeconds != 0.5 {
			t.Errorf("got %d operations in %g s, %g IOPS, %g MB/s", r.Operations, r.Seconds, r.IOPS, r.MBPerS)
		}
		want := Latency{new(100.0), new(100.0), new(100.0), new(100.0), new(100.0), new(100.0), nil, new(100.0)}
		if diff := cmp.Diff(want, r.Latency); diff != "" {
			t.Errorf("latency (-want +got):\n%s", diff)
		}
		if r.Engine != "sim" || r.Partial || r.Ended != "complete" || *r.BlankPercent != 0 || r.Errors != 0 || r.Seed == 0 || r.SpanBytes != 1<<20 {
			t.Errorf("got %+v", r)
		}
	})
}

func TestRunQuantilesOfKnownStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		source := drive(func(p []byte, _ int64) (int, error) {
			n++
			d := 10 * time.Microsecond
			switch {
			case n%1000 == 0:
				d = 5 * time.Millisecond
			case n%10 == 0:
				d = 80 * time.Microsecond
			}
			time.Sleep(d)
			p[0] = 1
			return len(p), nil
		})
		j := plain(0)
		j.Operations = 20_000
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 20_000 {
			t.Fatalf("got %d operations, want 20000", r.Operations)
		}
		for _, tt := range []struct {
			name string
			got  *float64
			want float64
		}{{"p50", r.Latency.P50, 10}, {"p90", r.Latency.P90, 10}, {"p99", r.Latency.P99, 80}, {"p999", r.Latency.P999, 80}, {"max", r.Latency.Max, 5000}} {
			if tt.got == nil || *tt.got < tt.want*127/128 || *tt.got > tt.want*129/128 {
				t.Errorf("%s is %v, want %g", tt.name, tt.got, tt.want)
			}
		}
		if r.Latency.P9999 != nil {
			t.Errorf("p99.99 of 20000 samples is %g, want none", *r.Latency.P9999)
		}
	})
}

func TestRunWarmupIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		source := drive(func(p []byte, off int64) (int, error) {
			d := time.Millisecond
			if time.Since(started) < time.Second {
				d = 50 * time.Millisecond
			}
			return steady(d)(p, off)
		})
		j := plain(time.Second)
		j.Warmup = time.Second
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 1000 || *r.Latency.Max != 1000 {
			t.Errorf("got %d operations, the slowest %g µs; the warm-up is in it", r.Operations, *r.Latency.Max)
		}
	})
}

func TestRunEndsByOperationsAndBytes(t *testing.T) {
	for _, workers := range []int{1, 3} {
		j := plain(0)
		j.Workers, j.TotalBytes, j.Operations = workers, 1000*4096+100, 5000
		r, err := Run(t.Context(), NewNull(), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 1000 || r.Workers != workers {
			t.Errorf("%d workers: got %d operations, want 1000", workers, r.Operations)
		}
	}
}

func TestRunSeveralWorkersInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := plain(time.Second)
		j.Workers = 4
		r, err := Run(t.Context(), NewReaderAt("sim", steady(time.Millisecond)), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 4000 || r.IOPS != 4000 || *r.Latency.P50 != 1000 {
			t.Errorf("got %d operations, %g IOPS", r.Operations, r.IOPS)
		}
	})
}

// reverse completes requests in batches of its depth, the last first.
type reverse struct {
	null
	depth int
}

func (e *reverse) Reap(events []Event, minimum int) (int, error) {
	if len(e.pending) < e.depth {
		return 0, errors.New("the queue was not kept full")
	}
	return e.null.Reap(events, minimum)
}

func TestRunKeepsQueueFull(t *testing.T) {
	j := plain(0)
	j.QueueDepth, j.Operations = 8, 8000
	r, err := Run(t.Context(), &reverse{depth: 8}, smallTarget, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Operations != 8000 || r.QueueDepth != 8 {
		t.Errorf("got %d operations at queue depth %d", r.Operations, r.QueueDepth)
	}
}

func TestRunReadsWithinSpan(t *testing.T) {
	for _, pattern := range []Pattern{Random, Sequential} {
		seen := map[int64]int{}
		source := drive(func(p []byte, off int64) (int, error) {
			seen[off]++
			p[0] = 1
			return len(p), nil
		})
		j := plain(0)
		j.Pattern, j.Operations, j.Span = pattern, 1000, 10*4096+17
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		for off := range seen {
			if off%4096 != 0 || off < 0 || off >= 10*4096 {
				t.Errorf("%s: read at %d, outside the span", pattern, off)
			}
		}
		if len(seen) != 10 || r.SpanBytes != 10*4096 {
			t.Errorf("%s: %d of 10 blocks were read, span %d", pattern, len(seen), r.SpanBytes)
		}
	}
}

func TestRunTellsBlankShare(t *testing.T) {
	source := drive(func(p []byte, off int64) (int, error) {
		clear(p)
		switch off / 4096 % 4 {
		case 0:
			p[len(p)-1] = 1
		case 1:
			p[0] = 1
		}
		return len(p), nil
	})
	j := plain(0)
	j.Pattern, j.Operations = Sequential, 1000
	r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.BlankPercent == nil || *r.BlankPercent != 50 {
		t.Errorf("blank share is %v, want 50 %%", r.BlankPercent)
	}
}

func TestRunGoesOnAfterSomeErrors(t *testing.T) {
	source := drive(func(p []byte, off int64) (int, error) {
		p[0] = 1
		switch off / 4096 % 4 {
		case 1:
			return 0, unix.EIO
		case 2:
			return 512, io.EOF
		}
		return len(p), nil
	})
	j := plain(0)
	j.Pattern, j.Operations = Sequential, 1000
	r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []ErrorKind{{"EIO", 250, 4096}, {"EOF", 250, 8192}}
	if diff := cmp.Diff(want, r.ErrorDetails); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if r.Operations != 500 || r.Errors != 500 || r.Partial {
		t.Errorf("got %d operations, %d errors, partial %v", r.Operations, r.Errors, r.Partial)
	}
}

func TestRunEndsAfterErrorsInARow(t *testing.T) {
	n := 0
	source := drive(func(p []byte, _ int64) (int, error) {
		if n++; n > 100 {
			return 0, unix.EIO
		}
		return len(p), nil
	})
	j := plain(time.Minute)
	j.MaxErrors = 5
	r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
	if !errors.Is(err, ErrManyErrors) || !errors.Is(err, unix.EIO) {
		t.Fatalf("got %v, want too many errors", err)
	}
	if r.Operations != 100 || r.Errors != 5 || !r.Partial || r.Ended != err.Error() {
		t.Errorf("got %d operations, %d errors, ended %q", r.Operations, r.Errors, r.Ended)
	}
}

func TestRunEndsWhenDriveIsGone(t *testing.T) {
	for _, errno := range []unix.Errno{unix.ENODEV, unix.ENXIO} {
		n := 0
		source := drive(func(p []byte, _ int64) (int, error) {
			if n++; n > 100 {
				return 0, errno
			}
			return len(p), nil
		})
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, plain(time.Minute), nil)
		if !errors.Is(err, ErrGone) || !errors.Is(err, errno) {
			t.Fatalf("got %v, want a drive that is gone", err)
		}
		if r.Operations != 100 || r.Errors != 1 || !r.Partial {
			t.Errorf("got %d operations, %d errors, partial %v", r.Operations, r.Errors, r.Partial)
		}
	}
}

// departed fails every read and says that the device has left.
type departed struct{ Engine }

func (departed) Gone() bool { return true }

func TestRunAsksEngineWhetherDriveIsGone(t *testing.T) {
	failing := drive(func([]byte, int64) (int, error) { return 0, unix.EIO })
	r, err := Run(t.Context(), departed{NewReaderAt("sim", failing)}, smallTarget, plain(time.Minute), nil)
	if !errors.Is(err, ErrGone) || r.Errors != 1 || r.Operations != 0 || r.BlankPercent != nil || r.Latency.Min != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestRunKeepsErrorsOfWarmup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := drive(func([]byte, int64) (int, error) { return 0, unix.ENODEV })
		j := plain(time.Second)
		j.Warmup = time.Second
		r, err := Run(t.Context(), NewReaderAt("sim", failing), smallTarget, j, nil)
		if !errors.Is(err, ErrGone) || r.Errors != 1 {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

// trickle hands out one completion at a time.
type trickle struct{ null }

func (e *trickle) Reap(events []Event, minimum int) (int, error) {
	return e.null.Reap(events[:1], minimum)
}

func TestRunCountsWhatTheWarmupLeftInFlight(t *testing.T) {
	j := plain(0)
	j.QueueDepth, j.Operations, j.Warmup = 8, 5000, time.Millisecond
	r, err := Run(t.Context(), &trickle{}, smallTarget, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Operations != 5000 {
		t.Errorf("got %d operations, want 5000", r.Operations)
	}
}

func TestRunBuffersAreAlignedAndApart(t *testing.T) {
	r := &runner{job: plain(time.Second), target: smallTarget}
	r.job.BlockBytes, r.job.QueueDepth, r.job.Workers = 512, 3, 2
	if err := r.prepare(NewNull()); err != nil {
		t.Fatal(err)
	}
	defer r.release()
	seen := map[uintptr]bool{}
	for _, w := range r.workers {
		for i, request := range w.requests {
			address := uintptr(reflect.ValueOf(request.Data).UnsafePointer())
			if address%4096 != 0 || len(request.Data) != 512 || cap(request.Data) != 512 || request.Buffer != i || seen[address] {
				t.Errorf("buffer %d: %d bytes at %#x", i, len(request.Data), address)
			}
			seen[address] = true
		}
	}
}

// mute takes no request.
type mute struct{ Engine }

func (mute) Submit([]Request) (int, error) { return 0, nil }

// broken fails as a whole.
type broken struct{ Engine }

func (broken) Reap([]Event, int) (int, error) { return 0, unix.EBADF }

func TestRunRefuses(t *testing.T) {
	deep := plain(time.Second)
	deep.QueueDepth = 2
	crowd := plain(time.Second)
	crowd.Workers = 2
	elsewhere := plain(time.Second)
	elsewhere.CPUs = []int{1023}
	for _, tt := range []struct {
		name   string
		engine Engine
		target Target
		job    Job
		want   error
	}{
		{"invalid job", NewNull(), smallTarget, Job{}, ErrBadJob},
		{"job too large for the target", NewNull(), Target{Bytes: 512}, plain(1), ErrBadJob},
		{"queue too deep", NewReaderAt("sim", steady(0)), smallTarget, deep, ErrBadJob},
		{"engine for one worker", mute{NewNull()}, smallTarget, crowd, ErrBadJob},
		{"engine takes nothing", mute{NewNull()}, smallTarget, plain(time.Second), nil},
		{"engine breaks", broken{NewNull()}, smallTarget, plain(time.Second), unix.EBADF},
		{"CPU does not exist", NewNull(), smallTarget, elsewhere, unix.EINVAL},
		{"CPU does not exist, by kind", NewNull(), smallTarget, elsewhere, ErrBadJob},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Run(t.Context(), tt.engine, tt.target, tt.job, nil)
			if err == nil || r != nil || (tt.want != nil && !errors.Is(err, tt.want)) {
				t.Errorf("got %v, %v, want no result and %v", r, err, tt.want)
			}
		})
	}
}

func TestRunRestoresAffinity(t *testing.T) {
	before := allowedCPUs()
	r, err := Run(t.Context(), NewNull(), smallTarget, plain(time.Millisecond), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.CPU == nil || *r.CPU != before[0] {
		t.Errorf("pinned to %v, want the highest CPU %d", r.CPU, before[0])
	}
	if diff := cmp.Diff(before, allowedCPUs()); diff != "" {
		t.Errorf("CPUs of the process have changed:\n%s", diff)
	}
}

func TestRunSeedIsRepeatable(t *testing.T) {
	record := func(seed uint64) (offs []int64, used uint64) {
		source := drive(func(p []byte, off int64) (int, error) {
			offs = append(offs, off)
			return len(p), nil
		})
		j := plain(0)
		j.Operations, j.Seed = 50, seed
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		return offs, r.Seed
	}
	first, chosen := record(0)
	again, used := record(chosen)
	if diff := cmp.Diff(first, again); diff != "" || used != chosen {
		t.Errorf("the seed of the result gives other offsets:\n%s", diff)
	}
	if other, _ := record(rand.Uint64N(1<<52) + 1); cmp.Equal(first, other) {
		t.Errorf("another seed gives the same offsets")
	}
}
