package selftest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

func emptyLog() *nvme.SelfTestLog {
	l := new(nvme.SelfTestLog)
	for i := range l.Results {
		l.Results[i].Status = nvme.SelfTestUnused
	}
	return l
}

// drive is a drive whose log a test writes: a function of the time since the
// start.
type drive struct {
	now time.Time
	log func(since time.Duration) (*nvme.SelfTestLog, error)
}

// follow follows a short test on it.
func (d *drive) follow(ctx context.Context, change func(*Follower)) *Followed {
	start := d.now
	f := &Follower{
		Kind: Short, Before: emptyLog(), Estimate: 2 * time.Minute, Now: func() time.Time { return d.now },
		Read: func(context.Context) (*nvme.SelfTestLog, error) { return d.log(d.now.Sub(start)) },
		Sleep: func(ctx context.Context, p time.Duration) error {
			d.now = d.now.Add(p)
			return ctx.Err()
		},
	}
	if change != nil {
		change(f)
	}
	return f.Follow(ctx)
}

// runs is the log of a test of 100 s, with a result after it.
func runs(status uint8) func(time.Duration) (*nvme.SelfTestLog, error) {
	return func(since time.Duration) (*nvme.SelfTestLog, error) {
		l := emptyLog()
		if since < 100*time.Second {
			l.CurrentOperation, l.CurrentCompletion = 1, uint8(since.Seconds())
			return l, nil
		}
		l.Results[0] = nvme.SelfTestResult{Status: status}
		return l, nil
	}
}

func TestFollowResults(t *testing.T) {
	for code, want := range map[uint8]Outcome{0: Passed, 1: Aborted, 2: Aborted, 5: Failed, 7: Failed, 9: Aborted, 0xB: Unknown} {
		d := &drive{log: runs(0x10 | code)}
		got := d.follow(t.Context(), nil)
		if got.End != Ended || got.Result == nil || got.Result.Outcome != want || got.Result.Code != code {
			t.Errorf("code %Xh: %+v, want %s", code, got, want)
		}
		if got.Seconds < 100 || got.Seconds > 110 {
			t.Errorf("code %Xh: followed for %.1f s, want 100", code, got.Seconds)
		}
	}
}

func TestFollowProgress(t *testing.T) {
	d := &drive{log: runs(0x10)}
	var events []Event
	d.follow(t.Context(), func(f *Follower) { f.Observe = func(e Event) { events = append(events, e) } })
	if len(events) < 10 {
		t.Fatalf("%d events, want some", len(events))
	}
	if first := events[0]; first.Percent != 0 || first.Left != 2*time.Minute {
		t.Errorf("first event %+v, want the estimate of the specification", first)
	}
	last := events[len(events)-1]
	if last.Percent < 90 || last.Left > 15*time.Second {
		t.Errorf("last event %+v, want an estimate by the progress", last)
	}
}

// TestFollowStuck checks that a progress that never moves is told, and nothing
// more.
func TestFollowStuck(t *testing.T) {
	stuck := &drive{log: func(time.Duration) (*nvme.SelfTestLog, error) {
		l := emptyLog()
		l.CurrentOperation, l.CurrentCompletion = 1, 30
		return l, nil
	}}
	got := stuck.follow(t.Context(), nil)
	if got.End != Stuck || got.Percent != 30 || got.StillSeconds < 600 || got.StillSeconds > 610 || !strings.Contains(got.Text, "stood still at 30 % for 10 min") {
		t.Errorf("%+v, want that it stood still for 10 min", got)
	}
	if got := stuck.follow(t.Context(), func(f *Follower) { f.Estimate = time.Hour }); got.End != Stuck || got.StillSeconds < 3*3600 {
		t.Errorf("%+v, want three times the estimate", got)
	}
	if got := stuck.follow(t.Context(), func(f *Follower) { f.StandStill, f.Estimate = time.Minute, 0 }); got.End != Stuck || got.StillSeconds > 70 || strings.Contains(got.Text, "should take") {
		t.Errorf("%+v, want the limit that was given", got)
	}
}

// TestFollowSlow checks that a progress that moves now and then is not stuck.
func TestFollowSlow(t *testing.T) {
	d := &drive{log: func(since time.Duration) (*nvme.SelfTestLog, error) {
		l := emptyLog()
		if tens := since / (9 * time.Minute); tens < 10 {
			l.CurrentOperation, l.CurrentCompletion = 1, uint8(10*tens)
			return l, nil
		}
		l.Results[0].Status = 0x10
		return l, nil
	}}
	if got := d.follow(t.Context(), nil); got.End != Ended {
		t.Errorf("%+v, want that it ended", got)
	}
}

func TestFollowSilent(t *testing.T) {
	gone := errors.New("no such device")
	d := &drive{log: func(time.Duration) (*nvme.SelfTestLog, error) { return nil, gone }}
	got := d.follow(t.Context(), nil)
	if got.End != Silent || !strings.Contains(got.Text, "no such device") || got.Unread < 10 {
		t.Errorf("%+v, want that the log cannot be read", got)
	}
}

// TestFollowPowerCycle lets a drive vanish in the middle and come back, with a
// result, without, and still at work.
func TestFollowPowerCycle(t *testing.T) {
	for name, tc := range map[string]struct {
		end  End
		back func() *nvme.SelfTestLog
	}{
		"a result": {Ended, func() *nvme.SelfTestLog {
			l := emptyLog()
			l.Results[0].Status = 0x12
			return l
		}},
		"none": {Lost, emptyLog},
	} {
		d := &drive{log: func(since time.Duration) (*nvme.SelfTestLog, error) {
			switch {
			case since < 30*time.Second:
				return runs(0)(since)
			case since < 60*time.Second:
				return nil, errors.New("reset")
			}
			return tc.back(), nil
		}}
		got := d.follow(t.Context(), nil)
		if got.End != tc.end || got.Unread == 0 {
			t.Errorf("%s: %+v, want %s", name, got, tc.end)
		}
		if tc.end == Ended && got.Result.Code != nvme.SelfTestAbortedByReset {
			t.Errorf("%s: %+v", name, got.Result)
		}
		if tc.end == Lost && !strings.Contains(got.Text, "not to be reached in between") {
			t.Errorf("%s: %q", name, got.Text)
		}
	}
}

func TestFollowLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := &drive{log: runs(0x10)}
	got := d.follow(ctx, func(f *Follower) { f.Observe = func(Event) { cancel() } })
	if got.End != Left || got.Result != nil {
		t.Errorf("%+v, want that it was left", got)
	}
	cancel()
	if got := d.follow(ctx, nil); got.End != Left {
		t.Errorf("%+v, want that it was left", got)
	}
}

// TestNewResult tells a new result from an old one.
func TestNewResult(t *testing.T) {
	pass := nvme.SelfTestResult{Status: 0x10, PowerOnHours: 7}
	with := func(n int, r nvme.SelfTestResult) *nvme.SelfTestLog {
		l := emptyLog()
		for i := range n {
			l.Results[i] = r
		}
		return l
	}
	full := with(20, pass)
	full.Results[19].PowerOnHours = 1
	for name, tc := range map[string]struct {
		before, after *nvme.SelfTestLog
		sure, want    bool
	}{
		"the first":                     {emptyLog(), with(1, pass), false, true},
		"none":                          {emptyLog(), emptyLog(), true, false},
		"equal to the one before":       {with(1, pass), with(2, pass), false, true},
		"the one before":                {with(1, pass), with(1, pass), true, false},
		"of another hour":               {with(3, nvme.SelfTestResult{Status: 0x10}), with(3, pass), false, true},
		"of another test":               {emptyLog(), with(1, nvme.SelfTestResult{Status: 0x20}), false, false},
		"a full log that has moved":     {full, with(20, pass), true, true},
		"a full log that has not":       {full, full, true, false},
		"a full log of equals, seen":    {with(20, pass), with(20, pass), true, true},
		"a full log of equals, unheard": {with(20, pass), with(20, pass), false, false},
	} {
		if got := newResult(tc.before, tc.after, Short, tc.sure) != nil; got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// TestFollowSimulated follows tests of a simulated drive in real time.
func TestFollowSimulated(t *testing.T) {
	d, err := sim.Open("nand-modern?speed=1000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	c := nvme.NewController(d)
	for range 2 { // The results are equal: the number tells them apart.
		before, err := c.SelfTestLog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if cpl, err := d.Submit(t.Context(), Start(Short, nvme.BroadcastNSID)); err != nil || !cpl.Status.OK() {
			t.Fatal(cpl, err)
		}
		f := &Follower{Kind: Short, Before: before, Read: c.SelfTestLog, Now: time.Now, Sleep: SleepFor}
		if got := f.Follow(t.Context()); got.End != Ended || got.Result.Outcome != Passed {
			t.Errorf("%+v, want that it passed", got)
		}
	}
}

func TestSleepFor(t *testing.T) {
	if err := SleepFor(t.Context(), time.Microsecond); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := SleepFor(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
