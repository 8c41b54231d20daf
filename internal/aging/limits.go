package aging

import (
	"fmt"

	"qd1.example/qd1/internal/conditions"
)

// limit finds the limits.
func (p *Plan) limit(o Options, s conditions.DriveState) {
	l := &p.Limits
	l.PauseSeconds = o.PauseMost.Seconds()
	l.TempMax, l.TempSource = DefaultTempMax, "the default, since the drive states no warning threshold"
	switch {
	case o.TempMax > 0:
		l.TempMax, l.TempSource = o.TempMax, "as asked for"
	case s.Limits != nil && s.Limits.Warning != nil:
		l.TempMax, l.TempSource = *s.Limits.Warning-hotMargin, fmt.Sprintf("%d K below the warning threshold of the drive", hotMargin)
	}
	l.TempResume = l.TempMax - hotMargin
	if p.Mode != Mixed {
		return
	}
	l.BudgetPercent = o.WearPercent
	if p.RatedBytes != nil {
		l.BudgetBytes = new(int64(float64(*p.RatedBytes) / 100 * o.WearPercent))
		p.WearPercent = new(share(p.WrittenBytes, *p.RatedBytes))
	}
	if o.WearBytes > 0 {
		l.BudgetBytes, l.BudgetPercent = &o.WearBytes, 0
	}
}

// share is a part in percent.
func share(part, whole int64) float64 { return float64(part) / float64(whole) * 100 }

// judge finds what speaks against the plan.
func (p *Plan) judge(s conditions.DriveState) {
	p.judgeWear()
	p.judgeHeat(s)
	if h := s.Health; h != nil && p.Mode == Mixed {
		const degraded, readOnly = 1 << 2, 1 << 3
		if h.CriticalWarning&(degraded|readOnly) != 0 {
			p.refuse("the drive says that its reliability is degraded, or that it is read-only: it is not written to")
		}
	}
	if p.Mode == Mixed {
		p.note("Everything in the span is overwritten with random data. Blocks that were never written may be read faster before than after: fill the drive first.")
	}
	if p.Runs == leastRuns {
		p.note("%d runs a side find only changes of about twice the noise from run to run; %d find more.", leastRuns, DefaultRuns)
	}
}

func (p *Plan) refuse(format string, args ...any) {
	p.Refusals = append(p.Refusals, fmt.Sprintf(format, args...))
}

func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// judgeWear holds what is written against the budget.
func (p *Plan) judgeWear() {
	if p.Mode != Mixed {
		return
	}
	budget := p.Limits.BudgetBytes
	switch {
	case budget == nil:
		p.refuse("the rated endurance of the drive is not known, so the wear is not: say how many bytes may be written")
	case p.WrittenBytes <= *budget:
	case p.WearPercent != nil && p.Limits.BudgetPercent > 0:
		p.refuse("%d bytes would be written, %.4g %% of the rated endurance: more than the wear budget of %g %%",
			p.WrittenBytes, *p.WearPercent, p.Limits.BudgetPercent)
	default:
		p.refuse("%d bytes would be written: more than the wear budget of %d", p.WrittenBytes, *budget)
	}
}

// judgeHeat looks at the limit of temperature, and at the drive now.
func (p *Plan) judgeHeat(s conditions.DriveState) {
	l := p.Limits
	if s.Limits != nil {
		if c := s.Limits.Critical; c != nil && l.TempMax >= *c {
			p.refuse("a limit of %d °C is not below the critical threshold of the drive, %d °C", l.TempMax, *c)
		} else if w := s.Limits.Warning; w != nil && l.TempMax >= *w {
			p.note("The limit of %d °C is not below the warning threshold of the drive, %d °C.", l.TempMax, *w)
		}
	}
	switch {
	case s.Health == nil || s.Health.Celsius == nil:
		p.note("The drive tells no temperature: the limit cannot be watched.")
	case *s.Health.Celsius > l.TempMax:
		p.refuse("the drive is at %d °C now, above the limit of %d °C", *s.Health.Celsius, l.TempMax)
	}
}
