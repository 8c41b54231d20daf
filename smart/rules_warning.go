package smart

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

func rulesWarning() []Rule {
	return []Rule{
		warning("critical-warning-read-only", AxisReadOnly, SeverityReturn, nvme.WarningReadOnly,
			"The drive has become read-only: it accepts no more writes."),
		{
			ID: "critical-warning-reliability", Axis: AxisMedia, Severity: SeverityReturn,
			Fields:  []string{"critical_warning", "percentage_used_percent", "available_spare_percent", "media_errors"},
			Text:    "The drive warns that it is no longer reliable, because of media errors or an internal error.",
			Source:  sourceSMART,
			applies: onSMART(unreliable),
		},
		{
			ID: "critical-warning-spare", Axis: AxisSpare, Severity: SeverityReturn,
			Fields:  []string{"critical_warning"},
			Text:    "The drive warns that its spare blocks are nearly used up{though}.",
			Source:  sourceSMART,
			applies: spareWarning,
		},
		warning("critical-warning-volatile-backup", AxisMedia, SeverityReturn, nvme.WarningVolatileBackup,
			"The drive warns that its power-loss protection has failed: data in its cache is lost when the power goes."),
		warning("critical-warning-pmr", AxisMedia, SeverityReturn, nvme.WarningPMR,
			"The drive warns that its Persistent Memory Region is read-only or unreliable."),
		warning("critical-warning-temperature", AxisThermal, SeverityNote, nvme.WarningTemperature,
			"The drive warns that its temperature is outside its limits now: look at the cooling and read again."),
		{
			ID: "critical-warning-reliability-wear", Axis: AxisEndurance, Severity: SeverityNote,
			Fields:  []string{"critical_warning", "percentage_used_percent", "available_spare_percent", "media_errors"},
			Text:    "The drive warns of lower reliability, most likely because its rated life is used up ({percent} %); spare blocks and media are in order.",
			Source:  "smartmontools 537 and reports of Samsung drives in data centres",
			applies: onSMART(unreliableByWear),
		},
		{
			ID: "critical-warning-reserved", Axis: AxisMedia, Severity: SeverityNote,
			Fields:  []string{"critical_warning"},
			Text:    "The drive raises warning bits that have no published meaning ({bits}).",
			Source:  sourceSMART,
			applies: onSMART(reservedWarning),
		},
		{
			ID: "critical-warning-none", Axis: AxisMedia, Severity: SeverityOK,
			Fields:  []string{"critical_warning"},
			Text:    "The drive raises no critical warning.",
			Source:  sourceSMART,
			applies: onSMART(noWarning),
		},
		{
			ID: "writable", Axis: AxisReadOnly, Severity: SeverityOK,
			Fields:  []string{"critical_warning"},
			Text:    "The drive is not read-only.",
			Source:  sourceSMART,
			applies: onSMART(writable),
		},
	}
}

// warning makes the rule of one bit of Critical Warning.
func warning(id string, axis Axis, s Severity, bit nvme.CriticalWarning, text string) Rule {
	return Rule{
		ID: id, Axis: axis, Severity: s, Text: text, Source: sourceSMART,
		Fields: []string{"critical_warning"},
		applies: onSMART(func(l *nvme.SMARTLog) *hit {
			if l.CriticalWarning&bit == 0 {
				return nil
			}
			return found(warningEvidence(l))
		}),
	}
}

// spareWarning also tells where the log contradicts the warning.
func spareWarning(f *Facts) *hit {
	l := f.SMART
	if l == nil || l.CriticalWarning&nvme.WarningAvailableSpare == 0 {
		return nil
	}
	though := ""
	if spareContradicts(l) && f.knows("available_spare_percent", "available_spare_threshold_percent") {
		though = fmt.Sprintf(", though it reports %d %% (its limit is %d %%)", l.AvailableSpare, l.AvailableSpareThreshold)
	}
	return found(warningEvidence(l), "{though}", though)
}

func warningEvidence(l *nvme.SMARTLog) string {
	return fmt.Sprintf("critical_warning 0x%02x", uint8(l.CriticalWarning))
}

func unreliable(l *nvme.SMARTLog) *hit {
	if l.CriticalWarning&nvme.WarningReliability == 0 || wornOnly(l) {
		return nil
	}
	return found(wearEvidence(l))
}

func unreliableByWear(l *nvme.SMARTLog) *hit {
	if l.CriticalWarning&nvme.WarningReliability == 0 || !wornOnly(l) {
		return nil
	}
	return found(wearEvidence(l), "{percent}", percentUsed(l))
}

// wornOnly tells a drive that is merely past its rated life from one that
// fails. Some firmware raises the reliability warning for the first as well.
func wornOnly(l *nvme.SMARTLog) bool {
	failing := nvme.WarningAvailableSpare | nvme.WarningReadOnly | nvme.WarningVolatileBackup
	spareFine := l.AvailableSpare > 0 && l.AvailableSpare <= 100 &&
		(!thresholdValid(l) || l.AvailableSpare > l.AvailableSpareThreshold)
	return l.PercentageUsed >= 100 && spareFine && l.MediaErrors.IsZero() && l.CriticalWarning&failing == 0
}

func wearEvidence(l *nvme.SMARTLog) string {
	return fmt.Sprintf("%s, percentage_used_percent %d, available_spare_percent %d, media_errors %s",
		warningEvidence(l), l.PercentageUsed, l.AvailableSpare, l.MediaErrors)
}

func reservedWarning(l *nvme.SMARTLog) *hit {
	bits := l.CriticalWarning.Reserved()
	if bits == 0 {
		return nil
	}
	return found(warningEvidence(l), "{bits}", fmt.Sprintf("0x%02x", uint8(bits)))
}

func noWarning(l *nvme.SMARTLog) *hit {
	if l.CriticalWarning != 0 {
		return nil
	}
	return found(warningEvidence(l))
}

func writable(l *nvme.SMARTLog) *hit {
	if l.CriticalWarning&nvme.WarningReadOnly != 0 {
		return nil
	}
	return found(warningEvidence(l))
}
