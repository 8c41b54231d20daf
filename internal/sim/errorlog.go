package sim

import (
	"slices"

	"qd1.example/qd1/nvme"
)

// errorLog is the Error Information log: the newest entries, newest first.
type errorLog struct {
	// size is how many entries the log keeps, ELPE + 1.
	size int
	// count is the number of entries over the life of the drive.
	count   uint64
	entries []nvme.ErrorLogEntry
}

// newErrorLog returns a log that already has entries.
func newErrorLog(size int, count uint64, entries []nvme.ErrorLogEntry) errorLog {
	return errorLog{size: size, count: count, entries: slices.Clone(entries[:min(len(entries), size)])}
}

// add makes the entry of a failed command.
//
// Source: NVM Express Base Specification, Revision 2.0, Error Information Log
// Page. The model has one submission queue of each kind, 0 and 1, and counts
// the commands that failed in place of a command identifier.
func (l *errorLog) add(cmd *nvme.Command, r reply) {
	l.count++
	e := nvme.ErrorLogEntry{
		ErrorCount:             l.count,
		SQID:                   uint16(cmd.Queue),
		CID:                    uint16(l.count),
		StatusInfo:             nvme.StatusInfo(r.status << 1),
		ParameterErrorLocation: r.where,
		LBA:                    r.lba,
		NSID:                   cmd.NSID,
	}
	l.entries = append([]nvme.ErrorLogEntry{e}, l.entries[:min(len(l.entries), l.size-1)]...)
}

// page returns the log as it is on the wire.
func (l *errorLog) page() []byte {
	all := make([]nvme.ErrorLogEntry, l.size)
	copy(all, l.entries)
	return encode(all)
}
