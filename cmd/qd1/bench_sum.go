package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/hostpower"
	"qd1.example/qd1/internal/protocol"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
)

// sumUp makes the figures of what was measured, and notes what is to be said of
// them.
func (m *measurement) sumUp() {
	rated := m.rated()
	for i, f := range m.plan.Figures(m.results) {
		row := &m.report.Rows[i]
		row.Figure = f
		if reachesTarget(row.Job.Engine) {
			row.Rated = rated.Compare(row.Job, f)
		}
		if rates := m.rates[i]; len(rates) > 0 {
			row.Sustained = new(profile.SustainSamples(rates, m.limits()))
		}
	}
	for file, raw := range m.below {
		m.report.Rows[file].FileSystemCost = profile.CostOf(m.report.Rows[raw].Figure, m.report.Rows[file].Figure)
	}
	if m.load.layers {
		m.report.Layers = m.layers()
	}
	m.judgeRuns()
	for _, p := range m.series.Points() {
		m.report.Series = append(m.report.Series, p.Value)
	}
	m.conditionsAfter()
	m.warn()
	m.warnOfControl()
}

// reachesTarget reports whether an engine does anything with the target.
func reachesTarget(engine string) bool {
	return engine != bench.EngineNull && engine != bench.EngineRAM
}

// conditionsAfter reads the state of the drive again.
func (m *measurement) conditionsAfter() {
	c := &m.report.Conditions
	if m.sampler != nil {
		c.Temperatures = m.sampler.Points()
	}
	if ctl := m.place.controller(); ctl != nil && c.Before != nil {
		// Also after Ctrl-C: what was measured is shown with its conditions.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(m.in.Context.Context), 2*time.Second)
		defer cancel()
		c.SetAfter(conditions.ReadDrive(ctx, ctl))
	}
}

// warn says what makes the figures other than they look.
func (m *measurement) warn() {
	w := &m.report.Warnings
	if o := m.allOtherIO(); o != nil {
		m.report.Conditions.OtherIO = o
		if o.Disturbed {
			*w = append(*w, "others used the device during the measurement")
		}
		if o.Cached != nil && *o.Cached {
			*w = append(*w, o.Reason)
		}
	}
	*w = append(*w, failureWarnings(m.report.Rows, m.report.Results)...)
	for _, r := range m.report.Rows {
		if d := r.Drift; d != nil && d.Found && d.P*float64(len(m.report.Rows)) <= driftAlpha {
			*w = append(*w, fmt.Sprintf("%s: from the first run to the last the figure drifts by %s %% (p = %.2g), which more runs do not average away", r.Label, signedPercent(d.ChangePercent), d.P))
		}
		if r.Rated == nil {
			continue
		}
		switch r.Rated.Plausibility {
		case profile.HostLimited:
			*w = append(*w, fmt.Sprintf("%s: only %.1f %% of what the maker states: the host, the link or the set-up is measured, not the drive", r.Label, r.Rated.Percent))
		case profile.AboveRated:
			*w = append(*w, fmt.Sprintf("%s: %.0f %% of what the maker states: something else than the medium has answered", r.Label, r.Rated.Percent))
		}
	}
}

// warnOfControl says that something else than the drive made a difference.
func (m *measurement) warnOfControl() {
	if c := m.report.Control; c != nil && c.Verdict == protocol.Differs && c.ChangePercent != nil {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("%s, measured twice, differs by %s %% (p = %.2g): differences of this size are not the drive's", m.report.Rows[c.Of].Label, signedPercent(*c.ChangePercent), *c.P))
	}
}

// signedPercent writes a change with 2 digits, or as a whole number.
func signedPercent(v float64) string {
	if v >= 10 || v <= -10 {
		return fmt.Sprintf("%+.0f", v)
	}
	return fmt.Sprintf("%+.2g", v)
}

// driftAlpha is the chance that any row shows a drift without having one.
const driftAlpha = 0.05

// allOtherIO is what else went to the device in all runs together, nil if none
// of them knows.
func (m *measurement) allOtherIO() *conditions.OtherIO {
	var all *conditions.OtherIO
	for i := range m.report.Results {
		o := m.report.Results[i].OtherIO
		if o == nil {
			continue
		}
		if all == nil {
			all = new(*o)
			continue
		}
		all.Known = all.Known && o.Known
		all.Reads, all.ReadBytes = all.Reads+o.Reads, all.ReadBytes+o.ReadBytes
		all.Writes, all.WriteBytes = all.Writes+o.Writes, all.WriteBytes+o.WriteBytes
		all.Discards, all.Flushes = all.Discards+o.Discards, all.Flushes+o.Flushes
		all.Disturbed = all.Disturbed || o.Disturbed
		if o.Cached != nil && (*o.Cached || all.Cached == nil) {
			all.Cached, all.CachedPercent, all.Reason = o.Cached, o.CachedPercent, o.Reason
		}
	}
	return all
}

const (
	// blankSamples are read of a device, for at most blankTime.
	blankSamples = 1000
	blankTime    = 2 * time.Second
)

// sampleBlank reads samples of a device, to know how much of it was ever
// written. It does that in a worker, as everything that a drive may never
// answer. The error says that it makes no sense to go on.
func (m *measurement) sampleBlank() error {
	t := &m.place.Target
	if t.Kind != bench.BlockTarget || m.pre != nil || m.plan.Profile.Writes() {
		return nil
	}
	j := bench.Job{
		Engine: bench.EnginePsync, Op: bench.OpRead, Pattern: bench.Random, BlockBytes: max(t.BlockBytes, 4096), QueueDepth: 1, Workers: 1,
		Operations: blankSamples, Duration: blankTime, Seed: m.load.options.Seed, StallLimit: m.load.stall,
	}
	j.Start = m.plan.Rows[0].Job.Start
	j.Span = m.span() - j.Start
	if j.Start%int64(j.BlockBytes) != 0 || j.Span < int64(j.BlockBytes) {
		return nil
	}
	m.progress.step("looking at samples of the medium")
	res, err := m.worker(m.in.Context.Context, *t, j, nil)
	if errors.Is(err, bench.ErrStalled) || errors.Is(err, bench.ErrInterrupted) || errors.Is(err, bench.ErrGone) {
		return err
	}
	if res == nil || res.BlankPercent == nil {
		return nil // The measurement will say why.
	}
	zeros := int64(*res.BlankPercent/100*float64(res.Operations) + 0.5)
	b := scratch.BlankOf(res.Operations, zeros, res.Errors, res.Seed)
	m.report.Conditions.Blank = &b
	if text := b.Warning(); text != "" {
		m.report.Warnings = append(m.report.Warnings, text)
	}
	return nil
}

// selfCheckTime is how long the engine that reads nothing is measured.
const selfCheckTime = 100 * time.Millisecond

// selfCheck measures what qd1 itself costs for each operation: the loop of the
// first row with an engine that completes everything at once. The error is that
// of Ctrl-C only.
func (m *measurement) selfCheck() error {
	j := m.plan.Rows[0].Job
	if j.Engine == bench.EngineNull {
		return nil
	}
	m.progress.step("measuring the cost of qd1 itself")
	null := bench.Job{
		Engine: bench.EngineNull, Op: bench.OpRead, Pattern: j.Pattern, BlockBytes: j.BlockBytes, QueueDepth: j.QueueDepth, Workers: 1,
		Duration: selfCheckTime, Warmup: selfCheckTime / 10, Span: j.Span, Start: j.Start, HoldCPULatency: j.HoldCPULatency,
	}
	res, err := m.worker(m.in.Context.Context, m.place.Target, null, nil)
	if ctx := m.in.Context.Context; ctx.Err() != nil {
		return fmt.Errorf("%w: %w", bench.ErrInterrupted, context.Cause(ctx))
	}
	if err == nil && res.Operations > 0 {
		m.report.SelfUS = new(1e6 * res.Seconds / float64(res.Operations))
	}
	return nil
}

// conditionsOf reads what a measurement at a place depends on.
func conditionsOf(p *place) report.Conditions {
	c := report.Conditions{Filesystem: p.filesystem, Extents: p.extents}
	c.Host = conditions.ReadHost(hostRoot())
	c.OnMains = hostpower.Read(os.DirFS("/sys"), os.DirFS("/run")).OnMains
	c.Temperatures = []conditions.Point[conditions.Heat]{}
	if p.device != "" {
		c.SetBlock(conditions.ReadBlock(hostRoot(), p.device))
	}
	s := &c.Subject
	s.Kind, s.SizeBytes, s.Precondition = string(p.Target.Kind), p.Target.Bytes, string(scratch.PreconditionNone)
	if p.filesystem != nil {
		s.FileSystem = p.filesystem.Type
	}
	return c
}

// deviceBelow begins the name of a row of the device below a file.
const deviceBelow = "raw "

// addBelow adds, behind rows that read a file, the same rows of the device
// below it, so that what the file system costs can be told: for the profile
// that is known for that, and where all engines are measured.
func (m *measurement) addBelow() {
	t := m.place.below
	matrix := m.load.named && m.plan.Profile.Name == "iometer"
	if t == nil || m.place.filesystem == nil || !m.load.layers && !matrix {
		return
	}
	old := *m.plan
	m.plan.Rows, m.plan.Steps = nil, nil
	for i, r := range old.Rows {
		m.addRow(&old, i, r)
		kernel := r.Job.Engine == bench.EnginePsync || r.Job.Engine == bench.EngineUring
		if r.Writes() || !kernel {
			continue
		}
		m.targets[len(m.plan.Rows)] = *t
		m.below[len(m.plan.Rows)-1] = len(m.plan.Rows)
		r.Row.Name, r.SizedLabel = deviceBelow+r.Row.Name, fmt.Sprintf("%s%s, %s", deviceBelow, r.SizedLabel, filepath.Base(t.Path))
		r.Job.Span = min(r.Job.Span, t.Bytes)
		m.addRow(&old, i, r)
	}
}

// addRow adds r with the steps of a row of the old plan.
func (m *measurement) addRow(old *profile.Plan, row int, r profile.PlannedRow) {
	m.plan.Rows = append(m.plan.Rows, r)
	for _, s := range old.Steps {
		if s.Row == row {
			s.Row, s.Job.Span = len(m.plan.Rows)-1, r.Job.Span
			m.plan.Steps = append(m.plan.Steps, s)
		}
	}
}

// layers says what each part of the way to the drive costs, from the median
// latencies of the engines.
func (m *measurement) layers() []report.LayerCost {
	median := map[string]*float64{}
	for i, r := range m.plan.Rows {
		if f := m.report.Rows[i].Figure; f != nil {
			median[r.Row.Name] = f.LatencyUS
		}
	}
	var costs []report.LayerCost
	add := func(layer, engine, without string) {
		us := median[engine]
		if us == nil || without != "" && median[without] == nil {
			return
		}
		cost := *us
		if without != "" {
			cost -= *median[without]
		}
		costs = append(costs, report.LayerCost{Layer: layer, Engine: engine, Without: without, MedianUS: cost})
	}
	add("qd1's own loop, with two readings of the clock", bench.EngineNull, "")
	add("copying a block in memory", bench.EngineRAM, bench.EngineNull)
	add("the file system", bench.EnginePsync, deviceBelow+bench.EnginePsync)
	add("the block layer, beyond a bare NVMe command", bench.EngineUring, bench.EnginePassthru)
	add("io_uring instead of a plain system call", bench.EngineUring, bench.EnginePsync)
	add("waiting in an ioctl instead of a ring", bench.EngineIoctl, bench.EnginePassthru)
	switch {
	case median[bench.EnginePassthru] != nil:
		add("the driver, the link and the drive", bench.EnginePassthru, bench.EngineNull)
	case median[deviceBelow+bench.EnginePsync] != nil:
		add("the kernel, the link and the drive", deviceBelow+bench.EnginePsync, bench.EngineNull)
	default:
		add("the kernel, the link and the drive", bench.EnginePsync, bench.EngineNull)
	}
	return costs
}
