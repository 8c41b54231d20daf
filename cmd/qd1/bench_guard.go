package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// wipedBytes at the start of a namespace are zeroed after it was written to, so
// that nobody takes what lies there for a partition table or a filesystem.
const wipedBytes = 1 << 20

// claim lets the guard look at the drive, asks for consent, and claims the
// namespace. It reports whether the plan was all that was asked for.
func (m *measurement) claim(format string) (shown bool, err error) {
	in, ctx := m.in, m.in.Context.Context
	a, err := in.agreement()
	if err != nil {
		return false, err
	}
	if a.Serial == "" {
		return false, usagef("writing to a raw drive needs its full serial number; qd1 list shows it")
	}
	g, err := openGuarded(a.Serial, a.PCI)
	if err != nil {
		return false, err
	}
	m.place.onClose(g.Close)
	nsid, err := in.writtenNamespace(g)
	if err != nil {
		return false, err
	}
	looked, err := guard.Inspect(ctx, g.target(), guard.Operation{Name: "bench", Namespaces: []nvme.NSID{nsid}, Writes: true})
	if err != nil {
		return false, err
	}
	if g.inProcess {
		a.Serial = looked.Identity.Serial
	}
	plan := func(a *guard.Agreement) *report.BenchPlan { return m.writePlan(looked, a) }
	show := func(a *guard.Agreement) error {
		p := plan(a)
		return in.show(format, p, func(w io.Writer, s render.Style) error { return render.BenchPlan(w, p, s) })
	}
	if in.Bool("dry-run") {
		return true, m.showPlan(looked, a, show)
	}
	err = in.agree(ctx, looked, a,
		func() error { return render.BenchPlan(in.env.stderr, plan(nil), in.messageStyle()) },
		func() error { return show(a) })
	if err != nil {
		return false, err
	}
	return false, m.take(ctx, g, looked, a, nsid)
}

// showPlan ends a dry run.
func (m *measurement) showPlan(looked *guard.Case, a *guard.Agreement, show func(*guard.Agreement) error) error {
	if !a.Yes {
		a = nil
	}
	if err := show(a); err != nil {
		return err
	}
	checks := looked.Judge(a)
	if !refuses(checks) {
		return nil
	}
	return refusal(&guard.Refusal{Checks: slices.DeleteFunc(checks, func(c guard.Check) bool { return c.Result != guard.Refuse })})
}

// writtenNamespace is the namespace that is named, or the only one.
func (in *invocation) writtenNamespace(g *guarded) (nvme.NSID, error) {
	nsid, err := in.nsid()
	if err != nil || nsid != 0 {
		return nsid, err
	}
	spaces := g.Drive.Host.Namespaces
	if len(spaces) != 1 {
		return 0, usagef("the drive has %d namespaces: name the one to write to by --namespace-id", len(spaces))
	}
	return nvme.NSID(spaces[0].NSID), nil
}

// writePlan is what would be written, judged by an agreement if there is one.
func (m *measurement) writePlan(looked *guard.Case, a *guard.Agreement) *report.BenchPlan {
	estimate := m.plan.Estimate(m.rated())
	p := &report.BenchPlan{
		Schema: report.BenchPlanSchema, Tool: tool(), Time: m.report.Time, Simulated: looked.Identity.Simulated,
		Identity: looked.Identity, Radius: looked.Radius, Checks: looked.Judge(a), Phrase: looked.Phrase(),
		Workloads: []string{}, SpanBytes: m.span(), WrittenBytes: estimate.BytesWritten, Seconds: estimate.Duration.Seconds(),
	}
	for i := range m.plan.Rows {
		if r := &m.plan.Rows[i]; r.Writes() {
			p.Workloads = append(p.Workloads, r.SizedLabel)
		}
	}
	if m.pre != nil {
		p.WrittenBytes += m.pre.MostBytes
	}
	if rated := m.ratedBytes(); rated > 0 {
		p.WearPercent = new(100 * float64(p.WrittenBytes) / float64(rated))
	}
	p.Refused = refuses(p.Checks)
	return p
}

// span is how far from its start the target is used, bytes.
func (m *measurement) span() int64 {
	span := int64(0)
	for i := range m.plan.Rows {
		j := &m.plan.Rows[i].Job
		if j.Span == 0 {
			return m.place.Target.Bytes
		}
		span = max(span, j.Start+j.Span)
	}
	return span
}

// take claims the namespace and arranges that its start is zeroed at the end.
func (m *measurement) take(ctx context.Context, g *guarded, looked *guard.Case, a *guard.Agreement, nsid nvme.NSID) error {
	permit, err := looked.Claim(ctx, a)
	if err != nil {
		return guardError(err)
	}
	m.place.onClose(permit.Close)
	medium := permit.Medium(nsid)
	if medium == nil {
		return failf("give the drive back to its driver, or use another kernel", "namespace %d has no block device to write through", nsid)
	}
	t := &m.place.Target
	t.Writable = true
	if !g.inProcess {
		if m.place.claimed, err = permit.Descriptor(ctx, nsid); err != nil {
			return guardError(err)
		}
		m.place.onClose(m.place.claimed.Close)
	}
	for _, member := range looked.Radius {
		if member.NSID == nsid {
			t.Bytes = member.Bytes
		}
	}
	m.place.onClose(func() error {
		if m.silent {
			return failf("erase the drive when it answers again: what was written may look like a partition table", "the first %d bytes were not zeroed, because the drive does not answer", wipedBytes)
		}
		m.progress.step("zeroing the first MiB")
		return errors.Join(wipe(medium, min(wipedBytes, t.Bytes)), permit.Refresh())
	})
	return nil
}

// wipe zeroes the start of a medium.
func wipe(medium guard.Medium, bytes int64) error {
	if _, err := medium.WriteAt(make([]byte, bytes), 0); err != nil {
		return fmt.Errorf("zero the first %d bytes after the benchmark: %w", bytes, err)
	}
	return medium.Sync()
}

// guardError gives a refusal its exit status.
func guardError(err error) error {
	var refused *guard.Refusal
	if errors.As(err, &refused) {
		return refusal(refused)
	}
	return err
}
