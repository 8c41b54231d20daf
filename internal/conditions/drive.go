package conditions

import (
	"context"
	"fmt"

	"qd1.example/qd1/nvme"
)

// DriveState is the state of a drive at one moment. What it does not have or
// could not be read is nil.
type DriveState struct {
	Serial   *string `json:"serial"`
	Firmware *string `json:"firmware"`
	// Health is nil if the SMART log could not be read.
	Health *Health `json:"health"`
	Power  *Power  `json:"power"`
	// WriteCache tells whether the volatile write cache is on, nil if the drive
	// has none; HasWriteCache is nil if it is not known whether it has.
	HasWriteCache *bool `json:"volatile_write_cache_present"`
	WriteCache    *bool `json:"volatile_write_cache"`
	// Limits are the temperatures at which the drive acts.
	Limits *Limits `json:"temperature_limits"`
	// Problems says what could not be read, in sentences.
	Problems []string `json:"problems,omitempty"`
}

// Health is what the SMART log says. Temperatures are in °C, nil if not
// reported.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page.
type Health struct {
	Celsius *int `json:"composite_temperature_celsius"`
	// Sensors has sensor n at index n-1, up to the last one that there is.
	Sensors []*int `json:"temperature_sensors_celsius"`
	// TMT1 and TMT2 are the two steps of host controlled thermal management: how
	// often the drive entered them, and for how long.
	TMT1Transitions uint32 `json:"tmt1_transitions"`
	TMT2Transitions uint32 `json:"tmt2_transitions"`
	TMT1Seconds     uint32 `json:"tmt1_seconds"`
	TMT2Seconds     uint32 `json:"tmt2_seconds"`
	// WarningMinutes and CriticalMinutes are how long it was too hot.
	WarningMinutes  uint32 `json:"warning_temperature_minutes"`
	CriticalMinutes uint32 `json:"critical_temperature_minutes"`

	CriticalWarning  uint8        `json:"critical_warning"`
	SparePercent     int          `json:"available_spare_percent"`
	UsedPercent      int          `json:"percentage_used_percent"`
	DataUnitsRead    nvme.Uint128 `json:"data_units_read"`
	DataUnitsWritten nvme.Uint128 `json:"data_units_written"`
	MediaErrors      nvme.Uint128 `json:"media_errors"`
	ErrorLogEntries  nvme.Uint128 `json:"error_log_entries"`
	PowerCycles      nvme.Uint128 `json:"power_cycles"`
	UnsafeShutdowns  nvme.Uint128 `json:"unsafe_shutdowns"`
	PowerOnHours     nvme.Uint128 `json:"power_on_hours"`
}

// Limits are temperatures in °C, nil for one that the drive does not have.
type Limits struct {
	Warning  *int `json:"warning_threshold_celsius"`
	Critical *int `json:"critical_threshold_celsius"`
	// TMT1 and TMT2 are those from which thermal management slows the drive
	// down, lightly and heavily.
	TMT1 *int `json:"tmt1_celsius"`
	TMT2 *int `json:"tmt2_celsius"`
}

// ReadDrive asks a drive for its state: Identify, the SMART log, and the
// features that Identify says it has. It never fails; what could not be read
// stands in Problems.
func ReadDrive(ctx context.Context, c *nvme.Controller) DriveState {
	r := &reading{ctx: ctx, ctl: c}
	id, err := c.Identify(ctx)
	if err != nil {
		r.problem("Identify Controller", err)
	} else {
		r.identified(id)
	}
	if l, err := c.SMARTLog(ctx); err != nil {
		r.problem("the SMART log", err)
	} else {
		r.state.Health = newHealth(l)
	}
	return r.state
}

// reading is a DriveState in the making.
type reading struct {
	ctx   context.Context
	ctl   *nvme.Controller
	state DriveState
}

func (r *reading) problem(what string, err error) {
	r.state.Problems = append(r.state.Problems, fmt.Sprintf("%s could not be read: %v", what, err))
}

// feature returns the current value of a feature.
func (r *reading) feature(fid nvme.FID, bytes int) (value uint32, data []byte, ok bool) {
	value, data, err := r.ctl.Feature(r.ctx, nvme.FeatureRequest{FID: fid, Bytes: bytes})
	if err != nil {
		r.problem(fid.String(), err)
		return 0, nil, false
	}
	return value, data, true
}

// identified reads what depends on Identify.
func (r *reading) identified(id *nvme.IdentifyController) {
	s := &r.state
	s.Serial, s.Firmware = notEmpty(id.SerialNumber.String()), notEmpty(id.FirmwareRevision.String())
	s.Limits = &Limits{Warning: celsius(id.WCTEMP), Critical: celsius(id.CCTEMP)}
	s.HasWriteCache = new(id.VWC&1 != 0)
	if *s.HasWriteCache {
		if v, _, ok := r.feature(nvme.FIDVolatileWriteCache, 0); ok {
			s.WriteCache = new(v&1 != 0)
		}
	}
	if id.HCTMA&1 != 0 {
		if v, _, ok := r.feature(nvme.FIDThermalManagement, 0); ok {
			s.Limits.TMT1, s.Limits.TMT2 = celsius(nvme.Kelvin(v>>16)), celsius(nvme.Kelvin(v))
		}
	}
	s.Power = r.power(id)
}

func newHealth(l *nvme.SMARTLog) *Health {
	return &Health{
		Celsius:          celsius(l.CompositeTemperature),
		Sensors:          sensors(l.TemperatureSensors),
		TMT1Transitions:  l.TMT1Transitions,
		TMT2Transitions:  l.TMT2Transitions,
		TMT1Seconds:      l.TMT1Time,
		TMT2Seconds:      l.TMT2Time,
		WarningMinutes:   l.WarningTemperatureTime,
		CriticalMinutes:  l.CriticalTemperatureTime,
		CriticalWarning:  uint8(l.CriticalWarning),
		SparePercent:     int(l.AvailableSpare),
		UsedPercent:      int(l.PercentageUsed),
		DataUnitsRead:    l.DataUnitsRead,
		DataUnitsWritten: l.DataUnitsWritten,
		MediaErrors:      l.MediaErrors,
		ErrorLogEntries:  l.ErrorLogEntries,
		PowerCycles:      l.PowerCycles,
		UnsafeShutdowns:  l.UnsafeShutdowns,
		PowerOnHours:     l.PowerOnHours,
	}
}

// sensors keeps the slot of each sensor, and leaves out those after the last.
func sensors(slots [8]nvme.Kelvin) []*int {
	last, list := 0, make([]*int, len(slots))
	for i, k := range slots {
		if list[i] = celsius(k); k != 0 {
			last = i + 1
		}
	}
	return list[:last]
}

// Temperatures that no drive has are not reported.
const (
	coldest = -40
	hottest = 125
)

// celsius is nil for what is not reported and for what no drive can have.
func celsius(k nvme.Kelvin) *int {
	c, ok := k.Celsius()
	if !ok || c < coldest || c > hottest {
		return nil
	}
	return &c
}
