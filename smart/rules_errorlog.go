package smart

import "fmt"

func rulesErrorLog() []Rule {
	fields := []string{"errors.groups", "error_log_entries"}
	return []Rule{
		{
			ID: "error-log-media", Axis: AxisMedia, Severity: SeverityNote, Fields: fields, Source: sourceError,
			Text:    "{count} of {total} entries of the error log are media errors, at LBA {min} to {max}.",
			applies: errorLogMedia,
		},
		{
			ID: "error-log-internal", Axis: AxisMedia, Severity: SeverityNote, Fields: fields, Source: sourceError,
			Text:    "{count} of {total} entries of the error log are internal or vendor specific errors of the drive.",
			applies: errorLogOther,
		},
		{
			ID: "error-log-harmless", Axis: AxisReadable, Severity: SeverityInfo, Fields: fields,
			Text:    "The error log holds only commands that the drive refused ({total}), as operating systems cause them, and no media error.",
			Source:  "smartmontools 208, linux-nvme/nvme-cli 1224",
			applies: errorLogHarmless,
		},
		{
			ID: "error-log-cleared", Axis: AxisReadable, Severity: SeverityInfo, Fields: fields,
			Text:    "The drive has counted errors since it was made ({count}); its error log shows none of them.",
			Source:  sourceSMART,
			applies: errorLogCleared,
		},
	}
}

// inCategory sums up the groups of one category; lo and hi are its blocks.
func inCategory(groups []ErrorGroup, c Category) (entries int, lo, hi uint64) {
	for _, g := range groups {
		if g.Category != c {
			continue
		}
		if g.LBAMin != nil {
			if entries == 0 {
				lo, hi = *g.LBAMin, *g.LBAMax
			}
			lo, hi = min(lo, *g.LBAMin), max(hi, *g.LBAMax)
		}
		entries += g.Entries
	}
	return entries, lo, hi
}

func errorLogMedia(f *Facts) *hit {
	entries, lo, hi := inCategory(GroupErrors(f.Errors), CategoryMedia)
	if entries == 0 {
		return nil
	}
	return found(fmt.Sprintf("%d media entries, lba %d to %d", entries, lo, hi),
		"{count}", fmt.Sprint(entries), "{total}", fmt.Sprint(len(f.Errors)),
		"{min}", group(fmt.Sprint(lo)), "{max}", group(fmt.Sprint(hi)))
}

func errorLogOther(f *Facts) *hit {
	groups := GroupErrors(f.Errors)
	entries, _, _ := inCategory(groups, CategoryOther)
	if entries == 0 {
		return nil
	}
	return found(fmt.Sprintf("%d other entries", entries),
		"{count}", fmt.Sprint(entries), "{total}", fmt.Sprint(len(f.Errors)))
}

func errorLogHarmless(f *Facts) *hit {
	groups := GroupErrors(f.Errors)
	refused, _, _ := inCategory(groups, CategoryCommand)
	if refused == 0 || refused != len(f.Errors) {
		return nil
	}
	return found(fmt.Sprintf("%d command entries, most often %s", refused, groups[0].Status), "{total}", fmt.Sprint(refused))
}

// errorLogCleared wants the log to be read: a nil log was not.
func errorLogCleared(f *Facts) *hit {
	if f.SMART == nil || f.Errors == nil || len(f.Errors) > 0 || f.SMART.ErrorLogEntries.IsZero() {
		return nil
	}
	return counter("error_log_entries", f.SMART.ErrorLogEntries)
}
