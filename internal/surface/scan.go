package surface

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"qd1.example/qd1/bench"
)

// Runner lets a worker do a job, as [Converse] with one does.
type Runner func(ctx context.Context, job Job, take func(*Line) error) error

// Options are what a scan needs besides its map.
type Options struct {
	Target bench.Target
	Run    Runner
	// Save keeps the map, now and then and at the end. It may be nil.
	Save func(*Map) error
	// Observe gets the progress. It may be nil.
	Observe func(Progress)
	Now     func() time.Time
}

// Progress is how far a scan is.
type Progress struct {
	DoneBytes, TotalBytes int64
	// MBPerS is the speed of this sitting.
	MBPerS float64
	// Unreadable is how many parts cannot be read so far.
	Unreadable int
	// Again says that slow chunks are being read again.
	Again bool
}

const (
	// splitReads bounds the reads that are spent on finding blocks: a drive that
	// is dead from one place on would take for ever.
	splitReads = 200_000
	saveEvery  = 5 * time.Second
	tellEvery  = 200 * time.Millisecond
	// againChunks is how many slow chunks are read again, againRounds how often.
	// If more than fewSuspects are slow both times, that is no disturbance.
	againChunks = 512
	againRounds = 4
	fewSuspects = 128
)

// scanning is one sitting.
type scanning struct {
	*Options
	m           *Map
	began       time.Time
	saved, told time.Time
	before      float64 // seconds of earlier sittings
	done        int64   // bytes, of all sittings
	read        int64   // bytes, of this one
	saveErr     error
}

// Scan reads what is left of a map, and what was slow several times more. Whatever the
// error, the map has what was read. Errors are those of [Converse]; one of Save is
// returned when the scan has ended.
func Scan(ctx context.Context, m *Map, o Options) error {
	now := o.Now()
	s := &scanning{Options: &o, m: m, began: now, saved: now, before: m.Seconds, done: m.Done()}
	m.Sittings++
	err := s.surface(ctx)
	if err == nil {
		err = s.again(ctx)
	}
	s.clock()
	s.save()
	return errors.Join(err, s.saveErr)
}

// surface reads what was not read yet.
func (s *scanning) surface(ctx context.Context) error {
	left := s.m.Left()
	if len(left) == 0 {
		return nil
	}
	job := Job{Target: s.Target, Extents: left, ChunkBytes: s.m.ChunkBytes, Splits: splitReads}
	err := s.Run(ctx, job, func(l *Line) error {
		if err := s.m.take(l); err != nil {
			return err
		}
		s.done += l.Bytes
		s.read += l.Bytes
		s.tick(false)
		return nil
	})
	if errors.Is(err, bench.ErrStalled) {
		s.m.hangs()
	}
	return err
}

// again reads slow chunks several times more: a chunk is slow only if it is so each
// time, whatever else the drive and the computer do meanwhile.
func (s *scanning) again(ctx context.Context) error {
	for ; s.m.Rounds < againRounds; s.m.Rounds++ {
		list := s.m.suspects()
		if len(list) == 0 || s.m.Rounds > 0 && len(list) > fewSuspects {
			s.m.Rounds = againRounds
			return nil
		}
		job := Job{Target: s.Target, Extents: list, ChunkBytes: s.m.ChunkBytes}
		if err := s.Run(ctx, job, s.takeAgain); err != nil {
			return err
		}
	}
	return nil
}

// takeAgain notes the shortest of the later reads of a chunk.
func (s *scanning) takeAgain(l *Line) error {
	if i := s.m.at(l.Offset); i >= 0 && l.Nanoseconds > 0 {
		took := time.Duration(l.Nanoseconds)
		if before, ok := s.m.Again[i]; ok {
			took = min(took, before)
		}
		s.m.Again[i] = took
	}
	s.tick(true)
	return nil
}

// suspects are the chunks that were slow each time so far, the slowest ones, by
// place.
func (m *Map) suspects() []Extent {
	limit := m.slowLimit()
	var list []int64
	for i, c := range m.cells {
		us, ok := c.read()
		if again, tried := m.Again[int64(i)]; tried {
			us = min(us, float64(again)/float64(time.Microsecond))
		} else if ok && m.Rounds > 0 {
			continue // There were too many of them.
		}
		if ok && us > limit {
			list = append(list, int64(i))
		}
	}
	if len(list) > againChunks {
		slices.SortStableFunc(list, func(a, b int64) int { return cmp.Compare(m.cells[b], m.cells[a]) })
		list = list[:againChunks]
		slices.Sort(list)
	}
	var extents []Extent
	for _, i := range list {
		extents = append(extents, m.extent(i))
	}
	return extents
}

// clock notes how long was read.
func (s *scanning) clock() { s.m.Seconds = s.before + s.Now().Sub(s.began).Seconds() }

// tick tells of the progress and keeps the map, both now and then.
func (s *scanning) tick(again bool) {
	now := s.Now()
	if now.Sub(s.told) >= tellEvery && s.Observe != nil {
		s.told = now
		p := Progress{DoneBytes: s.done, TotalBytes: s.m.Part.Bytes, Unreadable: len(s.m.Bad), Again: again}
		if seconds := now.Sub(s.began).Seconds(); seconds > 0 {
			p.MBPerS = float64(s.read) / 1e6 / seconds
		}
		s.Observe(p)
	}
	if now.Sub(s.saved) >= saveEvery {
		s.clock()
		s.save()
		s.saved = s.Now()
	}
}

// save keeps the map.
func (s *scanning) save() {
	if s.Save != nil {
		if err := s.Save(s.m); err != nil {
			s.saveErr = err
		}
	}
}
