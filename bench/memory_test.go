package bench

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// workloads are jobs that go different ways through the loop.
func workloads() map[string]Job {
	make := func(change func(*Job)) Job {
		j := plain(time.Hour)
		change(&j)
		return j
	}
	return map[string]Job{
		"read":       make(func(j *Job) {}),
		"sequential": make(func(j *Job) { j.Pattern = Sequential }),
		"write":      make(func(j *Job) { j.Op = OpWrite }),
		"zeros":      make(func(j *Job) { j.Op, j.Content = OpWrite, contentZero }),
		"mix":        make(func(j *Job) { j.Op, j.QueueDepth = OpMix, 8 }),
		"deep":       make(func(j *Job) { j.QueueDepth = 32 }),
		"batch":      make(func(j *Job) { j.QueueDepth, j.Batch = 32, true }),
		"rate":       make(func(j *Job) { j.Rate = maxRate }),
		"mixed rate": make(func(j *Job) { j.Op, j.Rate, j.QueueDepth = OpMix, maxRate, 4 }),
		"think time": make(func(j *Job) { j.ThinkTime = 1 }),
		"workers":    make(func(j *Job) { j.Workers, j.Op = 3, OpMix }),
	}
}

// prepared returns a runner whose workers are ready to measure on e.
func prepared(t testing.TB, e Engine, j Job) *runner {
	t.Helper()
	r := &runner{job: j, target: scratchTarget, sum: newTally(j), reporter: newReporter(j), base: time.Now()}
	if err := r.prepare(e); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.release)
	for _, w := range r.workers {
		w.clock = startClock(r.base, false)
		w.tally.restart()
	}
	return r
}

// some does n operations more of each worker.
func (r *runner) some(n int64) {
	for _, w := range r.workers {
		w.part(math.MaxInt64, w.issued+n)
	}
}

func TestWorkloadsDoNotAllocate(t *testing.T) {
	for name, j := range workloads() {
		t.Run(name, func(t *testing.T) {
			r := prepared(t, NewNull(), j)
			r.some(100)
			if n := testing.AllocsPerRun(20, func() { r.some(100) }); n != 0 {
				t.Errorf("%g allocations in 100 operations, want 0", n)
			}
			if w := r.workers[0]; w.err != nil || w.tally.operations() < 2000 {
				t.Errorf("%d operations, %v", w.tally.operations(), w.err)
			}
		})
	}
}

// second does what happens once a second, besides I/O.
func (r *runner) second() {
	for _, w := range r.workers {
		w.offer(w.clock.now())
	}
	now := r.workers[0].clock.now()
	_ = r.stall(now)
	r.report(now)
}

func TestSecondDoesNotAllocate(t *testing.T) {
	for name, j := range workloads() {
		t.Run(name, func(t *testing.T) {
			r := prepared(t, NewNull(), j)
			line := make([]byte, 0, maxProgress)
			r.observe = func(p Progress) { line = appendProgress(line[:0], &p) }
			if n := testing.AllocsPerRun(20, func() { r.some(50); r.second() }); n != 0 {
				t.Errorf("%g allocations, want 0", n)
			}
			if !strings.Contains(string(line), `"interval":{"count":`) {
				t.Errorf("the line tells no interval: %s", line)
			}
		})
	}
}

// withoutCollector runs f and returns how often and how much it allocated.
func withoutCollector(f func()) (times, size uint64) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// wordy is an error whose text is made anew each time.
type wordy struct{ n int }

func (e *wordy) Error() string { return fmt.Sprintf("fault number %d", e.n) }

// faulty returns an engine that fails half of what it is asked, in as many ways.
func faulty(ways []error) Engine {
	n := 0
	return &recorder{forgets: true, answer: func(r *Request) Event {
		if n++; n%2 == 0 {
			return Event{Buffer: r.Buffer, Bytes: len(r.Data)}
		}
		return Event{Buffer: r.Buffer, Err: ways[n/2%len(ways)]}
	}}
}

func TestErrorsDoNotFillMemory(t *testing.T) {
	texts := make([]error, 1000)
	for i := range texts {
		texts[i] = &wordy{i}
	}
	for _, tt := range []struct {
		name string
		ways []error
		most uint64 // allocations
	}{
		{"error numbers", []error{unix.EIO, unix.ENODATA, unix.EREMOTEIO, unix.ETIMEDOUT, unix.EILSEQ, unix.ENOSPC, unix.ENOLINK, unix.EOPNOTSUPP, unix.EPROTO}, 0},
		{"short", []error{nil}, 0},
		{"texts", texts, 4 * maxErrorTexts},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := plain(time.Hour)
			j.MaxErrors = -1
			r := prepared(t, faulty(tt.ways), j)
			r.observe = func(Progress) {}
			r.some(100)
			times, size := withoutCollector(func() {
				for range 2400 {
					r.some(10)
					r.second()
				}
			})
			if times > tt.most+20 {
				t.Errorf("%d allocations of %d bytes in 24000 operations, want at most %d", times, size, tt.most)
			}
			sum := &r.totals().errors
			if sum.total < 12_000 || len(sum.list()) > maxErrorKinds || sum.places > maxErrorOffsets {
				t.Errorf("%d errors of %d kinds at %d places", sum.total, len(sum.list()), sum.places)
			}
		})
	}
}

// TestMemoryOfThreeHours runs for three hours of virtual time, as Serve does. The
// Go runtime and what other tests left behind may allocate a little; once a
// second would be too often.
func TestMemoryOfThreeHours(t *testing.T) {
	keepGC(t)
	random := rand.New(rand.NewPCG(1, 2))
	synctest.Test(t, func(t *testing.T) {
		n := 0
		source := sink{drive(func(p []byte, _ int64) (int, error) {
			time.Sleep(time.Duration(300e6 + random.ExpFloat64()*100e6))
			if n++; n%10 == 0 {
				return 0, unix.EIO
			}
			return len(p), nil
		})}
		j := plain(2 * time.Hour)
		j.Op, j.Warmup, j.MaxErrors = OpMix, time.Hour, -1
		out := &meter{at: map[int]*runtime.MemStats{20: {}, 3590: {}, 3620: {}, 10_790: {}}}
		in := strings.NewReader(specLine(t, Spec{scratchTarget, j}))
		open := func(Spec) (Engine, error) { return NewReaderAt("sim", source), nil }
		if err := Serve(t.Context(), io.MultiReader(in, silence{t.Context().Done()}), out, open); err != nil {
			t.Fatal(err)
		}
		for _, part := range [][2]int{{20, 3590}, {3620, 10_790}} {
			a, b := out.at[part[0]], out.at[part[1]]
			if b.Mallocs == 0 || b.Mallocs-a.Mallocs > 1000 || b.TotalAlloc-a.TotalAlloc > 128<<10 {
				t.Errorf("from second %d to %d: %d allocations of %d bytes", part[0], part[1], b.Mallocs-a.Mallocs, b.TotalAlloc-a.TotalAlloc)
			}
		}
	})
}

// sink is a drive that takes as long for a write as for a read.
type sink struct{ drive }

func (s sink) WriteAt(p []byte, off int64) (int, error) { return s.ReadAt(p, off) }

// silence says nothing until it is done.
type silence struct{ done <-chan struct{} }

func (s silence) Read([]byte) (int, error) {
	<-s.done
	return 0, io.EOF
}

// meter looks at the memory when certain lines are written.
type meter struct {
	lines int
	at    map[int]*runtime.MemStats
}

func (m *meter) Write(b []byte) (int, error) {
	m.lines++
	if s := m.at[m.lines]; s != nil {
		runtime.ReadMemStats(s)
	}
	return len(b), nil
}

func specLine(t *testing.T, s Spec) string {
	t.Helper()
	var b strings.Builder
	if err := writeLine(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestConversationKeepsNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	p := Progress{Interval: randomHistogram(random, 1000), Operations: 1000}
	line := appendProgress(nil, &p)
	in, out := io.Pipe()
	go func() {
		for range 1000 {
			_, _ = out.Write(line)
		}
		_, _ = io.WriteString(out, `{"result":{}}`+"\n")
	}()
	var early, late runtime.MemStats
	lines := 0
	_, err := Converse(t.Context(), io.Discard, in, Spec{smallTarget, plain(time.Hour)}, func(Progress) {
		switch lines++; lines {
		case 100:
			runtime.GC()
			runtime.ReadMemStats(&early)
		case 900:
			runtime.GC()
			runtime.ReadMemStats(&late)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if grown := int64(late.HeapAlloc) - int64(early.HeapAlloc); late.HeapAlloc == 0 || grown > 1<<20 {
		t.Errorf("800 lines of progress left %d bytes", grown)
	}
}
