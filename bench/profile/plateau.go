package profile

import (
	"math"
	"slices"
)

// Plateau is the level at which a series ends after it fell.
type Plateau struct {
	// Second is the index of its first second, from 0; Seconds is how long it
	// was seen, up to the end of the series.
	Second  int `json:"second"`
	Seconds int `json:"seconds"`
	// MBPerS is the mean without the first second, which may be mixed; 5 % of the
	// others are below LowMBPerS and 5 % above HighMBPerS.
	MBPerS     float64 `json:"mb_per_s"`
	LowMBPerS  float64 `json:"low_mb_per_s"`
	HighMBPerS float64 `json:"high_mb_per_s"`
	// SpreadPercent is how far these two are apart, of the mean; a drive that
	// goes to and fro under its throttle has a wide one. Nil: the mean is 0.
	SpreadPercent *float64 `json:"spread_percent"`
}

// Recovery is what a series regained after it fell.
type Recovery struct {
	// Second is the index of the first second at the old rate again, from 0.
	Second int `json:"second"`
	// Times is how often the old rate came back, Seconds for how long together.
	Times   int `json:"times"`
	Seconds int `json:"seconds"`
}

const (
	// plateauStep is the least change of the level that makes a new plateau, of
	// the level before: that of a drop.
	plateauStep = onsetDrop
	// plateauShare is the part of the time after the onset that a plateau lasts
	// at least: on a slope, the last seconds always look flat.
	plateauShare = 0.25
	// plateauDistance is how far two levels are apart, in standard errors: more
	// than for a drop, for the seconds of a drive under its throttle are alike.
	plateauDistance = 6.0
	// plateauTail is the share of the seconds on each side of the spread.
	plateauTail = 0.05
)

// plateauOf returns the plateau after an onset, nil if the level still changes at
// the end, or the series is too short to say.
//
// What follows the onset is split in two as [FindOnset] does it, as long as
// the second part is another level, higher or lower, by 10 % or more, and lasts 5 s
// and a quarter of the time after the onset. The last part is the plateau if its
// two halves are not different levels.
func plateauOf(series []float64, onset int) *Plateau {
	n := len(series)
	tail := max(onsetSegment, int(math.Ceil(plateauShare*float64(n-onset))))
	from := onset
	for {
		at := split(series, from, n, tail)
		if at < 0 || !steps(series[from:at], series[at:]) {
			break
		}
		from = at
	}
	if half := (from + n) / 2; n-from < onsetSegment || steps(series[from:half], series[half:]) {
		return nil
	}
	return levelOf(series[from:], from)
}

// steps reports whether b is another level than a. Both are taken to vary alike, so
// that a time in one state of a drive that goes to and fro is none.
func steps(a, b []float64) bool {
	n, m := float64(len(a)), float64(len(b))
	pooled := ((n-1)*variance(a) + (m-1)*variance(b)) / max(n+m-2, 1)
	difference := mean(b) - mean(a)
	return difference*difference > plateauDistance*plateauDistance*pooled*(1/n+1/m) && math.Abs(difference) >= plateauStep*max(mean(a), mean(b))
}

// levelOf describes a level that begins at a second. In its first second it may not
// be reached yet.
func levelOf(level []float64, second int) *Plateau {
	sorted := slices.Sorted(slices.Values(level[1:]))
	cut := int(plateauTail * float64(len(sorted)))
	p := &Plateau{Second: second, Seconds: len(level), MBPerS: round(mean(sorted)), LowMBPerS: sorted[cut], HighMBPerS: sorted[len(sorted)-1-cut]}
	if p.MBPerS > 0 {
		p.SpreadPercent = new(round(100 * (p.HighMBPerS - p.LowMBPerS) / p.MBPerS))
	}
	return p
}

// recoveryOf returns what came back after an onset, nil if nothing did: times of
// 5 s or more whose median is within 10 % of the level before, or above.
func recoveryOf(series []float64, o *Onset) *Recovery {
	var r Recovery
	end := -1 // of the last stretch
	for i := o.Second; i+onsetSegment <= len(series); i++ {
		window := series[i : i+onsetSegment]
		if median(window) < (1-onsetDrop)*o.BeforeMBPerS {
			continue
		}
		switch {
		case r.Times == 0:
			r.Second, r.Times = i, 1
			end = i
		case i > end:
			r.Times++
			end = i
		}
		r.Seconds += i + onsetSegment - end
		end = i + onsetSegment
	}
	if r.Times == 0 {
		return nil
	}
	return &r
}
