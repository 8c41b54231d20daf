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
			ID: "spare-ok", Axis: AxisSpare, Severity: SeverityOK, Fields: fields, Source: source,
			Text:    "Spare blocks are at {spare} %; the drive's own limit is {threshold} %.",
			applies: onSMART(spare(func(s, t uint8) bool { return s > t || s == 100 })),
		},
	}
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
