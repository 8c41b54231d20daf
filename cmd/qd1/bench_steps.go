package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/report"
)

// run does all steps and sums up. What was measured until an error is kept.
func (m *measurement) run() error {
	if m.load.copies {
		return m.runCopy()
	}
	err := m.precondition()
	if err == nil {
		err = m.pilot()
	}
	if err == nil {
		err = m.steps()
	}
	m.silent = errors.Is(err, bench.ErrStalled) || errors.Is(err, bench.ErrGone)
	m.sumUp()
	return benchError(err)
}

// precondition writes what is to be written before.
func (m *measurement) precondition() error {
	if m.pre == nil {
		return nil
	}
	done, err := m.pre.Run(m.in.Context.Context, func(ctx context.Context, j bench.Job) (*bench.Result, error) {
		m.load.complete(&j, m.in)
		return m.worker(ctx, m.place.Target, j, func(p bench.Progress) { m.progress.bench("writing before the measurement", p) })
	}, nil)
	m.report.Precondition = &done
	return err
}

// steps does the runs of the plan.
func (m *measurement) steps() error {
	ctx := m.in.Context.Context
	for i, s := range m.plan.Steps {
		row := m.plan.Rows[s.Row]
		if err := m.pause(ctx, s.Pause); err != nil {
			return err
		}
		start, err := m.coolDown(ctx)
		if err != nil {
			return err
		}
		m.progress.step(m.stepText(i, s))
		before, statsErr := m.stats()
		res, err := m.worker(ctx, m.target(s.Row), s.Job, func(p bench.Progress) { m.observe(s, row, p) })
		if m.load.layers && res == nil && ctx.Err() == nil {
			m.skip(row.SizedLabel, err)
			m.results = append(m.results, nil)
			continue
		}
		m.results = append(m.results, res)
		if res != nil && !s.Discard() && (res.Operations > 0 || err == nil) {
			kept := report.BenchResult{Row: s.Row, Run: s.Run, Start: start, Result: *res}
			if statsErr == nil {
				kept.OtherIO = m.otherIO(before, res)
			}
			if o := kept.OtherIO; o != nil && o.Cached != nil {
				kept.Cached = *o.Cached
			}
			m.report.Conditions.CPULatencyHeld = res.CPULatencyHeld
			m.report.Results = append(m.report.Results, kept)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// skip notes a row that could not be measured.
func (m *measurement) skip(label string, err error) {
	why := strings.TrimPrefix(err.Error(), bench.ErrBadJob.Error()+": ")
	m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("%s was left out: %s", label, why))
}

// target is what a row measures.
func (m *measurement) target(row int) bench.Target {
	if t, ok := m.targets[row]; ok {
		return t
	}
	return m.place.Target
}

// worker runs one job in a process of its own.
func (m *measurement) worker(ctx context.Context, t bench.Target, j bench.Job, observe bench.Observer) (*bench.Result, error) {
	return m.in.env.runWorker(ctx, bench.Spec{Target: t, Job: j}, m.place.claimed, observe)
}

// pause waits between rows.
func (m *measurement) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	m.progress.step(fmt.Sprintf("waiting for %v before the next row", d))
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		m.sample(ctx)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", bench.ErrInterrupted, context.Cause(ctx))
	}
}

// stepText says which run it is, and how long all of them take.
func (m *measurement) stepText(i int, s profile.Step) string {
	row := m.plan.Rows[s.Row]
	run := fmt.Sprintf("run %d", s.Run)
	if s.Discard() {
		run = "the run that does not count"
	}
	left := m.plan.Remaining(i, m.rated()).Duration.Round(time.Second)
	return fmt.Sprintf("%s: %s; about %v left", row.SizedLabel, run, left)
}

// observe takes the progress of a run.
func (m *measurement) observe(s profile.Step, row profile.PlannedRow, p bench.Progress) {
	m.progress.bench(row.SizedLabel, p)
	fresh := m.sample(m.in.Context.Context)
	if p.WarmingUp || s.Discard() {
		return
	}
	m.series.Add(m.in.env.now().Sub(m.started).Seconds(), report.SeriesPoint{
		Row: s.Row, Run: s.Run, Seconds: p.Seconds, Operations: p.Operations, IOPS: p.IOPS, MBPerS: p.MBPerS, Errors: p.Errors,
	})
	if sample, ok := profile.SampleOf(p, s.Job); ok && row.Series {
		if fresh != nil && sample.Celsius == nil && m.place.Target.Kind != bench.SimulatedTarget {
			sample.Celsius = fresh.Celsius
			if m.counts() {
				sample.Throttles = new(fresh.Throttles)
			}
		}
		m.rates[s.Row] = append(m.rates[s.Row], sample)
	}
	m.log.add(row.SizedLabel, s, p, m.temperature())
}
