package smart

import (
	"fmt"
	"math/big"
)

// Condition is what the counters say about how long a drive was in use.
type Condition string

// The conditions. ConditionOpened lies between the others: a drive that a shop
// has tested, or that was returned after a few hours.
const (
	ConditionNew    Condition = "new"
	ConditionOpened Condition = "opened"
	ConditionUsed   Condition = "used"
)

// The limits of the conditions: cycles, hours, and bytes written.
const (
	newCycles  = 10
	newHours   = 5
	newBytes   = 200e9
	usedHours  = 50
	usedBytes  = 500e9
	usedCycles = 50
)

// conditionOf returns the condition of the drive, "" if it is not known.
func conditionOf(f *Facts) Condition {
	if f.SMART == nil || !f.knows("power_on_hours", "data_units_written", "power_cycles") {
		return ""
	}
	written, _ := new(big.Float).SetInt(bytesOf(f.SMART.DataUnitsWritten)).Float64()
	switch hours := f.hours(); {
	case hours > usedHours || written > usedBytes || f.SMART.PowerCycles.Float64() > usedCycles:
		return ConditionUsed
	case hours <= newHours && written <= newBytes && f.SMART.PowerCycles.Float64() <= newCycles:
		return ConditionNew
	}
	return ConditionOpened
}

// hours returns Power On Hours in hours.
func (f *Facts) hours() float64 {
	h := f.SMART.PowerOnHours.Float64()
	if defectWith(f, func(d *Defect) bool { return d.HoursAreMinutes }) != nil {
		h /= 60
	}
	return h
}

func rulesCondition() []Rule {
	fields := []string{"power_cycles", "power_on_hours", "bytes_written"}
	source := "a factory-fresh 905P showed 5 cycles, 1 h and 0.12 TB, another 3 cycles; limits: new up to 10 cycles, 5 h and 0.2 TB, used above 50 h, 0.5 TB or 50 cycles"
	return []Rule{
		{
			ID: "sold-as-new", Axis: AxisPlausibility, Severity: SeverityReturn, Fields: fields, Source: source,
			Text:    "The drive was sold as new, but it is used: {hours} h, {cycles} power cycles, {written} TB written.",
			applies: soldAsNew(ConditionUsed),
		},
		{
			ID: "sold-as-new-opened", Axis: AxisPlausibility, Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "The drive was sold as new and has been tested or opened: {hours} h, {cycles} power cycles, {written} TB written.",
			applies: soldAsNew(ConditionOpened),
		},
		{
			ID: "looks-new", Axis: AxisPlausibility, Severity: SeverityOK, Fields: fields, Source: source,
			Text:    "The counters are those of a new drive: {hours} h, {cycles} power cycles, {written} TB written.",
			applies: looksNew,
		},
	}
}

func conditionHit(f *Facts) *hit {
	l := f.SMART
	return found(fmt.Sprintf("power_on_hours %s, power_cycles %s, data_units_written %s", l.PowerOnHours, l.PowerCycles, l.DataUnitsWritten),
		"{hours}", group(fmt.Sprintf("%.0f", f.hours())), "{cycles}", group(l.PowerCycles.String()), "{written}", terabytes(bytesOf(l.DataUnitsWritten)))
}

func soldAsNew(c Condition) func(*Facts) *hit {
	return func(f *Facts) *hit {
		if f.As != AsNew || conditionOf(f) != c {
			return nil
		}
		return conditionHit(f)
	}
}

// looksNew wants counters that can be believed.
func looksNew(f *Facts) *hit {
	if conditionOf(f) != ConditionNew || f.knows(fieldUnsafe) && unsafeBeyond(f.SMART) {
		return nil
	}
	if b := Plausibility(f, f.As).Belief; b == Doubtful || b == Implausible {
		return nil
	}
	return conditionHit(f)
}
