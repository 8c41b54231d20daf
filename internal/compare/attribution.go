package compare

import (
	"fmt"
	"math"
	"slices"

	"qd1.example/qd1/bench/stats"
	"qd1.example/qd1/internal/report"
)

// Origin is where a change comes from.
type Origin string

// The origins. FromDrive is what lies below the kernel: the drive, its link and
// whatever is between.
const (
	FromHost   Origin = "host"
	FromDrive  Origin = "drive"
	CannotTell Origin = "cannot tell"
)

const (
	// hostShare is the share of a change from which on it is the processor's,
	// driveShare that up to which it is not.
	hostShare  = 0.5
	driveShare = 0.2
	// busyShare is the share of an operation from which on the processor polls or
	// is itself what limits.
	busyShare = 0.8
	// idleExitUS bounds what leaving an idle state of a CPU takes, in µs. It is no
	// time of the processor, and no sign of the drive either.
	idleExitUS = 200
)

// Attribution says whether the change of one workload is more likely the host's
// or the drive's.
type Attribution struct {
	Label  string `json:"label"`
	Origin Origin `json:"origin"`
	// Text is the conclusion, Facts what it rests on.
	Text  string   `json:"text"`
	Facts []string `json:"facts"`
	// LatencyChangeUS is that of the mean latency, CPUChangeUS that of the
	// processor's time for each operation, SelfChangeUS that of the program's own
	// share. nil: not known.
	LatencyChangeUS *float64 `json:"latency_change_us"`
	CPUChangeUS     *float64 `json:"cpu_change_us"`
	SelfChangeUS    *float64 `json:"self_change_us"`
}

// attributions looks at each workload with a primary row that changed.
func attributions(pairs []pair, rows []Row, diffs []Difference, self *float64) []Attribution {
	list := []Attribution{}
	controls := controlRows(pairs, rows)
	for _, p := range pairs {
		if host(p.before) || direction(rows, p.before.key) == 0 {
			continue
		}
		a := p.attribution(self)
		a.conclude(p, direction(rows, p.before.key), controls, hostDifferences(diffs))
		list = append(list, a)
	}
	return list
}

// direction is -1 for a workload that became slower, 1 for one that became
// faster, 0 for one of which neither is known.
func direction(rows []Row, k loadKey) int {
	for _, r := range rows {
		switch {
		case r.key != k || r.Secondary || r.Verdict == nil:
		case *r.Verdict == Worse:
			return -1
		case *r.Verdict == Better:
			return 1
		}
	}
	return 0
}

// control is a workload that never reaches the drive.
type control struct {
	label     string
	direction int
	same      bool
}

// controlRows returns the workloads of the engines null and ram.
func controlRows(pairs []pair, rows []Row) []control {
	var list []control
	for _, p := range pairs {
		if !host(p.before) || !host(p.after) {
			continue
		}
		c := control{label: p.before.label, direction: direction(rows, p.before.key)}
		c.same = slices.ContainsFunc(rows, func(r Row) bool {
			return r.key == p.before.key && r.Verdict != nil && *r.Verdict == NoChange
		})
		list = append(list, c)
	}
	return list
}

// attribution gathers the numbers.
func (p pair) attribution(self *float64) Attribution {
	a := Attribution{Label: p.before.label, Origin: CannotTell, Facts: []string{}, SelfChangeUS: self}
	a.LatencyChangeUS = p.difference(func(r *report.BenchResult) *float64 { return r.Latency.Mean })
	a.CPUChangeUS = p.difference(func(r *report.BenchResult) *float64 { return r.CPUPerOp })
	if a.CPUChangeUS != nil && a.LatencyChangeUS != nil {
		a.fact("an operation takes %+.2f µs in the mean, of which the processor works %+.2f µs", *a.LatencyChangeUS, *a.CPUChangeUS)
	}
	if self != nil {
		a.fact("the program's own share of an operation, measured without a drive, changed by %+.2f µs", *self)
	}
	return a
}

func (a *Attribution) fact(format string, args ...any) {
	a.Facts = append(a.Facts, fmt.Sprintf(format, args...))
}

// difference returns by how much the median of a figure is larger after.
func (p pair) difference(of func(*report.BenchResult) *float64) *float64 {
	b, a := p.before.median(of), p.after.median(of)
	if b == nil || a == nil {
		return nil
	}
	return new(round(*a - *b))
}

// conclude weighs what is known.
func (a *Attribution) conclude(p pair, direction int, controls []control, diffs []string) {
	moved := a.judgeControls(direction, controls)
	if len(diffs) > 0 {
		a.fact("of the host %s %s", enumerate(diffs), differ(len(diffs)))
	}
	share, known := a.share(p)
	switch {
	case moved != "":
		a.Origin, a.Text = FromHost, moved+", which never reaches the drive, changed in the same direction: more likely the host"
	case a.ownShare() >= hostShare:
		a.Origin, a.Text = FromHost, "the program's own share of an operation, measured without a drive, makes most of the change: more likely the host"
	case known && share >= hostShare:
		a.Origin, a.Text = FromHost, fmt.Sprintf("the processor's own time makes %.0f %% of the change: more likely the host", 100*min(share, 1))
	case !known:
		a.Text = "cannot tell: with several operations in flight, with polling or without the processor's time, the shares cannot be separated"
	case len(diffs) > 0:
		a.Text = "cannot tell: the processor's own time did not grow with it, but " + enumerate(diffs) + " " + differ(len(diffs))
	case share > driveShare:
		a.Text = "cannot tell: the processor's own time is a part of it, and not the larger one"
	case !p.held() && math.Abs(*a.LatencyChangeUS) < idleExitUS:
		a.Text = "cannot tell: the CPUs were not kept awake, and to wake one takes as long"
	default:
		a.Origin, a.Text = FromDrive, "the processor's own time did not change with it, and nothing that is known of the host differs: more likely the drive, or what lies between it and the kernel"
	}
}

// judgeControls returns the label of a control that changed in the same
// direction, "" for none.
func (a *Attribution) judgeControls(direction int, controls []control) string {
	moved := ""
	for _, c := range controls {
		switch {
		case c.direction == direction:
			moved = c.label
		case c.same:
			a.fact("%s, which never reaches the drive, did not change", c.label)
		}
	}
	return moved
}

// ownShare is the program's own part of the change, 0 if it is not known.
func (a *Attribution) ownShare() float64 {
	if a.SelfChangeUS == nil || a.LatencyChangeUS == nil || *a.LatencyChangeUS == 0 {
		return 0
	}
	return *a.SelfChangeUS / *a.LatencyChangeUS
}

// share is the processor's part of the change. It is known for one operation in
// flight, because of several the processor works on one while others wait, and
// for a processor that sleeps meanwhile.
func (a *Attribution) share(p pair) (share float64, known bool) {
	if p.before.inFlight() != 1 || a.CPUChangeUS == nil || a.LatencyChangeUS == nil || *a.LatencyChangeUS == 0 || p.before.busy() || p.after.busy() {
		return 0, false
	}
	return *a.CPUChangeUS / *a.LatencyChangeUS, true
}

// busy reports whether the processor works for most of each operation, as one
// does that polls.
func (l *load) busy() bool {
	cpu := l.median(func(r *report.BenchResult) *float64 { return r.CPUPerOp })
	latency := l.median(func(r *report.BenchResult) *float64 { return r.Latency.Mean })
	return cpu != nil && latency != nil && *cpu > busyShare**latency
}

// held reports whether the CPUs were kept out of idle states in all runs.
func (p pair) held() bool {
	asleep := func(r *report.BenchResult) bool { return !r.CPULatencyHeld }
	return p.before.count(asleep) == 0 && p.after.count(asleep) == 0
}

// hostDifferences names what differs of the host.
func hostDifferences(diffs []Difference) []string {
	drive := []string{
		"serial number", "firmware", "LBA format", "model", "target", "preconditioning", "volatile write cache", "write cache",
		startTemperature, "autonomous power state transition", "version of qd1", "other I/O during the run", "cached",
	}
	var list []string
	for _, d := range diffs {
		if !slices.Contains(drive, d.What) && (d.Before != nil && d.After != nil) {
			list = appendOnce(list, d.What)
		}
	}
	return list
}

// selfChange is by how much the program's own share of an operation grew.
func selfChange(b, a *side) *float64 {
	was, is := b.self(), a.self()
	if was == nil || is == nil {
		return nil
	}
	return new(round(*is - *was))
}

func (s *side) self() *float64 {
	var list []float64
	for _, r := range s.reports {
		if r.SelfUS != nil {
			list = append(list, *r.SelfUS)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return new(stats.Median(list))
}
