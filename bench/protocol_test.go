package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/google/go-cmp/cmp"
)

const workerVariable = "QD1_BENCH_TEST_WORKER"

// TestMain makes the test program a worker when it is asked to be one.
func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		if err := Serve(context.Background(), os.Stdin, os.Stdout, openForTest); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// openForTest knows one engine more: "hanging".
func openForTest(s Spec) (Engine, error) {
	if s.Job.Engine == "hanging" {
		return &hanging{left: 10_000}, nil
	}
	return Open(s)
}

// hanging answers a number of requests and then stays in the kernel for ever,
// as a thread does whose drive does not answer.
type hanging struct {
	null
	left int
}

func (e *hanging) Submit(requests []Request) (int, error) {
	for e.left--; e.left < 0; {
		_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
	time.Sleep(10 * time.Microsecond)
	return e.null.Submit(requests)
}

// keepGC undoes what Serve does to the garbage collector.
func keepGC(t *testing.T) {
	t.Helper()
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

// serveWith starts Serve with an engine over d and returns the parent's ends.
func serveWith(t *testing.T, d drive) (in io.WriteCloser, out io.Reader) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		_ = Serve(context.Background(), inR, outW, func(Spec) (Engine, error) { return NewReaderAt("sim", d), nil })
		outW.Close()
		inR.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
	})
	return inW, outR
}

func TestConversation(t *testing.T) {
	keepGC(t)
	synctest.Test(t, func(t *testing.T) {
		in, out := serveWith(t, steady(time.Millisecond))
		var seen []int64
		j := plain(2500 * time.Millisecond)
		r, err := Converse(t.Context(), in, out, Spec{smallTarget, j}, func(p Progress) { seen = append(seen, p.PlannedOperations+int64(p.PlannedSeconds)) })
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 2500 || *r.Latency.P50 != 1000 || r.Engine != "sim" || r.Partial {
			t.Errorf("got %+v", r)
		}
		if r.Histogram.Count() != 2500 || r.Histogram.Quantile(0.99) != time.Millisecond {
			t.Errorf("the histogram did not come through: %d counts", r.Histogram.Count())
		}
		if diff := cmp.Diff([]int64{2, 2}, seen); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
	})
}

func TestConversationOverSilentDrive(t *testing.T) {
	keepGC(t)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer synctest.Wait()
		defer close(release)
		in, out := serveWith(t, silentAfter(1500, release))
		j := plain(time.Minute)
		j.StallLimit = 3 * time.Second
		var last Progress
		r, err := Converse(t.Context(), in, out, Spec{smallTarget, j}, func(p Progress) { last = p })
		if !errors.Is(err, ErrStalled) || r == nil {
			t.Fatalf("got %+v, %v, want a stall with a partial result", r, err)
		}
		if r.Ended != "the drive did not answer for 3.0 s" || r.Operations < 1400 || r.Histogram.Count() != r.Operations {
			t.Errorf("ended %q after %d operations", r.Ended, r.Operations)
		}
		if last.SilentSeconds < 2 {
			t.Errorf("last progress tells a silence of %g s, want over 2", last.SilentSeconds)
		}
	})
}

func TestConverseInterrupted(t *testing.T) {
	keepGC(t)
	synctest.Test(t, func(t *testing.T) {
		in, out := serveWith(t, steady(time.Millisecond))
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		started := time.Now()
		r, err := Converse(ctx, in, out, Spec{smallTarget, plain(time.Hour)}, nil)
		if !errors.Is(err, ErrInterrupted) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want an interruption", err)
		}
		if took := time.Since(started); took > 1600*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if r == nil || !r.Partial || r.Operations < 1499 || r.Histogram == nil {
			t.Errorf("got %+v, want what the worker measured until then", r)
		}
	})
}

// frozen is a worker that writes text and then says no more.
func frozen(t *testing.T, text string) (in io.WriteCloser, out io.Reader) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		_ = json.NewDecoder(inR).Decode(new(Spec))
		_, _ = io.WriteString(outW, text)
		_, _ = io.Copy(io.Discard, inR)
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
	})
	return inW, outR
}

const oneProgress = `{"progress":{"seconds":1,"planned_seconds":60,"operations":25000,"iops":25000,"mb_per_s":102.4,"latency_us":{"p50":39.1},"errors":2,"silent_seconds":0}}` + "\n"

func TestConverseLeavesFrozenWorker(t *testing.T) {
	for _, tt := range []struct {
		name     string
		text     string
		timeout  time.Duration
		within   time.Duration
		want     error
		measured int64
	}{
		{"interrupted", oneProgress, time.Second, 1100 * time.Millisecond, ErrInterrupted, 25_000},
		{"interrupted before progress", "", time.Second, 1100 * time.Millisecond, ErrInterrupted, 0},
		{"silent", oneProgress, time.Hour, 33 * time.Second, ErrStalled, 25_000},
		{"silent from the start", "", time.Hour, 33 * time.Second, ErrWorker, 0},
		{"half a line", `{"progress":`, time.Hour, 33 * time.Second, ErrWorker, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, out := frozen(t, tt.text)
				ctx, cancel := context.WithTimeout(t.Context(), tt.timeout)
				defer cancel()
				started := time.Now()
				r, err := Converse(ctx, in, out, Spec{smallTarget, plain(time.Minute)}, nil)
				if !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}
				if took := time.Since(started); took > tt.within {
					t.Errorf("took %v, want at most %v", took, tt.within)
				}
				if tt.measured == 0 {
					if r != nil {
						t.Errorf("got %+v, want no result", r)
					}
					return
				}
				if r == nil || !r.Partial || r.Histogram != nil || r.Operations != tt.measured || r.Errors != 2 || *r.Latency.P50 != 39.1 || r.Ended != err.Error() {
					t.Errorf("got %+v, want the last progress", r)
				}
			})
		})
	}
}

func TestConverseAddsIntervalsOfLostWorker(t *testing.T) {
	var lines strings.Builder
	total := &Histogram{}
	for i := range 3 {
		p := Progress{WarmingUp: i == 0, Seconds: float64(i), Interval: repeated(500), IntervalSeconds: 1}
		if i > 0 {
			total.Merge(p.Interval)
		}
		p.Operations, p.Latency = total.Count(), LatencyOf(total)
		lines.Write(appendProgress(nil, &p))
	}
	r, err := Converse(t.Context(), io.Discard, strings.NewReader(lines.String()), Spec{smallTarget, plain(time.Minute)}, nil)
	if !errors.Is(err, ErrWorker) || r == nil || *r.Histogram != *total || r.Operations != 1000 || r.LatencyCI95.P99 == nil {
		t.Errorf("got %+v, %v, want the sum of the measured intervals", r, err)
	}
}

func TestConverseRefusesNonsense(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "ended without a result"},
		{"progress only", oneProgress, "ended without a result"},
		{"no JSON", "panic: oops\n", "malformed line"},
		{"no object", "[]\n", "malformed line"},
		{"empty object", "{}\n", "neither progress nor an end"},
		{"empty line", "\n", "malformed line"},
		{"two things", `{"progress":{},"result":{}}` + "\n", "neither progress nor an end"},
		{"bad histogram", `{"result":{"histogram":{"count":1,"buckets":[]}}}` + "\n", "malformed histogram"},
		{"endless line", strings.Repeat("x", 3*maxLine), "token too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Converse(t.Context(), io.Discard, strings.NewReader(tt.text), Spec{smallTarget, plain(time.Minute)}, nil)
			if !errors.Is(err, ErrWorker) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a worker that failed with %q", err, tt.want)
			}
		})
	}
}

func TestConverseChecksJobFirst(t *testing.T) {
	if _, err := Converse(t.Context(), nil, nil, Spec{}, nil); !errors.Is(err, ErrBadJob) {
		t.Errorf("got %v, want an invalid job", err)
	}
}

// deaf takes no line.
type deaf struct{}

func (deaf) Write([]byte) (int, error) { return 0, unix.EPIPE }

func TestConverseCannotSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, w := io.Pipe()
		defer w.Close()
		_, err := Converse(t.Context(), deaf{}, out, Spec{smallTarget, plain(time.Minute)}, nil)
		if !errors.Is(err, ErrWorker) || !errors.Is(err, unix.EPIPE) {
			t.Errorf("got %v, want a broken pipe", err)
		}
	})
}

func TestErrorsCrossTheProcessBoundary(t *testing.T) {
	for _, tt := range []struct {
		err  error
		is   []error
		hint string
	}{
		{openError("/dev/nvme0n1", unix.EACCES), []error{fs.ErrPermission, unix.EACCES}, "permission for /dev/nvme0n1 is needed: run as root or as a member of the node's group"},
		{stalled(time.Second), []error{ErrStalled}, "look at the kernel log for time-outs and resets of this drive"},
		{fmt.Errorf("run: %w", errors.Join(ErrGone, unix.ENODEV)), []error{ErrGone, unix.ENODEV}, ""},
		{badJob("queue depth 0"), []error{ErrBadJob}, ""},
		{ErrManyErrors, []error{ErrManyErrors}, ""},
		{errors.New("plain"), nil, ""},
	} {
		b, err := json.Marshal(encodeError(tt.err))
		if err != nil {
			t.Fatal(err)
		}
		var m errorMessage
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		got := m.decode()
		if got.Error() != tt.err.Error() {
			t.Errorf("got %q, want %q", got, tt.err)
		}
		for _, want := range tt.is {
			if !errors.Is(got, want) {
				t.Errorf("%v has come through as something else than %v", tt.err, want)
			}
		}
		if e, ok := errors.AsType[*Error](got); !ok || e.Hint != tt.hint {
			t.Errorf("%v: hint %q, want %q", tt.err, e.Hint, tt.hint)
		}
	}
	if encodeError(nil) != nil || (*errorMessage)(nil).decode() != nil {
		t.Errorf("no error has become one")
	}
}

func TestServeReportsFailures(t *testing.T) {
	spec := `{"target":{"kind":"sim","path":"x","bytes":1048576,"block_bytes":512},"job":{"engine":"null","op":"read","pattern":"random","block_bytes":4096,"queue_depth":1,"workers":1,"operations":10}}` + "\n"
	for _, tt := range []struct {
		name, in string
		open     func(Spec) (Engine, error)
		want     string
	}{
		{"no job", "", Open, "read the job"},
		{"malformed job", "{\n", Open, "read the job"},
		{"endless job", strings.Repeat(" ", 2*maxLine), Open, "token too long"},
		{"invalid job", "{}\n", func(Spec) (Engine, error) { return NewNull(), nil }, "no engine"},
		{"open fails", spec, func(Spec) (Engine, error) { return nil, unix.EACCES }, "permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keepGC(t)
			var out strings.Builder
			err := Serve(t.Context(), strings.NewReader(tt.in), &out, tt.open)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			m, decodeErr := decodeMessage([]byte(out.String()))
			if decodeErr != nil || m.Error == nil || !strings.Contains(m.Error.Text, tt.want) {
				t.Errorf("told the parent %q", out.String())
			}
		})
	}
}

func TestServeEndsWithItsParent(t *testing.T) {
	keepGC(t)
	synctest.Test(t, func(t *testing.T) {
		in, parent := io.Pipe()
		ended := make(chan error)
		go func() {
			ended <- Serve(t.Context(), in, io.Discard, func(Spec) (Engine, error) { return NewReaderAt("sim", steady(time.Millisecond)), nil })
		}()
		if err := writeLine(parent, Spec{smallTarget, plain(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		parent.Close()
		started := time.Now()
		if err := <-ended; !errors.Is(err, ErrInterrupted) || !errors.Is(err, errParentGone) {
			t.Errorf("got %v, want the end of the parent", err)
		}
		if took := time.Since(started); took > 100*time.Millisecond {
			t.Errorf("took %v to notice", took)
		}
	})
}

func TestServeEndsWhenNobodyReads(t *testing.T) {
	keepGC(t)
	synctest.Test(t, func(t *testing.T) {
		in, parent := io.Pipe()
		defer parent.Close()
		go func() { _ = writeLine(parent, Spec{smallTarget, plain(time.Hour)}) }()
		started := time.Now()
		err := Serve(t.Context(), in, deaf{}, func(Spec) (Engine, error) { return NewReaderAt("sim", steady(time.Millisecond)), nil })
		if !errors.Is(err, unix.EPIPE) || time.Since(started) > 1100*time.Millisecond {
			t.Errorf("got %v after %v, want a broken pipe at the first progress", err, time.Since(started))
		}
	})
}

// startWorker starts this program as a worker.
func startWorker(t *testing.T) (*exec.Cmd, io.WriteCloser, io.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(append(os.Environ(), WorkerEnv(1)...), workerVariable+"=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c, in, out
}

func TestWorkerProcess(t *testing.T) {
	_, in, out := startWorker(t)
	j := plain(50 * time.Millisecond)
	j.Engine, j.Warmup = EngineNull, 10*time.Millisecond
	r, err := Converse(t.Context(), in, out, Spec{smallTarget, j}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Operations == 0 || r.Seconds < 0.05 || r.Partial || r.CPU == nil || r.Histogram.Count() != r.Operations {
		t.Errorf("got %+v", r)
	}
}

func TestWorkerProcessIsKilled(t *testing.T) {
	c, in, out := startWorker(t)
	j := plain(time.Minute)
	j.Engine = EngineNull
	r, err := Converse(t.Context(), in, out, Spec{smallTarget, j}, func(Progress) { _ = c.Process.Kill() })
	if !errors.Is(err, ErrWorker) || r == nil || !r.Partial || r.Operations == 0 {
		t.Errorf("got %+v, %v, want a partial result of a lost worker", r, err)
	}
}

func TestWorkerProcessWhoseDriveHangs(t *testing.T) {
	c, in, out := startWorker(t)
	j := plain(time.Minute)
	j.Engine, j.StallLimit = "hanging", 1200*time.Millisecond
	var last Progress
	r, err := Converse(t.Context(), in, out, Spec{smallTarget, j}, func(p Progress) { last = p })
	if !errors.Is(err, ErrStalled) || errors.Is(err, ErrWorker) || r == nil {
		t.Fatalf("got %+v, %v, want the worker's own report of a stall", r, err)
	}
	if r.Operations == 0 || r.Operations > 10_000 || r.Histogram.Count() != r.Operations || last.Operations == 0 {
		t.Errorf("got %d operations; last progress %+v", r.Operations, last)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != 1 {
		t.Errorf("the worker ended with %v, want exit status 1", err)
	}
}

func FuzzConverse(f *testing.F) {
	f.Add([]byte(oneProgress + `{"result":{"operations":1}}` + "\n"))
	f.Add([]byte(`{"error":{"text":"x","kinds":["gone"],"errno":19}}` + "\n"))
	f.Add([]byte(`{"result":{"histogram":{"count":1,"sum_ns":9000,"min_ns":9000,"max_ns":9000,"buckets":[518,1]}}}`))
	f.Add([]byte(`{"progress":{"seconds":1,"operations":1,"interval_seconds":1,"interval":{"count":1,"sum_ns":9000,"min_ns":9000,"max_ns":9000,"buckets":[518,1]}}}` + "\n"))
	f.Add([]byte("\n\n"))
	spec := Spec{smallTarget, plain(time.Minute)}
	f.Fuzz(func(t *testing.T, answer []byte) {
		r, err := Converse(t.Context(), io.Discard, strings.NewReader(string(answer)), spec, nil)
		if r == nil && err == nil {
			t.Fatalf("neither a result nor an error for %q", answer)
		}
	})
}

func FuzzReadSpec(f *testing.F) {
	f.Add([]byte(`{"target":{"kind":"sim","bytes":1048576},"job":{"engine":"null","op":"read","pattern":"random","block_bytes":4096,"queue_depth":1,"workers":1,"operations":10}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := readSpec(newLines(strings.NewReader(string(line))))
		if err != nil || s.Job.Validate() != nil || s.Target.check(s.Job) != nil {
			return
		}
		span := s.Target.span(s.Job)
		o := newOffsets(s.Job, span, s.Job.Workers-1)
		for range 10 {
			if off := o.take(); off < s.Job.Start || off+int64(s.Job.BlockBytes) > s.Target.Bytes {
				t.Fatalf("offset %d is outside a target of %d bytes", off, s.Target.Bytes)
			}
		}
	})
}
