package sata

import "fmt"

func rulesLink() []Rule {
	return []Rule{
		{
			ID: "sata-crc-many", Severity: SeverityNote,
			Fields:  []string{"health.interface_crc_errors"},
			Text:    "{count} transfers arrived damaged: look at the cable and the connectors. The count never goes down; the medium is not the cause.",
			Source:  "ACS-4, Number of Interface CRC Errors; the limit of 100 is a choice",
			applies: crcMany,
		},
		{
			ID: "sata-crc", Severity: SeverityInfo,
			Fields:  []string{"health.interface_crc_errors"},
			Text:    "Transfers arrived damaged at some time ({count}): a cable or connector, not the medium. Read again later: only a growing number matters.",
			Source:  "ACS-4, Number of Interface CRC Errors",
			applies: crcFew,
		},
		{
			ID: "sata-link-slow", Severity: SeverityNote,
			Fields:  []string{"identity.sata_speed_current_gbps", "identity.sata_speed_max_gbps"},
			Text:    "The link runs at {now} Gb/s, the drive can do {most} Gb/s: an older port, or a bad cable.",
			Source:  sourceIdentify,
			applies: linkSlow,
		},
		{
			ID: "sata-size-differs", Severity: SeverityNote,
			Fields:  []string{"identity.capacity_bytes", "host.size_bytes"},
			Text:    "The drive has {drive} bytes, the host sees {host}: a bridge cuts it, or a part of it is hidden.",
			Source:  sourceIdentify + "; the size in sysfs",
			applies: sizeDiffers,
		},
		{
			ID: "sata-error-log", Severity: SeverityInfo,
			Fields:  []string{"error_log.count"},
			Text:    "The drive has recorded {count} commands that ended with an error; the newest: {text}.",
			Source:  "ACS-4, Summary SMART error log",
			applies: errorLog,
		},
	}
}

func crcMany(f *Facts) *hit {
	if n := f.believed().CRCErrors; n != nil && *n >= manyCRC {
		return counted("interface_crc_errors", *n)
	}
	return nil
}

func crcFew(f *Facts) *hit {
	if n := f.believed().CRCErrors; n != nil && *n > 0 && *n < manyCRC {
		return counted("interface_crc_errors", *n)
	}
	return nil
}

func linkSlow(f *Facts) *hit {
	if f.Identity == nil || f.Identity.SpeedCurrentGbps == nil || f.Identity.SpeedMaxGbps == nil {
		return nil
	}
	now, most := *f.Identity.SpeedCurrentGbps, *f.Identity.SpeedMaxGbps
	if now >= most {
		return nil
	}
	return found(fmt.Sprintf("identity.sata_speed_current_gbps %g, sata_speed_max_gbps %g", now, most),
		"{now}", fmt.Sprint(now), "{most}", fmt.Sprint(most))
}

func sizeDiffers(f *Facts) *hit {
	if f.Identity == nil || f.Host == nil || f.Identity.CapacityBytes == 0 || f.Host.SizeBytes == 0 || uint64(f.Host.SizeBytes) == f.Identity.CapacityBytes {
		return nil
	}
	return found(fmt.Sprintf("identity.capacity_bytes %d, host.size_bytes %d", f.Identity.CapacityBytes, f.Host.SizeBytes),
		"{drive}", fmt.Sprint(f.Identity.CapacityBytes), "{host}", fmt.Sprint(f.Host.SizeBytes))
}

func errorLog(f *Facts) *hit {
	if f.ErrorLog == nil || !f.ErrorLog.ChecksumOK || f.ErrorLog.Count == 0 || len(f.ErrorLog.Entries) == 0 {
		return nil
	}
	text := f.ErrorLog.Entries[0].Text
	if text == "" {
		text = "an error without a known kind"
	}
	return found(fmt.Sprintf("error_log.count %d", f.ErrorLog.Count), "{count}", fmt.Sprint(f.ErrorLog.Count), "{text}", text)
}
