package smart

import (
	"fmt"

	"qd1.example/qd1/internal/lazyregexp"
)

// hot is the temperature from which a drive without limits of its own is too
// hot, in degrees Celsius.
const hot = 80

// Temperatures above which an Optane drive, which has no limits of its own, is
// warmer than nearly all of its kind.
const (
	warmCard = 60
	warmM2   = 70
)

func rulesThermal() []Rule {
	return []Rule{
		{
			ID: "temperature-over-limit", Axis: AxisThermal, Severity: SeverityNote,
			Fields:  []string{"composite_temperature_kelvin", "identify_controller.wctemp"},
			Text:    "The drive is at {celsius} °C, at or above its own warning limit of {limit} °C: look at the cooling and read again.",
			Source:  sourceSMART,
			applies: overLimit,
		},
		{
			ID: "temperature-high", Axis: AxisThermal, Severity: SeverityNote,
			Fields:  []string{"composite_temperature_kelvin"},
			Text:    "The drive is at {celsius} °C, which is too hot: look at the cooling and read again.",
			Source:  "a choice: 80 °C, at which most makers throttle; for drives without a limit of their own",
			applies: tooHot,
		},
		{
			ID: "temperature-warm", Axis: AxisThermal, Severity: SeverityInfo,
			Fields:  []string{"composite_temperature_kelvin", "model.media"},
			Text:    "The drive is at {celsius} °C, warmer than nearly all of its kind: look at the airflow.",
			Source:  sourceFleet + ": 900P, 905P and P4800X at most 59 °C, M.2 Optane at most 70 °C",
			applies: warm,
		},
	}
}

// temperatures returns the temperature and the warning limit in degrees
// Celsius; a limit that is not reported is 0.
func temperatures(f *Facts) (now, limit int, ok bool) {
	if f.SMART == nil {
		return 0, 0, false
	}
	now, ok = Temperature(f.SMART.CompositeTemperature)
	if f.Controller != nil {
		if c, reported := Temperature(f.Controller.WCTEMP); reported {
			limit = c
		}
	}
	return now, limit, ok
}

func heat(now, limit int) *hit {
	return found(fmt.Sprintf("temperature %d C, wctemp %d C", now, limit), "{celsius}", fmt.Sprint(now), "{limit}", fmt.Sprint(limit))
}

func overLimit(f *Facts) *hit {
	now, limit, ok := temperatures(f)
	if !ok || limit <= 0 || now < limit {
		return nil
	}
	return heat(now, limit)
}

func tooHot(f *Facts) *hit {
	now, limit, ok := temperatures(f)
	if !ok || limit > 0 || now < hot {
		return nil
	}
	return heat(now, limit)
}

var smallOptane = lazyregexp.New(`M\.2|800P|P1600X|Optane Memory`)

func warm(f *Facts) *hit {
	now, limit, ok := temperatures(f)
	if !ok || limit > 0 || now >= hot || f.Model == nil || f.Model.Media != mediaXPoint {
		return nil
	}
	bound := warmCard
	if smallOptane.MatchString(f.Model.MarketingName) {
		bound = warmM2
	}
	if now <= bound {
		return nil
	}
	return heat(now, limit)
}
