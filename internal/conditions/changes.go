package conditions

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// Changes is what became different in a drive between two moments. A number is
// nil if it is not known at both, or if its counter began anew.
type Changes struct {
	// RoseCelsius is by how much the composite temperature rose; negative if it
	// fell.
	RoseCelsius *int `json:"temperature_rose_celsius"`
	// Throttled tells whether the drive entered thermal management. It is nil
	// where it does not count that: without the feature the counters stay 0.
	Throttled       *bool   `json:"throttled"`
	TMT1Transitions *uint64 `json:"tmt1_transitions"`
	TMT2Transitions *uint64 `json:"tmt2_transitions"`
	TMT1Seconds     *uint64 `json:"tmt1_seconds"`
	TMT2Seconds     *uint64 `json:"tmt2_seconds"`
	WarningMinutes  *uint64 `json:"warning_temperature_minutes"`
	CriticalMinutes *uint64 `json:"critical_temperature_minutes"`
	// BytesRead and BytesWritten are by the host, in whole data units of 512000
	// bytes.
	BytesRead       *uint64 `json:"bytes_read"`
	BytesWritten    *uint64 `json:"bytes_written"`
	UsedPercent     *uint64 `json:"percentage_used_percent"`
	MediaErrors     *uint64 `json:"media_errors"`
	ErrorLogEntries *uint64 `json:"error_log_entries"`
	PowerCycles     *uint64 `json:"power_cycles"`
	// NewWarnings are the bits of Critical Warning that came up.
	NewWarnings uint8 `json:"new_critical_warnings"`
	// Facts says what changed in sentences without a judgement.
	Facts []string `json:"facts"`
}

// ChangesBetween compares two states of one drive.
func ChangesBetween(before, after DriveState) Changes {
	c := Changes{Facts: []string{}}
	if before.Health != nil && after.Health != nil {
		c.health(before.Health, after.Health)
		c.throttled(after)
	}
	c.power(before.Power, after.Power)
	if was, is := before.WriteCache, after.WriteCache; was != nil && is != nil && *was != *is {
		c.fact("the volatile write cache was turned %s", onOff(*is))
	}
	return c
}

func (c *Changes) fact(format string, args ...any) {
	c.Facts = append(c.Facts, fmt.Sprintf(format, args...))
}

func (c *Changes) health(was, is *Health) {
	if was.Celsius != nil && is.Celsius != nil {
		c.warmed(*was.Celsius, *is.Celsius)
	}
	c.TMT1Transitions = c.times(was.TMT1Transitions, is.TMT1Transitions, "entries into light thermal throttling rose by %d")
	c.TMT1Seconds = c.times(was.TMT1Seconds, is.TMT1Seconds, "light thermal throttling lasted %d s")
	c.TMT2Transitions = c.times(was.TMT2Transitions, is.TMT2Transitions, "entries into heavy thermal throttling rose by %d")
	c.TMT2Seconds = c.times(was.TMT2Seconds, is.TMT2Seconds, "heavy thermal throttling lasted %d s")
	c.WarningMinutes = c.times(was.WarningMinutes, is.WarningMinutes, "time above the warning temperature rose by %d min")
	c.CriticalMinutes = c.times(was.CriticalMinutes, is.CriticalMinutes, "time above the critical temperature rose by %d min")
	c.warnings(was.CriticalWarning, is.CriticalWarning)

	c.BytesRead = bytesOf(grown(was.DataUnitsRead, is.DataUnitsRead))
	c.BytesWritten = bytesOf(grown(was.DataUnitsWritten, is.DataUnitsWritten))
	c.MediaErrors = c.counted(was.MediaErrors, is.MediaErrors, "media errors rose by %d")
	c.ErrorLogEntries = c.counted(was.ErrorLogEntries, is.ErrorLogEntries, "error log entries rose by %d")
	c.PowerCycles = c.counted(was.PowerCycles, is.PowerCycles, "power cycles rose by %d")
	c.UsedPercent = c.counted(nvme.U128(uint64(was.UsedPercent)), nvme.U128(uint64(is.UsedPercent)), "percentage used rose by %d")
	if is.SparePercent < was.SparePercent {
		c.fact("available spare fell from %d to %d %%", was.SparePercent, is.SparePercent)
	}
}

func (c *Changes) warmed(was, is int) {
	c.RoseCelsius = new(is - was)
	switch {
	case is > was:
		c.fact("the composite temperature rose from %d to %d °C", was, is)
	case is < was:
		c.fact("the composite temperature fell from %d to %d °C", was, is)
	}
}

// throttled concludes from the counters of thermal management.
func (c *Changes) throttled(after DriveState) {
	sum, known := uint64(0), true
	for _, n := range []*uint64{c.TMT1Transitions, c.TMT2Transitions, c.TMT1Seconds, c.TMT2Seconds} {
		if n == nil {
			known = false
			continue
		}
		sum += *n
	}
	manages := after.Limits != nil && (after.Limits.TMT1 != nil || after.Limits.TMT2 != nil)
	if sum > 0 || known && manages {
		c.Throttled = new(sum > 0)
	}
}

// times is counted for a counter of 32 bits.
func (c *Changes) times(was, is uint32, format string) *uint64 {
	return c.counted(nvme.U128(uint64(was)), nvme.U128(uint64(is)), format)
}

// counted returns by how much a counter grew, and says so if it did.
func (c *Changes) counted(was, is nvme.Uint128, format string) *uint64 {
	n := grown(was, is)
	if n != nil && *n > 0 {
		c.fact(format, *n)
	}
	return n
}

// grown returns by how much a counter grew, nil if it began anew.
func grown(was, is nvme.Uint128) *uint64 {
	d := is.Big()
	d.Sub(d, was.Big())
	if !d.IsUint64() {
		return nil
	}
	return new(d.Uint64())
}

// bytesOf turns data units into bytes.
func bytesOf(units *uint64) *uint64 {
	if units == nil || *units > 1<<40 {
		return nil
	}
	return new(*units * nvme.DataUnit)
}

func (c *Changes) power(was, is *Power) {
	if was == nil || is == nil {
		return
	}
	if was.State != nil && is.State != nil && *was.State != *is.State {
		c.fact("the power state changed from %d to %d", *was.State, *is.State)
	}
	if was.APST != nil && is.APST != nil && was.APST.Enabled != is.APST.Enabled {
		c.fact("autonomous power state transition was turned %s", onOff(is.APST.Enabled))
	}
}

// warnings notes the bits of Critical Warning that came up.
func (c *Changes) warnings(was, is uint8) {
	c.NewWarnings = is &^ was
	for i, text := range []string{
		"available spare is below its threshold",
		"a temperature is outside its limits",
		"the drive reports that its reliability is degraded",
		"the drive became read-only",
		"the backup of the volatile memory failed",
		"the persistent memory region became unreliable",
	} {
		if c.NewWarnings&(1<<i) != 0 {
			c.fact("new critical warning: %s", text)
		}
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
