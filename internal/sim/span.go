package sim

import "time"

// span is the time of an operation that goes on in the drive.
type span struct {
	start, end time.Time
	// stall is how much of it the operation stands still, 0 for an honest one,
	// and stallAt the share of its work, 0 to 1, that is done by then.
	stall   time.Duration
	stallAt float64
}

// share returns how much of the operation's work is done, 0 to 1.
func (s *span) share(now time.Time) float64 {
	gone := now.Sub(s.start)
	work := s.end.Sub(s.start) - s.stall
	before := time.Duration(float64(work) * s.stallAt)
	switch {
	case gone >= work+s.stall:
		return 1
	case s.stall > 0 && gone >= before && gone < before+s.stall:
		return s.stallAt
	case gone > before:
		gone -= s.stall
	}
	return max(0, float64(gone)/float64(work))
}

// left returns how long it is until a share of the work is done, without a
// stall.
func (s *span) left(now time.Time, share float64) time.Duration {
	at := s.start.Add(time.Duration(float64(s.end.Sub(s.start)) * share))
	return max(0, at.Sub(now))
}
