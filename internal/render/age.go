package render

import (
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/report"
)

// AgePlan writes what an aging would do: the drive, the steps with their time,
// what is written and what it wears out, and the limits. b is what the guard says
// of a drive that is written to, nil for others.
func AgePlan(w io.Writer, a *aging.Plan, b *report.BenchPlan, style Style) error {
	p := &page{style: style.english()}
	p.banner(a.Simulated)
	word := piece{Good, "PLAN"}
	if a.Refused || b != nil && b.Refused {
		word = piece{Bad, "REFUSED"}
	}
	p.heading(word, piece{Strong, fmt.Sprintf("aging: %s in the mode %s", lasting(a.TreatmentSeconds), a.Mode)}, piece{Plain, "nothing was written to the drive"})
	p.list(Bad, "REFUSED", a.Refusals)
	if b != nil {
		p.checks(Bad, "REFUSED", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Refuse })
		p.subject(&b.Identity, b.Radius)
	} else {
		p.agedDrive(&a.Target)
	}
	p.ageSteps(a)
	p.labelled(Strong, "time", "about "+lasting(a.TotalSeconds)+", without pauses")
	p.labelled(Strong, "writes", plannedWear(a))
	p.labelled(Dim, "heat", heatLimit(&a.Limits))
	p.labelled(Dim, "ends if", "media errors or a critical warning come up; what was measured until then is kept")
	p.labelled(Strong, "to stop", "Ctrl-C at any time; qd1 age resume carries on, also after a restart"+lossText(b))
	p.list(Warn, "note", a.Notes)
	if b != nil {
		p.checks(Warn, "CONSENT", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Consent })
		p.checks(Warn, "warning", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && c.Warning })
		if !b.Refused && !a.Refused {
			p.labelled(Strong, "consent", consentText(b.Phrase, &b.Identity, b.Checks))
		}
		p.checks(Good, "checked", b.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && !c.Warning })
	}
	return p.writeTo(w)
}

// agedDrive says what is aged.
func (p *page) agedDrive(t *aging.Target) {
	name := t.Target.Name
	if d := t.Drive; d != nil {
		name = join(" · ", orUnknown(p.lang(), d.Model), "serial "+orUnknown(p.lang(), d.Serial), prefixed("firmware ", d.Firmware))
	}
	p.labelled(Dim, "drive", join(" · ", name, exactBytes(t.Target.Bytes), t.Target.Path))
}

func lossText(b *report.BenchPlan) string {
	if b == nil {
		return ""
	}
	return "; all data of the namespace count as lost from the start on, and its first MiB is zeroed at the end"
}

// ageSteps is the table of the steps.
func (p *page) ageSteps(a *aging.Plan) {
	g := &grid{columns: []column{{head: "step", left: true}, {head: "times"}, {head: "each"}, {head: "written", spare: 1}}}
	for _, s := range a.Steps {
		if s.Count == 0 || s.Seconds == 0 {
			continue
		}
		each, written := lasting(s.Seconds), ""
		if s.Step == "settling" {
			each = "up to " + each
		}
		if s.WrittenBytes > 0 {
			written = "up to " + size(uint64(s.WrittenBytes))
		}
		g.rows = append(g.rows, gridRow{cells: []piece{{Plain, s.Step}, {Plain, count(s.Count)}, {Plain, each}, {Plain, written}}})
	}
	p.grid(g)
}

// plannedWear says what is written and what that wears out.
func plannedWear(a *aging.Plan) string {
	if a.WrittenBytes == 0 {
		return "nothing"
	}
	budget := ""
	if b := a.Limits.BudgetBytes; b != nil {
		budget = "at most " + size(uint64(*b)) + " are allowed"
		if a.Limits.BudgetPercent > 0 {
			budget += " (" + percent(a.Limits.BudgetPercent) + ")"
		}
	}
	return join(" · ", "up to "+exactBytes(a.WrittenBytes), wearText(a.WearPercent), budget)
}

func heatLimit(l *aging.Limits) string {
	return fmt.Sprintf("above %d °C (%s) it waits for %d °C, at most %s", l.TempMax, l.TempSource, l.TempResume, lasting(l.PauseSeconds))
}

// AgeStatus writes how far an aging is.
func AgeStatus(w io.Writer, s *aging.Status, style Style) error {
	p := &page{style: style.english()}
	p.banner(s.Plan.Simulated)
	word := piece{Warn, "BROKEN OFF"}
	switch {
	case s.Ended:
		word = piece{Good, "ENDED"}
	case s.Live:
		word = piece{Good, "UNDER WAY"}
	}
	p.heading(word, piece{Strong, fmt.Sprintf("aging: %s in the mode %s", lasting(s.Plan.TreatmentSeconds), s.Plan.Mode)}, piece{Plain, "serial " + s.Serial})
	p.labelled(Strong, "state", s.Text)
	p.labelled(Dim, "done", fmt.Sprintf("%.0f", s.Percent)+nbsp+"%")
	p.labelled(Dim, "written", writtenSoFar(s.WrittenBytes))
	if s.Celsius != nil {
		p.labelled(Dim, "heat", celsius(p.lang(), s.Celsius))
	}
	p.ageStops(s.Stops, s.Interruptions)
	p.labelled(Dim, "job", s.Job)
	switch {
	case s.Ended:
		p.labelled(Strong, "next", "qd1 age resume "+s.Job+" shows the result")
	case s.Live:
		p.labelled(Strong, "next", fmt.Sprintf("process %d works on it", s.PID))
	default:
		p.labelled(Strong, "next", "qd1 age resume "+s.Job+" carries on; qd1 age abandon "+s.Job+" ends it with what it has")
	}
	p.ageProbes(s.Probes)
	return p.writeTo(w)
}

func writtenSoFar(bytes int64) string {
	if bytes == 0 {
		return "nothing"
	}
	return exactBytes(bytes)
}

// AgeResult writes what came of an aging.
func AgeResult(w io.Writer, r *aging.Record, style Style) error {
	p := &page{style: style.english()}
	p.banner(r.Simulated)
	p.heading(agedPiece(r), piece{Strong, agedName(p, r)}, piece{Plain, agedSerial(r)})
	p.labelled(Plain, "result", r.Summary)
	p.ageStops(r.Stops, r.Interruptions)
	p.list(Warn, "lost", r.Lost)
	p.labelled(Dim, "label", deref(r.Label, ""))
	p.labelled(Dim, "treated", fmt.Sprintf("%s of %s in the mode %s", lasting(r.TreatedSeconds), lasting(r.Plan.TreatmentSeconds), r.Plan.Mode))
	p.labelled(Dim, "wear", wornText(&r.Wear))
	if c := r.Changes; c != nil {
		p.labelled(Dim, "drive", strings.Join(c.Facts, "; "))
	}
	p.labelled(Dim, "job", r.Job)
	p.labelled(Dim, "records", join(" · ", r.Record, prefixed("before ", strings.Join(r.BeforeRecords, ", ")), prefixed("after ", strings.Join(r.AfterRecords, ", "))))
	if r.Comparison != nil {
		p.differences(r.Comparison)
		p.compared(r.Comparison)
	}
	p.ageProbes(r.Probes)
	return p.writeTo(w)
}

// agedPiece is the word for an outcome.
func agedPiece(r *aging.Record) piece {
	if r.Comparison == nil {
		return piece{Warn, "NOT COMPARED"}
	}
	return overallPiece(r.Comparison.Overall)
}

func agedName(p *page, r *aging.Record) string {
	if d := r.Plan.Drive; d != nil {
		return orUnknown(p.lang(), d.Model)
	}
	return r.Plan.Target.Target.Name
}

func agedSerial(r *aging.Record) string {
	if d := r.Plan.Drive; d != nil {
		return "serial " + orUnknown("", d.Serial)
	}
	return ""
}

// ageStops says what paused, broke off or ended a job.
func (p *page) ageStops(stops []aging.Stop, interruptions []aging.Interruption) {
	for i := range stops {
		s := &stops[i]
		role, label, text := Warn, "paused", s.Text
		switch {
		case s.Ends != aging.EndsNothing:
			role, label = Bad, "stopped"
		case s.Open:
			label = "pauses"
		default:
			text = join(", ", text, "for "+lasting(s.Seconds))
		}
		p.labelled(role, label, string(s.Reason)+": "+text)
	}
	for _, i := range interruptions {
		p.labelled(Warn, "broken", strings.ToLower(string(i.State))+": "+i.Text)
	}
}

// wornText is what a job took out of the drive.
func wornText(x *aging.Wear) string {
	if x.WrittenBytes == 0 {
		return "nothing was written by the treatment"
	}
	return exactBytes(x.WrittenBytes) + " written · " + wearText(x.Percent)
}

// ageProbes is the table of the probes.
func (p *page) ageProbes(list []aging.Probe) {
	if len(list) == 0 {
		return
	}
	p.title("Probes during the treatment")
	g := &grid{columns: []column{{head: "after"}, {head: "p50"}, {head: "p99"}, {head: "IOPS"}, {head: "heat"}, {head: "throttled", spare: 2}, {head: "media errors", spare: 3}, {head: "written", spare: 1}}}
	for i := range list {
		x := &list[i]
		heat, failed, written := "", "", ""
		if x.Celsius != nil {
			heat = celsius(p.lang(), x.Celsius)
		}
		if x.MediaErrors != nil && *x.MediaErrors > 0 {
			failed = count(*x.MediaErrors)
		}
		if x.WrittenBytes > 0 {
			written = size(uint64(x.WrittenBytes))
		}
		g.rows = append(g.rows, gridRow{cells: []piece{
			{Plain, lasting(x.TreatedSeconds)}, {Strong, someMicros(x.Latency.P50)}, {Plain, someMicros(x.Latency.P99)}, {Plain, count(int64(x.IOPS))},
			{Plain, heat}, {Plain, someCount(x.Throttles)}, {Bad, failed}, {Plain, written},
		}})
	}
	p.grid(g)
}

func someCount(n uint64) string {
	if n == 0 {
		return ""
	}
	return count(n)
}

func someMicros(us *float64) string {
	if us == nil {
		return ""
	}
	return micros(*us)
}
