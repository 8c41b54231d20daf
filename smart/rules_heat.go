package smart

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// rulesHeat are about how hot the drive was over its life.
func rulesHeat() []Rule {
	return []Rule{
		{
			ID: "temperature-limit-minutes", Axis: AxisThermal, Severity: SeverityInfo,
			Fields:  []string{"warning_temperature_minutes", "critical_temperature_minutes"},
			Text:    "The drive has been above its temperature limits: {warning} min above the warning limit, {critical} min above the critical one.",
			Source:  sourceSMART,
			applies: hotMinutes,
		},
		{
			ID: "temperature-limit-long", Axis: AxisThermal, Severity: SeverityNote,
			Fields:  []string{"warning_temperature_minutes", "power_on_hours"},
			Text:    "The drive was above its warning temperature for {warning} min, {percent} % of the time it was on: it ran without enough cooling.",
			Source:  sourceSMART + "; more than 1 % of the time, and an hour, is a choice",
			applies: hotLong,
		},
		{
			ID: "temperature-critical-minutes", Axis: AxisThermal, Severity: SeverityNote,
			Fields:  []string{"critical_temperature_minutes"},
			Text:    "The drive was at its critical temperature for {critical} min, at which it may stop or lose its data.",
			Source:  sourceSMART,
			applies: onSMART(criticalMinutes),
		},
		{
			ID: "sensor-hot", Axis: AxisThermal, Severity: SeverityInfo,
			Fields:  []string{"temperature_sensors_celsius"},
			Text:    "Temperature sensor {sensor} reads {celsius} °C: a part of the drive is hotter than the drive as a whole says.",
			Source:  sourceSMART + "; 80 °C is a choice",
			applies: onSMART(hotSensor),
		},
		{
			ID: "thermal-throttled-long", Axis: AxisThermal, Severity: SeverityNote,
			Fields:  []string{"tmt1_seconds", "tmt2_seconds", "power_on_hours"},
			Text:    "The drive slowed down because of heat for {hours} h, {percent} % of the time it was on: look at the cooling.",
			Source:  sourceSMART + "; more than 1 % of the time, and an hour, is a choice",
			applies: throttledLong,
		},
		{
			ID: "thermal-throttled", Axis: AxisThermal, Severity: SeverityInfo,
			Fields:  []string{"tmt1_transitions", "tmt2_transitions", "tmt1_seconds", "tmt2_seconds"},
			Text:    "The drive slowed down because of heat ({count} transitions, {minutes} min in all).",
			Source:  sourceSMART,
			applies: throttled,
		},
	}
}

// longHours and longPercent are the time from which heat is more than an event.
const (
	longHours   = 1
	longPercent = 1
)

// shareOfTime returns what part of the power-on hours a time in hours is, in
// percent, and whether it is long. Hours that are missing or fewer than the
// time cannot tell.
func shareOfTime(f *Facts, hours float64) (percent float64, long bool) {
	if !f.knows(fieldHours) || f.hours() < hours || hours < longHours {
		return 0, false
	}
	percent = 100 * hours / f.hours()
	return percent, percent > longPercent
}

func hotLong(f *Facts) *hit {
	if f.SMART == nil {
		return nil
	}
	w := f.SMART.WarningTemperatureTime
	percent, long := shareOfTime(f, float64(w)/60)
	if !long {
		return nil
	}
	return found(fmt.Sprintf("warning_temperature_minutes %d, power_on_hours %s", w, f.SMART.PowerOnHours),
		"{warning}", group(fmt.Sprint(w)), "{percent}", fmt.Sprintf("%.1f", percent))
}

func criticalMinutes(l *nvme.SMARTLog) *hit {
	if l.CriticalTemperatureTime == 0 {
		return nil
	}
	return found(fmt.Sprintf("critical_temperature_minutes %d", l.CriticalTemperatureTime),
		"{critical}", group(fmt.Sprint(l.CriticalTemperatureTime)))
}

// hotSensorCelsius is where a sensor of its own is worth a look, and
// brokenSensorCelsius where it cannot be believed.
const (
	hotSensorCelsius    = 80
	brokenSensorCelsius = 125
)

func hotSensor(l *nvme.SMARTLog) *hit {
	for i, k := range l.TemperatureSensors {
		if c, ok := k.Celsius(); ok && c >= hotSensorCelsius && c <= brokenSensorCelsius {
			return found(fmt.Sprintf("temperature_sensors_celsius[%d] %d", i, c), "{sensor}", fmt.Sprint(i+1), "{celsius}", fmt.Sprint(c))
		}
	}
	return nil
}

// throttleTime is the time at both levels of thermal management in seconds.
func throttleTime(l *nvme.SMARTLog) uint64 { return uint64(l.TMT1Time) + uint64(l.TMT2Time) }

func throttledLong(f *Facts) *hit {
	if f.SMART == nil {
		return nil
	}
	hours := float64(throttleTime(f.SMART)) / 3600
	percent, long := shareOfTime(f, hours)
	if !long {
		return nil
	}
	return found(fmt.Sprintf("tmt1_seconds %d, tmt2_seconds %d, power_on_hours %s", f.SMART.TMT1Time, f.SMART.TMT2Time, f.SMART.PowerOnHours),
		"{hours}", group(fmt.Sprintf("%.0f", hours)), "{percent}", fmt.Sprintf("%.1f", percent))
}

func throttled(f *Facts) *hit {
	if f.SMART == nil || throttledLong(f) != nil {
		return nil
	}
	l := f.SMART
	times, seconds := uint64(l.TMT1Transitions)+uint64(l.TMT2Transitions), throttleTime(l)
	if times == 0 && seconds == 0 {
		return nil
	}
	return found(fmt.Sprintf("tmt transitions %d, seconds %d", times, seconds),
		"{count}", group(fmt.Sprint(times)), "{minutes}", group(fmt.Sprint((seconds+59)/60)))
}

// hotMinutes is silent where a weightier rule has told all of it.
func hotMinutes(f *Facts) *hit {
	l := f.SMART
	if l == nil {
		return nil
	}
	w, c := l.WarningTemperatureTime, l.CriticalTemperatureTime
	if w == 0 || hotLong(f) != nil {
		return nil
	}
	return found(fmt.Sprintf("warning_temperature_minutes %d, critical_temperature_minutes %d", w, c),
		"{warning}", group(fmt.Sprint(w)), "{critical}", group(fmt.Sprint(c)))
}
