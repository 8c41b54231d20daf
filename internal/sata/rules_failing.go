package sata

import "fmt"

func rulesFailing() []Rule {
	return []Rule{
		{
			ID: "sata-smart-failed", Severity: SeverityReturn,
			Fields:  []string{"smart_status"},
			Text:    "The drive itself says that it is about to fail: a SMART threshold is exceeded.",
			Source:  sourceStatus,
			applies: smartFailed,
		},
		{
			ID: "sata-attribute-failing", Severity: SeverityReturn,
			Fields:  []string{"attributes.table"},
			Text:    "{name} is at {value}, its limit {threshold}: by the drive's own rule it fails soon.",
			Source:  sourceAttributes,
			applies: attributeFailing,
		},
		{
			ID: "sata-attribute-aged", Severity: SeverityNote,
			Fields:  []string{"attributes.table"},
			Text:    "{name} is at {value}, its limit {threshold}: by the drive's own rule it has reached its age.",
			Source:  sourceAttributes,
			applies: attributeAged,
		},
		{
			ID: "sata-attribute-failed-past", Severity: SeverityNote,
			Fields:  []string{"attributes.table"},
			Text:    "{name} was at {worst} at its worst, beyond its limit {threshold}; now it is at {value}.",
			Source:  sourceAttributes,
			applies: failedPast,
		},
		{
			ID: "sata-self-test-failed", Severity: SeverityReturn,
			Fields:  []string{"self_test_log.entries"},
			Text:    "The drive failed its last {kind} self-test at {hours} power-on hours: {text}.",
			Source:  "ACS-4, Self-test execution status byte",
			applies: selfTestFailed,
		},
		{
			ID: "sata-locked", Severity: SeverityReturn,
			Fields:  []string{"identity.security"},
			Text:    "A password locks the drive: nothing can be read from it or written to it.",
			Source:  sourceIdentify,
			applies: locked,
		},
		{
			ID: "sata-smart-passed", Severity: SeverityOK,
			Fields:  []string{"smart_status"},
			Text:    "No SMART threshold is exceeded.",
			Source:  sourceStatus,
			applies: smartPassed,
		},
	}
}

func smartIs(f *Facts, s Status) *hit {
	if f.Status == nil || *f.Status != s {
		return nil
	}
	return found("smart_status " + string(s))
}

func smartFailed(f *Facts) *hit { return smartIs(f, StatusFailed) }
func smartPassed(f *Facts) *hit { return smartIs(f, StatusPassed) }

// attributeFailed finds the first attribute that failed at a time, among those
// that announce a failure or the others.
func attributeFailed(f *Facts, prefailure bool, when string) *hit {
	if f.Attributes == nil || !f.Attributes.ChecksumOK {
		return nil
	}
	for i := range f.Attributes.Table {
		a := &f.Attributes.Table[i]
		if a.Prefailure != prefailure || a.WhenFailed != when {
			continue
		}
		return found(fmt.Sprintf("attribute %d value %d worst %d threshold %d", a.ID, a.Value, a.Worst, *a.Threshold),
			"{name}", a.Name, "{value}", fmt.Sprint(a.Value), "{worst}", fmt.Sprint(a.Worst), "{threshold}", fmt.Sprint(*a.Threshold))
	}
	return nil
}

func attributeFailing(f *Facts) *hit { return attributeFailed(f, true, FailedNow) }
func attributeAged(f *Facts) *hit    { return attributeFailed(f, false, FailedNow) }

func failedPast(f *Facts) *hit { return attributeFailed(f, true, FailedPast) }

// selfTestFailed looks at the newest test that ran to an end; an older failure
// was mended, or another kind of test found nothing.
func selfTestFailed(f *Facts) *hit {
	if f.SelfTestLog == nil || !f.SelfTestLog.ChecksumOK {
		return nil
	}
	for _, t := range f.SelfTestLog.Entries {
		switch {
		case t.Failed():
			return found(fmt.Sprintf("self_test_log.entries status %d", t.Status),
				"{kind}", t.Kind, "{hours}", fmt.Sprint(t.Hours), "{text}", t.Text)
		case t.Status == 0:
			return nil
		}
	}
	return nil
}

func locked(f *Facts) *hit {
	if f.Identity == nil || !f.Identity.Security.Locked {
		return nil
	}
	return found("identity.security.locked true")
}
