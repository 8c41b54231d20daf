package profile

import (
	"fmt"
	"slices"
	"time"

	"qd1.example/qd1/bench"
)

// sustainTime is long enough for the heat of a drive without a cooler and, written
// at a few GB/s, for the fast cache of one of a terabyte; the user may give hours.
const sustainTime = 10 * time.Minute

// sustain is a long transfer with a row a second.
func sustain(variant string) *Profile {
	op := bench.OpRead
	if variant == "write" {
		op = bench.OpWrite
	}
	r := shape{"SEQ128K Q4T1", bench.Sequential, 128 * kib, 4, 1}.row(op, sustainTime, PickMean)
	r.Series = true
	return &Profile{
		Title:       "Sustained rate",
		Description: fmt.Sprintf("Sequential 128 KiB, 4 in flight, a %s of 10 minutes with a row a second: when it gets slower, how much, and why.", op),
		Rows:        []Row{r},
		Runs:        1,
		FileBytes:   16 * gib,
	}
}

// Sustained sums up a series of seconds.
type Sustained struct {
	// MaxMBPerS, MeanMBPerS and MinMBPerS are over the seconds of the series.
	MaxMBPerS  float64 `json:"max_mb_per_s"`
	MeanMBPerS float64 `json:"mean_mb_per_s"`
	MinMBPerS  float64 `json:"min_mb_per_s"`
	Seconds    int     `json:"seconds"`
	// Onset is where the rate fell for good. Nil: it did not.
	Onset *Onset `json:"onset"`
	// Plateau is the level after it. Nil: there was no onset, or the rate still
	// changed at the end.
	Plateau *Plateau `json:"plateau"`
	// Recovery is how far the old rate came back. Nil: it did not.
	Recovery *Recovery `json:"recovery"`
	// P99BeforeUS and P99AfterUS are the medians of the 99th percentiles of the
	// seconds before the onset and on the plateau, without one from the onset on,
	// in µs. Nil: no onset, or not known.
	P99BeforeUS *float64 `json:"p99_before_us"`
	P99AfterUS  *float64 `json:"p99_after_us"`
	// Cause is why the rate fell. Nil: it did not, or only rates are known.
	Cause *Cause `json:"cause"`
}

// Onset is the beginning of a lasting drop.
type Onset struct {
	// Second is the index of the first slow second, from 0: as many seconds went
	// by at full speed.
	Second int `json:"second"`
	// BeforeMBPerS is the median rate until then, AfterMBPerS the mean from then
	// on to the end.
	BeforeMBPerS float64 `json:"before_mb_per_s"`
	AfterMBPerS  float64 `json:"after_mb_per_s"`
	// DropPercent is how much less the latter is.
	DropPercent float64 `json:"drop_percent"`
}

// The rule for a lasting drop. See [FindOnset].
const (
	onsetSettle   = 1    // seconds at the start that are not looked at
	onsetSegment  = 5    // seconds that each level lasts at least
	onsetDrop     = 0.10 // of the level before
	onsetSlow     = 0.25 // least share of slow seconds in each half of the rest
	onsetDistance = 4.0  // of the levels, in standard errors
)

// Sustain sums up a series of MB/s, one value a second.
func Sustain(series []float64) Sustained {
	if len(series) == 0 {
		return Sustained{}
	}
	s := Sustained{
		MaxMBPerS:  slices.Max(series),
		MeanMBPerS: round(mean(series)),
		MinMBPerS:  slices.Min(series),
		Seconds:    len(series),
		Onset:      FindOnset(series),
	}
	if s.Onset != nil {
		s.Plateau = plateauOf(series, s.Onset.Second)
		s.Recovery = recoveryOf(series, s.Onset)
	}
	return s
}

// SustainSamples sums up what is known of each second, and says why the rate
// fell.
func SustainSamples(samples []Sample, l Limits) Sustained {
	s := Sustain(ratesOf(samples))
	if s.Onset == nil {
		return s
	}
	after := s.Onset.Second
	if s.Plateau != nil {
		after = s.Plateau.Second
	}
	s.P99BeforeUS = medianP99(samples[onsetSettle:s.Onset.Second])
	s.P99AfterUS = medianP99(samples[after:])
	s.Cause = FindCause(samples, l)
	return s
}

// RateOf returns the MB/s of the interval that a progress tells of. ok is false
// for the warm-up and where nothing is new.
func RateOf(p bench.Progress, blockBytes int) (mbPerS float64, ok bool) {
	if p.WarmingUp || p.Interval == nil || p.IntervalSeconds <= 0 {
		return 0, false
	}
	return round(float64(p.Interval.Count()) * float64(blockBytes) / 1e6 / p.IntervalSeconds), true
}

// FindOnset returns where a series of rates, one value a second, falls for
// good, nil if it does not.
//
// The series, without its first second, is split in two where two constant
// levels fit it best by least squares (the change point of a binary
// segmentation), each of 5 s or more. The split is a lasting drop if more than
// 5 s follow, for the true place of one at the very end is not to be seen; the
// next level and the mean of all that follows are at least 10 % below the median
// before; and of each half of what follows at least a quarter of the seconds is
// that slow, so that a short stall or a dip with recovery is none, but a drive that
// goes to and fro under its throttle is one. If the two levels are at least 4
// standard errors apart, so that noise is none, the parts before and after the
// split are looked at in the same way; the first drop counts.
func FindOnset(series []float64) *Onset {
	return onsetIn(series, onsetSettle, len(series))
}

// onsetIn returns the first lasting drop in series[from:to].
func onsetIn(series []float64, from, to int) *Onset {
	at := split(series, from, to, onsetSegment)
	if at < 0 || !apart(series[from:at], series[at:to]) {
		return nil
	}
	if o := onsetIn(series, from, at); o != nil {
		return o
	}
	if o := dropAt(series[from:at], series[at:to], series[at:]); o != nil {
		o.Second = at
		return o
	}
	return onsetIn(series, at, to)
}

// split returns where two levels fit series[from:to] best, the second one at least
// tail seconds long; -1 if it is too short.
func split(series []float64, from, to, tail int) int {
	best, at := -1.0, -1
	total := 0.0
	for _, v := range series[min(from, to):to] {
		total += v
	}
	left := 0.0
	for i := from; i+tail <= to; i++ {
		if n := i - from; n >= onsetSegment {
			right := total - left
			gain := left*left/float64(n) + right*right/float64(to-i)
			if gain > best {
				best, at = gain, i
			}
		}
		left += series[i]
	}
	return at
}

// dropAt judges a split: the levels before and after it, and the rest of the
// series, which may have several.
func dropAt(before, next, rest []float64) *Onset {
	level, after := median(before), mean(rest)
	slow := (1 - onsetDrop) * level
	half := len(rest) / 2
	if level <= 0 || len(rest) <= onsetSegment || mean(next) > slow || after > slow || shareBelow(rest[:half], slow) < onsetSlow || shareBelow(rest[half:], slow) < onsetSlow {
		return nil
	}
	return &Onset{BeforeMBPerS: round(level), AfterMBPerS: round(after), DropPercent: round(100 * (1 - after/level))}
}

// apart reports whether two means differ by enough standard errors of the
// difference to be two levels.
func apart(a, b []float64) bool {
	difference := mean(a) - mean(b)
	squared := variance(a)/float64(len(a)) + variance(b)/float64(len(b))
	return difference != 0 && difference*difference >= onsetDistance*onsetDistance*squared
}

// shareBelow returns the share of values that are at most limit.
func shareBelow(values []float64, limit float64) float64 {
	n := 0
	for _, v := range values {
		if v <= limit {
			n++
		}
	}
	return float64(n) / float64(max(len(values), 1))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}

// variance returns the variance of a sample, 0 for fewer than 2 values.
func variance(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return sum / float64(len(values)-1)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
