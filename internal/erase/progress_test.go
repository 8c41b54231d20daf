package erase

import (
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// fixed returns a run whose clock the test moves, with a method.
func fixed(m *Method) (*run, *time.Time, *[]Event) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	events := new([]Event)
	r := &run{
		Deps: &Deps{Method: m, Now: func() time.Time { return now }, Observe: func(e Event) { *events = append(*events, e) }},
		rec:  &Record{Technique: m.Technique},
	}
	return r, &now, events
}

func method(t Technique, high time.Duration) *Method {
	return &Method{Technique: t, Estimate: Estimate{High: high}, Timeout: time.Hour, Commands: []nvme.Command{{NSID: 1}}, Targets: []nvme.NSID{1}, Progress: true}
}

func TestProgressEvents(t *testing.T) {
	tests := []struct {
		name      string
		high      time.Duration
		percent   float64
		elapsed   time.Duration
		want      float64
		remaining float64
		estimated bool
	}{
		{"drive", time.Hour, 25, time.Minute, 25, 180, false},
		{"estimate", 10 * time.Minute, -1, 6 * time.Minute, 60, 240, true},
		{"estimate is over", 10 * time.Minute, -1, time.Hour, 99, 0, true},
		{"nothing known", 0, -1, time.Minute, -1, -1, false},
		{"drive at zero", 0, 0, time.Minute, 0, -1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, now, events := fixed(method(FormatUserData, tt.high))
			p := r.newProgress(*now, 0)
			*now = now.Add(tt.elapsed)
			p.percent = tt.percent
			p.tell()
			e := (*events)[0]
			if got := orMinus(e.Percent); got != tt.want || orMinus(e.Remaining) != tt.remaining || e.Estimated != tt.estimated || e.Elapsed != tt.elapsed.Seconds() {
				t.Errorf("percent %v, remaining %v, event %+v", got, orMinus(e.Remaining), e)
			}
			if e.Kind != ProgressEvent || e.Text == "" {
				t.Errorf("event %+v", e)
			}
		})
	}
}

func orMinus(f *float64) float64 {
	if f == nil {
		return -1
	}
	return *f
}

// TestStall holds that a figure that does not change for long is told once, and
// again after it has moved.
func TestStall(t *testing.T) {
	tests := []struct {
		high  time.Duration
		after time.Duration
	}{
		{time.Minute, 10 * time.Minute}, {time.Hour, 5 * time.Hour}, {0, 10 * time.Minute},
	}
	for _, tt := range tests {
		r, now, _ := fixed(method(SanitizeBlock, tt.high))
		p := r.newProgress(*now, 0)
		log := func(sprog uint16, later time.Duration) int {
			*now = now.Add(later)
			p.sanitize(&nvme.SanitizeLog{Progress: sprog, Status: nvme.SanitizeInProgress})
			return len(r.rec.Warnings)
		}
		log(655, 0)
		steps := []struct {
			sprog uint16
			later time.Duration
			want  int
		}{
			{655, tt.after - time.Second, 0}, {655, time.Second, 1}, {655, 10 * tt.after, 1},
			{700, 0, 1}, {700, tt.after - time.Second, 1}, {700, time.Second, 2},
		}
		for i, s := range steps {
			if got := log(s.sprog, s.later); got != s.want {
				t.Errorf("estimate %v, step %d: %d warnings, want %d: %q", tt.high, i, got, s.want, r.rec.Warnings)
			}
		}
	}
}

// TestNoStallWithoutFigures holds that a drive that reports nothing does not
// stall.
func TestNoStallWithoutFigures(t *testing.T) {
	r, now, _ := fixed(method(FormatUserData, time.Minute))
	p := r.newProgress(*now, 0)
	*now = now.Add(24 * time.Hour)
	p.tick(t.Context())
	if len(r.rec.Warnings) != 0 {
		t.Errorf("warnings %q", r.rec.Warnings)
	}
}

func TestKeepsFewEvents(t *testing.T) {
	r, _, events := fixed(method(FormatUserData, 0))
	for range 2 * mostEvents {
		r.emit(Event{Kind: WarningEvent})
	}
	if len(r.rec.Events) != mostEvents || len(*events) != 2*mostEvents {
		t.Errorf("%d kept, %d told", len(r.rec.Events), len(*events))
	}
}

// TestFormatProgress holds that a drive that reports its progress is asked
// meanwhile, with the time-out of the command, and that nothing is asked without
// a descriptor for it.
func TestFormatProgress(t *testing.T) {
	for _, polls := range []bool{true, false} {
		r := newRig(t, "nand-modern?size=8388608&speed=1000000")
		d := r.deps(Request{Technique: FormatUserData})
		var mu sync.Mutex
		asked, enough := 0, make(chan struct{})
		poll := nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
			mu.Lock()
			defer mu.Unlock()
			asked++
			if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) < d.Method.Timeout-time.Minute {
				t.Errorf("asked with the deadline %v, want %v from now", deadline, d.Method.Timeout)
			}
			cmd.Data[32] = 0x80 | uint8(100-20*asked)
			if asked == 3 {
				close(enough)
			}
			return nvme.Completion{}, nil
		})
		ticks := 0
		d.ControllerState = func() string {
			if ticks++; ticks == 50 && !polls {
				close(enough)
			}
			return "live"
		}
		if polls {
			d.Poll = poll
		}
		r.behind = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
			if cmd.Opcode == nvme.AdminFormatNVM {
				<-enough
			}
			return nvme.Completion{}, nil, false
		}
		rec, err := Run(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		var figures []float64
		for _, e := range rec.Events {
			if e.Kind == ProgressEvent && e.Percent != nil && !e.Estimated {
				figures = append(figures, *e.Percent)
			}
		}
		if polls && (len(figures) < 2 || figures[0] != 20 || figures[1] != 40) {
			t.Errorf("figures %v", figures)
		}
		if !polls && (len(figures) != 0 || asked != 0) {
			t.Errorf("asked %d times, figures %v", asked, figures)
		}
	}
}

// TestFormatProgressGivesUp holds that a drive that does not answer meanwhile is
// asked once.
func TestFormatProgressGivesUp(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&speed=1000000")
	d := r.deps(Request{Technique: FormatUserData})
	var mu sync.Mutex
	asked, ticks, enough := 0, 0, make(chan struct{})
	d.Poll = nvme.PassthruFunc(func(context.Context, *nvme.Command) (nvme.Completion, error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		return nvme.Completion{}, syscall.EINTR
	})
	d.ControllerState = func() string {
		if ticks++; ticks == 60 {
			close(enough)
		}
		return "live"
	}
	r.behind = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		if cmd.Opcode == nvme.AdminFormatNVM {
			<-enough
		}
		return nvme.Completion{}, nil, false
	}
	rec, err := Run(t.Context(), d)
	mu.Lock()
	defer mu.Unlock()
	if err != nil || rec.Class() != Done || asked != 1 || !strings.Contains(strings.Join(rec.Warnings, "\n"), "not asked again") {
		t.Errorf("result %s, error %v, asked %d times, warnings %q", rec.Result, err, asked, rec.Warnings)
	}
}
