package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"qd1.example/qd1/bench/stats"
)

const (
	// secondaryShare is the share of the level that all tails have together.
	secondaryShare = 0.2
	// power is how often a change that matters is to be found.
	power = 0.8
	// mostRuns bounds the search for a number of runs.
	mostRuns = 1000
)

// judge gives each row that can be compared its P among all of them and its
// verdict.
func judge(rows []Row, o Options) {
	var open []*Row
	for i := range rows {
		if r := &rows[i]; len(r.BlockedBy) > 0 {
			r.Reason = "not comparable: " + enumerate(r.BlockedBy) + " " + differ(len(r.BlockedBy))
		} else {
			open = append(open, r)
		}
	}
	weigh(open)
	for i, p := range holm(open) {
		r := open[i]
		r.P, r.PHolm = new(digits(r.stats.Test.P)), new(digits(p))
		r.judge(p, len(open), o)
	}
}

func differ(n int) string {
	if n == 1 {
		return "differs"
	}
	return "differ"
}

// weigh divides the level: equally among the primary rows, and the share of the
// tails equally among those.
func weigh(rows []*Row) {
	tails := 0
	for _, r := range rows {
		if r.Secondary {
			tails++
		}
	}
	first, second := 1-secondaryShare, secondaryShare
	switch tails {
	case 0:
		first = 1
	case len(rows):
		second = 1
	}
	for _, r := range rows {
		if r.weight = first / float64(len(rows)-tails); r.Secondary {
			r.weight = second / float64(tails)
		}
	}
}

// holm returns the P of each row corrected by Holm's method with weights: in the
// order of P by weight, each is multiplied by the weight of all rows that are left
// over its own, and none is less than the one before it.
func holm(rows []*Row) []float64 {
	order := make([]int, len(rows))
	left := 0.0
	for i, r := range rows {
		order[i] = i
		left += r.weight
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(rows[i].stats.Test.P/rows[i].weight, rows[j].stats.Test.P/rows[j].weight)
	})
	corrected, least := make([]float64, len(rows)), 0.0
	for _, i := range order {
		r := rows[i]
		least = max(least, min(1, r.stats.Test.P*left/r.weight))
		corrected[i] = least
		left -= r.weight
	}
	return corrected
}

// judge gives the verdict of one row of so many.
func (r *Row) judge(pHolm float64, rows int, o Options) {
	level := o.alpha() * r.weight
	n := min(r.Before.N, r.After.N)
	spread := noise(r.stats)
	if spread != nil {
		r.DetectablePercent = rounded(stats.Detectable(n, *spread, level, power))
	}
	verdict := map[stats.Verdict]Verdict{
		stats.Better: Better, stats.Worse: Worse, stats.NoChange: NoChange, stats.NotEnoughRuns: NotEnoughRuns,
	}[r.stats.Verdict]
	changed := verdict == Better || verdict == Worse
	overruled := changed && pHolm > o.alpha()
	if overruled {
		verdict = NotEnoughRuns
	}
	r.Verdict = &verdict
	switch {
	case r.stats.ChangePercent == nil:
		r.Reason = "a value is not positive, so that a change in percent has no meaning"
	case verdict == NotEnoughRuns:
		r.RunsNeeded = runsNeeded(spread, level, o)
		r.Reason = r.wanting(overruled, rows, o) + r.advice(spread)
	case verdict == NoChange:
		r.Reason = fmt.Sprintf("a change of %s %% or more is ruled out: %s", number(o.MinEffectPercent), r.range95())
	case math.Abs(*r.stats.ChangePercent) < o.MinEffectPercent:
		r.Reason = fmt.Sprintf("%s: it may be less than the %s %% that matter", r.range95(), number(o.MinEffectPercent))
	default:
		r.Reason = r.range95()
	}
}

// range95 writes the interval.
func (r *Row) range95() string {
	ci := r.stats.ChangeCI
	return fmt.Sprintf("between %s and %s", percent(ci.Low), percent(ci.High))
}

// wanting says why there is no verdict.
func (r *Row) wanting(overruled bool, rows int, o Options) string {
	b, a := r.Before.N, r.After.N
	made := fmt.Sprintf("%s before and %d after", plural(b, "run"), a)
	switch {
	case min(b, a) < 2:
		return made + ": how much the figure differs from run to run by itself is not known"
	case r.stats.ChangeCI == nil:
		return fmt.Sprintf("%s: however large the difference, its p is %s at least", made, number(stats.LeastP(b, a)))
	case overruled && stats.LeastP(b, a) > o.alpha()*r.weight:
		return fmt.Sprintf("%s cannot show a difference among %d rows, however large: p is %s at least", made, rows, number(stats.LeastP(b, a)))
	case overruled:
		return fmt.Sprintf("p = %s by itself, but %s among %d rows", number(*r.P), number(*r.PHolm), rows)
	}
	return fmt.Sprintf("%s: neither a change is shown nor that it is less than %s %%", r.range95(), number(o.MinEffectPercent))
}

// advice says how many runs it takes.
func (r *Row) advice(spread *float64) string {
	switch {
	case r.RunsNeeded == nil:
		return fmt.Sprintf("; at a noise of %s %% not even %d runs a side would tell", number(*spread), mostRuns)
	case spread == nil || *spread == 0:
		return fmt.Sprintf("; it takes at least %d runs a side", *r.RunsNeeded)
	}
	return fmt.Sprintf("; at a noise of %s %% it takes about %d runs a side", number(*spread), *r.RunsNeeded)
}

// runsNeeded returns how many runs a side find the change that matters at the
// level, never fewer than are advised. nil: too many. It is the answer of
// [stats.RunsFor] but for the steps of small numbers, in a tenth of the time.
func runsNeeded(spread *float64, level float64, o Options) *int {
	n := 2
	for n < mostRuns && stats.LeastP(n, n) > level {
		n++
	}
	n = max(n, AdvisedRuns)
	if spread == nil || *spread == 0 {
		return &n
	}
	enough := func(runs int) bool {
		d := stats.Detectable(runs, *spread, level, power)
		return d != nil && *d <= o.MinEffectPercent
	}
	if !enough(mostRuns) {
		return nil
	}
	most := n
	for !enough(most) {
		most = min(2*most, mostRuns)
	}
	return new(n + sort.Search(most-n, func(i int) bool { return enough(n + i) }))
}

// noise returns the coefficient of variation of both sides in percent, each
// around its own mean, weighted by degrees of freedom; nil below 2 runs of
// either side.
func noise(c *stats.Comparison) *float64 {
	b, a := c.Before, c.After
	if b.CVPercent == nil || a.CVPercent == nil {
		return nil
	}
	nb, na := float64(b.N-1), float64(a.N-1)
	return new(math.Sqrt((*b.CVPercent**b.CVPercent*nb + *a.CVPercent**a.CVPercent*na) / (nb + na)))
}
