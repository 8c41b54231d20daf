package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// feelHeat moves the temperature on under load, and slows the drive down if it
// is too hot.
func (c *controller) feelHeat() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchHealth(c.now())
}

// Telemetry tells the composite temperature in °C and how often the drive has
// entered thermal management in its life, both states together, without a
// command. ok is false for a drive that is dead or reports no temperature. It is
// for whoever measures the drive while nobody else has it.
func (d *Drive) Telemetry() (celsius int, throttles uint64, ok bool) {
	c := d.controller
	if c.personality.dead {
		return 0, 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchHealth(c.now())
	k := c.thermal.kelvin()
	s := &c.smart
	throttles = uint64(s.TMT1Transitions) + uint64(s.TMT2Transitions)
	for _, n := range c.thermal.transitions {
		throttles += uint64(n)
	}
	return int(k) - kelvinOfZero, throttles, k != 0
}

// watchHealth notes what changed in the drive's health. The lock must be held.
func (c *controller) watchHealth(now time.Time) {
	state := c.thermal.state
	k := c.thermal.at(now, c.activity.busyTime())
	c.medium.slow.Store(c.thermal.slowdown())
	if c.thermal.state > state {
		c.remember(nvme.EventThermalExcursion, []byte{0, byte(c.thermal.state)})
	}
	warnings := c.criticalWarnings(k)
	for _, w := range []struct {
		bit  nvme.CriticalWarning
		info uint8
	}{
		{nvme.WarningAvailableSpare, infoSpare},
		{nvme.WarningTemperature, infoTemperature},
		{nvme.WarningReliability, infoReliability},
		{nvme.WarningReadOnly, infoReliability},
	} {
		if warnings&^c.warnings&w.bit != 0 {
			c.notifyIf(uint32(w.bit), Event{eventSMART, w.info, nvme.LIDSMART})
		}
	}
	c.warnings = warnings
}

// criticalWarnings returns the first byte of the SMART log.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: Critical Warning.
func (c *controller) criticalWarnings(k nvme.Kelvin) nvme.CriticalWarning {
	w := c.smart.CriticalWarning
	over, under := c.thresholds()
	if k != 0 && (k >= over || k <= under) {
		w |= nvme.WarningTemperature
	}
	if c.smart.AvailableSpare < c.smart.AvailableSpareThreshold {
		w |= nvme.WarningAvailableSpare
	}
	if c.personality.readOnly {
		w |= nvme.WarningReadOnly
	}
	return w
}

// thresholds returns the over and under temperature threshold of the composite
// temperature.
//
// Source: NVM Express Base Specification, Revision 2.0, Temperature Threshold.
func (c *controller) thresholds() (over, under nvme.Kelvin) {
	over, under = 0xFFFF, 0
	if v, ok := c.featureAt(featureKey{fid: nvme.FIDTemperatureThreshold}); ok && v.dword&0xFFFF != 0 {
		over = nvme.Kelvin(v.dword)
	}
	if v, ok := c.featureAt(featureKey{fid: nvme.FIDTemperatureThreshold, sel: underThreshold}); ok {
		under = nvme.Kelvin(v.dword)
	}
	return over, under
}

// smartLog returns the SMART log: the profile's values and what was done since
// the drive was opened. The lock must be held.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: data units are thousands of 512 bytes, rounded up.
func (c *controller) smartLog() nvme.SMARTLog {
	a, t := &c.activity, &c.thermal
	s := c.smart
	s.DataUnitsRead.Lo += a.dataUnits(&a.bytesRead)
	s.DataUnitsWritten.Lo += a.dataUnits(&a.bytesWritten)
	s.HostReadCommands.Lo += a.reads.Load()
	s.HostWriteCommands.Lo += a.writes.Load()
	s.ControllerBusyTime.Lo += uint64(a.busyTime().Minutes())
	s.PowerOnHours.Lo += c.hoursSinceOpen()
	s.MediaErrors.Lo += a.mediaErrors.Load()
	s.ErrorLogEntries.Lo = c.errors.count
	s.CompositeTemperature = t.kelvin()
	for i, k := range s.TemperatureSensors {
		if k != 0 {
			s.TemperatureSensors[i] = k + s.CompositeTemperature - c.smart.CompositeTemperature
		}
	}
	s.CriticalWarning = c.warnings
	s.PercentageUsed = c.percentageUsed()
	s.WarningTemperatureTime += uint32(t.warmTime.Minutes())
	s.CriticalTemperatureTime += uint32(t.criticalTime.Minutes())
	s.TMT1Transitions += t.transitions[0]
	s.TMT2Transitions += t.transitions[1]
	s.TMT1Time += uint32(t.held[0].Seconds())
	s.TMT2Time += uint32(t.held[1].Seconds())
	return s
}

func (c *controller) hoursSinceOpen() uint64 { return uint64(c.now().Sub(c.started).Hours()) }

func (c *controller) powerOnHours() uint64 { return c.smart.PowerOnHours.Lo + c.hoursSinceOpen() }

// percentageUsed grows with what was written since the drive was opened, in
// parts of the endurance that the maker states.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: Percentage Used may exceed 100; 255 is the most.
func (c *controller) percentageUsed() uint8 {
	used := uint64(c.smart.PercentageUsed)
	if e := c.personality.enduranceBytes; e > 0 {
		used += c.activity.bytesWritten.Load() / uint64(max(e/100, 1))
	}
	return uint8(min(used, 255))
}
