package sim

import (
	"math"
	"time"

	"qd1.example/qd1/nvme"
)

// heat is how a drive gets warm.
type heat struct {
	// rise is what full load adds to the temperature in the end, kelvins.
	rise float64
	// constant is the time constant of heating and cooling. 0 is a minute.
	constant time.Duration
	// throttles is set if the drive gets slower when it is too hot.
	throttles bool
}

// heatTime is the time constant of heating and cooling of an ordinary drive.
const heatTime = time.Minute

// thermal is the model of the temperature: a body that the load heats. Its
// temperature follows the share of busy time exponentially.
type thermal struct {
	heat
	// idle is the temperature without load, kelvins.
	idle float64
	// load is the share of busy time that the temperature stands for, 0 to 1.
	load float64
	last time.Time
	busy time.Duration
	// coldest and hottest are since the drive was opened.
	coldest, hottest nvme.Kelvin

	// warm and critical are WCTEMP and CCTEMP, 0 for none, and what lies above
	// them in time.
	warm, critical         nvme.Kelvin
	warmTime, criticalTime time.Duration
	// limits are the thermal management temperatures 1 and 2, 0 for none. state
	// is which of them holds the drive back, 0 none.
	limits      [2]nvme.Kelvin
	state       int
	transitions [2]uint32
	held        [2]time.Duration
}

func newThermal(p *personality, now time.Time) thermal {
	t := thermal{heat: p.heat, idle: float64(p.smart.CompositeTemperature), last: now}
	if t.constant == 0 {
		t.constant = heatTime
	}
	t.coldest, t.hottest = t.kelvin(), t.kelvin()
	return t
}

// Parts of a span of time, so that the time above a threshold comes out about
// right: of an eighth of the time constant, and at most so many. After those
// the temperature is as good as constant.
const (
	stepPart = 8
	maxSteps = 16 * stepPart
)

// at moves the model to a time, and returns the temperature. busy is the busy
// time up to then.
func (t *thermal) at(now time.Time, busy time.Duration) nvme.Kelvin {
	if dt := now.Sub(t.last); dt > 0 {
		share := min(1, float64(busy-t.busy)/float64(dt))
		for i := 0; i < maxSteps && dt > 0; i++ {
			d := min(dt, t.constant/stepPart)
			t.step(d, share)
			dt -= d
		}
		t.stay(dt)
		t.last, t.busy = now, busy
	}
	return t.kelvin()
}

// kelvin returns the temperature, 0 for a drive that does not report one.
func (t *thermal) kelvin() nvme.Kelvin {
	if t.idle == 0 {
		return 0
	}
	return nvme.Kelvin(math.Round(t.idle + t.load*t.rise))
}

// step moves the model by a part of a span. A drive that is held back makes
// less heat.
func (t *thermal) step(dt time.Duration, share float64) {
	share /= float64(t.slowdown())
	t.load += (share - t.load) * (1 - math.Exp(-float64(dt)/float64(t.constant)))
	k := t.kelvin()
	t.coldest, t.hottest = min(t.coldest, k), max(t.hottest, k)
	t.hold(k)
	t.stay(dt)
}

// stay counts time at the temperature that the drive has.
func (t *thermal) stay(dt time.Duration) {
	k := t.kelvin()
	if t.warm != 0 && k >= t.warm {
		t.warmTime += dt
	}
	if t.critical != 0 && k >= t.critical {
		t.criticalTime += dt
	}
	if t.state > 0 {
		t.held[t.state-1] += dt
	}
}

// hysteresis is how far below its limit a drive that was held back must cool.
const hysteresis = 3

// hold moves between the states of thermal management.
//
// Source: NVM Express Base Specification, Revision 2.0, Host Controlled
// Thermal Management.
func (t *thermal) hold(k nvme.Kelvin) {
	state := 0
	for i, limit := range t.limits {
		if limit == 0 {
			continue
		}
		if t.state > i {
			limit -= hysteresis
		}
		if k >= limit {
			state = i + 1
		}
	}
	if state > t.state {
		t.transitions[state-1]++
	}
	t.state = state
}

// slowdown returns how many times slower the drive is.
func (t *thermal) slowdown() int64 {
	if !t.throttles {
		return 1
	}
	return 1 << t.state
}
