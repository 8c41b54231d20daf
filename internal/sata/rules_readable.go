package sata

import (
	"fmt"
	"strings"
)

// Sources that several rules share.
const (
	sourceIdentify   = "ACS-4, IDENTIFY DEVICE data"
	sourceStatus     = "ACS-4, SMART RETURN STATUS"
	sourceAttributes = "SFF-8035i revision 2.0, attribute thresholds"
	sourceStatistics = "ACS-4, Device Statistics log"
	sourceChoice     = "a choice: a single bad spot stays counted on drives that go on for years, many grow"
)

func rulesReadable() []Rule {
	return []Rule{
		{
			ID: "sata-not-reachable", Severity: SeverityInfo, Inconclusive: true,
			Fields:  []string{"advice", "problems"},
			Text:    "Nothing can be said about the health of this drive: {advice}",
			Source:  "SAT-4, ATA PASS-THROUGH; the transport in sysfs",
			applies: notReachable,
		},
		{
			ID: "sata-unreadable", Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"problems"},
			Text:    "The drive could not be read ({section}: {kind}).",
			Source:  sourceIdentify,
			applies: unreadable,
		},
		{
			ID: "sata-smart-off", Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"identity.smart"},
			Text:    "SMART is turned off in this drive, so that it counts nothing that could be read.",
			Source:  sourceIdentify,
			applies: smartOff,
		},
		{
			ID: "sata-smart-none", Severity: SeverityInfo, Inconclusive: true,
			Fields:  []string{"identity.smart"},
			Text:    "The drive has no SMART.",
			Source:  sourceIdentify,
			applies: smartNone,
		},
		{
			ID: "sata-checksum", Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"attributes.checksum_ok", "identity.checksum_ok"},
			Text:    "The checksum of {page} is wrong: a bridge or the drive itself damaged it, and its values cannot be believed.",
			Source:  sourceIdentify + "; " + sourceAttributes,
			applies: checksum,
		},
		{
			ID: "sata-sections-unreadable", Severity: SeverityInfo,
			Fields:  []string{"problems"},
			Text:    "Some parts could not be read: {sections}.",
			Source:  "the parts that this verdict rests on",
			applies: sectionsUnreadable,
		},
	}
}

// problem returns the problem of a section, nil for none.
func (f *Facts) problem(section string) *Problem {
	for i := range f.Problems {
		if f.Problems[i].Section == section {
			return &f.Problems[i]
		}
	}
	return nil
}

// reachable is false for disks behind which no ATA drive answers.
func (f *Facts) reachable() bool {
	p := f.problem(SectionIdentity)
	return p == nil || p.Kind != KindNotATA && p.Kind != KindBridge
}

func notReachable(f *Facts) *hit {
	if f.reachable() {
		return nil
	}
	advice := "what stands between passes no ATA command on."
	if f.Advice != nil {
		advice = f.Advice.Text
	}
	return found("problems "+f.problem(SectionIdentity).Text, "{advice}", advice)
}

func unreadable(f *Facts) *hit {
	section := SectionIdentity
	switch {
	case !f.reachable():
		return nil
	case f.Identity != nil && (f.Attributes != nil || !f.Identity.SMART.Enabled || !f.Identity.SMART.Supported):
		return nil
	case f.Identity != nil:
		section = SectionAttributes
	}
	p := f.problem(section)
	if p == nil {
		p = &Problem{Kind: KindSkipped, Text: "not read"}
	}
	return found("problems "+p.Text, "{section}", section, "{kind}", string(p.Kind))
}

func smartOff(f *Facts) *hit {
	if f.Identity == nil || !f.Identity.SMART.Supported || f.Identity.SMART.Enabled {
		return nil
	}
	return found("identity.smart.enabled false")
}

func smartNone(f *Facts) *hit {
	if f.Identity == nil || f.Identity.SMART.Supported {
		return nil
	}
	return found("identity.smart.supported false")
}

func checksum(f *Facts) *hit {
	switch {
	case f.Attributes != nil && !f.Attributes.ChecksumOK:
		return found("attributes.checksum_ok false", "{page}", "the SMART data")
	case f.Identity != nil && f.Identity.ChecksumOK != nil && !*f.Identity.ChecksumOK:
		return found("identity.checksum_ok false", "{page}", "the identity")
	}
	return nil
}

func sectionsUnreadable(f *Facts) *hit {
	var names []string
	for _, p := range f.Problems {
		if p.Section != SectionIdentity && p.Section != SectionAttributes {
			names = append(names, p.Section)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return found(fmt.Sprintf("problems %d", len(names)), "{sections}", strings.Join(names, ", "))
}
