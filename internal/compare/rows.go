package compare

import (
	"slices"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/stats"
	"qd1.example/qd1/internal/report"
)

// Verdict is what can be said of one row.
type Verdict string

// The verdicts. A row of sides that cannot be compared has none.
const (
	Better        Verdict = "better"
	Worse         Verdict = "worse"
	NoChange      Verdict = "no-change"
	NotEnoughRuns Verdict = "not-enough-runs"
)

// Row is one metric of one workload on both sides.
type Row struct {
	Label  string `json:"label"`
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	// Better is "higher" or "lower".
	Better string `json:"better_is"`
	// Secondary rows, the tails, have a small share of the level.
	Secondary bool   `json:"secondary"`
	Before    Sample `json:"before"`
	After     Sample `json:"after"`
	// ChangePercent is by how much the runs after are larger, by the estimate of
	// Hodges and Lehmann, CI95Percent its interval; nil for too few runs.
	ChangePercent *float64    `json:"change_percent"`
	CI95Percent   *[2]float64 `json:"ci95_percent"`
	// CoveragePercent is the confidence that the interval really has: ranks leave
	// a choice of few.
	CoveragePercent *float64 `json:"ci_coverage_percent"`
	// NoisePercent is the coefficient of variation from run to run, both sides
	// pooled, and Effect the change in units of it. nil: not known.
	NoisePercent *float64 `json:"noise_percent"`
	Effect       *float64 `json:"effect"`
	// P is that of the row by itself, PHolm that among all rows. nil where the
	// sides cannot be compared.
	P     *float64 `json:"p"`
	PHolm *float64 `json:"p_holm"`
	// Verdict is nil where the sides cannot be compared, by BlockedBy.
	Verdict   *Verdict `json:"verdict"`
	Reason    string   `json:"reason"`
	BlockedBy []string `json:"blocked_by"`
	// DetectablePercent is the smallest change that so many runs find in 8 of 10
	// cases among so many rows, nil if none.
	DetectablePercent *float64 `json:"detectable_percent"`
	// RunsNeeded is how many runs a side a verdict would take, nil if there is
	// one or if 1000 are not enough.
	RunsNeeded *int `json:"runs_needed"`
	// Doubtful says that a figure of the workload cannot be that of the drive.
	Doubtful bool `json:"doubtful,omitempty"`

	stats  *stats.Comparison
	key    loadKey
	weight float64
}

// Sample is the runs of one side, in the unit of the row.
type Sample struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// CVPercent is the coefficient of variation, nil below 2 runs.
	CVPercent *float64  `json:"cv_percent"`
	Values    []float64 `json:"values"`
}

// metric is a figure of each run of a workload.
type metric struct {
	key, unit string
	direction stats.Direction
	secondary bool
	of        func(l *load, r *report.BenchResult) *float64
}

// metricsOf returns what is compared of a workload, the rate first. The rate of
// one that is paced says nothing of the drive.
func metricsOf(j bench.Job) []metric {
	list := []metric{
		{"iops", "IOPS", stats.HigherIsBetter, false, func(l *load, r *report.BenchResult) *float64 { return new(l.iops(r)) }},
		latencyMetric("latency_p50", false, func(l bench.Latency) *float64 { return l.P50 }),
		latencyMetric("latency_p99", true, func(l bench.Latency) *float64 { return l.P99 }),
		latencyMetric("latency_p999", true, func(l bench.Latency) *float64 { return l.P999 }),
	}
	switch {
	case j.Rate > 0:
		return list[1:]
	case j.Pattern == bench.Sequential:
		list[0] = metric{"mb_per_s", "MB/s", stats.HigherIsBetter, false, func(l *load, r *report.BenchResult) *float64 { return new(l.rate(r)) }}
	}
	return list
}

func latencyMetric(key string, secondary bool, of func(bench.Latency) *float64) metric {
	return metric{key, "µs", stats.LowerIsBetter, secondary, func(_ *load, r *report.BenchResult) *float64 { return of(r.Latency) }}
}

// rowsOf makes the rows of all workloads and judges them together.
func rowsOf(pairs []pair, blocked []string, o Options) []Row {
	rows := []Row{}
	for _, p := range pairs {
		reasons := append([]string{}, slices.Concat(blocked, p.differences(o.Changed))...)
		for _, m := range metricsOf(p.before.job) {
			if r := p.row(m, o); r != nil {
				r.BlockedBy = reasons
				rows = append(rows, *r)
			}
		}
	}
	judge(rows, o)
	return rows
}

// differences names in what the workload is not the same on both sides, but for
// what was changed on purpose.
func (p pair) differences(changed []string) []string {
	list := jobDifferences(p.before.job, p.after.job)
	list = slices.Concat(list, p.before.mixed, p.after.mixed)
	b, a := p.before.count(fromCache) > 0, p.after.count(fromCache) > 0
	if b != a {
		list = append(list, "answered by a cache ("+yes(b)+", "+yes(a)+")")
	}
	return slices.DeleteFunc(list, func(d string) bool { return slices.Contains(changed, nameOf(d)) })
}

// nameOf is a difference of workloads without its values.
func nameOf(difference string) string {
	name, _, _ := strings.Cut(difference, " (")
	return name
}

// row compares one metric, nil if a run does not have it.
func (p pair) row(m metric, o Options) *Row {
	values := func(l *load) []float64 {
		return l.values(func(r *report.BenchResult) *float64 { return m.of(l, r) })
	}
	b, a := values(p.before), values(p.after)
	c := stats.Compare(b, a, stats.Question{Direction: m.direction, MarginPercent: o.MinEffectPercent, Confidence: o.Confidence})
	if c == nil {
		return nil
	}
	r := &Row{
		Label: p.before.label, Metric: m.key, Unit: m.unit, Better: "lower", Secondary: m.secondary,
		Before: sampleOf(b, c.Before), After: sampleOf(a, c.After),
		ChangePercent: rounded(c.ChangePercent), Effect: rounded(c.Effect), NoisePercent: rounded(noise(c)),
		stats: c, key: p.before.key,
	}
	if m.direction == stats.HigherIsBetter {
		r.Better = "higher"
	}
	if ci := c.ChangeCI; ci != nil {
		r.CI95Percent, r.CoveragePercent = &[2]float64{round(ci.Low), round(ci.High)}, new(round(100*ci.Coverage))
	}
	return r
}

func sampleOf(values []float64, s stats.Summary) Sample {
	return Sample{s.N, round(s.Median), s.Min, s.Max, rounded(s.CVPercent), values}
}
