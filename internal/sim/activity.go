package sim

import (
	"sync/atomic"
	"time"

	"qd1.example/qd1/nvme"
)

// activity counts what the drive did since it was opened.
type activity struct {
	reads, writes           atomic.Uint64
	bytesRead, bytesWritten atomic.Uint64
	mediaErrors             atomic.Uint64
	// changed is set by the first change of data since a sanitize.
	changed atomic.Bool
	// busy is the sum of the times of all accesses, nanoseconds. Accesses at
	// the same time count each.
	busy atomic.Int64
}

// wrote counts a write.
func (a *activity) wrote(bytes int) {
	a.writes.Add(1)
	a.bytesWritten.Add(uint64(bytes))
	if !a.changed.Load() {
		a.changed.Store(true)
	}
}

// dataUnits returns bytes in units of 1000 512-byte blocks, rounded up.
func (a *activity) dataUnits(bytes *atomic.Uint64) uint64 {
	return (bytes.Load() + nvme.DataUnit - 1) / nvme.DataUnit
}

func (a *activity) busyTime() time.Duration { return time.Duration(a.busy.Load()) }
