package compare

import (
	"math/big"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
)

// Cost is what the measurements took out of the drive.
type Cost struct {
	Before SideCost `json:"before"`
	After  SideCost `json:"after"`
	// Between is what became different in the drive from the end of the first
	// side to the start of the second: the treatment. nil: not known, or two
	// drives.
	Between *conditions.Changes `json:"between"`
	// PowerOnHours is how much the drive aged meanwhile.
	PowerOnHours *uint64 `json:"power_on_hours_between"`
}

// SideCost is what the runs of one side read and wrote.
type SideCost struct {
	// BytesRead and BytesWritten are those of the runs that count, warm-up
	// included; PreparedBytes were written before.
	BytesRead     int64 `json:"bytes_read"`
	BytesWritten  int64 `json:"bytes_written"`
	PreparedBytes int64 `json:"prepared_bytes_written"`
	// The others are what the drive itself counted, of all results together, nil
	// if one does not know.
	DriveBytesRead    *uint64 `json:"drive_bytes_read"`
	DriveBytesWritten *uint64 `json:"drive_bytes_written"`
	UsedPercent       *uint64 `json:"percentage_used_percent"`
	MediaErrors       *uint64 `json:"media_errors"`
	ErrorLogEntries   *uint64 `json:"error_log_entries"`
}

func costOf(b, a *side) Cost {
	c := Cost{Before: b.cost(), After: a.cost()}
	was, is := b.lastState(), a.firstState()
	if was == nil || is == nil || was.Health == nil || is.Health == nil || b.describe().Serial != a.describe().Serial {
		return c
	}
	c.Between = new(conditions.ChangesBetween(*was, *is))
	hours := new(big.Int).Sub(is.Health.PowerOnHours.Big(), was.Health.PowerOnHours.Big())
	if hours.IsUint64() {
		c.PowerOnHours = new(hours.Uint64())
	}
	return c
}

// cost adds up all results of a side.
func (s *side) cost() SideCost {
	var c SideCost
	for _, r := range s.reports {
		for _, x := range r.Results {
			c.BytesRead += x.BytesRead
			c.BytesWritten += x.BytesWritten
		}
		if r.Precondition != nil {
			c.PreparedBytes += r.Precondition.BytesWritten
		}
		for _, x := range r.Copy {
			c.BytesWritten += x.BytesWritten
		}
	}
	sum := func(of func(*conditions.Changes) *uint64) *uint64 { return s.sum(of) }
	c.DriveBytesRead = sum(func(x *conditions.Changes) *uint64 { return x.BytesRead })
	c.DriveBytesWritten = sum(func(x *conditions.Changes) *uint64 { return x.BytesWritten })
	c.UsedPercent = sum(func(x *conditions.Changes) *uint64 { return x.UsedPercent })
	c.MediaErrors = sum(func(x *conditions.Changes) *uint64 { return x.MediaErrors })
	c.ErrorLogEntries = sum(func(x *conditions.Changes) *uint64 { return x.ErrorLogEntries })
	return c
}

// sum adds up what the drive counted, nil if a result does not know.
func (s *side) sum(of func(*conditions.Changes) *uint64) *uint64 {
	total := uint64(0)
	for _, r := range s.reports {
		if r.Conditions.Changes == nil {
			return nil
		}
		n := of(r.Conditions.Changes)
		if n == nil {
			return nil
		}
		total += *n
	}
	if len(s.reports) == 0 {
		return nil
	}
	return &total
}

// lastState and firstState are those of the drive at the ends of a side.
func (s *side) lastState() *conditions.DriveState {
	last := s.edge(func(a, b *report.BenchReport) bool { return a.Time > b.Time })
	if last == nil {
		return nil
	}
	return last.Conditions.After
}

func (s *side) firstState() *conditions.DriveState {
	first := s.edge(func(a, b *report.BenchReport) bool { return a.Time < b.Time })
	if first == nil {
		return nil
	}
	return first.Conditions.Before
}

// edge returns the result that comes before all others by the order given.
func (s *side) edge(before func(a, b *report.BenchReport) bool) *report.BenchReport {
	var best *report.BenchReport
	for _, r := range s.reports {
		if best == nil || before(r, best) {
			best = r
		}
	}
	return best
}
