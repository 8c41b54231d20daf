package main

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/report"
)

// failureWarnings say how many operations of each row failed, of the runs that
// did not end for it.
func failureWarnings(rows []report.BenchRow, results []report.BenchResult) []string {
	var all []string
	for i, row := range rows {
		var failed, done int64
		where := ""
		for _, r := range results {
			if r.Row != i || r.Partial {
				continue
			}
			failed, done = failed+r.Errors, done+r.Operations
			if where == "" && len(r.ErrorDetails) > 0 && len(r.ErrorOffsets) > 0 {
				where = fmt.Sprintf("%s, first at byte %d", r.ErrorDetails[0].Error, r.ErrorOffsets[0].Offset)
			}
		}
		if failed > 0 {
			all = append(all, fmt.Sprintf("%s: %d of %d operations failed (%s): look at the drive's error log and the kernel log", row.Label, failed, failed+done, where))
		}
	}
	return all
}

// pageBytes is what the medium of a drive is organised in at least, whatever it
// is addressed in.
const pageBytes = 4096

// alignmentWarning says so if a partition begins amid a page: blocks of 4 KiB
// then take two. "" means that it is none, or aligned.
func alignmentWarning(sys fs.FS, device string) string {
	folder := path.Join("class/block", device)
	if _, err := fs.Stat(sys, path.Join(folder, "partition")); err != nil {
		return ""
	}
	text, err := fs.ReadFile(sys, path.Join(folder, "start"))
	if err != nil {
		return ""
	}
	sectors, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || sectors*512%pageBytes == 0 {
		return ""
	}
	return fmt.Sprintf("%s begins at byte %d of its disk, which is no multiple of 4096: blocks of 4 KiB lie across two pages of the medium", device, sectors*512)
}
