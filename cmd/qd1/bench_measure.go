package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
	"qd1.example/qd1/smart/drivedb"
)

const (
	// defaultFileBytes is the size of a file that is made, unless the profile
	// or the flags say otherwise.
	defaultFileBytes = 1 << 30
	// seriesPoints is the most points that a result keeps.
	seriesPoints = 1000
)

// measurement is one call of the bench command.
type measurement struct {
	in       *invocation
	load     *workload
	arranged arrangement
	report   *report.BenchReport
	place    *place
	plan     *profile.Plan
	pre      *scratch.Plan
	// targets has the target of each row of the plan that is not the place's,
	// below the row of the device below, by the row of a file.
	targets map[int]bench.Target
	below   map[int]int
	// controlRow is the row of the plan that repeats the first, nil for none.
	controlRow *int
	progress   *progress
	log        *benchLog
	sampler    *conditions.Sampler
	series     *conditions.Series[report.SeriesPoint]
	started    time.Time
	// results has the result of each step, nil for one that failed; rates the
	// seconds of the rows that are a series.
	results []*bench.Result
	rates   map[int][]profile.Sample
	// silent says that the drive did not answer, so that nothing is sent to it in
	// this process any more: it could hang with it.
	silent bool
	// shown says that a plan was all that was asked for.
	shown bool
}

// newMeasurement finds out what to measure.
func (in *invocation) newMeasurement(load *workload) (*measurement, error) {
	m := &measurement{
		in: in, load: load, targets: map[int]bench.Target{}, below: map[int]int{}, rates: map[int][]profile.Sample{},
		report: &report.BenchReport{
			Schema: report.BenchSchema, Tool: tool(), Time: in.env.now().UTC().Format(time.RFC3339Nano),
			Warnings: []string{}, Rows: []report.BenchRow{}, Results: []report.BenchResult{}, Series: []report.SeriesPoint{},
		},
	}
	if label := in.String("label"); label != "" {
		m.report.Label = &label
	}
	var err error
	if m.arranged, err = in.arrangement(); err != nil {
		return nil, err
	}
	if m.place, err = in.place(m.report); err != nil {
		return nil, err
	}
	m.progress = in.env.startProgress()
	return m, nil
}

// close gives up the target and takes the progress away. It may be called
// twice.
func (m *measurement) close() error {
	err := errors.Join(m.place.close(), m.log.close())
	m.log = nil
	if m.progress != nil {
		m.progress.end()
		m.progress = nil
	}
	return err
}

// prepare plans the runs, and makes the target ready for them: a file is made,
// a raw drive that is to be written to is claimed.
func (m *measurement) prepare(format string) error {
	if m.load.copies {
		return m.prepareCopy()
	}
	if err := m.makePlan(); err != nil {
		return err
	}
	if err := m.checkGate(); err != nil {
		return err
	}
	writes := slices.ContainsFunc(m.plan.Rows, func(r profile.PlannedRow) bool { return r.Writes() })
	if writes || m.pre != nil {
		if err := m.place.mayWrite(); err != nil {
			return err
		}
	}
	switch {
	case m.place.directory != "":
		if err := m.makeFile(); err != nil {
			return err
		}
	case !writes && m.pre == nil:
		err := m.in.notWith("what only reads: it is of writing to a raw drive", "dry-run", "yes", "expect-model", "expect-bytes", "destroy-signature", "pci")
		if err != nil {
			return err
		}
	default:
		m.progress.hide(true)
		shown, err := m.claim(format)
		m.progress.hide(false)
		if m.shown = shown; err != nil || shown {
			return err
		}
	}
	m.addBelow()
	if err := m.arrange(); err != nil {
		return err
	}
	return m.start()
}

// makePlan plans the runs. On a raw target a profile only reads unless it is
// told to write.
func (m *measurement) makePlan() error {
	o := m.load.options
	o.ReadOnly = m.load.named && m.place.directory == "" && !m.load.write
	if o.ReadOnly && !slices.ContainsFunc(m.load.profile.Rows, func(r profile.Row) bool { return !r.Writes() }) {
		return usagef("profile %s only writes: name a directory, where a file is made, or add --write to write to the raw drive", m.load.profile.ID())
	}
	if err := m.planRuns(o); err != nil {
		return err
	}
	if m.load.precondition != scratch.PreconditionNone {
		return m.planPrecondition()
	}
	return nil
}

// planPrecondition plans what is written before.
func (m *measurement) planPrecondition() error {
	if m.place.directory != "" {
		return usagef("--precondition is of raw drives: a file that qd1 makes is always filled")
	}
	start := m.plan.Rows[0].Job.Start
	p, err := scratch.Precondition(m.load.precondition, m.span()-start, m.ratedBytes(), scratch.PreconditionOptions{
		Engine: bench.EngineUring, Start: start, MostMBPerS: m.rated().WriteIOPS * 4096 / 1e6, Seed: m.load.options.Seed,
	})
	if err != nil {
		return benchError(err)
	}
	if m.place.Target.Kind == bench.SimulatedTarget {
		for i := range p.Steps {
			p.Steps[i].Job.Engine = bench.EnginePsync
			p.Steps[i].Job.QueueDepth = 1
		}
	}
	m.pre = &p
	return nil
}

// makeFile makes the file in the directory that was named.
func (m *measurement) makeFile() error {
	if m.in.IsSet("start") {
		return usagef("--start does not go with a directory: the whole file that is made there is used")
	}
	bytes := m.plan.FileBytes
	if bytes == 0 {
		bytes = defaultFileBytes
	}
	if note := leftoversNote(m.place.directory); note != "" {
		m.report.Warnings = append(m.report.Warnings, note)
	}
	m.progress.step("making a file of " + sizeText(bytes))
	err := m.place.makeFile(m.in.Context.Context, bytes, func(done int64) {
		m.progress.text(fmt.Sprintf("making a file: %s of %s", sizeText(done), sizeText(bytes)))
	})
	if err != nil {
		return benchError(err)
	}
	return m.planRuns(m.load.options)
}

// start reads the conditions and opens the log.
func (m *measurement) start() error {
	m.report.Conditions = conditionsOf(m.place)
	m.report.Conditions.Protocol = m.arranged.conditions()
	m.describe(&m.report.Conditions.Subject)
	m.report.Target = m.place.BenchTarget
	m.report.Warnings = append(m.report.Warnings, m.place.warnings...)
	m.report.Warnings = append(m.report.Warnings, m.plan.Notes...)
	if m.load.named {
		p := m.plan.Profile
		m.report.Profile = &report.BenchProfile{Name: p.ID(), Title: p.Title, Skipped: append([]profile.Skipped{}, m.plan.Skipped...)}
	}
	if !m.load.named {
		for _, s := range m.plan.Skipped {
			m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("%s was left out: %s", s.Label, s.Reason))
		}
	}
	for _, r := range m.plan.Rows {
		m.report.Rows = append(m.report.Rows, report.BenchRow{Label: r.SizedLabel, Job: r.Job})
	}
	var err error
	if m.log, err = openBenchLog(m.in.String("log")); err != nil {
		return err
	}
	m.started = m.in.env.now()
	m.series = conditions.NewSeries(seriesPoints, func(_, later report.SeriesPoint) report.SeriesPoint { return later })
	if _, err := m.coolDown(m.in.Context.Context); err != nil {
		return err
	}
	if ctl := m.place.controller(); ctl != nil {
		m.report.Conditions.Before = new(conditions.ReadDrive(m.in.Context.Context, ctl))
		if m.load.sample > 0 {
			m.sampler = conditions.NewSampler(m.started, m.load.sample)
		}
	}
	if err := m.sampleBlank(); err != nil {
		return err
	}
	return m.selfCheck()
}

// describe says what is measured, and how, as far as results must agree in it
// to be compared.
func (m *measurement) describe(s *conditions.Subject) {
	j := &m.plan.Rows[0].Job
	s.Precondition, s.Engine, s.StartBytes = string(m.load.precondition), j.Engine, j.Start
	s.SpanBytes = m.span() - j.Start
	s.Submission = "one"
	if j.Batch {
		s.Submission = "batch"
	}
	if d := m.report.Drive; d != nil {
		s.Serial, s.Firmware = d.Serial, d.Firmware
	}
	if m.place.Target.BlockBytes > 0 && m.place.raw() {
		s.LBAFormat = fmt.Sprintf("%d+0", m.place.Target.BlockBytes)
	}
}

// sample reads the temperature when it is due, and returns what was read, nil if
// nothing was.
func (m *measurement) sample(ctx context.Context) *conditions.Heat {
	now := m.in.env.now()
	if m.sampler == nil || !m.sampler.Due(now) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if m.sampler.Sample(ctx, now, m.place.controller()) != nil {
		return nil // The next one may succeed.
	}
	points := m.sampler.Points()
	return &points[len(points)-1].Value
}

// counts reports whether the drive counts its throttling: without thermal
// management the counters stay 0.
func (m *measurement) counts() bool {
	b := m.report.Conditions.Before
	return b != nil && b.Limits != nil && (b.Limits.TMT1 != nil || b.Limits.TMT2 != nil)
}

// limits are those at which the drive holds itself back.
func (m *measurement) limits() profile.Limits {
	l := profile.Limits{CapacityBytes: m.place.Target.Bytes}
	known := m.place.limits
	if b := m.report.Conditions.Before; b != nil {
		known = b.Limits
	}
	if known != nil {
		l.TMT1, l.TMT2, l.Warning = known.TMT1, known.TMT2, known.Warning
	}
	return l
}

// temperature is the last one that was read, nil if there is none.
func (m *measurement) temperature() *int {
	if m.sampler == nil {
		return nil
	}
	points := m.sampler.Points()
	if len(points) == 0 {
		return nil
	}
	return points[len(points)-1].Value.Celsius
}

// stats are the statistics of the block device below the target.
func (m *measurement) stats() (conditions.Stats, error) {
	if m.place.device == "" {
		return conditions.Stats{}, errors.New("no block device")
	}
	return conditions.ReadStats(hostRoot(), m.place.device)
}

// otherIO says what else went to the device in a run.
func (m *measurement) otherIO(before conditions.Stats, r *bench.Result) *conditions.OtherIO {
	after, err := m.stats()
	if err != nil || !reachesTarget(r.Engine) {
		return nil
	}
	return new(conditions.Foreign(m.report.Conditions.Block, after.Sub(before), oursOf(r, m.place)))
}

// oursOf is what a run sent to the device.
func oursOf(r *bench.Result, p *place) conditions.Ours {
	block := int64(r.BlockBytes)
	o := conditions.Ours{
		Writes: r.BytesWritten / block, WriteBytes: r.BytesWritten, Failed: r.Errors, BlockBytes: r.BlockBytes,
		File:      p.filesystem != nil,
		Uncounted: r.Engine == bench.EnginePassthru || r.Engine == bench.EngineIoctl,
		Reads:     r.BytesRead / block, ReadBytes: r.BytesRead,
	}
	return o
}

// rated is what the maker states of the drive.
func (m *measurement) rated() profile.Rated {
	e := m.entry()
	if e == nil {
		return profile.Rated{}
	}
	return profile.Rated{
		ReadMBs: e.RatedSeqReadMBs, WriteMBs: e.RatedSeqWriteMBs, ReadIOPS: e.RatedReadIOPS, WriteIOPS: e.RatedWriteIOPS,
		ReadLatencyUS: e.RatedReadLatencyUS, WriteLatencyUS: e.RatedWriteLatencyUS,
	}
}

// ratedBytes is the rated endurance in bytes, 0 if it is not known.
func (m *measurement) ratedBytes() int64 {
	if e := m.entry(); e != nil {
		return e.RatedBytesWritten
	}
	return 0
}

func (m *measurement) entry() *drivedb.Entry {
	if m.report.Drive == nil {
		return nil
	}
	return drivedb.Lookup(m.report.Drive.Model)
}
