package smart

import (
	"cmp"
	"fmt"

	"qd1.example/qd1/nvme"
)

func rulesFirmware() []Rule {
	fields := []string{"drive.model", "drive.firmware"}
	return []Rule{
		{
			ID: "firmware-lost", Axis: AxisFirmware, Severity: SeverityReturn, Fields: fields,
			Text: "{text}", Source: "table of firmware defects: harm dead", applies: defect(HarmDead),
		},
		{
			ID: "firmware-defect-damage", Axis: AxisFirmware, Severity: SeverityReturn,
			Fields: append([]string{"media_errors", "available_spare_percent"}, fields...),
			Text:   "{text} It has begun: {spare} % spare, {count} media errors.",
			Source: "table of firmware defects: harm data", applies: defectDamage,
		},
		{
			ID: "firmware-defect", Axis: AxisFirmware, Severity: SeverityNote, Fields: fields,
			Text: "{text} What to do: {cure}.", Source: "table of firmware defects: harm data", applies: defectOfData,
		},
		{
			ID: "firmware-defect-life", Axis: AxisFirmware, Severity: SeverityNote, Fields: fields,
			Text: "{text} What to do: {cure}.", Source: "table of firmware defects: harm life", applies: defect(HarmLife),
		},
		{
			ID: "firmware-oem", Axis: AxisFirmware, Severity: SeverityNote, Fields: fields,
			Text:    "The drive is of a line for {company} (firmware {firmware}): updates and warranty are theirs, and the maker's own tools may refuse it.",
			Source:  sourceFleet + ": lines of firmware by company",
			applies: firmwareOEM,
		},
		{
			ID: "firmware-defect-counters", Axis: AxisFirmware, Severity: SeverityInfo, Fields: fields,
			Text: "{text} What to do: {cure}.", Source: "table of firmware defects: harm counters", applies: defect(HarmCounters),
		},
		{
			ID: "firmware-caution", Axis: AxisFirmware, Severity: SeverityInfo, Fields: fields,
			Text: "{text} What to do: {cure}.", Source: "table of firmware defects: harm caution", applies: defect(HarmCaution),
		},
		{
			ID: "firmware-older", Axis: AxisFirmware, Severity: SeverityInfo,
			Fields:  append([]string{"model.latest_firmware_seen"}, fields...),
			Text:    "The firmware {firmware} is older than {seen}, which was seen on drives of this model.",
			Source:  "drive database; there may be a newer one still",
			applies: firmwareOlder,
		},
		{
			ID: "oem-drive", Axis: AxisFirmware, Severity: SeverityInfo,
			Fields:  []string{"drive.model", "drive.pci.subsystem_vendor_id"},
			Text:    "The drive was made for computers of {company}: updates come from there.",
			Source:  sourceFleet + ": PCI Subsystem Vendor IDs",
			applies: oemDrive,
		},
	}
}

func firmwareEvidence(f *Facts) string {
	return fmt.Sprintf("model %q, firmware %q", f.model(), f.firmware())
}

// defect makes the rule of one harm.
func defect(h Harm) func(*Facts) *hit {
	return func(f *Facts) *hit {
		d := defectWith(f, func(d *Defect) bool { return d.Harm == h })
		if d == nil {
			return nil
		}
		return found(firmwareEvidence(f)+", "+d.ID, "{text}", d.Text, "{cure}", d.Cure)
	}
}

// begun reports whether a defect that loses data has done so.
func begun(l *nvme.SMARTLog) bool {
	return l != nil && (!l.MediaErrors.IsZero() || l.AvailableSpare < 100)
}

func defectDamage(f *Facts) *hit {
	h := defect(HarmData)(f)
	if h == nil || !begun(f.SMART) {
		return nil
	}
	h.values = append(h.values, "{spare}", fmt.Sprint(f.SMART.AvailableSpare), "{count}", group(f.SMART.MediaErrors.String()))
	return h
}

func defectOfData(f *Facts) *hit {
	if begun(f.SMART) {
		return nil
	}
	return defect(HarmData)(f)
}

func firmwareOEM(f *Facts) *hit {
	company := lineageOf(f.model(), f.firmware())
	if company == "" || namedFor(f.model()) != "" {
		return nil
	}
	return found(firmwareEvidence(f), "{firmware}", cmp.Or(f.firmware(), "not known"), "{company}", company)
}

func firmwareOlder(f *Facts) *hit {
	if f.Model == nil || !olderRevision(f.firmware(), f.Model.LatestFirmwareSeen) {
		return nil
	}
	return found(fmt.Sprintf("firmware %q, latest_firmware_seen %q", f.firmware(), f.Model.LatestFirmwareSeen),
		"{firmware}", f.firmware(), "{seen}", f.Model.LatestFirmwareSeen)
}

func oemDrive(f *Facts) *hit {
	company := cmp.Or(namedFor(f.model()), computerMaker(f.subsystemVendorID()))
	if company == "" || firmwareOEM(f) != nil {
		return nil
	}
	return found(fmt.Sprintf("model %q, subsystem_vendor_id %04xh", f.model(), f.subsystemVendorID()), "{company}", company)
}
