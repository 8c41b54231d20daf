package smart

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// Limits of the signs in this file; all are choices.
const (
	manyUnsafe   = 100 // unsafe shutdowns up to which their number says little
	beyondCycles = 10  // unsafe shutdowns a power cycle
	linkGB       = 32  // gigabytes a second: PCI Express 5.0 with 8 lanes
	idleMinutes  = 60  // busy minutes up to which a drive was hardly used
	idleHours    = 100 // power-on hours from which a drive in use has written
	hottestSaid  = 150 // degrees Celsius that nobody can take for a hot drive
)

// warningContradictsSpare is a warning without its cause.
func warningContradictsSpare(_ *Facts, l *nvme.SMARTLog) *Sign {
	if !spareContradicts(l) {
		return nil
	}
	return &Sign{
		ID: "warning-contradicts-spare", Weight: 2,
		Text:     fmt.Sprintf("it warns of its spare blocks while %d %% are left, above its limit of %d %%", l.AvailableSpare, l.AvailableSpareThreshold),
		Evidence: fmt.Sprintf("%s, available_spare_percent %d, available_spare_threshold_percent %d", warningEvidence(l), l.AvailableSpare, l.AvailableSpareThreshold),
	}
}

// unsafeBeyond reports whether there are more unsafe shutdowns than power
// cycles can explain.
func unsafeBeyond(l *nvme.SMARTLog) bool {
	return l.UnsafeShutdowns.Float64() > beyondCycles*l.PowerCycles.Float64()
}

func farMoreUnsafe(_ *Facts, l *nvme.SMARTLog) *Sign {
	if !unsafeBeyond(l) || l.UnsafeShutdowns.Float64() <= manyUnsafe {
		return nil
	}
	return &Sign{
		ID: "far-more-unsafe-shutdowns", Weight: 3, Evidence: shutdowns(l),
		Text: fmt.Sprintf("it lost power %s times and was switched on %s times", group(l.UnsafeShutdowns.String()), group(l.PowerCycles.String())),
	}
}

// tooMuchWhileBusy wants more than an hour: genuine drives of Intel that were
// busy for a few minutes show twice the rate that the link can carry, and a P3700
// (1 of 96 dumps) four times after more than that, so that it weighs little.
func tooMuchWhileBusy(f *Facts, l *nvme.SMARTLog) *Sign {
	minutes := l.ControllerBusyTime.Float64()
	if minutes <= idleMinutes || miscounts(f) {
		return nil
	}
	rate := (l.DataUnitsRead.Float64() + l.DataUnitsWritten.Float64()) * nvme.DataUnit / 1e9 / (60 * minutes)
	if rate <= linkGB {
		return nil
	}
	return &Sign{
		ID: "busy-rate", Weight: 1, Text: fmt.Sprintf("%.0f GB a second while it was busy is more than its link can carry", rate),
		Evidence: fmt.Sprintf("data_units_read %s, data_units_written %s, controller_busy_minutes %s", l.DataUnitsRead, l.DataUnitsWritten, l.ControllerBusyTime),
	}
}

func noTraffic(_ *Facts, l *nvme.SMARTLog) *Sign {
	silent := l.DataUnitsRead.IsZero() && l.DataUnitsWritten.IsZero() && l.HostReadCommands.IsZero() && l.HostWriteCommands.IsZero()
	if !silent || l.ControllerBusyTime.IsZero() {
		return nil
	}
	return &Sign{
		ID: "no-traffic", Weight: 3, Text: fmt.Sprintf("it was busy for %s min without one command or byte", group(l.ControllerBusyTime.String())),
		Evidence: fmt.Sprintf("controller_busy_minutes %s, data units 0, host commands 0", l.ControllerBusyTime),
	}
}

// nothingWritten is a drive in use that counts no byte. One that is idle may
// be unused: the rule nothing-written says so.
func nothingWritten(f *Facts, l *nvme.SMARTLog) *Sign {
	if !zeroWritten(f) || l.ControllerBusyTime.Float64() <= idleMinutes || noTraffic(f, l) != nil || writeSize(f, l) != nil {
		return nil
	}
	return &Sign{
		ID: "nothing-written", Weight: 2, Text: fmt.Sprintf("no byte was written in %s h, though it was busy for %s min", group(fmt.Sprintf("%.0f", f.hours())), group(l.ControllerBusyTime.String())),
		Evidence: fmt.Sprintf("data_units_written 0, power_on_hours %s, controller_busy_minutes %s", l.PowerOnHours, l.ControllerBusyTime),
	}
}

func zeroWritten(f *Facts) bool {
	return f.SMART.DataUnitsWritten.IsZero() && f.hours() > idleHours && !miscounts(f)
}

// impossibleTemperature is a log with something else in it.
func impossibleTemperature(_ *Facts, l *nvme.SMARTLog) *Sign {
	celsius, reported := l.CompositeTemperature.Celsius()
	if !reported || celsius >= coldest && celsius <= hottestSaid {
		return nil
	}
	return &Sign{
		ID: "impossible-temperature", Weight: 2, Text: fmt.Sprintf("it reported %d °C, which cannot be", celsius),
		Evidence: fmt.Sprintf("composite_temperature_kelvin %d", l.CompositeTemperature),
	}
}

// The statuses that Media and Data Integrity Errors counts: Unrecovered Read
// Error and End-to-end Guard Check Error, with Write Fault before them.
const (
	statusWriteFault = 0x280
	statusGuardCheck = 0x282
)

// mediaUncounted is a count that was set back: the log knows more.
func mediaUncounted(f *Facts, l *nvme.SMARTLog) *Sign {
	entries := 0
	for _, e := range f.Errors {
		if code := e.StatusInfo.Status().Code(); e.ErrorCount != 0 && code >= statusWriteFault && code <= statusGuardCheck {
			entries++
		}
	}
	if float64(entries) <= l.MediaErrors.Float64() {
		return nil
	}
	return &Sign{
		ID: "media-uncounted", Weight: 3, Text: fmt.Sprintf("its error log has %d media errors, and it counts %s", entries, group(l.MediaErrors.String())),
		Evidence: fmt.Sprintf("media_errors %s, error log entries with status 280h to 282h %d", l.MediaErrors, entries),
	}
}
