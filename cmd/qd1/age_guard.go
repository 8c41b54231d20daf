package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// agePlan is a plan as it is shown: with what the guard says where the drive is
// written to.
type agePlan struct {
	*aging.Plan
	// Guard is nil where nothing is written.
	Guard *report.BenchPlan `json:"guard"`
}

// admit shows the plan if that is all that was asked for, refuses it, or takes
// the drive for itself if it is to be written to. serial is the drive as the user
// named it.
func (j *ageJob) admit(format string, p *aging.Plan, serial string) (shown bool, err error) {
	if p.Mode == aging.Mixed {
		return j.claim(format, p, serial)
	}
	if !j.in.Bool("dry-run") && !p.Refused {
		return false, nil
	}
	if err := j.showPlan(format, agePlan{Plan: p}); err != nil {
		return true, err
	}
	return true, refusedPlan(p)
}

func (j *ageJob) showPlan(format string, p agePlan) error {
	return j.in.show(format, p, func(w io.Writer, s render.Style) error { return render.AgePlan(w, p.Plan, p.Guard, s) })
}

// refusedPlan is the error of a plan that must not be done, nil for others.
func refusedPlan(p *aging.Plan) error {
	if !p.Refused {
		return nil
	}
	return refusef("another mode, --rate, --hours, --wear-budget or --temperature-limit may do; or wait until the drive is cooler", "%s. Nothing was written", p.Refusals[0])
}

// claim lets the guard look at the drive, asks for consent, and claims the
// namespace. It reports whether the plan was all that was asked for.
func (j *ageJob) claim(format string, p *aging.Plan, serial string) (shown bool, err error) {
	in, ctx := j.in, j.in.Context.Context
	if err := j.canBeWritten(); err != nil {
		return false, err
	}
	a, err := in.agreement()
	if err != nil {
		return false, err
	}
	a.Serial = serial
	g, err := j.openGuarded(a)
	if err != nil {
		return false, err
	}
	nsid := nvme.NSID(j.place.Target.NSID)
	looked, err := guard.Inspect(ctx, g.target(), guard.Operation{Name: "age", Namespaces: []nvme.NSID{nsid}, Writes: true})
	if err != nil {
		return false, err
	}
	if g.inProcess {
		a.Serial = looked.Identity.Serial
	}
	plan := func(a *guard.Agreement) agePlan { return agePlan{p, j.guardPlan(p, looked, a)} }
	if in.Bool("dry-run") || p.Refused {
		return true, j.endWithPlan(format, plan, looked, a)
	}
	err = in.agree(ctx, looked, a,
		func() error { x := plan(nil); return render.AgePlan(in.env.stderr, x.Plan, x.Guard, in.messageStyle()) },
		func() error { return j.showPlan(format, plan(a)) })
	if err != nil {
		return false, err
	}
	return false, j.take(ctx, g, looked, a, nsid)
}

// canBeWritten returns why the target cannot be written to at all.
func (j *ageJob) canBeWritten() error {
	if j.place.Target.NSID != 0 {
		return nil
	}
	return refusef("name a whole NVMe drive by its full serial number", "%s is not a whole namespace of an NVMe drive: the guard cannot tell what writing to it would destroy. Nothing was written", j.place.Name)
}

// openGuarded opens the drive for the guard. The namespace has to be named
// unless it is the only one.
func (j *ageJob) openGuarded(a *guard.Agreement) (*guarded, error) {
	g := j.guarded
	if g == nil {
		var err error
		if g, err = openGuarded(a.Serial, a.PCI); err != nil {
			return nil, err
		}
		j.place.onClose(g.Close)
	}
	if j.in.arg(0) == ageResumeWord {
		return g, nil
	}
	_, err := j.in.writtenNamespace(g)
	return g, err
}

// endWithPlan shows a plan in the place of doing it.
func (j *ageJob) endWithPlan(format string, plan func(*guard.Agreement) agePlan, looked *guard.Case, a *guard.Agreement) error {
	if !a.Yes {
		a = nil
	}
	x := plan(a)
	if err := j.showPlan(format, x); err != nil {
		return err
	}
	checks := slices.DeleteFunc(looked.Judge(a), func(c guard.Check) bool { return c.Result != guard.Refuse })
	if len(checks) > 0 {
		return refusal(&guard.Refusal{Checks: checks})
	}
	return refusedPlan(x.Plan)
}

// guardPlan is what would be written, judged by an agreement if there is one.
func (j *ageJob) guardPlan(p *aging.Plan, looked *guard.Case, a *guard.Agreement) *report.BenchPlan {
	b := &report.BenchPlan{
		Schema: report.BenchPlanSchema, Tool: tool(), Time: j.in.env.now().UTC().Format(time.RFC3339Nano), Simulated: looked.Identity.Simulated,
		Identity: looked.Identity, Radius: looked.Radius, Checks: looked.Judge(a), Phrase: looked.Phrase(), Workloads: []string{},
		SpanBytes: j.place.Target.Bytes, WrittenBytes: p.WrittenBytes, WearPercent: p.WearPercent, Seconds: p.TotalSeconds,
	}
	for i := range p.Loads {
		b.Workloads = append(b.Workloads, p.Loads[i].Label())
		if span := p.Loads[i].Span; span > 0 {
			b.SpanBytes = min(b.SpanBytes, span)
		}
	}
	b.Refused = refuses(b.Checks)
	return b
}

// take claims the namespace and arranges that its start is zeroed at the end.
func (j *ageJob) take(ctx context.Context, g *guarded, looked *guard.Case, a *guard.Agreement, nsid nvme.NSID) error {
	permit, err := looked.Claim(ctx, a)
	if err != nil {
		return guardError(err)
	}
	p := j.place
	p.onClose(permit.Close)
	medium := permit.Medium(nsid)
	if medium == nil {
		return failf("give the drive back to its driver, or use another kernel", "namespace %d has no block device to write through", nsid)
	}
	p.Target.Writable = true
	if !g.inProcess {
		if p.claimed, err = permit.Descriptor(ctx, nsid); err != nil {
			return guardError(err)
		}
		p.onClose(p.claimed.Close)
	}
	p.onClose(func() error {
		switch {
		case !j.began:
			return nil
		case j.silent:
			return failf("erase the drive when it answers again: what was written may look like a partition table", "the first %d bytes were not zeroed, because the drive does not answer", wipedBytes)
		}
		return errors.Join(wipe(medium, min(wipedBytes, p.Target.Bytes)), permit.Refresh())
	})
	return nil
}
