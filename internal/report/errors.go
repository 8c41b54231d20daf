package report

import (
	"context"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// ReadErrors reads the error log, and the counters of the SMART log before and
// after it.
func (s *Session) ReadErrors(ctx context.Context) (*Errors, error) {
	before, err := ReadSMART(ctx, s.Controller)
	if err != nil {
		before = nil // The log is worth showing without, and a page of no data has no counters.
	}
	log, err := s.ErrorLog(ctx, s.ID)
	if err != nil {
		return nil, problemOf(err)
	}
	e := NewErrors(log, before, s.damagedSizes(ctx, log))
	if after, err := ReadSMART(ctx, s.Controller); err == nil && before != nil {
		e.EntriesAdded = new(int64(after.ErrorLogEntries.Lo - before.ErrorLogEntries.Lo))
	}
	return e, nil
}

// damagedSizes reads the sizes of the namespaces if there are media errors, whose
// place they tell.
func (s *Session) damagedSizes(ctx context.Context, log nvme.ErrorLog) map[nvme.NSID]smart.Blocks {
	if smart.TriageErrors(log, nil, nil).Media == 0 {
		return nil
	}
	list, err := namespaces(ctx, s.Controller, s.ID, s.Drive.Host)
	if err != nil {
		return nil // The blocks are told without their place.
	}
	return blocksOf(orZero(list))
}

// blocksOf are the sizes of namespaces. An entry of the log may name none: with
// one namespace it is that.
func blocksOf(list []Namespace) map[nvme.NSID]smart.Blocks {
	sizes := map[nvme.NSID]smart.Blocks{}
	for i := range list {
		n := &list[i]
		if n.LBAFormat.DataBytes != 0 {
			sizes[n.NSID] = smart.Blocks{Count: n.SizeBytes / n.LBAFormat.DataBytes, Bytes: n.LBAFormat.DataBytes}
		}
	}
	if len(list) == 1 {
		sizes[0], sizes[nvme.BroadcastNSID] = sizes[list[0].NSID], sizes[list[0].NSID]
	}
	return sizes
}
