package smart

import (
	"fmt"
	"math/big"
	"strings"

	"qd1.example/qd1/nvme"
)

const (
	wearNear  = 80  // percentage used from which the end of the rated life comes near
	wearSpent = 100 // percentage used at which the rated life is used up
	wearMax   = 255 // percentage used that stands for itself and everything above
)

func rulesWear() []Rule {
	return []Rule{
		{
			ID: "read-only-soon", Axis: AxisReadOnly, Severity: SeverityReturn,
			Fields:  []string{"percentage_used_percent", "model.read_only_at_percent"},
			Text:    "{percent} % of the rated life is used: drives of this model turn read-only at about {limit} %.",
			Source:  sourceFleet + ": Intel drives turned read-only at 105 % to 109 %, 900P 280 GB among them",
			applies: readOnlySoon,
		},
		{
			ID: "percentage-used-spent", Axis: AxisEndurance, Severity: SeverityNote,
			Fields:  []string{"percentage_used_percent"},
			Text:    "By its own account the drive is past its rated life: {percent} % used{unrated}.",
			Source:  sourceSMART + "; smartmontools 537: used-up life alone is not a failure",
			applies: wearSpentOnly,
		},
		{
			ID: "percentage-used-high", Axis: AxisEndurance, Severity: SeverityNote,
			Fields:  []string{"percentage_used_percent"},
			Text:    "By its own account the drive comes near the end of its rated life: {percent} % used{unrated}.",
			Source:  sourceSMART + "; 80 % is a choice, as for bytes written",
			applies: wearHigh,
		},
		{
			ID: "endurance-spent", Axis: AxisEndurance, Severity: SeverityNote,
			Fields:  []string{"bytes_written", "endurance.rated_bytes", "percentage_used_percent"},
			Text:    "{written} TB were written, which is {percent} % of the rated {rated} TB; the drive itself says {used} %.",
			Source:  "drive database",
			applies: enduranceSpent,
		},
		{
			ID: "endurance-near", Axis: AxisEndurance, Severity: SeverityNote,
			Fields:  []string{"bytes_written", "endurance.rated_bytes"},
			Text:    "{written} TB were written, which is {percent} % of the rated {rated} TB: the rated endurance is nearly used up.",
			Source:  "drive database; the limit of 80 % is a choice",
			applies: enduranceNear,
		},
		{
			ID: "endurance-spent-indicative", Axis: AxisEndurance, Severity: SeverityInfo,
			Fields:  []string{"bytes_written", "endurance.rated_bytes"},
			Text:    "{written} TB were written, which is {percent} % of {rated} TB, a rating that could not be checked.",
			Source:  "drive database",
			applies: enduranceSpentIndicative,
		},
		{
			ID: "endurance-consumed", Axis: AxisEndurance, Severity: SeverityInfo,
			Fields:  []string{"bytes_written", "endurance.rated_bytes"},
			Text:    "{written} TB were written, which is {percent} % of the rated {rated} TB{unchecked}.",
			Source:  "drive database",
			applies: enduranceConsumed,
		},
		{
			ID: "percentage-used-ok", Axis: AxisEndurance, Severity: SeverityOK,
			Fields:  []string{"percentage_used_percent"},
			Text:    "By its own account {percent} % of the rated life is used.",
			Source:  sourceSMART,
			applies: onSMART(wearOK),
		},
	}
}

// percentUsed is Percentage Used for people.
func percentUsed(l *nvme.SMARTLog) string {
	if l.PercentageUsed == wearMax {
		return "at least 255"
	}
	return fmt.Sprint(l.PercentageUsed)
}

func wear(l *nvme.SMARTLog, values ...string) *hit {
	return found(fmt.Sprintf("percentage_used_percent %d", l.PercentageUsed), append(values, "{percent}", percentUsed(l))...)
}

// turnsReadOnly reports whether drives of the model stop accepting writes.
func turnsReadOnly(f *Facts) bool { return f.Model != nil && f.Model.ReadOnlyAtPercent > 0 }

func readOnlySoon(f *Facts) *hit {
	if f.SMART == nil || f.SMART.PercentageUsed < wearSpent || !turnsReadOnly(f) {
		return nil
	}
	return wear(f.SMART, "{limit}", fmt.Sprint(f.Model.ReadOnlyAtPercent))
}

func wearSpentOnly(f *Facts) *hit {
	if f.SMART == nil || f.SMART.PercentageUsed < wearSpent || turnsReadOnly(f) || unreliableByWear(f.SMART) != nil {
		return nil
	}
	return wear(f.SMART, "{unrated}", unrated(f))
}

func wearHigh(f *Facts) *hit {
	if f.SMART == nil || f.SMART.PercentageUsed < wearNear || f.SMART.PercentageUsed >= wearSpent {
		return nil
	}
	return wear(f.SMART, "{unrated}", unrated(f))
}

// unrated says that there is only the drive's word for its wear.
func unrated(f *Facts) string {
	if f.Endurance().RatedBytes != nil {
		return ""
	}
	return " (its own opinion: the rated endurance is not known)"
}

func wearOK(l *nvme.SMARTLog) *hit {
	if l.PercentageUsed >= wearNear {
		return nil
	}
	return wear(l)
}

// consumed returns the endurance of a drive whose rating is known.
func consumed(f *Facts) (e *Endurance, spent, ok bool) {
	e = f.Endurance()
	if e.WrittenPercent == nil {
		return nil, false, false
	}
	return e, *e.BytesToRated == 0, true
}

func enduranceSpent(f *Facts) *hit {
	e, spent, ok := consumed(f)
	if !ok || !spent || e.RatedIndicative {
		return nil
	}
	return writtenOfRated(f, e)
}

func enduranceSpentIndicative(f *Facts) *hit {
	e, spent, ok := consumed(f)
	if !ok || !spent || !e.RatedIndicative {
		return nil
	}
	return writtenOfRated(f, e)
}

// enduranceNear begins at four fifths of a rating that was checked.
func enduranceNear(f *Facts) *hit {
	e, spent, ok := consumed(f)
	if !ok || spent || e.RatedIndicative || *e.BytesToRated > *e.RatedBytes/5 {
		return nil
	}
	return writtenOfRated(f, e)
}

func enduranceConsumed(f *Facts) *hit {
	e, spent, ok := consumed(f)
	if !ok || spent || enduranceNear(f) != nil {
		return nil
	}
	return writtenOfRated(f, e)
}

func writtenOfRated(f *Facts, e *Endurance) *hit {
	unchecked := ""
	if e.RatedIndicative {
		unchecked = " (a rating that could not be checked)"
	}
	return found(
		fmt.Sprintf("data_units_written %s, rated_bytes %d", f.SMART.DataUnitsWritten, *e.RatedBytes),
		"{written}", terabytes(bytesOf(f.SMART.DataUnitsWritten)), "{percent}", percentText(*e.WrittenPercent),
		"{used}", percentUsed(f.SMART), "{rated}", strings.TrimSuffix(terabytes(big.NewInt(*e.RatedBytes)), ".00"), "{unchecked}", unchecked)
}
