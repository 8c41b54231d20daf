package profile

import (
	"fmt"
	"slices"
	"time"

	"qd1.example/qd1/bench"
)

// Plan is a profile as a sequence of runs.
type Plan struct {
	// Profile with the options applied, without the rows left out.
	Profile *Profile `json:"profile"`
	// Rows are the rows of the profile, once for each size.
	Rows []PlannedRow `json:"rows"`
	// Steps in order.
	Steps []Step `json:"-"`
	// Skipped are the rows that were left out.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Notes say where the plan is not what the definition says.
	Notes []string `json:"notes,omitempty"`
	// FileBytes is the size of the file that has to be made where the target is
	// a directory.
	FileBytes int64 `json:"file_bytes"`
}

// PlannedRow is one row on one size.
type PlannedRow struct {
	Row
	// SizeBytes of the test. 0: all of the target.
	SizeBytes int64 `json:"size_bytes"`
	// SizedLabel is the label of the row, with the size where a plan has several.
	SizedLabel string `json:"label"`
}

// Step is one run.
type Step struct {
	// Row is the index in Plan.Rows.
	Row int
	// Run is the number of the run from 1. 0: the run before them, which does
	// not count.
	Run int
	// Pause before the run.
	Pause time.Duration
	Job   bench.Job
}

// Discard reports whether the result of the step does not count.
func (s Step) Discard() bool { return s.Run == 0 }

// Skipped is a row that was left out.
type Skipped struct {
	Label  string `json:"label"`
	Reason string `json:"reason"`
}

// Plan returns the runs of the profile on t. Of the target only the sizes are
// used; a size of 0 bytes is not known yet, as that of a file to be made. Errors
// wrap [bench.ErrBadJob].
func (p *Profile) Plan(t bench.Target, o Options) (*Plan, error) {
	plan := &Plan{Profile: p.clone()}
	if err := plan.apply(t, o); err != nil {
		return nil, err
	}
	sizes, err := plan.sizes(t, o)
	if err != nil {
		return nil, err
	}
	for _, size := range sizes {
		plan.addRows(size, len(sizes) > 1)
	}
	if len(plan.Steps) == 0 {
		return nil, plan.empty()
	}
	for i := range plan.Steps {
		j := &plan.Steps[i].Job
		if o.Seed != 0 {
			j.Seed = o.Seed + uint64(i)
		}
		if err := j.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", plan.Rows[plan.Steps[i].Row].SizedLabel, err)
		}
	}
	return plan, nil
}

// clone returns a copy that shares no rows.
func (p *Profile) clone() *Profile {
	c := *p
	c.Rows = slices.Clone(p.Rows)
	return &c
}

// apply changes the profile of the plan as o says and drops the rows that
// cannot or shall not be run.
func (p *Plan) apply(t bench.Target, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	c := p.Profile
	p.applyTimes(o)
	var kept []Row
	for _, r := range c.Rows {
		if o.Engine != "" {
			r.Job.Engine = o.Engine
		}
		if o.ReadPercent != 0 && r.Job.Op == bench.OpMix {
			r.Job.ReadPercent = o.ReadPercent
		}
		if reason := leaveOut(r, c.Name, t, o); reason != "" {
			p.Skipped = append(p.Skipped, Skipped{r.Label(), reason})
			continue
		}
		kept = append(kept, r)
	}
	c.Rows = kept
	return nil
}

// empty says that no row is left.
func (p *Plan) empty() error {
	e := &bench.Error{Cause: p.Skipped[0].Reason, Hint: "use other sizes or another target", Err: bench.ErrBadJob}
	if name := p.Profile.ID(); name != "" {
		e.Cause, e.Hint = fmt.Sprintf("profile %s has no row that can be run: %s", name, e.Cause), "use another profile or another target"
	}
	return e
}

// applyTimes changes runs, durations and pauses.
func (p *Plan) applyTimes(o Options) {
	c := p.Profile
	if o.Runs > 0 {
		c.Runs = o.Runs
	}
	switch {
	case o.Interval > 0:
		c.Interval = o.Interval
	case o.Interval < 0:
		c.Interval = 0
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		if o.Runs > 0 {
			r.Runs = 0
		}
		if j := &r.Job; o.Duration > 0 && j.Duration > 0 {
			j.Duration, j.Warmup = o.Duration, min(j.Warmup, o.Duration)
		}
	}
	if o.Duration > 0 && c.Prepare > 0 {
		c.Prepare = o.Duration
	}
}

// sizes returns the sizes to run the profile on; 0 is all of the target.
func (p *Plan) sizes(t bench.Target, o Options) ([]int64, error) {
	sizes := o.Sizes
	if len(sizes) == 0 {
		sizes = []int64{p.defaultSize(t)}
	}
	if largest := slices.Max(sizes); t.Bytes > 0 && largest > t.Bytes {
		return nil, &bench.Error{
			Cause: fmt.Sprintf("size of %s: the target has %s", sizeName(largest), sizeName(t.Bytes)),
			Hint:  "choose a smaller size",
			Err:   bench.ErrBadJob,
		}
	}
	if p.FileBytes = slices.Max(sizes); p.FileBytes == 0 {
		p.FileBytes = p.Profile.FileBytes
	}
	return sizes, nil
}

// defaultSize returns the size of the profile, or of a smaller target.
func (p *Plan) defaultSize(t bench.Target) int64 {
	size := p.Profile.SizeBytes
	if t.Bytes > 0 && size > t.Bytes {
		p.Notes = append(p.Notes, fmt.Sprintf("the target has %s, not the %s of the profile", sizeName(t.Bytes), sizeName(size)))
		return t.Bytes
	}
	return size
}

// addRows adds all rows of the profile on one size.
func (p *Plan) addRows(size int64, several bool) {
	for _, r := range p.Profile.Rows {
		r.Job.Span = size
		if r.WholeSize {
			r.Job.TotalBytes = size - size%int64(r.Job.BlockBytes)
		}
		label := r.Label()
		if several {
			label += ", " + sizeName(size)
		}
		if size > 0 && int64(r.Job.BlockBytes) > size {
			p.Skipped = append(p.Skipped, Skipped{label, "a block is larger than the size of the test"})
			continue
		}
		p.Rows = append(p.Rows, PlannedRow{Row: r, SizeBytes: size, SizedLabel: label})
		p.addRuns(len(p.Rows) - 1)
	}
}

// addRuns adds the runs of one row.
func (p *Plan) addRuns(row int) {
	r := p.Rows[row].Row
	pause := p.Profile.Interval
	if row == 0 {
		pause = 0
	}
	first := 1
	if p.Profile.Prepare > 0 {
		first = 0
	}
	for run := first; run <= p.Profile.runs(r); run++ {
		j := r.Job
		if run == 0 {
			j.Duration = p.Profile.Prepare
		}
		p.Steps = append(p.Steps, Step{Row: row, Run: run, Pause: pause, Job: j})
		pause = 0
	}
}

// runs returns the number of runs of r that count.
func (p *Profile) runs(r Row) int {
	if r.Runs > 0 {
		return r.Runs
	}
	return p.Runs
}

// Figures returns the figure of each row in Plan.Rows from the results of the
// steps, in the order of the steps. A nil result is a run that failed; a row of
// which nothing was measured has a nil figure. There may be fewer results than
// steps.
func (p *Plan) Figures(results []*bench.Result) []*Figure {
	counted := make([][]*bench.Result, len(p.Rows))
	for i, r := range results[:min(len(results), len(p.Steps))] {
		if s := p.Steps[i]; !s.Discard() {
			counted[s.Row] = append(counted[s.Row], r)
		}
	}
	figures := make([]*Figure, len(p.Rows))
	for i, r := range p.Rows {
		if figures[i] = r.Figure(counted[i]); figures[i] != nil {
			figures[i].Row, figures[i].SizeBytes = r.SizedLabel, r.SizeBytes
		}
	}
	return figures
}
