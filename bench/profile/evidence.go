package profile

import (
	"fmt"
	"slices"
)

// The thresholds of [FindCause], which has the reasons.
const (
	aroundSeconds   = 3.0  // between a drop and the readings on both sides
	coarseSeconds   = 30.0 // readings farther apart than this say nothing
	reactionSeconds = 15.0 // between a limit that is reached and the drop
	reachedCelsius  = 1    // how far below a limit it counts as reached
	belowCelsius    = 2    // how far below a limit heat is excluded, with counters
	farCelsius      = 5    // and without
	staysCelsius    = 10   // how far below a limit a drive is certainly let go
	leastCacheBytes = 1_000_000_000
	mostCacheShare  = 0.5  // of the capacity
	cacheDrop       = 0.40 // of the level before
	cacheSpread     = 0.25 // of the middle half, of the median
)

// question is one drop, and all that is known around it.
type question struct {
	samples       []Sample
	limits        Limits
	before, after []float64
	// time is when the drop was, in the time of the samples.
	time float64
	drop Drop
}

// around is what was read on both sides of a drop.
type around struct {
	from, to int // indices of samples, -1: there is none
	seconds  float64
}

// coarse reports whether the readings are too far apart.
func (a around) coarse() bool { return a.seconds > coarseSeconds }

// answer finds the cause of the drop in second at.
func (q *question) answer(at int) Drop {
	q.time = q.samples[at-1].Seconds
	was := median(q.before)
	q.drop = Drop{
		Second: at, Kind: CauseUnknown, Evidence: []string{}, Missing: []string{},
		BytesWritten: q.samples[at-1].BytesWritten, LimitCelsius: q.limits.lowest(),
		DropPercent: round(100 * (1 - median(q.after)/was)),
	}
	if q.throttled() {
		q.drop.Kind = CauseHeat
		q.warm()
		return q.drop
	}
	reached, cold := q.hot()
	switch {
	case reached:
		q.drop.Kind = CauseHeat
	case q.cached() && cold:
		q.drop.Kind = CauseCache
	}
	return q.drop
}

// fact notes evidence, and lacks what is not known.
func (q *question) fact(format string, args ...any) {
	q.drop.Evidence = append(q.drop.Evidence, fmt.Sprintf(format, args...))
}

func (q *question) lacks(format string, args ...any) {
	q.drop.Missing = append(q.drop.Missing, fmt.Sprintf(format, args...))
}

// readings finds the readings on both sides of the drop. ok is false if there is
// none on one of them.
func (q *question) readings(has func(Sample) bool) (a around, ok bool) {
	a = around{from: -1, to: -1}
	for i, s := range q.samples {
		if !has(s) {
			continue
		}
		if s.Seconds <= q.time-aroundSeconds {
			a.from = i
		}
		if s.Seconds >= q.time+aroundSeconds {
			a.to = i
			break
		}
	}
	if a.from < 0 || a.to < 0 {
		return a, false
	}
	a.seconds = q.samples[a.to].Seconds - q.samples[a.from].Seconds
	return a, true
}

// throttled reports whether the counters of throttling rose around the drop.
func (q *question) throttled() bool {
	a, ok := q.readings(func(s Sample) bool { return s.Throttles != nil })
	if !ok {
		q.lacks("the counters of throttling around it")
		return false
	}
	was, is := *q.samples[a.from].Throttles, *q.samples[a.to].Throttles
	switch {
	case is < was:
		q.lacks("the counters of throttling, which began anew")
		return false
	case is > was && a.coarse():
		q.lacks("the counters of throttling more often than every %.0f s", a.seconds)
		return false
	}
	q.drop.Throttles = new(is - was)
	if is == was {
		q.fact("no throttling was counted between second %.0f and %.0f", q.samples[a.from].Seconds, q.samples[a.to].Seconds)
		return false
	}
	q.fact("the count of throttling rose by %d between second %.0f and %.0f", is-was, q.samples[a.from].Seconds, q.samples[a.to].Seconds)
	return true
}

// celsius finds the readings of the temperature around the drop.
func (q *question) celsius() (around, bool) {
	return q.readings(func(s Sample) bool { return s.Celsius != nil })
}

// warm notes the temperature of a drop that is explained already.
func (q *question) warm() {
	if a, ok := q.celsius(); ok && !a.coarse() {
		q.drop.Celsius = new(q.hottest(a))
		q.fact("up to %d °C", *q.drop.Celsius)
	}
}

// hot reports whether the temperature had just reached a limit, and whether it
// was certainly below all of them. The counters of throttling, if they are known,
// did not rise.
func (q *question) hot() (reached, cold bool) {
	a, ok := q.celsius()
	switch {
	case !ok:
		q.lacks("the temperature around it")
		return false, false
	case q.drop.LimitCelsius == nil:
		q.lacks("the temperature at which the drive holds itself back")
		return false, false
	case a.coarse():
		q.lacks("the temperature more often than every %.0f s", a.seconds)
		return false, false
	}
	hottest := q.hottest(a)
	q.drop.Celsius = &hottest
	limit, margin := *q.drop.LimitCelsius, farCelsius
	if q.drop.Throttles != nil {
		margin = belowCelsius
	}
	if hottest <= limit-margin {
		q.fact("at most %d °C, the first limit is %d °C", hottest, limit)
		return false, true
	}
	return q.reached(a, hottest), false
}

// hottest returns the highest temperature around the drop.
func (q *question) hottest(a around) int {
	var all []int
	for _, s := range q.samples[a.from : a.to+1] {
		if s.Celsius != nil {
			all = append(all, *s.Celsius)
		}
	}
	return slices.Max(all)
}

// reached reports whether a temperature around the drop is that of a limit, for
// the first time. Where throttling is counted, it is not that of thermal
// management.
func (q *question) reached(a around, hottest int) bool {
	limit := *q.drop.LimitCelsius
	if q.drop.Throttles != nil {
		if w := q.limits.Warning; w == nil || hottest < *w-reachedCelsius {
			q.lacks("why %d °C, near the limit of %d °C, were not counted as throttling", hottest, limit)
			return false
		}
		limit = *q.limits.Warning
	}
	if hottest < limit-reachedCelsius {
		q.lacks("whether more than %d °C were reached: the limit of %d °C is near", hottest, limit)
		return false
	}
	for _, s := range q.samples[:a.from+1] {
		early := s.Seconds < q.samples[a.from].Seconds-reactionSeconds
		if early && s.Celsius != nil && *s.Celsius >= limit-reachedCelsius {
			q.lacks("why the limit of %d °C, reached in second %.0f, had no effect until then", limit, s.Seconds)
			return false
		}
	}
	if s, cool := q.cooled(limit); cool {
		q.lacks("why it stayed slow at %d °C, far below the limit of %d °C, in second %.0f", *s.Celsius, limit, s.Seconds)
		return false
	}
	q.fact("the temperature reached %d °C, a limit is %d °C", hottest, limit)
	return true
}

// cooled finds a later reading far below a limit in a second in which the rate
// was still low.
func (q *question) cooled(limit int) (Sample, bool) {
	was := median(q.before)
	for _, s := range q.samples[q.drop.Second : q.drop.Second+len(q.after)] {
		if s.Celsius != nil && *s.Celsius < limit-staysCelsius && s.MBPerS <= (1-onsetDrop)*was {
			return s, true
		}
	}
	return Sample{}, false
}

// cached reports whether the drop looks like that of a full cache.
func (q *question) cached() bool {
	d := &q.drop
	switch most := mostCacheShare * float64(q.limits.CapacityBytes); {
	case d.BytesWritten == 0:
		return false
	case d.BytesWritten < leastCacheBytes:
		q.fact("%.2f GB were written, too few for a cache in flash", float64(d.BytesWritten)/1e9)
		return false
	case most > 0 && float64(d.BytesWritten) > most:
		q.fact("%.0f GB were written, more than a cache in flash holds", float64(d.BytesWritten)/1e9)
		return false
	case d.DropPercent < 100*cacheDrop:
		q.fact("%.0f %% slower, less than what lies behind a cache", d.DropPercent)
		return false
	}
	if spread := middleHalf(q.after); spread > cacheSpread {
		q.fact("the rate then goes to and fro: half of the seconds spread over %.0f %% of the median", 100*spread)
		return false
	}
	q.fact("%.1f GB written before it, %.0f %% slower and steady after it", float64(d.BytesWritten)/1e9, d.DropPercent)
	return true
}

// middleHalf returns how far the quartiles are apart, of the median.
func middleHalf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	m := median(sorted)
	if m <= 0 {
		return 1
	}
	return (sorted[n-1-n/4] - sorted[n/4]) / m
}

// lowest returns the lowest limit, nil if there is none.
func (l Limits) lowest() *int {
	var low *int
	for _, t := range []*int{l.TMT1, l.TMT2, l.Warning} {
		if t != nil && (low == nil || *t < *low) {
			low = t
		}
	}
	return low
}
