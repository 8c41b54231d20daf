package profile

import (
	"cmp"
	"math"
	"slices"

	"qd1.example/qd1/bench"
)

// Figure is what one row comes to. MB/s, IOPS and µs stand together, whichever
// of them the original shows.
type Figure struct {
	Row  string   `json:"row"`
	Op   bench.Op `json:"op"`
	Pick Pick     `json:"pick"`
	// SizeBytes of the test. 0: all of the target.
	SizeBytes int64 `json:"size_bytes,omitempty"`
	// Runs that the figure is made from.
	Runs int `json:"runs"`
	// MBPerS is in 10^6 bytes a second.
	MBPerS float64 `json:"mb_per_s"`
	IOPS   float64 `json:"iops"`
	// LatencyUS is made from the means of the runs, or from their medians if
	// LatencyIs says so. Nil: too few operations.
	LatencyUS *float64 `json:"latency_us"`
	LatencyIs string   `json:"latency_is"`
	// RateRun and LatencyRun are the numbers of the runs, from 1, that the rate
	// and the latency are of. 0: of no single one.
	RateRun    int `json:"rate_run,omitempty"`
	LatencyRun int `json:"latency_run,omitempty"`
	// MBPerSRange is the lowest and the highest rate of a run.
	MBPerSRange [2]float64 `json:"mb_per_s_range"`
	// MBPerSCI95 and LatencyCI95 are confidence intervals over the runs of the
	// medians. Nil: not a median, or fewer than 6 runs.
	MBPerSCI95  *[2]float64 `json:"mb_per_s_ci95,omitempty"`
	LatencyCI95 *[2]float64 `json:"latency_us_ci95,omitempty"`
	// P99US and P999US are the medians over the runs of their percentiles. Nil:
	// a run had too few operations.
	P99US  *float64 `json:"p99_us"`
	P999US *float64 `json:"p999_us"`
	// Partial says that there was no run that was not cut short.
	Partial bool `json:"partial,omitempty"`
}

// The values of Figure.LatencyIs.
const (
	latencyMean   = "mean"
	latencyMedian = "median"
)

// sample is the value of one run.
type sample struct {
	value float64
	run   int
}

// Figure makes the figure of the row from the results of its runs that count,
// in order. A nil result is a run that failed. Runs that were cut short are used
// only if there is no other. It returns nil if nothing was measured.
func (r Row) Figure(results []*bench.Result) *Figure {
	used, partial := usable(results)
	if len(used) == 0 {
		return nil
	}
	f := &Figure{Row: r.Label(), Op: r.Job.Op, Pick: r.Pick, Runs: len(used), LatencyIs: latencyMean, Partial: partial}
	latency := func(l bench.Latency) *float64 { return l.Mean }
	if r.Pick == PickMedian {
		f.LatencyIs = latencyMedian
		latency = func(l bench.Latency) *float64 { return l.P50 }
	}
	var rates []sample
	for _, u := range used {
		rates = append(rates, sample{u.result.MBPerS, u.run})
	}
	f.MBPerS, f.RateRun = r.Pick.highest(rates)
	f.IOPS = round(f.MBPerS * 1e6 / float64(r.Job.BlockBytes))
	values := valuesOf(rates)
	f.MBPerSRange = [2]float64{slices.Min(values), slices.Max(values)}
	latencies := samplesOf(used, latency)
	if len(latencies) > 0 {
		v, run := r.Pick.lowest(latencies)
		f.LatencyUS, f.LatencyRun = &v, run
	}
	if r.Pick == PickMedian {
		f.MBPerSCI95, f.LatencyCI95 = interval95(values), interval95(valuesOf(latencies))
	}
	f.P99US = medianOf(used, func(l bench.Latency) *float64 { return l.P99 })
	f.P999US = medianOf(used, func(l bench.Latency) *float64 { return l.P999 })
	return f
}

// numbered is a result with the number of its run.
type numbered struct {
	result *bench.Result
	run    int
}

// usable returns the results with operations: the complete ones, or the others
// if there are none.
func usable(results []*bench.Result) (used []numbered, partial bool) {
	var cut []numbered
	for i, r := range results {
		switch {
		case r == nil || r.Operations == 0:
		case r.Partial:
			cut = append(cut, numbered{r, i + 1})
		default:
			used = append(used, numbered{r, i + 1})
		}
	}
	if len(used) == 0 {
		return cut, len(cut) > 0
	}
	return used, false
}

// samplesOf returns a latency of each run, nothing if one of them has none.
func samplesOf(used []numbered, of func(bench.Latency) *float64) []sample {
	var samples []sample
	for _, u := range used {
		v := of(u.result.Latency)
		if v == nil {
			return nil
		}
		samples = append(samples, sample{*v, u.run})
	}
	return samples
}

func valuesOf(samples []sample) []float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, s.value)
	}
	return values
}

// medianOf returns the median over the runs of a latency.
func medianOf(used []numbered, of func(bench.Latency) *float64) *float64 {
	samples := samplesOf(used, of)
	if len(samples) == 0 {
		return nil
	}
	v, _ := PickMedian.lowest(samples)
	return &v
}

// highest chooses a rate and lowest a latency. Of equals the first run is
// named; run is 0 where the value is of no single one.
func (p Pick) highest(samples []sample) (value float64, run int) {
	if p == PickBest {
		best := slices.MaxFunc(samples, byValue)
		return best.value, best.run
	}
	return p.central(samples)
}

func (p Pick) lowest(samples []sample) (value float64, run int) {
	if p == PickBest {
		best := slices.MinFunc(samples, byValue)
		return best.value, best.run
	}
	return p.central(samples)
}

// central returns the median, or the mean.
func (p Pick) central(samples []sample) (value float64, run int) {
	n := len(samples)
	switch {
	case n == 1:
		return samples[0].value, samples[0].run
	case p == PickMean:
		sum := 0.0
		for _, s := range samples {
			sum += s.value
		}
		return round(sum / float64(n)), 0
	}
	sorted := slices.SortedStableFunc(slices.Values(samples), byValue)
	middle := sorted[n/2]
	if n%2 == 1 {
		return middle.value, middle.run
	}
	return round((sorted[n/2-1].value + middle.value) / 2), 0
}

func byValue(a, b sample) int { return cmp.Compare(a.value, b.value) }

// interval95 returns a confidence interval of at least 95 % of the median that
// the values are a sample of: the two order statistics, equally far from the
// ends, that are closest together and enclose the median often enough. It
// assumes nothing but that the values are independent. It returns nil for fewer
// than 6 values.
//
// The number of values below the median is binomial with p = 1/2, so the k-th
// smallest and the k-th largest miss it with 2·P(X < k). See W. J. Conover,
// Practical Nonparametric Statistics, chapter 3.2.
func interval95(values []float64) *[2]float64 {
	n := len(values)
	miss, term, k := 0.0, math.Exp2(-float64(n)), 0
	for k < n/2 && 2*(miss+term) <= 0.05 {
		miss += term
		term *= float64(n-k) / float64(k+1)
		k++
	}
	if k == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	return &[2]float64{sorted[k-1], sorted[n-k]}
}

// Cost is how much a second figure of the same workload is behind the first,
// as that of a file behind that of the device below it.
type Cost struct {
	// LatencyUS is what is added to the latency, in µs. Nil: not known.
	LatencyUS *float64 `json:"latency_us"`
	// RatePercent is the change of the rate; negative is slower.
	RatePercent float64 `json:"rate_percent"`
}

// CostOf returns what second costs over first, nil if one of them is nil or
// nothing.
func CostOf(first, second *Figure) *Cost {
	if first == nil || second == nil || first.MBPerS <= 0 {
		return nil
	}
	c := &Cost{RatePercent: round(100 * (second.MBPerS/first.MBPerS - 1))}
	if first.LatencyUS != nil && second.LatencyUS != nil {
		c.LatencyUS = new(round(*second.LatencyUS - *first.LatencyUS))
	}
	return c
}

// round keeps 3 decimals.
func round(v float64) float64 { return math.Round(v*1000) / 1000 }
