package sim

import (
	"math"
	"sync/atomic"
	"time"

	"qd1.example/qd1/nvme"
)

// activity counts what the drive did since it was opened.
type activity struct {
	reads, writes           atomic.Uint64
	bytesRead, bytesWritten atomic.Uint64
	// busy is the sum of the times of all accesses, nanoseconds. Accesses at
	// the same time count each.
	busy atomic.Int64
}

// dataUnits returns bytes in units of 1000 512-byte blocks, rounded up.
func (a *activity) dataUnits(bytes *atomic.Uint64) uint64 {
	return (bytes.Load() + nvme.DataUnit - 1) / nvme.DataUnit
}

func (a *activity) busyTime() time.Duration { return time.Duration(a.busy.Load()) }

// heatTime is the time constant of heating and cooling.
const heatTime = time.Minute

// thermal is the model of the temperature: a body that the load heats. Its
// temperature follows the share of busy time exponentially.
type thermal struct {
	// idle is the temperature without load, kelvins; heating is what full load
	// adds in the end.
	idle, heating float64
	// load is the share of busy time that the temperature stands for, 0 to 1.
	load float64
	last time.Time
	busy time.Duration
}

func newThermal(p *personality, now time.Time) thermal {
	return thermal{idle: float64(p.smart.CompositeTemperature), heating: p.heating, last: now}
}

// at moves the model to a time, and returns the temperature. busy is the busy
// time up to then.
func (t *thermal) at(now time.Time, busy time.Duration) nvme.Kelvin {
	if dt := now.Sub(t.last); dt > 0 {
		share := min(1, float64(busy-t.busy)/float64(dt))
		t.load += (share - t.load) * (1 - math.Exp(-float64(dt)/float64(heatTime)))
		t.last, t.busy = now, busy
	}
	return nvme.Kelvin(math.Round(t.idle + t.load*t.heating))
}
