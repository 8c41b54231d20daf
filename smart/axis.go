package smart

import "slices"

// Axis is one of the separate questions about a drive. A drive can be worn and
// not failing, or sound and not genuine.
type Axis string

// The axes, in the order in which they are shown.
const (
	AxisReadable     Axis = "readable"     // whether the drive tells enough of itself
	AxisReadOnly     Axis = "read-only"    // whether it accepts writes
	AxisMedia        Axis = "media"        // whether it keeps data
	AxisSpare        Axis = "spare"        // whether it has blocks left to replace bad ones
	AxisEndurance    Axis = "endurance"    // how much of its rated life is used
	AxisThermal      Axis = "thermal"      // whether it is or was too hot
	AxisFirmware     Axis = "firmware"     // whether its firmware has known defects
	AxisPlausibility Axis = "plausibility" // whether it is what it claims
	AxisLink         Axis = "link"         // whether its connection is as fast as it could be
	AxisLatency      Axis = "latency"      // whether it is as quick as its model
)

// Axes returns all axes in the order in which they are shown.
func Axes() []Axis {
	return []Axis{
		AxisReadable, AxisReadOnly, AxisMedia, AxisSpare, AxisEndurance,
		AxisThermal, AxisFirmware, AxisPlausibility, AxisLink, AxisLatency,
	}
}

// AxisFinding is the heaviest finding on one axis.
type AxisFinding struct {
	// Axis is what it is about.
	Axis Axis
	// Finding is the heaviest of that axis, nil if no rule applies.
	Finding *Finding
}

// ByAxis returns for each axis its heaviest finding.
func (a *Assessment) ByAxis() []AxisFinding {
	var list []AxisFinding
	for _, axis := range Axes() {
		x := AxisFinding{Axis: axis}
		if i := slices.IndexFunc(a.Findings, func(f Finding) bool { return f.Axis == axis }); i >= 0 {
			x.Finding = &a.Findings[i]
		}
		list = append(list, x)
	}
	return list
}

// maxReasons is the number of reasons that a reader takes in.
const maxReasons = 5

// Reasons returns the findings that carry the verdict, the weightiest first
// and at most five. For Keep these are the findings for the drive; for Unknown
// the inconclusive ones come first. Where there are more than five, an axis
// that has spoken waits until the others have.
func (a *Assessment) Reasons() []Finding {
	carries := func(f Finding) bool { return f.Severity == SeverityReturn || f.Severity == SeverityNote }
	if a.Level == Keep {
		carries = func(f Finding) bool { return f.Severity == SeverityOK }
	}
	var reasons []Finding
	for _, f := range a.Findings {
		if carries(f) {
			reasons = append(reasons, f)
		}
	}
	if a.Level == Unknown {
		slices.SortStableFunc(reasons, func(x, y Finding) int { return rankOf(isInconclusive(y)) - rankOf(isInconclusive(x)) })
	}
	if len(reasons) <= maxReasons {
		return reasons
	}
	return spread(reasons)
}

func rankOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// spread takes five findings: the first of each axis, then the others, and
// leaves them in their order.
func spread(sorted []Finding) []Finding {
	chosen := map[string]bool{}
	for _, again := range []bool{false, true} {
		spoken := map[Axis]bool{}
		for _, f := range sorted {
			if len(chosen) < maxReasons && (again || !spoken[f.Axis]) {
				chosen[f.Rule] = true
			}
			spoken[f.Axis] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(sorted), func(f Finding) bool { return !chosen[f.Rule] })
}
