package bench

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/google/go-cmp/cmp"
)

func TestRunInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the user pressed a key")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second+time.Millisecond/2, func() { cancel(cause) })
		r, err := Run(ctx, NewReaderAt("sim", steady(time.Millisecond)), smallTarget, plain(time.Minute), nil)
		if !errors.Is(err, ErrInterrupted) || !errors.Is(err, cause) {
			t.Fatalf("got %v, want an interruption with its cause", err)
		}
		if r.Operations != 3001 || !r.Partial || r.Seconds != 3.001 {
			t.Errorf("got %d operations in %g s, partial %v", r.Operations, r.Seconds, r.Partial)
		}
	})
}

// silentAfter answers n reads a millisecond each and then no more until
// released.
func silentAfter(n int64, release <-chan struct{}) drive {
	var reads atomic.Int64
	return func(p []byte, off int64) (int, error) {
		if reads.Add(1) > n {
			<-release
			return 0, unix.ENODEV
		}
		return steady(time.Millisecond)(p, off)
	}
}

func TestRunStallLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer synctest.Wait()
		defer close(release)
		j := plain(time.Hour)
		j.StallLimit = 5 * time.Second
		var silent []float64
		r, err := Run(t.Context(), NewReaderAt("sim", silentAfter(2000, release)), smallTarget, j, func(p Progress) {
			silent = append(silent, math.Round(p.SilentSeconds))
		})
		if !errors.Is(err, ErrStalled) {
			t.Fatalf("got %v, want a stall", err)
		}
		if want := "the drive did not answer for 5.0 s"; r.Ended != want || !r.Partial {
			t.Errorf("ended %q, want %q", r.Ended, want)
		}
		if r.Operations < 1900 || r.Operations > 2000 || r.IOPS != 1000 {
			t.Errorf("got %d operations, %g IOPS; at most 0.1 s may be missing of 2 s", r.Operations, r.IOPS)
		}
		if diff := cmp.Diff([]float64{0, 0, 1, 2, 3, 4}, silent[:min(len(silent), 6)]); diff != "" {
			t.Errorf("silence in progress (-want +got):\n%s", diff)
		}
	})
}

func TestRunLateAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer synctest.Wait()
		defer close(release)
		j := plain(500 * time.Millisecond)
		started := time.Now()
		r, err := Run(t.Context(), NewReaderAt("sim", silentAfter(200, release)), smallTarget, j, nil)
		if !errors.Is(err, ErrStalled) || r.Ended != "the drive did not answer for 2.3 s" {
			t.Fatalf("got %+v, %v", r, err)
		}
		if took := time.Since(started); took != 2500*time.Millisecond {
			t.Errorf("returned after %v, want 2 s after the planned end", took)
		}
	})
}

func TestRunInterruptedWhileSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer synctest.Wait()
		defer close(release)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		started := time.Now()
		r, err := Run(ctx, NewReaderAt("sim", silentAfter(10, release)), smallTarget, plain(time.Hour), nil)
		if !errors.Is(err, ErrInterrupted) || !errors.Is(err, context.DeadlineExceeded) || !r.Partial {
			t.Fatalf("got %+v, %v", r, err)
		}
		if took := time.Since(started); took > 3100*time.Millisecond {
			t.Errorf("returned after %v, want at most 2 s after the end of its context", took)
		}
	})
}

func TestRunProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := plain(3500 * time.Millisecond)
		j.Warmup = 1500 * time.Millisecond
		var got []bool
		var last Progress
		_, err := Run(t.Context(), NewReaderAt("sim", steady(time.Millisecond)), smallTarget, j, func(p Progress) {
			got = append(got, p.WarmingUp)
			last = p
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]bool{true, false, false, false}, got[:min(len(got), 4)]); diff != "" {
			t.Errorf("warming up (-want +got):\n%s", diff)
		}
		if last.IOPS != 1000 || last.MBPerS != 4.096 || *last.Latency.P50 != 1000 || last.PlannedSeconds != 3.5 {
			t.Errorf("last progress is %+v", last)
		}
	})
}
