package profile

import (
	"fmt"
	"math"
	"slices"
)

// CauseKind is why a rate fell.
type CauseKind string

// The causes. What is not shown by evidence is unknown.
const (
	CauseHeat    CauseKind = "heat"
	CauseCache   CauseKind = "cache"
	CauseBoth    CauseKind = "both"
	CauseUnknown CauseKind = "unknown"
)

// Cause is why a rate fell for good, and what shows it.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Text says it in one sentence.
	Text string `json:"text"`
	// Drops are what is known of each lasting drop, the first one first.
	Drops []Drop `json:"drops"`
}

// Drop is one lasting drop and its cause.
type Drop struct {
	// Second is the index of the first slow second, from 0.
	Second int `json:"second"`
	// Kind is heat, cache or unknown.
	Kind CauseKind `json:"kind"`
	// Evidence are the facts in sentences, Missing what would have to be known.
	Evidence []string `json:"evidence"`
	Missing  []string `json:"missing"`
	// DropPercent is by how much the median until the next drop, or to the end,
	// is below the one before.
	DropPercent float64 `json:"drop_percent"`
	// BytesWritten from the start until the drop. 0: the run only reads.
	BytesWritten int64 `json:"bytes_written"`
	// Celsius is the highest temperature read around the drop, LimitCelsius the
	// lowest limit of the drive; nil: not known.
	Celsius      *int `json:"celsius"`
	LimitCelsius *int `json:"limit_celsius"`
	// Throttles is how many transitions into thermal management there were
	// around the drop; nil: not known.
	Throttles *uint64 `json:"throttle_transitions"`
}

// Limits are what is known of a drive besides the samples. The zero value is
// nothing.
type Limits struct {
	// TMT1, TMT2 and Warning are the thermal management temperatures and the
	// warning composite temperature in °C; nil: none.
	TMT1, TMT2, Warning *int
	// CapacityBytes of the drive. 0: not known.
	CapacityBytes int64
}

// FindCause says why the rate fell where [FindOnset] sees it fall, nil if it did
// not. It claims nothing without evidence:
//
// Heat is the cause of a drop if the counters of throttling rose around it, or,
// where they are not known, if the temperature had just reached one of the
// limits. Where they are known and did not rise, only the warning temperature
// counts, for at the other limits they would have risen. Around a drop is from
// the last reading that is at least 3 s before it, which is how far noise moves
// a drop, to the first one that is so much later; readings more than 30 s apart
// say nothing of a drop between them. A temperature has just reached a limit if no
// reading more than 15 s before those was as high: a drive does not wait longer.
//
// A full cache is the cause if all of this holds: the run writes. At least 1 GB
// was written before the drop, for less fits into buffers, and at most half of the
// capacity, where that is known, for flash with one bit a cell in place of two
// holds no more. The median until the next drop is at most 60 % of the one
// before, for what lies behind such a cache is slower by more than heat alone
// often makes a drive in its first step. The middle half of these seconds lies
// within 25 % of the median. And heat is excluded: the counters of throttling did
// not rise, where they are known, and the temperature stayed 2 °C below every
// limit around the drop, 5 °C where the counters are not known.
//
// Of 1000 simulated runs each with noise of 1 to 10 % and readings every 1 to
// 10 s, 99 % of those that get too hot or fill their cache are given the right
// cause, at most 0.2 % a wrong one, and at most 1 % of those without either a
// drop, whose cause is then unknown. Where both act, 96 % are right; where in addition the
// throttling is not counted 89 %, and 1 % wrong. TestCauseRates holds these
// figures.
func FindCause(samples []Sample, l Limits) *Cause {
	rates := ratesOf(samples)
	onsets := dropsOf(rates)
	if len(onsets) == 0 {
		return nil
	}
	c := &Cause{}
	begin := onsetSettle
	for i, at := range onsets {
		end := len(samples)
		if i+1 < len(onsets) {
			end = onsets[i+1]
		}
		q := question{samples: samples, limits: l, before: rates[begin:at], after: rates[at:end]}
		c.Drops = append(c.Drops, q.answer(at))
		begin = at
	}
	c.sumUp()
	return c
}

// dropsOf returns where a series falls for good to a level that it did not have
// before: a drive that goes to and fro under its throttle fell once.
func dropsOf(series []float64) []int {
	var all []int
	for from := onsetSettle; ; {
		o := onsetIn(series, from, len(series))
		if o == nil {
			break
		}
		from = o.Second
		all = append(all, from)
	}
	low := math.Inf(1)
	var kept []int
	for i, at := range all {
		end := len(series)
		if i+1 < len(all) {
			end = all[i+1]
		}
		if level := median(series[at:end]); level < (1-onsetDrop)*low {
			kept = append(kept, at)
			low = level
		}
	}
	return kept
}

// sumUp makes one cause of the drops: that of the first, or both.
func (c *Cause) sumUp() {
	first := c.Drops[0]
	c.Kind = first.Kind
	other := map[CauseKind]CauseKind{CauseHeat: CauseCache, CauseCache: CauseHeat}[first.Kind]
	i := slices.IndexFunc(c.Drops, func(d Drop) bool { return d.Kind == other })
	switch {
	case first.Kind == CauseUnknown:
		c.Text = fmt.Sprintf("The rate fell in second %d, and nothing shows why.", first.Second)
		c.Text += later(c.Drops)
	case i > 0:
		c.Kind = CauseBoth
		c.Text = first.text() + " " + c.Drops[i].text()
	default:
		c.Text = first.text()
	}
}

// later names the first later drop that has a known cause.
func later(drops []Drop) string {
	for _, d := range drops {
		if d.Kind != CauseUnknown {
			return " " + d.text()
		}
	}
	return ""
}

// text says the cause in one sentence.
func (d *Drop) text() string {
	if d.Kind == CauseHeat {
		return fmt.Sprintf("The drive held itself back for heat from second %d on.", d.Second)
	}
	return fmt.Sprintf("The fast cache was full in second %d, after %.1f GB were written.", d.Second, float64(d.BytesWritten)/1e9)
}
