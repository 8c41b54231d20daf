package smart

import (
	"fmt"
	"slices"
)

func rulesErrorLog() []Rule {
	fields := []string{"errors.groups", "error_log_entries"}
	return []Rule{
		{
			ID: "error-log-media", Axis: AxisMedia, Severity: SeverityNote, Fields: fields, Source: sourceError,
			Text:    "{count} of {total} entries of the error log are media errors, at {where}.",
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

// inCategory counts the entries of the groups of one category.
func inCategory(groups []ErrorGroup, c Category) (entries int) {
	for _, g := range groups {
		if g.Category == c {
			entries += g.Entries
		}
	}
	return entries
}

func errorLogMedia(f *Facts) *hit {
	entries := inCategory(GroupErrors(f.Errors), CategoryMedia)
	if entries == 0 {
		return nil
	}
	blocks := damaged(f)
	return found(fmt.Sprintf("%d media entries, lba %d to %d", entries, blocks[0], blocks[len(blocks)-1]),
		"{count}", fmt.Sprint(entries), "{total}", fmt.Sprint(len(f.Errors)), "{where}", where(blocks, f.capacity()))
}

// damaged returns the logical blocks of the media errors, each once, in order.
func damaged(f *Facts) []uint64 {
	var blocks []uint64
	for _, e := range f.Errors {
		if e.ErrorCount != 0 && categoryOf(e.StatusInfo.Status().Code()) == CategoryMedia {
			blocks = append(blocks, e.LBA)
		}
	}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

// edgeBytes and edgeBlocks are how near to the end or the start of a drive the
// blocks lie that a sentence tells by that.
const (
	edgeBytes  = 1 << 20
	edgeBlocks = edgeBytes / 512
)

// where tells how many blocks there are, and where they lie.
func where(blocks []uint64, capacity int64) string {
	n, lo, hi := len(blocks), blocks[0], blocks[len(blocks)-1]
	lbas := "LBA " + group(fmt.Sprint(lo))
	if n > 1 {
		lbas += " to " + group(fmt.Sprint(hi))
	}
	all := fmt.Sprintf("%d addresses, all", n)
	switch n {
	case 1:
		all = "1 address,"
	case 2:
		all = "2 addresses, both"
	}
	if bytes, ok := fromEnd(lo, hi, capacity); ok {
		return fmt.Sprintf("%s in the last %d KB of the drive (%s)", all, (bytes+500)/1000, lbas)
	}
	if hi < edgeBlocks {
		return fmt.Sprintf("%s in the first %s blocks of the drive (%s)", all, group(fmt.Sprint(hi+1)), lbas)
	}
	if n == 1 {
		return "1 address (" + lbas + ")"
	}
	return fmt.Sprintf("%d addresses (%s)", n, lbas)
}

// fromEnd returns the bytes from a block to the end of the drive, if that is
// near. The size of a block is not among the facts: it is the one of the two
// common sizes with which the blocks lie there.
func fromEnd(lo, hi uint64, capacity int64) (int64, bool) {
	for _, size := range []uint64{512, 4096} {
		end := uint64(max(0, capacity)) / size
		if hi < end && (end-lo)*size <= edgeBytes {
			return int64((end - lo) * size), true
		}
	}
	return 0, false
}

func errorLogOther(f *Facts) *hit {
	groups := GroupErrors(f.Errors)
	entries := inCategory(groups, CategoryOther)
	if entries == 0 {
		return nil
	}
	return found(fmt.Sprintf("%d other entries", entries),
		"{count}", fmt.Sprint(entries), "{total}", fmt.Sprint(len(f.Errors)))
}

func errorLogHarmless(f *Facts) *hit {
	groups := GroupErrors(f.Errors)
	refused := inCategory(groups, CategoryCommand)
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
