package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/protocol"
	"qd1.example/qd1/internal/report"
)

// protocolFlags say how the runs are arranged.
func protocolFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "interleave", DisableDefaultText: true, Usage: "make a run of each row in each round (ABBA), not all runs of a row before those of the next"},
		&cli.BoolFlag{Name: "control", DisableDefaultText: true, Usage: "measure the first row once more under another name: what differs between the two is not the drive's doing"},
		&cli.BoolFlag{Name: "no-pilot", DisableDefaultText: true, Usage: "leave out the short runs that tell, with --runs 2 or more, which change can be found"},
		&cli.IntFlag{Name: "start-temp-max", DefaultText: "any", Usage: "let each run begin at `CELSIUS` at most: wait until the drive is that cool"},
		&cli.StringFlag{Name: "settle", DefaultText: "10m", Usage: "wait at most `TIME` for --start-temp-max"},
		&cli.Float64Flag{Name: "ambient", DefaultText: "not known", Usage: "`CELSIUS` of the air, to keep with the result"},
	}
}

// arrangement is how the runs are arranged.
type arrangement struct {
	interleave, control, pilot bool
	// startMax is the highest temperature at the start, nil for any, ambient that
	// of the air, nil for not known; both in °C.
	startMax *int
	ambient  *float64
	// settle is how long the drive may take to get cool.
	settle time.Duration
}

const (
	// defaultSettle is how long a drive may take to get cool.
	defaultSettle = 10 * time.Minute
	// coldestAir and hottestDrive bound what a temperature can be, °C.
	coldestAir, hottestDrive = -40, 125
)

// arrangement reads the flags.
func (in *invocation) arrangement() (a arrangement, err error) {
	a = arrangement{interleave: in.Bool("interleave"), control: in.Bool("control"), pilot: !in.Bool("no-pilot"), settle: defaultSettle}
	if in.IsSet("start-temp-max") {
		a.startMax = new(in.Int("start-temp-max"))
	}
	if in.IsSet("ambient") {
		a.ambient = new(in.Float64("ambient"))
	}
	if in.IsSet("settle") {
		if a.settle, err = in.duration("settle"); err != nil {
			return a, err
		}
	}
	switch most, air := a.startMax, a.ambient; {
	case most != nil && (*most < 0 || *most > hottestDrive):
		return a, usagef("--start-temp-max %d: 0 to %d °C is possible", *most, hottestDrive)
	case air != nil && !(*air >= coldestAir && *air <= hottestDrive):
		return a, usagef("--ambient %v: %d to %d °C is possible", *air, coldestAir, hottestDrive)
	case most != nil && air != nil && float64(*most) <= *air:
		return a, usagef("--start-temp-max %d: a drive does not get cooler than the air, which has %v °C", *most, *air)
	case most == nil && in.IsSet("settle"):
		return a, usagef("--settle is of --start-temp-max")
	}
	return a, nil
}

// conditions are what a comparison sees of it.
func (a *arrangement) conditions() conditions.Protocol {
	p := conditions.Protocol{Order: protocol.ByRow, StartMaxCelsius: a.startMax, AmbientCelsius: a.ambient}
	if a.interleave {
		p.Order = protocol.Interleaved
	}
	return p
}

// planRuns plans the runs on the place, with the control.
func (m *measurement) planRuns(o profile.Options) (err error) {
	if m.plan, err = m.load.profile.Plan(m.place.Target, o); err != nil {
		return benchError(err)
	}
	if m.arranged.control {
		m.addControl()
	}
	return nil
}

// controlName ends the label of a control.
const controlName = ", control"

// addControl adds the first row once more at the end.
func (m *measurement) addControl() {
	old, r := *m.plan, m.plan.Rows[0]
	r.SizedLabel += controlName
	m.controlRow = new(len(m.plan.Rows))
	m.addRow(&old, 0, r)
	for i := range m.plan.Steps {
		if s := &m.plan.Steps[i]; s.Row == *m.controlRow {
			s.Pause = m.plan.Profile.Interval
			break
		}
	}
}

// arrange puts the runs in order.
func (m *measurement) arrange() error {
	if !m.arranged.interleave {
		return nil
	}
	if len(m.plan.Rows) < 2 {
		return usagef("--interleave needs several rows to change between: a profile, --size with several sizes, --engine all, or --control")
	}
	protocol.Interleave(m.plan)
	m.report.Turns = protocol.Turns(m.plan)
	return nil
}

// judgeRuns says how much the runs of each row differ, whether they drift, and
// what the control shows.
func (m *measurement) judgeRuns() {
	for i := range m.report.Rows {
		row := &m.report.Rows[i]
		seconds, values := m.report.RunValues(i)
		row.Noise = report.RunNoise(&row.Job, values, len(values), m.workloads())
		row.Drift = protocol.DriftOf(seconds, values)
	}
	if m.controlRow == nil {
		return
	}
	control := *m.controlRow
	m.report.Rows[control].ControlOf = new(0)
	_, first := m.report.RunValues(0)
	_, again := m.report.RunValues(control)
	if c := protocol.ControlOf(string(report.RunMetric(&m.report.Rows[0].Job)), first, again); c != nil {
		c.Row = control
		m.report.Control = c
	}
}
