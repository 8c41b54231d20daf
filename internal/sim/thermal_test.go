package sim

import (
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// body is a model with a time constant of 10 seconds, 300 K without load and
// 400 K with full load in the end.
func body(throttles bool) (*thermal, func(d time.Duration, load float64) nvme.Kelvin) {
	p := &personality{heat: heat{rise: 100, constant: 10 * time.Second, throttles: throttles}}
	p.smart.CompositeTemperature = 300
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m := newThermal(p, now)
	var busy time.Duration
	return &m, func(d time.Duration, load float64) nvme.Kelvin {
		now = now.Add(d)
		busy += time.Duration(load * float64(d))
		return m.at(now, busy)
	}
}

// TestTimeAboveThresholds checks the warning and critical composite temperature
// times against the exponential.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: time at or above WCTEMP, and CCTEMP.
func TestTimeAboveThresholds(t *testing.T) {
	m, run := body(false)
	m.warm, m.critical = 350, 390
	run(100*time.Second, 1)
	// 50 K are reached after 10 s x ln 2, 90 K after 10 s x ln 10.
	for _, tc := range []struct {
		name string
		got  time.Duration
		want float64
	}{
		{"warning", m.warmTime, 100 - 6.93}, {"critical", m.criticalTime, 100 - 23.03},
	} {
		if got := tc.got.Seconds(); got < tc.want-2 || got > tc.want+2 {
			t.Errorf("%s time %.1f s, want %.1f", tc.name, got, tc.want)
		}
	}
	before := m.warmTime
	run(time.Hour, 1) // The temperature does not move any more, the time does.
	if got := m.warmTime - before; got != time.Hour {
		t.Errorf("an hour above the threshold counts as %v", got)
	}
	run(time.Hour, 0)
	before = m.warmTime
	run(time.Hour, 0)
	if m.warmTime != before {
		t.Error("a cool drive counts time above the threshold")
	}
	none, runNone := body(false)
	runNone(time.Hour, 1)
	if none.warmTime != 0 || none.criticalTime != 0 {
		t.Error("a drive without thresholds counts time above them")
	}
}

// TestHysteresis checks the states of thermal management: how a hot drive is
// held back, and when it is let go.
func TestHysteresis(t *testing.T) {
	m, _ := body(true)
	m.limits = [2]nvme.Kelvin{350, 360}
	for _, tc := range []struct {
		k     nvme.Kelvin
		state int
		light uint32
		heavy uint32
	}{
		{349, 0, 0, 0}, {350, 1, 1, 0}, {348, 1, 1, 0}, {347, 1, 1, 0}, {346, 0, 1, 0},
		{360, 2, 1, 1}, {357, 2, 1, 1}, {356, 1, 1, 1}, {360, 2, 1, 2}, {340, 0, 1, 2}, {355, 1, 2, 2},
	} {
		m.hold(tc.k)
		if m.state != tc.state || m.transitions != [2]uint32{tc.light, tc.heavy} {
			t.Errorf("%d K: state %d, transitions %v, want %d and %d, %d", tc.k, m.state, m.transitions, tc.state, tc.light, tc.heavy)
		}
	}
	if got := m.slowdown(); got != 2 {
		t.Errorf("light throttling is %d times slower, want 2", got)
	}
	cold, _ := body(false)
	cold.state = 2
	if got := cold.slowdown(); got != 1 {
		t.Errorf("a drive that does not throttle is %d times slower", got)
	}
}

// TestThrottlingHolds checks that a drive that is held back stays cooler.
func TestThrottlingHolds(t *testing.T) {
	m, run := body(true)
	m.limits = [2]nvme.Kelvin{350, 360}
	hot := nvme.Kelvin(0)
	for range 200 {
		hot = max(hot, run(time.Second, 1))
	}
	if hot > 365 {
		t.Errorf("%d K in spite of thermal management", hot)
	}
	if m.held[0]+m.held[1] < time.Minute {
		t.Errorf("held back for %v and %v", m.held[0], m.held[1])
	}
}

// TestHostThermalManagement checks that the host's temperatures reach the
// model.
//
// Source: NVM Express Base Specification, Revision 2.0, Host Controlled Thermal
// Management.
func TestHostThermalManagement(t *testing.T) {
	d := modern(t, nil)
	if got := d.controller.thermal.limits; got != [2]nvme.Kelvin{351, 356} {
		t.Errorf("limits %v from the factory", got)
	}
	accept(t, d, setCmd(nvme.FIDThermalManagement, 320<<16|330))
	if got := d.controller.thermal.limits; got != [2]nvme.Kelvin{320, 330} {
		t.Errorf("limits %v after Set Features", got)
	}
	d.Reset()
	if got := d.controller.thermal.limits; got != [2]nvme.Kelvin{351, 356} {
		t.Errorf("limits %v after a reset", got)
	}
	if got := d.controller.thermal.warm; got != 356 {
		t.Errorf("warning temperature %d, want WCTEMP", got)
	}
}

// TestNoTemperature checks a drive that does not report one.
func TestNoTemperature(t *testing.T) {
	m, run := body(false)
	m.idle = 0
	if got := run(time.Hour, 1); got != 0 {
		t.Errorf("%d K, want none", got)
	}
}
