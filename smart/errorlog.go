package smart

import (
	"cmp"
	"slices"

	"qd1.example/qd1/nvme"
)

// Category is the kind of an error that a drive has logged.
type Category string

// The categories. CategoryCommand is a command that the drive refused, which
// says nothing about its health: operating systems and tools try commands that
// a drive may not have.
const (
	CategoryMedia   Category = "media"
	CategoryCommand Category = "command"
	CategoryPath    Category = "path"
	CategoryOther   Category = "other"
)

// ErrorGroup is all entries of the Error Information log with one status in
// one namespace.
type ErrorGroup struct {
	// Status is the name of the status.
	Status string `json:"status"`
	// StatusCode is Status Code Type (bits 10:8) and Status Code (bits 7:0).
	StatusCode nvme.Status `json:"status_code"`
	// Category is the kind of error.
	Category Category `json:"category"`
	// NSID is the namespace. 0 and FFFFFFFFh mean none in particular.
	NSID nvme.NSID `json:"nsid"`
	// Entries is the number of entries.
	Entries int `json:"entries"`
	// LBAMin is the lowest logical block of the entries. nil where the error
	// has no block, as a refused command.
	LBAMin *uint64 `json:"lba_min"`
	// LBAMax is the highest logical block of the entries.
	LBAMax *uint64 `json:"lba_max"`
}

// GroupErrors groups the entries of an Error Information log: media errors
// first, then by the number of entries.
func GroupErrors(log nvme.ErrorLog) []ErrorGroup {
	groups := []ErrorGroup{}
	for _, e := range log {
		if e.ErrorCount != 0 {
			groups = addEntry(groups, e)
		}
	}
	slices.SortStableFunc(groups, func(a, b ErrorGroup) int {
		return cmp.Or(
			a.Category.rank()-b.Category.rank(), b.Entries-a.Entries,
			cmp.Compare(a.StatusCode, b.StatusCode), cmp.Compare(a.NSID, b.NSID))
	})
	return groups
}

func (c Category) rank() int {
	return slices.Index([]Category{CategoryMedia, CategoryOther, CategoryPath, CategoryCommand}, c)
}

func addEntry(groups []ErrorGroup, e nvme.ErrorLogEntry) []ErrorGroup {
	code := e.StatusInfo.Status().Code()
	i := slices.IndexFunc(groups, func(g ErrorGroup) bool { return g.StatusCode == code && g.NSID == e.NSID })
	if i < 0 {
		i = len(groups)
		groups = append(groups, ErrorGroup{Status: code.String(), StatusCode: code, Category: categoryOf(code), NSID: e.NSID})
	}
	g := &groups[i]
	g.Entries++
	if g.Category == CategoryMedia {
		g.include(e.LBA)
	}
	return groups
}

func (g *ErrorGroup) include(lba uint64) {
	if g.LBAMin == nil {
		g.LBAMin, g.LBAMax = new(lba), new(lba)
		return
	}
	*g.LBAMin, *g.LBAMax = min(*g.LBAMin, lba), max(*g.LBAMax, lba)
}

const (
	sctMedia  = 2
	sctPath   = 3
	sctVendor = 7
)

// categoryOf goes by the Status Code Type, but for the codes that stand under
// one and mean another.
func categoryOf(code nvme.Status) Category {
	switch code {
	case nvme.StatusDataTransferError, nvme.StatusInternalError:
		return CategoryOther
	case nvme.StatusCompareFailure, nvme.StatusAccessDenied, nvme.StatusDeallocatedBlock:
		return CategoryCommand
	}
	switch code.SCT() {
	case sctMedia:
		return CategoryMedia
	case sctPath:
		return CategoryPath
	case sctVendor:
		return CategoryOther
	}
	return CategoryCommand
}
