package compare

import (
	"fmt"
	"slices"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/stats"
	"qd1.example/qd1/internal/report"
)

// Side says what one side of a comparison is.
type Side struct {
	// Labels are those that the results were given.
	Labels []string `json:"labels"`
	// Results is the number of benchmarks, From and To when the first and the
	// last was made.
	Results int    `json:"results"`
	From    string `json:"from"`
	To      string `json:"to"`
	// Serial, Model and Firmware are "" for what is no drive.
	Serial    string `json:"serial"`
	Model     string `json:"model"`
	Firmware  string `json:"firmware"`
	Target    string `json:"target"`
	Simulated bool   `json:"simulated"`
}

// side is what the results of one side hold.
type side struct {
	name    string
	reports []*report.BenchReport
	loads   []*load
}

// load is one workload with its runs that went to their end.
type load struct {
	key   loadKey
	label string
	job   bench.Job
	runs  []*report.BenchResult
	// cut is the number of runs that did not go to their end, mixed what the
	// jobs of the side differ in among themselves.
	cut   int
	mixed []string
}

// loadKey is a label, and which of the rows with that label it is.
type loadKey struct {
	label string
	nth   int
}

// gather sorts the runs of a side by workload.
func gather(name string, reports []*report.BenchReport) *side {
	s := &side{name: name}
	for _, r := range reports {
		if r == nil {
			continue
		}
		s.reports = append(s.reports, r)
		loads := s.rows(r)
		for i := range r.Results {
			if x := &r.Results[i]; x.Row >= 0 && x.Row < len(loads) && loads[x.Row] != nil {
				loads[x.Row].add(x)
			}
		}
	}
	return s
}

// rows returns the workload of each row of a result, nil for a row that repeats
// another one to show how far figures move by themselves.
func (s *side) rows(r *report.BenchReport) []*load {
	seen := map[string]int{}
	var loads []*load
	for _, row := range r.Rows {
		if row.ControlOf != nil {
			loads = append(loads, nil)
			continue
		}
		k := loadKey{row.Label, seen[row.Label]}
		seen[row.Label]++
		l := s.load(k)
		if l == nil {
			l = &load{key: k, label: row.Label, job: row.Job}
			s.loads = append(s.loads, l)
		}
		for _, d := range jobDifferences(l.job, row.Job) {
			l.mixed = appendOnce(l.mixed, d)
		}
		loads = append(loads, l)
	}
	return loads
}

func (s *side) load(k loadKey) *load {
	if i := slices.IndexFunc(s.loads, func(l *load) bool { return l.key == k }); i >= 0 {
		return s.loads[i]
	}
	return nil
}

// add takes a run that measured something and went to its end.
func (l *load) add(r *report.BenchResult) {
	if r.Partial || l.iops(r) <= 0 {
		l.cut++
		return
	}
	l.runs = append(l.runs, r)
}

// iops and rate give a rate of a run, each from the other if need be.
func (l *load) iops(r *report.BenchResult) float64 {
	if r.IOPS == 0 && l.job.BlockBytes > 0 {
		return r.MBPerS * 1e6 / float64(l.job.BlockBytes)
	}
	return r.IOPS
}

func (l *load) rate(r *report.BenchResult) float64 {
	if r.MBPerS == 0 {
		return r.IOPS * float64(l.job.BlockBytes) / 1e6
	}
	return r.MBPerS
}

// values returns a figure of each run, nil if one of them has none.
func (l *load) values(of func(*report.BenchResult) *float64) []float64 {
	var list []float64
	for _, r := range l.runs {
		v := of(r)
		if v == nil {
			return nil
		}
		list = append(list, *v)
	}
	return list
}

// median returns the median of a figure, nil if a run has none.
func (l *load) median(of func(*report.BenchResult) *float64) *float64 {
	values := l.values(of)
	if len(values) == 0 {
		return nil
	}
	return new(stats.Median(values))
}

func (l *load) inFlight() int { return l.job.QueueDepth * l.job.Workers }

// describe says what the side is.
func (s *side) describe() Side {
	d := Side{Labels: []string{}, Results: len(s.reports)}
	for _, r := range s.reports {
		if r.Label != nil {
			d.Labels = appendOnce(d.Labels, *r.Label)
		}
		if d.From == "" || r.Time < d.From {
			d.From = r.Time
		}
		d.To = max(d.To, r.Time)
		d.Simulated = d.Simulated || r.Simulated
	}
	if len(s.reports) > 0 {
		first := s.reports[0]
		d.Target = first.Target.Name
		d.Serial, d.Firmware = first.Conditions.Subject.Serial, first.Conditions.Subject.Firmware
		if id := first.Drive; id != nil {
			d.Serial, d.Model, d.Firmware = id.Serial, id.Model, id.Firmware
		}
	}
	return d
}

// blankPercent is the share of zeros read from which on a figure is doubtful.
const blankPercent = 1

// warnings says which runs are not what they seem.
func (s *side) warnings() []string {
	list := []string{}
	for _, r := range s.reports {
		for _, w := range r.Warnings {
			list = appendOnce(list, s.name+": "+w)
		}
	}
	for _, l := range s.loads {
		n := len(l.runs)
		tell := func(count int, text string) {
			if count > 0 {
				list = append(list, fmt.Sprintf("%s, %s: %d of %d runs %s", s.name, l.label, count, n, text))
			}
		}
		tell(l.count(disturbed), "were disturbed by other I/O")
		tell(l.count(fromCache), "were not all answered by the device")
		tell(l.count(blank), fmt.Sprintf("read more than %d %% zeros, which may not have touched the medium", blankPercent))
		tell(l.count(failed), "had errors")
		if l.cut > 0 {
			list = append(list, fmt.Sprintf("%s, %s: left out %s that did not go to the end", s.name, l.label, plural(l.cut, "run")))
		}
	}
	return list
}

func (l *load) count(is func(*report.BenchResult) bool) int {
	n := 0
	for _, r := range l.runs {
		if is(r) {
			n++
		}
	}
	return n
}

func disturbed(r *report.BenchResult) bool {
	return r.OtherIO != nil && r.OtherIO.Known && r.OtherIO.Disturbed
}

func fromCache(r *report.BenchResult) bool {
	return r.Cached || r.OtherIO != nil && r.OtherIO.Cached != nil && *r.OtherIO.Cached
}

func blank(r *report.BenchResult) bool {
	return r.BlankPercent != nil && *r.BlankPercent > blankPercent
}

func failed(r *report.BenchResult) bool { return r.Errors > 0 }

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
