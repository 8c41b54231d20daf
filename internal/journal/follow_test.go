package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// follow follows a job and sends its states.
func follow(ctx context.Context, s *Store, id string) (<-chan State, <-chan error) {
	got, end := make(chan State, 100), make(chan error, 1)
	go func() {
		end <- s.Follow(ctx, id, func(e Entry) error { got <- e.State; return nil })
		close(got)
	}()
	return got, end
}

func TestFollow(t *testing.T) {
	s := store(t)
	j := create(t, s)
	appendAll(t, j, Armed, Sent)
	got, end := follow(t.Context(), s, j.ID)
	for _, next := range []State{"", Returned, "NEW", Verify, Done} {
		if next == "" {
			if a, b := <-got, <-got; a != Armed || b != Sent {
				t.Errorf("first %s, %s", a, b)
			}
			continue
		}
		appendAll(t, j, next)
		if st := <-got; st != next {
			t.Errorf("state %s, want %s", st, next)
		}
	}
	if err := <-end; err != nil || len(got) > 0 {
		t.Errorf("ends with %v, %d more", err, len(got))
	}
}

func TestFollowEndsWithTheOwner(t *testing.T) {
	s := store(t)
	j := create(t, s)
	appendAll(t, j, Armed)
	got, end := follow(t.Context(), s, j.ID)
	if st := <-got; st != Armed {
		t.Errorf("state %s, want ARMED", st)
	}
	appendAll(t, j, Sent)
	closeJob(t, j)
	if st := <-got; st != Sent {
		t.Errorf("state %s, want SENT", st)
	}
	if err := <-end; err != nil {
		t.Error(err)
	}
}

// TestFollowOfTheDead has all entries of a job that nobody holds, and not the
// line that is cut.
func TestFollowOfTheDead(t *testing.T) {
	for _, tail := range []string{"", sentLine[:9], "\x00\x00\n"} {
		s := store(t)
		j := create(t, s)
		appendAll(t, j, Armed, Sent)
		closeJob(t, j)
		write(t, s.path(j.ID), append(contents(t, s.path(j.ID)), tail...))
		var got []int
		err := s.Follow(t.Context(), j.ID, func(e Entry) error {
			got = append(got, number(t, e))
			return nil
		})
		if diff := cmp.Diff([]int{0, 1}, got); diff != "" || err != nil {
			t.Errorf("tail %q: %v, entries (-want +got):\n%s", tail, err, diff)
		}
	}
}

// TestFollowPieces lets a line come byte by byte, as a reader may see it, and
// a line that was cut be replaced by another.
func TestFollowPieces(t *testing.T) {
	s := store(t)
	j := create(t, s)
	f, err := os.OpenFile(s.path(j.ID), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := follower{file: f}
	var got []State
	look := func() {
		t.Helper()
		if err := w.read(t.Context(), func(e Entry) error { got = append(got, e.State); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	appendAll(t, j, Armed)
	for i := range len(sentLine) {
		if i == 20 { // the disk was full, the owner tries again
			if err := f.Truncate(w.good.at); err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(sentLine[:20]); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) > 1 {
			t.Fatalf("states %q after %d bytes", got, i)
		}
		if _, err := f.WriteString(sentLine[i : i+1]); err != nil {
			t.Fatal(err)
		}
		look()
	}
	if diff := cmp.Diff([]State{Armed, Sent}, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

func TestFollowErrors(t *testing.T) {
	s := store(t)
	if err := s.Follow(t.Context(), "a", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such job: %v, want ErrNotExist", err)
	}
	if err := s.Follow(t.Context(), "a/b", nil); !errors.Is(err, ErrBadName) {
		t.Errorf("a path: %v, want ErrBadName", err)
	}
	j := create(t, s)
	appendAll(t, j, Armed, Sent)
	stop := errors.New("enough")
	if err := s.Follow(t.Context(), j.ID, func(Entry) error { return stop }); err != stop {
		t.Errorf("each fails: %v, want its error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := s.Follow(ctx, j.ID, func(Entry) error { calls++; cancel(); return nil })
	if err != context.Canceled || calls != 1 {
		t.Errorf("ended by the context: %v after %d calls, want Canceled after 1", err, calls)
	}
	write(t, s.path(j.ID), append(contents(t, s.path(j.ID)), "garbage\n"+sentLine...))
	err = s.Follow(t.Context(), j.ID, func(Entry) error { return nil })
	var parse *ParseError
	if !errors.As(err, &parse) || parse.Line != 4 || err.Error()[:len(s.dir)] != s.dir {
		t.Errorf("garbage: %v, want line 4 of the file", err)
	}
	write(t, s.path("b"), []byte("garbage\n"))
	if err := s.Follow(t.Context(), "b", nil); !errors.Is(err, ErrNotJournal) {
		t.Errorf("no journal: %v, want ErrNotJournal", err)
	}
}

// TestFollowWaits ends by the context while nothing comes.
func TestFollowWaits(t *testing.T) {
	s := store(t)
	j := create(t, s)
	appendAll(t, j, Armed)
	ctx, cancel := context.WithCancel(t.Context())
	got, end := follow(ctx, s, j.ID)
	<-got
	cancel()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// TestFollowWhileWritten follows as fast as it can what is written as fast as
// it can.
func TestFollowWhileWritten(t *testing.T) {
	s := store(t)
	s.poll = 1
	j := create(t, s)
	got, end := follow(t.Context(), s, j.ID)
	const count = 60
	for i := range count {
		appendAll(t, j, State(fmt.Sprint("S", i)))
	}
	appendAll(t, j, Done)
	if err := <-end; err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if st := <-got; st != State(fmt.Sprint("S", i)) {
			t.Fatalf("state %s at %d", st, i)
		}
	}
}
