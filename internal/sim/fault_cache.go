package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// DoOldData gives the data that were there before the last erase, to reads of
// blocks that were not written since: as from a cache that nobody told of the
// erase. Fault.MS is for how long after the end of the erase, 0 for ever. The
// fault is about reads after an erase only.
const DoOldData Do = "old-data"

// moment is what a fault must know of the drive when a command comes.
type moment struct {
	// block is the size of a block of the namespace, 0 if there is none.
	block int
	// age is the time since the drive was opened or got its power back.
	age time.Duration
	// old is set if the namespace has data from before an erase, and sinceErase
	// is how long ago that ended.
	old        bool
	sinceErase time.Duration
}

func (d *Drive) moment(nsid nvme.NSID) moment {
	c := d.controller
	m := moment{age: d.age()}
	if c.keepsOld && c.spaces.Load().busy { // An erase may be due.
		c.mu.Lock()
		c.settle()
		c.mu.Unlock()
	}
	if n := c.spaces.Load().at(nsid); n != nil {
		m.block = n.blockBytes()
		if c.keepsOld && n.store.hasOld() {
			m.old, m.sinceErase = true, time.Duration(c.now().UnixNano()-c.erasedAt.Load())
		}
	}
	return m
}

// remembers reports whether a read meets old data.
func (r *Fault) remembers(cmd *nvme.Command, m moment) bool {
	return cmd.Queue == nvme.IOQueue && cmd.Opcode == nvme.IORead && m.old &&
		(r.MS == 0 || m.sinceErase <= time.Duration(r.MS)*time.Millisecond)
}

// recall puts the old data into what was read at an offset of a namespace.
func (d *Drive) recall(nsid nvme.NSID, p []byte, off int64) {
	if n := d.controller.spaces.Load().active(nsid); n != nil && off >= 0 && off+int64(len(p)) <= n.bytes() {
		n.store.readOld(p, off)
	}
}
