package compare

import (
	"slices"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/stats"
	"qd1.example/qd1/internal/report"
)

// Ladder is the latency of one workload from the median to the slowest
// operation, of all runs of each side together.
type Ladder struct {
	Label string `json:"label"`
	// BeforeOperations and AfterOperations are how many it rests on.
	BeforeOperations int64  `json:"before_operations"`
	AfterOperations  int64  `json:"after_operations"`
	Rungs            []Rung `json:"rungs"`
	// Before and After are all latencies, for pictures.
	Before *bench.Histogram `json:"-"`
	After  *bench.Histogram `json:"-"`
}

// Rung is one percentile on both sides.
type Rung struct {
	// Percentile is a key such as "p999", or "max".
	Percentile string `json:"percentile"`
	Before     Step   `json:"before"`
	After      Step   `json:"after"`
	// ChangePercent is nil if a side has no figure.
	ChangePercent *float64 `json:"change_percent"`
}

// Step is one percentile of one side in µs, nil if fewer than 10 operations lie
// beyond it. The interval is the wider of two: how well so many operations
// determine it, and how much the runs differ.
type Step struct {
	US     *float64    `json:"us"`
	CI95US *[2]float64 `json:"ci95_us"`
}

// rung says where a percentile stands in the summaries of package bench.
type rung struct {
	key      string
	value    func(bench.Latency) *float64
	interval func(bench.LatencyIntervals) *[2]float64
}

func rungs() []rung {
	type l = bench.Latency
	type i = bench.LatencyIntervals
	return []rung{
		{"p50", func(x l) *float64 { return x.P50 }, func(x i) *[2]float64 { return x.P50 }},
		{"p90", func(x l) *float64 { return x.P90 }, func(x i) *[2]float64 { return x.P90 }},
		{"p99", func(x l) *float64 { return x.P99 }, func(x i) *[2]float64 { return x.P99 }},
		{"p999", func(x l) *float64 { return x.P999 }, func(x i) *[2]float64 { return x.P999 }},
		{"p9999", func(x l) *float64 { return x.P9999 }, func(x i) *[2]float64 { return x.P9999 }},
		{"max", func(x l) *float64 { return x.Max }, func(i) *[2]float64 { return nil }},
	}
}

// ladders makes the ladder of each workload whose runs have histograms.
func ladders(pairs []pair) []Ladder {
	list := []Ladder{}
	for _, p := range pairs {
		b, a := p.before.merged(), p.after.merged()
		if b == nil || a == nil {
			continue
		}
		l := Ladder{Label: p.before.label, BeforeOperations: b.Count(), AfterOperations: a.Count(), Before: b, After: a}
		was, is := p.before.steps(b), p.after.steps(a)
		for i, r := range rungs() {
			l.Rungs = append(l.Rungs, Rung{r.key, was[i], is[i], change(was[i].US, is[i].US)})
		}
		list = append(list, l)
	}
	return list
}

// merged puts the latencies of all runs together, nil if a run does not have
// them.
func (l *load) merged() *bench.Histogram {
	all := &bench.Histogram{}
	for _, r := range l.runs {
		if r.Histogram == nil {
			return nil
		}
		all.Merge(r.Histogram)
	}
	if all.Count() == 0 {
		return nil
	}
	return all
}

// steps returns the percentiles of a side in the order of the rungs.
func (l *load) steps(all *bench.Histogram) []Step {
	latency, intervals := bench.LatencyOf(all), bench.LatencyIntervalsOf(all)
	var list []Step
	for _, r := range rungs() {
		s := Step{US: r.value(latency), CI95US: r.interval(intervals)}
		if s.CI95US != nil {
			runs := l.values(func(x *report.BenchResult) *float64 { return r.value(x.Latency) })
			s.CI95US = widened(*s.CI95US, runs)
		}
		list = append(list, s)
	}
	return list
}

// widened makes an interval as wide as that of the median of the runs, or as
// their range where they are too few for one.
func widened(ci [2]float64, runs []float64) *[2]float64 {
	if len(runs) < 2 {
		return &ci
	}
	low, high := slices.Min(runs), slices.Max(runs)
	if m := stats.MedianInterval(runs, DefaultConfidence); m != nil {
		low, high = m.Low, m.High
	}
	return &[2]float64{min(ci[0], low), max(ci[1], high)}
}

// change returns by how many percent b is larger than a.
func change(a, b *float64) *float64 {
	if a == nil || b == nil || *a <= 0 {
		return nil
	}
	return new(round(100 * (*b / *a - 1)))
}
