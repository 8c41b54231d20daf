package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// The lies about erasing, which are about Format NVM and Sanitize only. The
// erase takes its time, tells its progress and ends with success.
const (
	// DoLeaveAll leaves all data as they were. Of a cryptographic erase that
	// means that the old key is still there.
	DoLeaveAll Do = "leave-all"
	// DoLeaveRest erases the first Fault.Percent of each namespace.
	DoLeaveRest Do = "leave-rest"
	// DoLeaveScattered leaves Fault.PPM of all pages of 4096 bytes, chosen by
	// Fault.Seed.
	DoLeaveScattered Do = "leave-scattered"
	// DoLeaveRegion leaves the blocks Fault.LBAFrom to Fault.LBATo, in whole
	// pages of 4096 bytes.
	DoLeaveRegion Do = "leave-region"
	// DoLeaveRecent leaves the Fault.Count pages of 4096 bytes that were
	// written last; 0 means all that were written since the drive was opened or
	// erased, up to [MaxWrittenBytes].
	DoLeaveRecent Do = "leave-recent"
	// DoLeaveUnread erases only the pages of 4096 bytes that were read since
	// the drive was opened or erased.
	DoLeaveUnread Do = "leave-unread"
	// DoAllNamespaces formats every namespace, whatever Format NVM Attributes
	// say.
	DoAllNamespaces Do = "all-namespaces"
	// DoOneNamespace formats only the namespace that the command names,
	// whatever Format NVM Attributes say.
	DoOneNamespace Do = "one-namespace"
	// DoFail ends the erase with a failure when the first Fault.Percent of each
	// namespace are erased: Format NVM with Fault.Status, or Internal Error
	// without one; Sanitize as a failed operation.
	DoFail Do = "fail"
	// DoStall lets the erase stand still at Fault.Percent, for Fault.MS or, if
	// that is 0, for ever.
	DoStall Do = "stall"
)

// forEver is longer than anybody waits.
const forEver = 100 * 365 * 24 * time.Hour

// erases reports whether a command erases.
func erases(cmd *nvme.Command) bool {
	return cmd.Queue == nvme.AdminQueue && (cmd.Opcode == nvme.AdminFormatNVM || cmd.Opcode == nvme.AdminSanitize)
}

// span returns the time of an erase that begins at a moment and takes d.
func (r *Fault) span(start time.Time, d time.Duration) span {
	s := span{start: start, end: start.Add(d)}
	if r != nil && r.Do == DoStall {
		s.stall, s.stallAt = forEver, r.Percent/100
		if r.MS > 0 {
			s.stall = time.Duration(r.MS) * time.Millisecond
		}
		s.end = s.end.Add(s.stall)
	}
	return s
}

// scope returns whether an erase goes to all namespaces. honest is what Format
// NVM Attributes say.
func (r *Fault) scope(honest bool) bool {
	switch {
	case r == nil:
		return honest
	case r.Do == DoAllNamespaces:
		return true
	case r.Do == DoOneNamespace:
		return false
	}
	return honest
}

// left returns which pages of a namespace an erase leaves, nil for an honest
// one.
func (r *Fault) left(n *namespace) func(page int64) bool {
	if r == nil {
		return nil
	}
	switch r.Do {
	case DoLeaveAll:
		return func(int64) bool { return true }
	case DoLeaveRest, DoFail:
		first := int64(float64(n.bytes()/pageBytes) * r.Percent / 100)
		return func(page int64) bool { return page >= first }
	case DoLeaveScattered:
		return func(page int64) bool { return mix(r.Seed+uint64(page)*golden)%million < uint64(r.PPM) }
	case DoLeaveRegion:
		block := int64(n.blockBytes())
		from, to := int64(*r.LBAFrom)*block/pageBytes, int64(*r.LBATo)*block/pageBytes
		return func(page int64) bool { return from <= page && page <= to }
	case DoLeaveRecent:
		last := n.store.track.lastWritten(r.Count)
		return func(page int64) bool { return last[page] }
	case DoLeaveUnread:
		t := n.store.track
		return func(page int64) bool { return !t.wasRead(page) }
	}
	return nil
}

// failed returns how a format that the fault lets fail is answered.
func (r *Fault) failed() nvme.Status {
	switch {
	case r == nil || r.Do != DoFail:
		return nvme.StatusSuccess
	case r.Status == nvme.StatusSuccess:
		return nvme.StatusInternalError
	}
	return r.Status
}

// erasedBy returns the store of a namespace after an erase with a fault: blank,
// which is all of one pattern, or with other data than before, as after a
// change of the key that encrypts them. old is the namespace as it was.
func (c *controller) erasedBy(f *Fault, n, old *namespace, blank bool, pattern uint32) *store {
	g := c.generator(n.nsid)
	g.blank, g.pattern = blank, pattern
	s := newStoreIn(n.bytes(), g, c.room)
	s.setCached(c.cacheIsOn())
	if c.tracks {
		s.track = newTrack()
	}
	if left := f.left(old); left != nil || c.keepsOld {
		s.over(old.store, left)
	}
	return s
}
