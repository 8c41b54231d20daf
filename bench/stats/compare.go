package stats

import "math"

// Direction says which values are good.
type Direction int

const (
	// LowerIsBetter is for latencies and times.
	LowerIsBetter Direction = iota
	// HigherIsBetter is for rates.
	HigherIsBetter
)

// Verdict is what can be said of a change.
type Verdict string

// The verdicts.
const (
	// Better and Worse: there is a change, and its direction is known.
	Better Verdict = "better"
	Worse  Verdict = "worse"
	// NoChange: any change is smaller than the margin.
	NoChange Verdict = "no change"
	// NotEnoughRuns: neither can be said.
	NotEnoughRuns Verdict = "not enough runs"
)

// Equivalent reports whether the interval shows that a change is smaller than
// the margin, which is in the unit of the interval and at least 0. An interval
// of 95 % makes that two one-sided tests at 2.5 % each, one of 90 % at 5 %.
//
// Source: D. J. Schuirmann, A Comparison of the Two One-Sided Tests Procedure
// and the Power Approach, Journal of Pharmacokinetics and Biopharmaceutics 15
// (1987).
func Equivalent(change *Interval, margin float64) bool {
	return change != nil && change.Within(-margin, margin)
}

// Judge says what the interval of a change means. A change that is smaller than
// the margin for certain is none, even if it is not 0; a margin of 0 lets no
// interval show that but that of equal values. A nil interval says nothing.
func Judge(change *Interval, margin float64, d Direction) Verdict {
	switch {
	case change == nil:
		return NotEnoughRuns
	case Equivalent(change, margin):
		return NoChange
	case change.Contains(0):
		return NotEnoughRuns
	case (change.High < 0) == (d == LowerIsBetter):
		return Better
	}
	return Worse
}

// Question is what two sets of runs are compared for.
type Question struct {
	Direction Direction
	// MarginPercent is the change that does not matter.
	MarginPercent float64
	// Confidence of the interval, a share; 0 for 0.95.
	Confidence float64
}

// Comparison is what two sets of runs say about one figure.
type Comparison struct {
	Before Summary `json:"before"`
	After  Summary `json:"after"`
	// ChangePercent is by how much the runs after are larger than those before:
	// the estimate of Hodges and Lehmann on logarithms. Nil if a value is not
	// positive.
	ChangePercent *float64 `json:"change_percent"`
	// ChangeCI is its interval in percent, nil for too few runs.
	ChangeCI *Interval `json:"change_ci_percent"`
	// Effect is the change in standard deviations of a run, nil without spread.
	Effect *float64 `json:"effect"`
	Test   *Test    `json:"mann_whitney"`
	// PHolm is P corrected for the other comparisons, nil before [Correct].
	PHolm         *float64 `json:"p_holm"`
	MarginPercent float64  `json:"margin_percent"`
	// DetectablePercent is the smallest change that so many runs with such a
	// spread find in 8 of 10 cases, nil if none.
	DetectablePercent *float64 `json:"detectable_percent"`
	Verdict           Verdict  `json:"verdict"`
}

// Compare compares two sets of runs, nil if one is empty. Values that are not
// positive leave the verdict at [NotEnoughRuns], because a change in percent
// has no meaning for them.
func Compare(before, after []float64, q Question) *Comparison {
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	if q.Confidence == 0 {
		q.Confidence = 0.95
	}
	c := &Comparison{
		Before:        *Summarize(before),
		After:         *Summarize(after),
		ChangeCI:      percentInterval(RatioInterval(before, after, q.Confidence)),
		Test:          MannWhitney(before, after),
		MarginPercent: q.MarginPercent,
	}
	if ratio := Ratio(before, after); !math.IsNaN(ratio) {
		c.ChangePercent = new(100 * (ratio - 1))
	}
	c.addSpread(before, after, 1-q.Confidence)
	c.Verdict = Judge(c.ChangeCI, q.MarginPercent, q.Direction)
	return c
}

// addSpread fills in what rests on the spread of the runs on both sides.
func (c *Comparison) addSpread(before, after []float64, alpha float64) {
	spread := pooledCV(before, after)
	if math.IsNaN(spread) || math.IsInf(spread, 0) {
		return
	}
	c.DetectablePercent = Detectable(min(len(before), len(after)), 100*spread, alpha, 0.8)
	if spread > 0 && c.ChangePercent != nil {
		c.Effect = new(*c.ChangePercent / (100 * spread))
	}
}

// pooledCV returns the coefficient of variation of both sets together, each
// around its own mean, weighted by their degrees of freedom.
func pooledCV(a, b []float64) float64 {
	sum, df := 0.0, 0.0
	for _, x := range [][]float64{a, b} {
		if cv := CV(x); len(x) > 1 {
			sum += cv * cv * float64(len(x)-1)
			df += float64(len(x) - 1)
		}
	}
	return math.Sqrt(sum / df)
}

func percentInterval(ratio *Interval) *Interval {
	if ratio == nil {
		return nil
	}
	return &Interval{Low: 100 * (ratio.Low - 1), High: 100 * (ratio.High - 1), Coverage: ratio.Coverage}
}

// Correct fills in the corrected P of comparisons that are shown together, and
// takes back a verdict of better or worse that does not stand at the level
// alpha, such as 0.05, among so many. Entries may be nil.
//
// It costs runs: 5 a side have a P of at least 0.008 and stand among 6
// comparisons at most, 6 a side among 23 (see [LeastP]).
func Correct(all []*Comparison, alpha float64) {
	var tested []*Comparison
	var p []float64
	for _, c := range all {
		if c != nil && c.Test != nil {
			tested, p = append(tested, c), append(p, c.Test.P)
		}
	}
	for i, corrected := range Holm(p) {
		c := tested[i]
		c.PHolm = new(corrected)
		if corrected > alpha && (c.Verdict == Better || c.Verdict == Worse) {
			c.Verdict = NotEnoughRuns
		}
	}
}
