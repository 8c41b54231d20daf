package smart

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// manyMediaErrors is the number of media errors from which a drive is to be
// returned. It is a choice: healthy drives with an old unreadable spot show
// one to a few; each further read of such a spot counts again, so that a small
// number does not tell a spot from a failing medium.
const manyMediaErrors = 100

func rulesMedia() []Rule {
	return []Rule{
		{
			ID: "media-errors-many", Axis: AxisMedia, Severity: SeverityReturn,
			Fields:  []string{"media_errors"},
			Text:    "The drive has counted {count} media errors: data that it could not read or found damaged.",
			Source:  sourceSMART + "; the limit of 100 is a choice: 0.64 % of " + sourceFleet + " show any, most of them a few",
			applies: onSMART(mediaErrorsMany),
		},
		{
			ID: "media-errors", Axis: AxisMedia, Severity: SeverityNote,
			Fields:  []string{"media_errors"},
			Text:    "The drive has counted media errors ({count}): data that it could not read or found damaged. Read again later: a growing number is a reason to return it.",
			Source:  sourceSMART,
			applies: onSMART(mediaErrorsFew),
		},
		{
			ID: "media-errors-none", Axis: AxisMedia, Severity: SeverityOK,
			Fields:  []string{"media_errors"},
			Text:    "The drive has counted no media errors.",
			Source:  sourceSMART,
			applies: onSMART(mediaErrorsNone),
		},
	}
}

func mediaErrorsMany(l *nvme.SMARTLog) *hit {
	if l.MediaErrors.Hi == 0 && l.MediaErrors.Lo < manyMediaErrors {
		return nil
	}
	return counter("media_errors", l.MediaErrors)
}

func mediaErrorsFew(l *nvme.SMARTLog) *hit {
	if l.MediaErrors.IsZero() || mediaErrorsMany(l) != nil {
		return nil
	}
	return counter("media_errors", l.MediaErrors)
}

func mediaErrorsNone(l *nvme.SMARTLog) *hit {
	if !l.MediaErrors.IsZero() {
		return nil
	}
	return counter("media_errors", l.MediaErrors)
}

func rulesSpare() []Rule {
	fields := []string{"available_spare_percent", "available_spare_threshold_percent"}
	source := sourceSMART + "; a threshold of 0 (all Optane drives) or above 100 (reserved) is not judged"
	warned := []string{"available_spare_percent", "available_spare_threshold_percent", "critical_warning"}
	return []Rule{
		{
			ID: "spare-below-threshold", Axis: AxisSpare, Severity: SeverityReturn, Fields: fields, Source: source,
			Text:    "Spare blocks are at {spare} %, below the drive's own limit of {threshold} %.",
			applies: onSMART(spare(func(s, t uint8) bool { return s < t })),
		},
		{
			ID: "spare-at-threshold", Axis: AxisSpare, Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "Spare blocks are at {spare} %, which is the drive's own limit.",
			applies: onSMART(spare(func(s, t uint8) bool { return s == t && t != 100 })),
		},
		{
			ID: "spare-near-threshold", Axis: AxisSpare, Severity: SeverityNote, Fields: fields,
			Text:    "Spare blocks are at {spare} %, close above the drive's own limit of {threshold} %: {left} % of the reserve above it is left.",
			Source:  source + "; 10 points above it is a choice, for limits up to 90 %",
			applies: onSMART(spareNear),
		},
		{
			ID: "spare-ok", Axis: AxisSpare, Severity: SeverityOK, Fields: warned, Source: source,
			Text:    "Spare blocks are at {spare} %; the drive's own limit is {threshold} %.",
			applies: onSMART(spareOK),
		},
		{
			ID: "spare-low-no-limit", Axis: AxisSpare, Severity: SeverityNote, Fields: fields,
			Text:    "Spare blocks are at {spare} %, and the drive gives no limit of its own: blocks had to be replaced. Read again later: a falling number is a reason to return it.",
			Source:  "a choice of qd1: below 50 % where the drive has no limit; 0 % is taken as not reported",
			applies: onSMART(spareLow),
		},
	}
}

// Limits of the share of spare blocks, in points of percent.
const (
	spareMargin      = 10 // above the drive's own limit
	highestThreshold = 90 // from above which the margin says nothing
	spareHalf        = 50 // for drives without a limit
)

// closeToThreshold reports whether the spare blocks are little above the limit.
func closeToThreshold(s, t uint8) bool {
	return t <= highestThreshold && s > t && s < 100 && s-t <= spareMargin
}

// spareNear tells how much is left between the limit and 100 %, rounded down.
func spareNear(l *nvme.SMARTLog) *hit {
	h := spare(closeToThreshold)(l)
	if h == nil {
		return nil
	}
	left := 100 * int(l.AvailableSpare-l.AvailableSpareThreshold) / (100 - int(l.AvailableSpareThreshold))
	h.values = append(h.values, "{left}", fmt.Sprint(left))
	return h
}

// spareOK is silent where the drive itself warns of its spare blocks.
func spareOK(l *nvme.SMARTLog) *hit {
	if l.CriticalWarning&nvme.WarningAvailableSpare != 0 {
		return nil
	}
	return spare(func(s, t uint8) bool { return s == 100 || s > t && !closeToThreshold(s, t) })(l)
}

func spareLow(l *nvme.SMARTLog) *hit {
	if l.AvailableSpareThreshold != 0 || l.AvailableSpare == 0 || l.AvailableSpare >= spareHalf {
		return nil
	}
	return found(fmt.Sprintf("available_spare_percent %d, available_spare_threshold_percent 0", l.AvailableSpare),
		"{spare}", fmt.Sprint(l.AvailableSpare))
}

// spareContradicts reports whether the drive warns of its spare blocks while
// they are above its own limit.
func spareContradicts(l *nvme.SMARTLog) bool {
	return l.CriticalWarning&nvme.WarningAvailableSpare != 0 && thresholdValid(l) &&
		l.AvailableSpare > l.AvailableSpareThreshold && l.AvailableSpare <= 100
}

// thresholdValid reports whether the drive gives a limit for its spare blocks.
func thresholdValid(l *nvme.SMARTLog) bool {
	return l.AvailableSpareThreshold >= 1 && l.AvailableSpareThreshold <= 100
}

func spare(is func(spare, threshold uint8) bool) func(*nvme.SMARTLog) *hit {
	return func(l *nvme.SMARTLog) *hit {
		if !thresholdValid(l) || !is(l.AvailableSpare, l.AvailableSpareThreshold) {
			return nil
		}
		return found(
			fmt.Sprintf("available_spare_percent %d, available_spare_threshold_percent %d", l.AvailableSpare, l.AvailableSpareThreshold),
			"{spare}", fmt.Sprint(l.AvailableSpare), "{threshold}", fmt.Sprint(l.AvailableSpareThreshold))
	}
}
