package journal

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"qd1.example/qd1/internal/state"
)

// Follow calls each for every entry of a job, from its first one on and then
// as they come, within about a fifth of a second. It returns nil when an entry
// Done has been given to each, or all entries of a job that no process holds;
// which of the two, the last entry tells. Other errors are those of ctx, of
// each, and of a journal that cannot be read. It needs no more than the
// permission to read, and does not disturb the job.
func (s *Store) Follow(ctx context.Context, id string, each func(Entry) error) error {
	f, err := s.open(id, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	w := follower{file: f}
	tick := time.NewTicker(s.poll)
	defer tick.Stop()
	for {
		// The lock comes before the content: what is written after a free lock
		// was seen is not waited for.
		live, err := state.Locked(f)
		if err != nil {
			return err
		}
		if err := w.read(ctx, each); err != nil {
			return err
		}
		if w.done || !live {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// follower has read a journal up to a place.
type follower struct {
	file *os.File
	good place
	done bool
}

// read gives what came since to each. A last line that is not whole, or no
// entry, is looked at again the next time.
func (w *follower) read(ctx context.Context, each func(Entry) error) error {
	rest := io.NewSectionReader(w.file, w.good.at, MaxFileBytes+1-w.good.at)
	l := newLines(rest, w.good.number, w.good.at)
	var stop, err error
	if w.good.number == 0 {
		_, err = l.header()
	}
	if err == nil {
		w.good, _, err = l.entries(func(e Entry) error {
			if stop = ctx.Err(); stop == nil {
				stop = each(e)
			}
			w.done = w.done || e.State == Done
			return stop
		})
	}
	if err != nil && stop == nil {
		err = fmt.Errorf("%s: %w", w.file.Name(), err)
	}
	return err
}
