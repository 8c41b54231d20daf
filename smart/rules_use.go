package smart

import (
	"fmt"
	"math/big"

	"qd1.example/qd1/nvme"
)

// The composite temperatures in degrees Celsius that a drive can have.
const (
	coldest = -40
	hottest = 125
)

func rulesUse() []Rule {
	return []Rule{
		{
			ID: "temperature-not-reported", Axis: AxisReadable, Severity: SeverityInfo,
			Fields:  []string{"composite_temperature_kelvin"},
			Text:    "The drive does not report its temperature.",
			Source:  sourceSMART,
			applies: onSMART(temperatureMissing),
		},
		{
			ID: "temperature-implausible", Axis: AxisReadable, Severity: SeverityInfo,
			Fields:  []string{"composite_temperature_kelvin"},
			Text:    "The drive reports a temperature that it cannot have ({celsius} °C); it is taken as not reported.",
			Source:  sourceSMART,
			applies: onSMART(temperatureImplausible),
		},
		{
			ID: "unsafe-shutdowns", Axis: AxisPlausibility, Severity: SeverityInfo,
			Fields:  []string{"unsafe_shutdowns", "power_cycles"},
			Text:    "{unsafe} of {cycles} power cycles ({percent} %) ended without notice to the drive, which by itself says nothing about its health.",
			Source:  "public smartctl reports of 14 healthy 900P, 905P and P4800X: 4 % to 86 %, median 31 %",
			applies: onSMART(unsafeShutdowns),
		},
		{
			ID: "nothing-written", Axis: AxisPlausibility, Severity: SeverityInfo,
			Fields:  []string{"data_units_written", "power_on_hours", "controller_busy_minutes"},
			Text:    "The drive was on for {hours} h and has counted no byte written: it was not used, or it does not count.",
			Source:  sourceSMART + "; from above 100 h, and up to 60 busy minutes, is a choice",
			applies: unusedSoFar,
		},
		{
			ID: "model-unknown", Axis: AxisReadable, Severity: SeverityInfo,
			Fields:  []string{"drive.model"},
			Text:    "The source does not say which drive it is, so that its size, rating and firmware were not judged.",
			Source:  "this program",
			applies: modelUnknown,
		},
	}
}

// Temperature returns a temperature in degrees Celsius, and false if the drive
// does not report it or if it cannot be true (below -40 or above 125 °C).
func Temperature(k nvme.Kelvin) (celsius int, ok bool) {
	celsius, ok = k.Celsius()
	return celsius, ok && celsius >= coldest && celsius <= hottest
}

func temperatureMissing(l *nvme.SMARTLog) *hit {
	if l.CompositeTemperature != 0 {
		return nil
	}
	return found("composite_temperature_kelvin 0")
}

func temperatureImplausible(l *nvme.SMARTLog) *hit {
	celsius, reported := l.CompositeTemperature.Celsius()
	if _, ok := Temperature(l.CompositeTemperature); ok || !reported {
		return nil
	}
	return found(fmt.Sprintf("composite_temperature_kelvin %d", l.CompositeTemperature), "{celsius}", fmt.Sprint(celsius))
}

func unusedSoFar(f *Facts) *hit {
	if f.SMART == nil || !zeroWritten(f) || f.SMART.ControllerBusyTime.Float64() > idleMinutes {
		return nil
	}
	return found(fmt.Sprintf("data_units_written 0, power_on_hours %s", f.SMART.PowerOnHours), "{hours}", group(fmt.Sprintf("%.0f", f.hours())))
}

func unsafeShutdowns(l *nvme.SMARTLog) *hit {
	if l.UnsafeShutdowns.IsZero() || above(l.UnsafeShutdowns, l.PowerCycles) {
		return nil
	}
	percent := new(big.Rat).SetFrac(new(big.Int).Mul(l.UnsafeShutdowns.Big(), big.NewInt(100)), l.PowerCycles.Big())
	return found(fmt.Sprintf("unsafe_shutdowns %s, power_cycles %s", l.UnsafeShutdowns, l.PowerCycles),
		"{unsafe}", group(l.UnsafeShutdowns.String()), "{cycles}", group(l.PowerCycles.String()),
		"{percent}", percent.FloatString(0))
}
