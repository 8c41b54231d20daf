package aging

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
)

// record is how far the job is.
func (r *run) record() *Record {
	a := r.acc
	rec := &Record{
		Schema: Schema, Tool: r.Tool, Time: r.now().UTC(), Job: r.job.ID, Simulated: r.plan.Simulated,
		Plan: r.plan, State: a.state, Started: a.began, Phases: a.counted(), TreatedSeconds: a.treated,
		Probes: append([]Probe{}, a.probes...), Series: append([]conditions.Point[Slice]{}, a.series.Points()...),
		Sittings: []Sitting{}, Interruptions: append([]Interruption{}, a.interruptions...),
		Stops: append([]Stop{}, a.stops...), Changes: r.changes(), Lost: append([]string{}, r.lost...),
		Before: r.reports(Before), After: r.reports(After),
	}
	if r.plan.Label != "" {
		rec.Label = &r.plan.Label
	}
	for n := 1; n <= a.sittings; n++ {
		if s := r.sittings[n]; s != nil {
			rec.Sittings = append(rec.Sittings, *s)
		}
	}
	rec.Wear = r.wear(rec.Changes)
	r.missing(rec)
	rec.Complete = r.complete()
	r.compare(rec)
	rec.Summary = rec.sentence()
	return rec
}

// wear sums up what was written.
func (r *run) wear(c *conditions.Changes) Wear {
	w := Wear{WrittenBytes: r.acc.written + r.acc.reserved, RatedBytes: r.plan.RatedBytes, BudgetBytes: r.plan.Limits.BudgetBytes}
	if w.RatedBytes != nil {
		w.Percent = new(share(w.WrittenBytes, *w.RatedBytes))
	}
	if c != nil {
		w.DriveWrittenBytes = c.BytesWritten
	}
	return w
}

// missing says which runs of a set that is over are not there.
func (r *run) missing(rec *Record) {
	if rank(r.acc.state) > rank(Before) && len(r.sets[Before]) < r.plan.Runs && r.acc.ends(EndsJob) == nil {
		rec.Lost = append(rec.Lost, fmt.Sprintf("%d of %d runs before the treatment are there", len(r.sets[Before]), r.plan.Runs))
	}
}

// complete reports whether all of the plan was done.
func (r *run) complete() bool {
	return r.acc.ends(EndsJob) == nil && r.acc.ends(EndsTreatment) == nil &&
		r.plan.TreatmentSeconds-r.acc.treated < leastSlice &&
		len(r.sets[Before]) == r.plan.Runs && len(r.sets[After]) == r.plan.Runs
}

// compare compares the sets if both are there.
func (r *run) compare(rec *Record) {
	if len(rec.Before) == 0 || len(r.sets[After]) < r.plan.Runs {
		return
	}
	rec.Comparison = compare.Bench(rec.Before, rec.After, compare.Options{
		MinEffectPercent: r.plan.MinEffectPercent, Confidence: r.plan.Confidence,
	})
	rec.Comparison.Tool, rec.Comparison.Time = r.Tool, rec.Time.Format(time.RFC3339Nano)
}

// sentence says what came out.
func (rec *Record) sentence() string {
	treated := fmt.Sprintf("%s of %s in the mode %s", clock(rec.TreatedSeconds), clock(rec.Plan.TreatmentSeconds), rec.Plan.Mode)
	parts := []string{treated}
	for _, s := range rec.Stops {
		if s.Ends != EndsNothing {
			parts = append(parts, fmt.Sprintf("stopped early (%s): %s", s.Reason, s.Text))
		}
	}
	if n := len(rec.Interruptions); n > 0 {
		parts = append(parts, fmt.Sprintf("interrupted %d times", n))
	}
	if rec.Comparison != nil {
		return strings.Join(parts, "; ") + ": " + rec.Comparison.Summary
	}
	return strings.Join(append(parts, "nothing to compare yet"), "; ")
}

// reports makes the results of a set: one for each sitting, since each has its
// own conditions.
func (r *run) reports(s journal.State) []*report.BenchReport {
	list := []*report.BenchReport{}
	numbers := []int{}
	for k := range r.sets[s] {
		numbers = append(numbers, k)
	}
	slices.SortFunc(numbers, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.sets[s][a].Sitting, r.sets[s][b].Sitting), cmp.Compare(a, b))
	})
	for i, k := range numbers {
		done := r.sets[s][k]
		if i == 0 || r.sets[s][numbers[i-1]].Sitting != done.Sitting {
			list = append(list, r.newReport(s, done))
		}
		last := list[len(list)-1]
		last.Results = append(last.Results, report.BenchResult{Row: 0, Run: k, Result: *done.Result, OtherIO: done.OtherIO})
		last.Conditions.CPULatencyHeld = done.Result.CPULatencyHeld
		if done.End != nil {
			last.Conditions.SetAfter(*done.End)
		}
	}
	for _, b := range list {
		b.Rows[0].Figure = figure(b)
	}
	return list
}

// newReport begins the result of a set in the sitting of a run.
func (r *run) newReport(s journal.State, first *keptRun) *report.BenchReport {
	row := profile.Row{Name: r.plan.QD1.Label(), Job: r.plan.QD1}
	b := &report.BenchReport{
		Schema: report.BenchSchema, Tool: r.Tool, Simulated: r.plan.Simulated,
		Drive: r.plan.Drive, Target: r.plan.Target.Target, Warnings: []string{},
		Rows:    []report.BenchRow{{Label: row.Label(), Job: r.plan.QD1}},
		Results: []report.BenchResult{}, Series: []report.SeriesPoint{},
	}
	label := strings.TrimSpace(r.plan.Label + " " + setFile(s))
	b.Label = &label
	b.Time = r.startOf(s).Format(time.RFC3339Nano)
	if sat := r.sittings[first.Sitting]; sat != nil {
		b.Tool, b.Drive, b.Target = sat.Tool, sat.Target.Drive, sat.Target.Target
		b.Conditions.Conditions = sat.Conditions
		if sat.Started.After(r.startOf(s)) {
			b.Time = sat.Started.Format(time.RFC3339Nano)
		}
	} else {
		b.Warnings = append(b.Warnings, fmt.Sprintf("the conditions of sitting %d are lost", first.Sitting))
	}
	b.Conditions.Before = first.Start
	return b
}

// startOf is when a phase began.
func (r *run) startOf(s journal.State) time.Time {
	for _, p := range r.acc.phases {
		if p.Phase == s {
			return p.Started
		}
	}
	return r.acc.began
}

// figure is what the runs of a result come to.
func figure(b *report.BenchReport) *profile.Figure {
	var results []*bench.Result
	for i := range b.Results {
		results = append(results, &b.Results[i].Result)
	}
	return profile.Row{Job: b.Rows[0].Job, Pick: profile.PickMedian}.Figure(results)
}
