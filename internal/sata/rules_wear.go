package sata

import "fmt"

const (
	wearNear  = 90  // percentage used from which the end of the rated life is near
	wearSpent = 100 // percentage used at which the rated life is used up
)

func rulesWear() []Rule {
	fields := []string{"health.percentage_used_percent"}
	source := sourceStatistics + ", Percentage Used Endurance Indicator; where it is missing, the maker's attribute"
	return []Rule{
		{
			ID: "sata-wear-spent", Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "By its own account the drive is past its rated life: {percent} % used.",
			applies: wear(wearSpent, 256),
		},
		{
			ID: "sata-wear-high", Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "By its own account the drive is near the end of its rated life: {percent} % used.",
			applies: wear(wearNear, wearSpent),
		},
		{
			ID: "sata-wear-ok", Severity: SeverityOK, Fields: fields, Source: source,
			Text:    "By its own account {percent} % of the rated life is used.",
			applies: wear(0, wearNear),
		},
		{
			ID: "sata-hot", Severity: SeverityNote,
			Fields:  []string{"health.temperature_celsius", "device_statistics.temperature_specified_maximum_celsius"},
			Text:    "The drive is at {now} °C, above the {limit} °C that it is made for.",
			Source:  sourceStatistics + ", Specified Maximum Operating Temperature",
			applies: hot,
		},
	}
}

// wear applies from a percentage up to below another.
func wear(from, to int) func(*Facts) *hit {
	return func(f *Facts) *hit {
		used := f.believed().PercentageUsed
		if used == nil || *used < from || *used >= to {
			return nil
		}
		return found(fmt.Sprintf("health.percentage_used_percent %d", *used), "{percent}", fmt.Sprint(*used))
	}
}

func hot(f *Facts) *hit {
	now := f.believed().TemperatureCelsius
	if now == nil || f.Statistics == nil || f.Statistics.MaximumCelsius == nil || *now <= *f.Statistics.MaximumCelsius {
		return nil
	}
	limit := *f.Statistics.MaximumCelsius
	return found(fmt.Sprintf("health.temperature_celsius %d, temperature_specified_maximum_celsius %d", *now, limit),
		"{now}", fmt.Sprint(*now), "{limit}", fmt.Sprint(limit))
}
