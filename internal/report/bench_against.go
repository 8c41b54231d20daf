package report

import (
	"math"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/bench/reference"
)

// ReferenceListSchema is the name and version of the JSON object of a
// ReferenceList.
const ReferenceListSchema = "qd1.references/1"

// ReferenceList is the figures that results can be set beside by name.
type ReferenceList struct {
	Schema  string             `json:"schema"`
	Figures []reference.Figure `json:"figures"`
}

// The kinds of Against.
const (
	// AgainstReference is a figure that somebody published.
	AgainstReference = "reference"
	// AgainstResult is a result of this program: a record or a file.
	AgainstResult = "result"
)

// Against is what the figures of a benchmark stand beside.
type Against struct {
	// Ref is how the user named it, Kind what it is, and Name who it is: the
	// drives, or drive and label.
	Ref  string `json:"ref"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Results is how many results it is made from, 0 for published figures.
	Results int `json:"results"`
	// Simulated says that no real drive stands behind its figures.
	Simulated bool `json:"simulated"`
}

// Beside is a figure of another drive or of another time beside that of a row. It
// is no test: no verdict follows from it.
type Beside struct {
	Name string `json:"name"`
	// Metric is that of the row, "mean", "p50" or "mb_per_s", and OtherMetric
	// that of the other: a mean stands in for a median that is not known.
	Metric      reference.Metric `json:"metric"`
	OtherMetric reference.Metric `json:"other_metric"`
	Unit        string           `json:"unit"`
	// Measured is the figure of the row, Other that of the other.
	Measured float64 `json:"measured"`
	Other    float64 `json:"other"`
	// Speed is how many times as fast as the other the row is, whether the figure
	// is a rate or a time.
	Speed float64 `json:"times_as_fast"`
	// Software is what lies between program and drive, SameSoftware false if it
	// is another one than here.
	Software     reference.Software `json:"software"`
	SameSoftware bool               `json:"same_software"`
	Source       string             `json:"source"`
	Conditions   string             `json:"conditions,omitempty"`
	Date         string             `json:"date,omitempty"`
	// Rated, Indicative and Doubtful are as of a published figure.
	Rated      bool   `json:"rated,omitempty"`
	Indicative bool   `json:"indicative,omitempty"`
	Doubtful   string `json:"doubtful,omitempty"`
}

// Placement is the latency of a report among published ones.
type Placement struct {
	reference.Placement
	// Simulated says that the figure is that of a simulated drive.
	Simulated bool `json:"simulated"`
}

// placementOf places the median of a benchmark, nil where there is nothing to
// place: for another workload, without a median, or where it is not that of the
// medium.
func placementOf(r *bench.Result, simulated bool) *Placement {
	doubtful := r.Partial || r.Cached || r.BlankPercent != nil && *r.BlankPercent > 1 || hostOnly(r.Engine)
	if doubtful || r.Latency.P50 == nil || r.RatePerS > 0 || r.ThinkTimeUS > 0 {
		return nil
	}
	w := reference.Workload{Op: string(r.Op), Pattern: string(r.Pattern), BlockBytes: r.BlockBytes, QueueDepth: r.QueueDepth, Workers: r.Workers}
	p := reference.Place(reference.Reading{Metric: reference.P50Latency, Value: *r.Latency.P50, Workload: w, Software: reference.Linux})
	if p == nil {
		return nil
	}
	for _, n := range []*reference.Neighbour{p.Faster, p.Slower} {
		if n != nil {
			n.Value = round3(n.Value)
		}
	}
	return &Placement{*p, simulated}
}

// hostOnly reports whether an engine does nothing with the target.
func hostOnly(engine string) bool { return engine == bench.EngineNull || engine == bench.EngineRAM }

// SetBesideFigures puts published figures of like workloads beside the rows.
func (b *BenchReport) SetBesideFigures(a Against, figures []reference.Figure) {
	b.Against = &a
	for i := range b.Rows {
		row := &b.Rows[i]
		reading, ok := row.reading()
		if !ok {
			continue
		}
		for _, x := range reference.Against(figures, reading) {
			f := x.Figure
			row.Against = append(row.Against, Beside{
				Name: f.Model, Metric: reading.Metric, OtherMetric: x.Is, Unit: x.Unit, Measured: x.Measured, Other: round3(x.Reference),
				Speed: speed(reading.Metric, x.Measured, x.Reference), Software: f.Software, SameSoftware: x.SameSoftware,
				Source: f.Source, Conditions: f.Conditions, Date: f.Date, Rated: f.Rated, Indicative: f.Indicative, Doubtful: f.Doubtful,
			})
		}
	}
}

// SetBesideResults puts the figures of the same rows of other results beside the
// rows: of all their runs together, chosen as those of the row.
func (b *BenchReport) SetBesideResults(a Against, others []*BenchReport) {
	a.Results = len(others)
	for _, o := range others {
		a.Simulated = a.Simulated || o.Simulated
	}
	b.Against = &a
	for i := range b.Rows {
		row := &b.Rows[i]
		reading, ok := row.reading()
		if !ok {
			continue
		}
		other := BenchRow{Label: row.Label, Job: row.Job, Figure: row.figureIn(others)}
		theirs, ok := other.reading()
		if !ok || theirs.Metric != reading.Metric {
			continue
		}
		row.Against = append(row.Against, Beside{
			Name: a.Name, Metric: reading.Metric, OtherMetric: theirs.Metric, Unit: reading.Metric.Unit(), Measured: reading.Value, Other: theirs.Value,
			Speed: speed(reading.Metric, reading.Value, theirs.Value), Software: theirs.Software, SameSoftware: true, Source: a.Ref,
		})
	}
}

// reading is the figure of the row as one to be placed: the latency of random
// operations one at a time, the rate of others. ok is false where there is none,
// where pauses or a rate made it, and for a control.
func (r *BenchRow) reading() (reading reference.Reading, ok bool) {
	j, f := &r.Job, r.Figure
	if f == nil || r.ControlOf != nil || hostOnly(j.Engine) || j.Rate > 0 || j.ThinkTime > 0 {
		return reading, false
	}
	reading = reference.Reading{
		Metric: reference.MBPerS, Value: f.MBPerS, Software: reference.Linux,
		Workload: reference.Workload{Op: string(j.Op), Pattern: string(j.Pattern), BlockBytes: j.BlockBytes, QueueDepth: j.QueueDepth, Workers: j.Workers},
	}
	if j.IOPoll {
		reading.Software = reference.LinuxPolled
	}
	if j.Pattern == bench.Random && j.QueueDepth*j.Workers == 1 && f.LatencyUS != nil {
		reading.Metric, reading.Value = reference.P50Latency, *f.LatencyUS
		if f.LatencyIs == "mean" {
			reading.Metric = reference.MeanLatency
		}
	}
	return reading, reading.Value > 0
}

// figureIn is the figure that the runs of the same row in other results come to,
// nil if none has it.
func (r *BenchRow) figureIn(others []*BenchReport) *profile.Figure {
	var runs []*bench.Result
	var made *profile.Figure
	for _, o := range others {
		for i := range o.Rows {
			if !r.like(&o.Rows[i]) {
				continue
			}
			if made == nil {
				made = o.Rows[i].Figure
			}
			for k := range o.Results {
				if o.Results[k].Row == i {
					runs = append(runs, &o.Results[k].Result)
				}
			}
		}
	}
	if f := (profile.Row{Job: r.Job, Pick: r.Figure.Pick}).Figure(runs); f != nil {
		return f
	}
	return made
}

// like reports whether two rows are of the same workload.
func (r *BenchRow) like(o *BenchRow) bool {
	a, b := &r.Job, &o.Job
	return o.ControlOf == nil && a.Op == b.Op && a.Pattern == b.Pattern && a.BlockBytes == b.BlockBytes && a.QueueDepth == b.QueueDepth &&
		a.Workers == b.Workers && a.Rate == b.Rate && a.ThinkTime == b.ThinkTime && a.ReadPercent == b.ReadPercent
}

// speed is how many times as fast a is as b.
func speed(m reference.Metric, a, b float64) float64 {
	if m == reference.MBPerS || m == reference.IOPS {
		return round3(a / b)
	}
	return round3(b / a)
}

// round3 keeps 3 decimals.
func round3(v float64) float64 { return math.Round(v*1000) / 1000 }
