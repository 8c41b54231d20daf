package bench

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// schedule is a device whose accesses end as the test says, by offset.
type schedule struct {
	start time.Time
	after map[int64]time.Duration
	wrote []int64
}

func (s *schedule) BeginAt(write bool, p []byte, off int64) (int, time.Time, error) {
	if write {
		s.wrote = append(s.wrote, off)
	}
	if off < 0 {
		return 0, s.start, unix.EIO
	}
	return len(p), s.start.Add(s.after[off]), nil
}

// TestTimedOrder checks that completions come in the order of their ends.
func TestTimedOrder(t *testing.T) {
	s := &schedule{start: time.Now(), after: map[int64]time.Duration{}}
	e := NewTimed("sim", s)
	order := rand.New(rand.NewPCG(1, 2)).Perm(200)
	for buffer, place := range order {
		s.after[int64(buffer)] = time.Duration(place) * 20 * time.Microsecond
		n, err := e.Submit([]Request{{Offset: int64(buffer), Data: make([]byte, 512), Buffer: buffer, Write: buffer%2 == 1}})
		if n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	var got []int
	events := make([]Event, 8)
	for len(got) < len(order) {
		n, err := e.Reap(events, 1)
		if n == 0 || err != nil {
			t.Fatal(n, err)
		}
		for _, ev := range events[:n] {
			if ev.Bytes != 512 || ev.Err != nil {
				t.Errorf("event %+v", ev)
			}
			if early := time.Until(s.start.Add(s.after[int64(ev.Buffer)])); early > 0 {
				t.Errorf("buffer %d comes %v before its end", ev.Buffer, early)
			}
			got = append(got, order[ev.Buffer])
		}
	}
	if !slices.IsSorted(got) || len(s.wrote) != 100 {
		t.Errorf("order of the ends %v, %d writes, want 100", got, len(s.wrote))
	}
}

func TestTimedLimits(t *testing.T) {
	s := &schedule{start: time.Now(), after: map[int64]time.Duration{512: time.Hour}}
	e := NewTimed("sim", s)
	if _, err := e.Reap(make([]Event, 1), 1); !errors.Is(err, unix.EINVAL) {
		t.Errorf("reap of nothing: %v, want EINVAL", err)
	}
	requests := make([]Request, maxTimedDepth+1)
	for i := range requests {
		requests[i] = Request{Offset: 512, Data: make([]byte, 1), Buffer: i}
	}
	if n, err := e.Submit(requests); n != maxTimedDepth || err != nil {
		t.Errorf("submit %d, %v, want %d", n, err, maxTimedDepth)
	}
	if n, err := e.Reap(make([]Event, 1), 1); n != 0 || err != nil {
		t.Errorf("reap of what takes an hour: %d, %v, want 0 after a while", n, err)
	}
	fork, err := e.(Forker).Fork()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := fork.Submit([]Request{{Offset: -1, Data: make([]byte, 1), Buffer: 7}}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	events := make([]Event, 2)
	if n, err := fork.Reap(events, 1); n != 1 || err != nil || events[0].Buffer != 7 || !errors.Is(events[0].Err, unix.EIO) {
		t.Errorf("reap %d, %v: %+v, want buffer 7 with EIO", n, err, events[0])
	}
	if n := e.(Namer).Name(); n != "sim" {
		t.Errorf("name %q", n)
	}
}
