package watch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fake is a drive whose looks are functions; the last one repeats.
type fake struct {
	looks  []func(ctx context.Context) (*Reading, error)
	opens  int
	closed int
	// fails is the error of each opening, nil or missing for none.
	fails []error
}

func (f *fake) drive(device string) Drive {
	return Drive{Who: Who{Device: device}, Open: func() (Session, Who, error) {
		n := f.opens
		f.opens++
		if n < len(f.fails) && f.fails[n] != nil {
			return nil, Who{}, f.fails[n]
		}
		return f, Who{Device: device, Serial: "S-" + device}, nil
	}}
}

func (f *fake) Read(ctx context.Context) (*Reading, error) {
	look := f.looks[0]
	if len(f.looks) > 1 {
		f.looks = f.looks[1:]
	}
	return look(ctx)
}

func (f *fake) Close() error { f.closed++; return nil }

func at(celsius int) func(context.Context) (*Reading, error) {
	return func(context.Context) (*Reading, error) { return reading(time.Now(), celsius), nil }
}

func slow(d time.Duration) func(context.Context) (*Reading, error) {
	return func(ctx context.Context) (*Reading, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(d):
			return reading(time.Now(), 50), nil
		}
	}
}

func gone(context.Context) (*Reading, error) { return nil, errors.New("the drive is gone") }

// collected are the rows of all looks, one text each.
type collected struct {
	rows  []string
	times []time.Duration
	begin time.Time
}

func (c *collected) show(rows []Row) error {
	c.times = append(c.times, time.Since(c.begin))
	var line []string
	for _, r := range rows {
		switch {
		case r.Error != "":
			line = append(line, r.Error)
		default:
			line = append(line, text(r.CompositeTemperatureCelsius))
		}
	}
	c.rows = append(c.rows, strings.Join(line, ", "))
	return nil
}

func TestRun(t *testing.T) {
	const never = time.Hour
	for _, test := range []struct {
		name  string
		plan  Plan
		looks [][]func(context.Context) (*Reading, error)
		fails []error
		rows  []string
		times []time.Duration
	}{
		{"every look at its time", Plan{Every: 10 * time.Second, Count: 3, Timeout: 10 * time.Second}, [][]func(context.Context) (*Reading, error){{at(30), at(31), at(32)}}, nil,
			[]string{"30", "31", "32"}, []time.Duration{0, 10 * time.Second, 20 * time.Second}},
		{"a slow look shifts none", Plan{Every: 10 * time.Second, Count: 2, Timeout: 10 * time.Second}, [][]func(context.Context) (*Reading, error){{slow(time.Second), at(31)}}, nil,
			[]string{"50", "31"}, []time.Duration{time.Second, 10 * time.Second}},
		{"one that hangs costs only its row", Plan{Every: 10 * time.Second, Count: 3, Timeout: 15 * time.Second}, [][]func(context.Context) (*Reading, error){{slow(never)}, {at(30)}, {at(40)}}, nil,
			[]string{"no answer for 2s, 30, 40", "no answer for 12s, 30, 40", "no answer for 2s, 30, 40"}, []time.Duration{2 * time.Second, 12 * time.Second, 22 * time.Second}},
		{"the last one hangs", Plan{Every: 2 * time.Second, Count: 1, Timeout: 15 * time.Second}, [][]func(context.Context) (*Reading, error){{at(30)}, {slow(never)}, {slow(never)}}, nil,
			[]string{"30, no answer for 1s, no answer for 1s"}, []time.Duration{time.Second}},
		{"it answers again", Plan{Every: 4 * time.Second, Count: 3, Timeout: 15 * time.Second}, [][]func(context.Context) (*Reading, error){{slow(3 * time.Second), at(33)}}, nil,
			[]string{"no answer for 2s", "33", "33"}, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}},
		{"one that leaves comes back", Plan{Every: time.Second, Count: 4, Timeout: time.Second}, [][]func(context.Context) (*Reading, error){{at(30), gone, at(31)}}, []error{nil, errors.New("no such drive")},
			[]string{"30", "the drive is gone", "no such drive", "31"}, []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}},
		{"time-out before the patience ends", Plan{Every: 10 * time.Second, Count: 1, Timeout: time.Second}, [][]func(context.Context) (*Reading, error){{slow(never)}}, nil,
			[]string{"no answer for 1s"}, []time.Duration{time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var drives []Drive
				var fakes []*fake
				for i, looks := range test.looks {
					fakes = append(fakes, &fake{looks: looks, fails: test.fails})
					drives = append(drives, fakes[i].drive(string(rune('a'+i))))
				}
				c := &collected{begin: time.Now()}
				summaries, err := Run(ctx, test.plan, drives, c.show)
				cancel()
				synctest.Wait()
				if err != nil || len(summaries) != len(drives) {
					t.Fatalf("%d summaries, %v", len(summaries), err)
				}
				if diff := cmp.Diff(test.rows, c.rows); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(test.times, c.times); diff != "" {
					t.Error(diff)
				}
				if s := summaries[len(summaries)-1]; s.Rows != test.plan.Count {
					t.Errorf("summary %+v", s)
				}
			})
		})
	}
}

// A drive that is lost is closed and opened again; one that is silent is not.
func TestSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := &fake{looks: []func(context.Context) (*Reading, error){at(30), gone, at(31)}}
		mute := &fake{looks: []func(context.Context) (*Reading, error){slow(time.Hour), at(31)}}
		var c collected
		_, err := Run(t.Context(), Plan{Every: 4 * time.Second, Count: 3, Timeout: time.Second}, []Drive{lost.drive("a"), mute.drive("b")}, c.show)
		if err != nil || lost.opens != 2 || lost.closed != 2 || mute.opens != 1 || mute.closed != 1 {
			t.Errorf("%v; lost: %d opened, %d closed; mute: %d, %d", err, lost.opens, lost.closed, mute.opens, mute.closed)
		}
	})
}

// Ctrl-C ends it at once, also while a drive hangs, and the summaries are
// there; a row that was under way does not count as failed.
func TestRunEndsWithItsContext(t *testing.T) {
	for _, after := range []time.Duration{time.Second, 3 * time.Second, 11 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			f := &fake{looks: []func(context.Context) (*Reading, error){at(30), slow(time.Hour)}}
			var c collected
			s, err := Run(ctx, Plan{Every: 10 * time.Second, Timeout: time.Minute}, []Drive{f.drive("a")}, c.show)
			if err != nil || time.Since(start) != after || s[0].Rows != 1 || s[0].Failed != 0 || s[0].Figures[0].Max != 30 {
				t.Errorf("after %v: %v, %+v", time.Since(start), err, s)
			}
			cancel()
			synctest.Wait()
		})
	}
}

func TestRunEndsWithItsReader(t *testing.T) {
	full := errors.New("the disk is full")
	f := &fake{looks: []func(context.Context) (*Reading, error){at(30)}}
	s, err := Run(t.Context(), Plan{Every: time.Hour, Timeout: time.Second}, []Drive{f.drive("a")}, func([]Row) error { return full })
	if !errors.Is(err, full) || s[0].Rows != 1 || f.closed != 1 {
		t.Errorf("%v, %+v", err, s)
	}
}

func TestNext(t *testing.T) {
	begin := time.Unix(0, 0)
	for late, want := range map[time.Duration]time.Duration{0: 10, 9: 10, 10: 10, 11: 20, 25: 30, 30: 40} {
		if got := next(begin, begin.Add(late*time.Second), 10*time.Second).Sub(begin); got != want*time.Second {
			t.Errorf("after %d s: next at %v, want %d s", late, got, want)
		}
	}
	if got := slices.Max([]time.Duration{(&Plan{Every: time.Hour}).patience(), (&Plan{Every: time.Second}).patience()}); got != mostPatience {
		t.Errorf("patience %v", got)
	}
}
