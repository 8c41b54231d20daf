package smart

import "fmt"

func rulesLink() []Rule {
	fields := []string{"link.width", "link.max_width", "link.speed_gts", "link.max_speed_gts", "link.path"}
	source := "PCI Express Base Specification, Link Capabilities and Link Status registers"
	return []Rule{
		{
			ID: "link-width", Axis: AxisLink, Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "The link runs at x{width}, though the drive and its slot can do x{could}: reseat the drive or change the cable or adapter; if that does not help, a contact is bad.",
			applies: linkWidth,
		},
		{
			ID: "link-speed", Axis: AxisLink, Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "The link runs at {speed} GT/s, though the drive and its slot can do {could} GT/s: reseat the drive, change the cable or adapter, look at the settings of the slot.",
			applies: linkSpeed,
		},
		{
			ID: "link-slot", Axis: AxisLink, Severity: SeverityInfo, Fields: fields, Source: source,
			Text:    "The slot is slower than the drive (x{width} at {speed} GT/s; the drive can do x{drivewidth} at {drivespeed} GT/s).",
			applies: linkSlot,
		},
		{
			ID: "link-errors", Axis: AxisLink, Severity: SeverityNote, Fields: []string{"link.aer"}, Source: "PCI Express Base Specification, Advanced Error Reporting",
			Text:    "The link has had {uncorrectable} uncorrectable and {correctable} correctable errors since the host started: reseat the drive, then change the cable, adapter or slot; errors that go on cost time and may lose the drive.",
			applies: linkErrors,
		},
		{
			ID: "link-ok", Axis: AxisLink, Severity: SeverityOK, Fields: fields, Source: source,
			Text:    "The link runs as fast as the drive can (x{width} at {speed} GT/s).",
			applies: linkOK,
		},
	}
}

func gts(f float64) string { return fmt.Sprintf("%g", f) }

func linkEvidence(l *Link) string {
	return fmt.Sprintf("link x%d %g GT/s, drive x%d %g GT/s, slot x%d %g GT/s", l.Width, l.GTs, l.DriveWidth, l.DriveGTs, l.SlotWidth, l.SlotGTs)
}

func linkWidth(f *Facts) *hit {
	l := f.Link
	if l == nil || l.Width <= 0 || l.Width >= min(l.DriveWidth, l.SlotWidth) {
		return nil
	}
	return found(linkEvidence(l), "{width}", fmt.Sprint(l.Width), "{could}", fmt.Sprint(min(l.DriveWidth, l.SlotWidth)))
}

func linkSpeed(f *Facts) *hit {
	l := f.Link
	if l == nil || l.GTs <= 0 || l.GTs >= min(l.DriveGTs, l.SlotGTs) {
		return nil
	}
	return found(linkEvidence(l), "{speed}", gts(l.GTs), "{could}", gts(min(l.DriveGTs, l.SlotGTs)))
}

// linkSlot is a slot that limits the drive, and nothing else does.
func linkSlot(f *Facts) *hit {
	l := f.Link
	if l == nil || !l.complete() || linkWidth(f) != nil || linkSpeed(f) != nil || l.Width >= l.DriveWidth && l.GTs >= l.DriveGTs {
		return nil
	}
	return found(linkEvidence(l), "{width}", fmt.Sprint(l.Width), "{speed}", gts(l.GTs),
		"{drivewidth}", fmt.Sprint(l.DriveWidth), "{drivespeed}", gts(l.DriveGTs))
}

// manyLinkErrors is how many corrected errors of a link are more than those of
// plugging in and of waking up.
const manyLinkErrors = 100

func linkErrors(f *Facts) *hit {
	l := f.Link
	if l == nil || l.Uncorrectable == 0 && l.Correctable < manyLinkErrors {
		return nil
	}
	return found(fmt.Sprintf("%d uncorrectable, %d correctable", l.Uncorrectable, l.Correctable),
		"{uncorrectable}", fmt.Sprint(l.Uncorrectable), "{correctable}", fmt.Sprint(l.Correctable))
}

func linkOK(f *Facts) *hit {
	l := f.Link
	if l == nil || l.Width <= 0 || l.GTs <= 0 || l.DriveWidth <= 0 || l.DriveGTs <= 0 || l.Width < l.DriveWidth || l.GTs < l.DriveGTs {
		return nil
	}
	return found(linkEvidence(l), "{width}", fmt.Sprint(l.Width), "{speed}", gts(l.GTs))
}

func (l *Link) complete() bool {
	return l.Width > 0 && l.GTs > 0 && l.DriveWidth > 0 && l.DriveGTs > 0 && l.SlotWidth > 0 && l.SlotGTs > 0
}
