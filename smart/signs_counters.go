package smart

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// Fields that several signs look at.
const (
	fieldHours   = "power_on_hours"
	fieldCycles  = "power_cycles"
	fieldWritten = "data_units_written"
	fieldRead    = "data_units_read"
	fieldBusy    = "controller_busy_minutes"
	fieldUnsafe  = "unsafe_shutdowns"
)

// signsOfCounters compare the counters of the SMART log with each other.
func signsOfCounters() []func(*Facts) *Sign {
	counting := func(sign func(*Facts, *nvme.SMARTLog) *Sign, fields ...string) func(*Facts) *Sign {
		return func(f *Facts) *Sign {
			if f.SMART == nil || !f.knows(fields...) {
				return nil
			}
			return sign(f, f.SMART)
		}
	}
	return []func(*Facts) *Sign{
		counting(hoursReset, fieldHours, fieldWritten),
		counting(writeSize, fieldWritten, "host_write_commands"),
		counting(readSize, "data_units_read", "host_read_commands"),
		counting(writeRate, fieldHours, fieldWritten),
		counting(busyTime, fieldHours, "controller_busy_minutes"),
		counting(sameCounters),
		counting(noCycles, fieldHours, fieldCycles),
		counting(moreUnsafe, fieldCycles, "unsafe_shutdowns"),
		counting(allUnsafe, fieldCycles, "unsafe_shutdowns"),
		counting(wearTooLow, fieldWritten, "percentage_used_percent"),
		counting(freshForUsed, fieldHours, fieldCycles, fieldWritten),
		counting(oftenUnsafe, fieldCycles, "unsafe_shutdowns"),
		counting(hoursPerCycle, fieldHours, fieldCycles),
		counting(warningContradictsSpare, "critical_warning", "available_spare_percent", "available_spare_threshold_percent"),
		counting(farMoreUnsafe, fieldCycles, fieldUnsafe),
		counting(tooMuchWhileBusy, fieldWritten, fieldRead, fieldBusy),
		counting(noTraffic, fieldWritten, fieldRead, fieldBusy, "host_read_commands", "host_write_commands"),
		counting(nothingWritten, fieldWritten, fieldHours, fieldBusy),
		counting(impossibleTemperature, "composite_temperature_kelvin"),
		counting(mediaUncounted, "media_errors"),
	}
}

// miscounts reports whether firmware is known to give wrong data units.
func miscounts(f *Facts) bool {
	return defectWith(f, func(d *Defect) bool { return d.DataUnitsUnusable }) != nil
}

const (
	fewHours   = 10
	manyUnits  = 1e12 / nvme.DataUnit // one terabyte
	fewest     = 1000                 // commands below which their mean size says nothing
	smallestIO = 512
	largestIO  = 1 << 20
	fastest    = 442 // gigabytes written an hour: 1 in 1000 drives wrote more
)

func hoursReset(f *Facts, l *nvme.SMARTLog) *Sign {
	if f.hours() >= fewHours || l.DataUnitsWritten.Float64() <= manyUnits || miscounts(f) {
		return nil
	}
	return sign("hours-reset", 3, 0, fmt.Sprintf("%.0f power-on hours are too few for %s TB written", f.hours(), terabytes(bytesOf(l.DataUnitsWritten))),
		fmt.Sprintf("power_on_hours %s, data_units_written %s", l.PowerOnHours, l.DataUnitsWritten))
}

func writeSize(f *Facts, l *nvme.SMARTLog) *Sign {
	return commandSize(f, "write", l.DataUnitsWritten, l.HostWriteCommands)
}

func readSize(f *Facts, l *nvme.SMARTLog) *Sign {
	return commandSize(f, "read", l.DataUnitsRead, l.HostReadCommands)
}

// commandSize is the mean size of a command. Data units are rounded up, which
// one unit allows for.
func commandSize(f *Facts, verb string, units, commands nvme.Uint128) *Sign {
	n, bytes := commands.Float64(), units.Float64()*nvme.DataUnit
	if n < fewest || miscounts(f) || bytes >= n*smallestIO && bytes-nvme.DataUnit <= n*largestIO {
		return nil
	}
	return sign(verb+"-size", 3, 0.1, fmt.Sprintf("%s commands of %.0f bytes on average cannot be", verb, bytes/n),
		fmt.Sprintf("host_%s_commands %s, data units %s", verb, commands, units))
}

func writeRate(f *Facts, l *nvme.SMARTLog) *Sign {
	rate := l.DataUnitsWritten.Float64() * nvme.DataUnit / 1e9 / (f.hours() + 1)
	if rate <= fastest || miscounts(f) || hoursReset(f, l) != nil {
		return nil
	}
	return sign("write-rate", 2, 0.1, fmt.Sprintf("%.0f GB written an hour is more than 999 of 1000 drives", rate),
		fmt.Sprintf("data_units_written %s, power_on_hours %s", l.DataUnitsWritten, l.PowerOnHours))
}

func busyTime(f *Facts, l *nvme.SMARTLog) *Sign {
	if l.ControllerBusyTime.Float64()/60 <= f.hours()+1 {
		return nil
	}
	return sign("busy-time", 2, 0.47, "it was busy for longer than it was on",
		fmt.Sprintf("controller_busy_minutes %s, power_on_hours %s", l.ControllerBusyTime, l.PowerOnHours))
}

// sameCounters is a page that was filled rather than counted.
func sameCounters(_ *Facts, l *nvme.SMARTLog) *Sign {
	const many, high = 4, 255
	seen := map[nvme.Uint128]int{}
	for _, c := range counters(l) {
		if seen[c.value]++; seen[c.value] >= many && c.value.Float64() > high {
			return sign("same-counters", 3, 0, fmt.Sprintf("at least %d counters are all %s", many, c.value), "counters "+c.value.String())
		}
	}
	return nil
}

func noCycles(_ *Facts, l *nvme.SMARTLog) *Sign {
	if !l.PowerCycles.IsZero() || l.PowerOnHours.IsZero() {
		return nil
	}
	return sign("no-cycles", 2, 0.06, "it was on but never switched on",
		fmt.Sprintf("power_cycles 0, power_on_hours %s", l.PowerOnHours))
}

func moreUnsafe(_ *Facts, l *nvme.SMARTLog) *Sign {
	if !above(l.UnsafeShutdowns, l.PowerCycles) || unsafeBeyond(l) && l.UnsafeShutdowns.Float64() > manyUnsafe {
		return nil
	}
	return sign("more-unsafe-shutdowns", 1, 0.08, "it lost power more often than it was switched on", shutdowns(l))
}

func allUnsafe(_ *Facts, l *nvme.SMARTLog) *Sign {
	const enough = 10
	if l.UnsafeShutdowns != l.PowerCycles || l.PowerCycles.Float64() < enough {
		return nil
	}
	return sign("all-unsafe-shutdowns", 1, 0.14, "it lost power every time it was on", shutdowns(l))
}

func shutdowns(l *nvme.SMARTLog) string {
	return fmt.Sprintf("unsafe_shutdowns %s, power_cycles %s", l.UnsafeShutdowns, l.PowerCycles)
}

// wearTooLow leaves out 3D XPoint, which shows 0 % for years.
func wearTooLow(f *Facts, l *nvme.SMARTLog) *Sign {
	e := f.Endurance()
	if e.WrittenPercent == nil || *e.WrittenPercent <= 50 || l.PercentageUsed > 1 || f.Model.Media == mediaXPoint {
		return nil
	}
	s := &Sign{
		ID: "wear-too-low", Weight: 2, Text: fmt.Sprintf("%d %% of its life used does not fit %s %% of the rated endurance written", l.PercentageUsed, percentText(*e.WrittenPercent)),
		Evidence: fmt.Sprintf("percentage_used_percent %d, data_units_written %s, rated_bytes %d", l.PercentageUsed, l.DataUnitsWritten, *e.RatedBytes),
	}
	if e.RatedIndicative {
		s.Weight = 1
	}
	return s
}

func freshForUsed(f *Facts, l *nvme.SMARTLog) *Sign {
	if f.As != AsUsed || conditionOf(f) != ConditionNew {
		return nil
	}
	return &Sign{
		ID: "fresh-for-used", Weight: 1, Text: "it was sold as used with the counters of a new drive",
		Evidence: fmt.Sprintf("power_on_hours %s, power_cycles %s", l.PowerOnHours, l.PowerCycles),
	}
}

// oftenUnsafe is common in servers: it is here to say so.
func oftenUnsafe(_ *Facts, l *nvme.SMARTLog) *Sign {
	if l.PowerCycles.IsZero() || 2*l.UnsafeShutdowns.Float64() <= l.PowerCycles.Float64() || above(l.UnsafeShutdowns, l.PowerCycles) {
		return nil
	}
	return sign("often-unsafe", 0, 46.9, "more than half of its power cycles ended without notice, as is common", shutdowns(l))
}

// hoursPerCycle tells a server or a rig; it is no sign of a forgery.
func hoursPerCycle(f *Facts, l *nvme.SMARTLog) *Sign {
	const shortest, longest = 0.14, 5122
	if l.PowerCycles.IsZero() || f.hours() == 0 {
		return nil
	}
	per := f.hours() / l.PowerCycles.Float64()
	if per >= shortest && per <= longest {
		return nil
	}
	return sign("hours-per-cycle", 0, 2, fmt.Sprintf("%.2f hours a power cycle is unusual", per),
		fmt.Sprintf("power_on_hours %s, power_cycles %s", l.PowerOnHours, l.PowerCycles))
}
