package main

import (
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/report"
)

const (
	// pilotRuns of pilotTime each tell the noise, of the first rows that read.
	pilotRuns   = 5
	pilotTime   = 250 * time.Millisecond
	pilotWarmup = 50 * time.Millisecond
	mostPilots  = 4
)

// pilot makes short runs before, to tell which change the runs can show. The error
// is one after which it makes no sense to go on.
func (m *measurement) pilot() error {
	if !m.arranged.pilot {
		return nil
	}
	for _, row := range m.pilotRows() {
		p, err := m.pilotRow(row)
		if err != nil {
			return err
		}
		if p == nil {
			continue // The runs themselves will say why.
		}
		m.report.Pilot = append(m.report.Pilot, *p)
		m.progress.hide(true)
		m.in.env.say("%s", pilotText(p, len(m.plan.Rows) > 1))
		m.progress.hide(false)
	}
	return nil
}

// pilotText says what a pilot found.
func pilotText(p *report.PilotRow, several bool) string {
	what := "the median latency"
	if p.Metric == string(reference.MBPerS) {
		what = "the rate"
	}
	text := fmt.Sprintf("%s (a pilot of %d runs of %v s: noise of %s %.2g %%)", p.Noise.String(), p.Runs, p.Seconds, what, p.CVPercent)
	if several {
		text = p.Label + ": " + text
	}
	return text
}

// pilotRows are those of which short runs tell something and do no harm: rows that
// read and that are repeated.
func (m *measurement) pilotRows() []int {
	var rows []int
	for i, r := range m.plan.Rows {
		paused := r.Job.ThinkTime > 0 || r.Job.Rate > 0
		if isControl := m.controlRow != nil && *m.controlRow == i; isControl || paused || r.Writes() || !reachesTarget(r.Job.Engine) || m.runsOf(i) < 2 {
			continue
		}
		if rows = append(rows, i); len(rows) == mostPilots {
			break
		}
	}
	return rows
}

// runsOf is how many runs of a row count.
func (m *measurement) runsOf(row int) int {
	n := 0
	for _, s := range m.plan.Steps {
		if s.Row == row && !s.Discard() {
			n++
		}
	}
	return n
}

// workloads is how many rows a comparison will have.
func (m *measurement) workloads() int {
	n := 0
	for i, r := range m.plan.Rows {
		if isControl := m.controlRow != nil && *m.controlRow == i; !isControl && reachesTarget(r.Job.Engine) {
			n++
		}
	}
	return n
}

// pilotRow makes the short runs of a row, nil if they tell nothing.
func (m *measurement) pilotRow(row int) (*report.PilotRow, error) {
	r := &m.plan.Rows[row]
	j := pilotJob(r.Job)
	var values []float64
	for run := range pilotRuns {
		m.progress.step(fmt.Sprintf("%s: pilot, run %d of %d", r.SizedLabel, run+1, pilotRuns))
		res, err := m.worker(m.in.Context.Context, m.target(row), j, nil)
		switch {
		case errors.Is(err, bench.ErrStalled), errors.Is(err, bench.ErrInterrupted), errors.Is(err, bench.ErrGone):
			return nil, err
		case err != nil || res == nil:
			return nil, nil
		}
		v := report.RunValue(res)
		if v == nil {
			return nil, nil
		}
		values = append(values, *v)
	}
	noise := report.RunNoise(&r.Job, values, m.runsOf(row), m.workloads())
	if noise == nil {
		return nil, nil
	}
	return &report.PilotRow{Row: row, Label: r.SizedLabel, Seconds: j.Duration.Seconds(), Noise: *noise}, nil
}

// pilotJob is a short run of a job.
func pilotJob(j bench.Job) bench.Job {
	if j.Duration == 0 || j.Duration > pilotTime {
		j.Duration = pilotTime
	}
	j.Warmup = min(j.Warmup, pilotWarmup)
	return j
}
