package bench

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// recorder keeps what it is asked for and completes it at once.
type recorder struct {
	pending []Event
	seen    []Request // Data is a copy of the first 16 bytes of each sector
	calls   []int     // requests in each call of Submit
	take    int       // requests that one call takes at most, 0: all
	answer  func(*Request) Event
	forgets bool // what it is asked for
}

func (e *recorder) Submit(requests []Request) (int, error) {
	if e.take > 0 && len(requests) > e.take {
		requests = requests[:e.take]
	}
	if !e.forgets {
		e.calls = append(e.calls, len(requests))
	}
	for i := range requests {
		event := Event{Buffer: requests[i].Buffer, Bytes: len(requests[i].Data)}
		if e.answer != nil {
			event = e.answer(&requests[i])
		}
		e.pending = append(e.pending, event)
		if e.forgets {
			continue
		}
		r := requests[i]
		var stamps []byte
		for at := 0; at < len(r.Data); at += contentSector {
			stamps = append(stamps, r.Data[at:at+stampBytes]...)
		}
		r.Data = stamps
		e.seen = append(e.seen, r)
	}
	return len(requests), nil
}

func (e *recorder) Reap(events []Event, _ int) (int, error) { return reapSome(events, &e.pending), nil }

func (e *recorder) Close() error { return nil }

// reapSome takes pending events from the front.
func reapSome(events []Event, pending *[]Event) int {
	n := copy(events, *pending)
	*pending = slices.Delete(*pending, 0, n)
	return n
}

var scratchTarget = Target{Kind: FileTarget, Path: "scratch", Bytes: 1 << 20, BlockBytes: 512, Writable: true}

// counted returns a job of n operations.
func counted(op Op, n int64) Job {
	j := plain(0)
	j.Op, j.Operations = op, n
	return j
}

func runOn(t *testing.T, e Engine, j Job) *Result {
	t.Helper()
	r, err := Run(t.Context(), e, scratchTarget, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunWrites(t *testing.T) {
	e := &recorder{}
	j := counted(OpWrite, 1000)
	j.QueueDepth, j.Warmup = 4, 1
	r := runOn(t, e, j)
	stamps := map[string]bool{}
	for _, request := range e.seen {
		if !request.Write || request.Buffer >= 4 {
			t.Fatalf("got %+v, want a write from one of 4 buffers", request)
		}
		for at := 0; at < len(request.Data); at += stampBytes {
			stamps[string(request.Data[at:at+stampBytes])] = true
		}
	}
	if len(stamps) != 8*len(e.seen) {
		t.Errorf("%d of %d sectors differ", len(stamps), 8*len(e.seen))
	}
	if r.Operations != 1000 || r.BytesWritten != int64(len(e.seen))*4096 || r.BytesWritten <= 1000*4096 {
		t.Errorf("%d operations and %d bytes written, warm-up included, of %d requests", r.Operations, r.BytesWritten, len(e.seen))
	}
	if r.BlankPercent != nil || r.Op != OpWrite || r.Content != "random" || r.Reads != nil || r.Writes != nil || r.ReadPercent != nil {
		t.Errorf("got %+v", r)
	}
}

func TestRunWritesZeros(t *testing.T) {
	e := &recorder{}
	j := counted(OpWrite, 100)
	j.Content = contentZero
	r := runOn(t, e, j)
	for _, request := range e.seen {
		if !isBlank(request.Data) {
			t.Fatalf("wrote % x, want zeros", request.Data)
		}
	}
	if r.Content != contentZero {
		t.Errorf("the result says %q", r.Content)
	}
}

func TestRunMix(t *testing.T) {
	e := &recorder{answer: func(r *Request) Event {
		if !r.Write {
			clear(r.Data)
		}
		return Event{Buffer: r.Buffer, Bytes: len(r.Data)}
	}}
	j := counted(OpMix, 1000)
	j.QueueDepth, j.ReadPercent = 8, 60
	r := runOn(t, e, j)
	for _, request := range e.seen {
		if request.Write != (request.Buffer >= 8) {
			t.Fatalf("got %+v, want reads in the first 8 buffers and writes in the next 8", request)
		}
	}
	if r.Reads.Operations != 600 || r.Writes.Operations != 400 || r.Operations != 1000 || r.BytesWritten != 400*4096 || r.BytesRead != 600*4096 {
		t.Errorf("%d reads and %d writes of %d, %d bytes written", r.Reads.Operations, r.Writes.Operations, r.Operations, r.BytesWritten)
	}
	if r.Histogram.Count() != 1000 || r.Reads.Histogram.Count() != 600 || r.Writes.Histogram.Count() != 400 {
		t.Errorf("the histograms count %d, %d and %d", r.Histogram.Count(), r.Reads.Histogram.Count(), r.Writes.Histogram.Count())
	}
	if *r.BlankPercent != 100 || *r.ReadPercent != 60 || r.Reads.IOPS <= r.Writes.IOPS || *r.Latency.P50 < *r.Reads.Latency.Min {
		t.Errorf("got %+v", r)
	}
}

func TestRunSequentialMixHasOneOrder(t *testing.T) {
	e := &recorder{}
	j := counted(OpMix, 200)
	j.Pattern, j.Start = Sequential, 8192
	runOn(t, e, j)
	for i, request := range e.seen {
		if want := 8192 + int64(i)*4096; request.Offset != want {
			t.Fatalf("operation %d is at %d, want %d", i, request.Offset, want)
		}
	}
}

func TestRunBatch(t *testing.T) {
	for _, tt := range []struct {
		take       int
		submission string
		batch      bool
		first      int
	}{{0, "batch", true, 8}, {3, "batch", true, 3}, {0, "one", false, 1}} {
		e := &recorder{take: tt.take}
		j := counted(OpRead, 1000)
		j.Pattern, j.QueueDepth, j.Batch = Sequential, 8, tt.batch
		r := runOn(t, e, j)
		if r.Operations != 1000 || r.Submission != tt.submission || e.calls[0] != tt.first {
			t.Errorf("%d operations, submission %q, %d requests in the first call", r.Operations, r.Submission, e.calls[0])
		}
		for i, request := range e.seen {
			if want := int64(i) * 4096 % (1 << 20); request.Offset != want {
				t.Fatalf("operation %d is at %d, want %d", i, request.Offset, want)
			}
		}
	}
}

// picky takes a request at its second try only.
type picky struct {
	recorder
	tries int
}

func (e *picky) Submit(requests []Request) (int, error) {
	if e.tries++; e.tries%2 == 0 && len(e.pending) > 0 {
		return 0, nil
	}
	return e.recorder.Submit(requests)
}

func TestRunKeepsWhatTheEngineRefuses(t *testing.T) {
	for _, batch := range []bool{false, true} {
		e := &picky{}
		j := counted(OpMix, 1000)
		j.Pattern, j.QueueDepth, j.Batch, j.Warmup = Sequential, 4, batch, 1000
		r := runOn(t, e, j)
		if r.Operations != 1000 || r.Reads.Operations < 690 || r.Reads.Operations > 710 {
			t.Errorf("%d operations, %d of them reads", r.Operations, r.Reads.Operations)
		}
		for i, request := range e.seen {
			if want := int64(i) * 4096 % (1 << 20); request.Offset != want {
				t.Fatalf("operation %d is at %d, want %d", i, request.Offset, want)
			}
		}
	}
}

func TestRunRefusesToWrite(t *testing.T) {
	claimed := Target{Kind: BlockTarget, Path: "/dev/x", Bytes: 1 << 20, Writable: true, Descriptor: 5}
	for name, tt := range map[string]struct {
		target Target
		op     Op
		ok     bool
	}{
		"not writable":           {Target{Kind: FileTarget, Path: "x", Bytes: 1 << 20}, OpWrite, false},
		"mix on not writable":    {Target{Kind: FileTarget, Path: "x", Bytes: 1 << 20}, OpMix, false},
		"device without a claim": {Target{Kind: BlockTarget, Path: "/dev/x", Bytes: 1 << 20, Writable: true}, OpWrite, false},
		"device with a claim":    {claimed, OpWrite, true},
		"simulated":              {Target{Kind: SimulatedTarget, Path: "x", Bytes: 1 << 20}, OpWrite, false},
	} {
		e := &recorder{}
		r, err := Run(t.Context(), e, tt.target, counted(tt.op, 10), nil)
		if tt.ok != (err == nil) || (err != nil && (!errors.Is(err, ErrBadJob) || r != nil || len(e.seen) > 0)) {
			t.Errorf("%s: got %v after %d requests", name, err, len(e.seen))
		}
	}
}

func TestServeDoesNotOpenForBadJob(t *testing.T) {
	keepGC(t)
	in, out := io.Pipe()
	go func() {
		_ = writeLine(out, Spec{Target{Kind: FileTarget, Path: "x", Bytes: 1 << 20}, counted(OpWrite, 1)})
	}()
	err := Serve(t.Context(), in, io.Discard, func(Spec) (Engine, error) {
		t.Errorf("the target was opened")
		return NewNull(), nil
	})
	if !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "must not be written to") {
		t.Errorf("got %v, want an invalid job", err)
	}
}

func TestRunCountsShortWrites(t *testing.T) {
	n := 0
	e := &recorder{answer: func(r *Request) Event {
		if n++; n%4 == 0 {
			return Event{Buffer: r.Buffer, Bytes: 512}
		}
		return Event{Buffer: r.Buffer, Bytes: len(r.Data)}
	}}
	r := runOn(t, e, counted(OpWrite, 100))
	if r.Errors != 25 || r.ErrorDetails[0].Error != io.ErrShortWrite.Error() || r.BytesWritten != 75*4096+25*512 {
		t.Errorf("got %d errors %v, %d bytes written", r.Errors, r.ErrorDetails, r.BytesWritten)
	}
}

func TestRunToldByErrnoThatWritesFail(t *testing.T) {
	e := &recorder{answer: func(r *Request) Event { return Event{Buffer: r.Buffer, Err: unix.ENOSPC} }}
	r, err := Run(t.Context(), e, scratchTarget, counted(OpWrite, 100), nil)
	if !errors.Is(err, ErrManyErrors) || r.Errors != 10 || r.BytesWritten != 0 || r.ErrorDetails[0].Error != "ENOSPC" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// memory is a source that can be written to.
type memory []byte

func (m memory) ReadAt(p []byte, off int64) (int, error)  { return copy(p, m[off:]), nil }
func (m memory) WriteAt(p []byte, off int64) (int, error) { return copy(m[off:], p), nil }

func TestReaderAtWrites(t *testing.T) {
	m := make(memory, 1<<20)
	j := counted(OpWrite, 256)
	j.Pattern = Sequential
	runOn(t, NewReaderAt("memory", m), j)
	for at := 0; at < len(m); at += contentSector {
		if isBlank(m[at : at+contentSector]) {
			t.Fatalf("nothing was written at byte %d", at)
		}
	}
	r, err := Run(t.Context(), NewReaderAt("sim", drive(nil)), scratchTarget, j, nil)
	if !errors.Is(err, ErrManyErrors) || !errors.Is(err, errors.ErrUnsupported) || r.BytesWritten != 0 {
		t.Errorf("a source that cannot be written to gives %+v, %v", r, err)
	}
}
