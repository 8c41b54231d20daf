package report

import (
	"math/big"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// SMART is the SMART / Health log with units that people use. Fields that are
// null were not reported by the drive.
type SMART struct {
	Partial
	CriticalWarning              CriticalWarning `json:"critical_warning"`
	CompositeTemperatureCelsius  *int            `json:"composite_temperature_celsius"`
	CompositeTemperatureKelvin   *int            `json:"composite_temperature_kelvin"`
	TemperatureSensorsCelsius    []*int          `json:"temperature_sensors_celsius"`
	TemperatureSensors           []Sensor        `json:"temperature_sensors"`
	AvailableSparePercent        int             `json:"available_spare_percent"`
	SpareThresholdPercent        int             `json:"available_spare_threshold_percent"`
	PercentageUsedPercent        int             `json:"percentage_used_percent"`
	EnduranceGroupWarning        int             `json:"endurance_group_critical_warning"`
	DataUnitsRead                nvme.Uint128    `json:"data_units_read"`
	DataUnitsReadText            string          `json:"data_units_read_s,omitempty"`
	DataUnitsWritten             nvme.Uint128    `json:"data_units_written"`
	DataUnitsWrittenText         string          `json:"data_units_written_s,omitempty"`
	BytesRead                    *big.Int        `json:"bytes_read"`
	BytesReadText                string          `json:"bytes_read_s,omitempty"`
	BytesWritten                 *big.Int        `json:"bytes_written"`
	BytesWrittenText             string          `json:"bytes_written_s,omitempty"`
	HostReadCommands             nvme.Uint128    `json:"host_read_commands"`
	HostReadCommandsText         string          `json:"host_read_commands_s,omitempty"`
	HostWriteCommands            nvme.Uint128    `json:"host_write_commands"`
	HostWriteCommandsText        string          `json:"host_write_commands_s,omitempty"`
	ControllerBusyMinutes        nvme.Uint128    `json:"controller_busy_minutes"`
	ControllerBusyMinutesText    string          `json:"controller_busy_minutes_s,omitempty"`
	PowerCycles                  nvme.Uint128    `json:"power_cycles"`
	PowerCyclesText              string          `json:"power_cycles_s,omitempty"`
	PowerOnHours                 nvme.Uint128    `json:"power_on_hours"`
	PowerOnHoursText             string          `json:"power_on_hours_s,omitempty"`
	UnsafeShutdowns              nvme.Uint128    `json:"unsafe_shutdowns"`
	UnsafeShutdownsText          string          `json:"unsafe_shutdowns_s,omitempty"`
	MediaErrors                  nvme.Uint128    `json:"media_errors"`
	MediaErrorsText              string          `json:"media_errors_s,omitempty"`
	ErrorLogEntries              nvme.Uint128    `json:"error_log_entries"`
	ErrorLogEntriesText          string          `json:"error_log_entries_s,omitempty"`
	WarningTemperatureMinutes    uint32          `json:"warning_temperature_minutes"`
	CriticalTemperatureMinutes   uint32          `json:"critical_temperature_minutes"`
	ThermalManagement            Thermal         `json:"thermal_management"`
	WarningThresholdCelsius      *int            `json:"warning_threshold_celsius"`
	CriticalThresholdCelsius     *int            `json:"critical_threshold_celsius"`
	TemperatureAfterBenchCelsius *int            `json:"composite_temperature_after_bench_celsius"`
}

// CriticalWarning is the Critical Warning byte, bit by bit.
type CriticalWarning struct {
	Value                uint8 `json:"value"`
	AvailableSpareLow    bool  `json:"available_spare_low"`
	Temperature          bool  `json:"temperature"`
	ReliabilityDegraded  bool  `json:"reliability_degraded"`
	ReadOnly             bool  `json:"read_only"`
	VolatileBackupFailed bool  `json:"volatile_backup_failed"`
	PMRUnreliable        bool  `json:"pmr_unreliable"`
}

// Sensor is a temperature sensor that the drive has.
type Sensor struct {
	// Sensor is its number, from 1.
	Sensor  int `json:"sensor"`
	Celsius int `json:"celsius"`
}

// sensorsThere are the sensors with a temperature, by their numbers.
func sensorsThere(slots [8]nvme.Kelvin) []Sensor {
	list := []Sensor{}
	for i, k := range slots {
		if c, ok := k.Celsius(); ok {
			list = append(list, Sensor{i + 1, c})
		}
	}
	return list
}

// Thermal are the counters of host controlled thermal management.
type Thermal struct {
	TMT1Transitions uint32 `json:"tmt1_transitions"`
	TMT2Transitions uint32 `json:"tmt2_transitions"`
	TMT1Seconds     uint32 `json:"tmt1_seconds"`
	TMT2Seconds     uint32 `json:"tmt2_seconds"`
}

func newCriticalWarning(w nvme.CriticalWarning) CriticalWarning {
	return CriticalWarning{
		Value:                uint8(w),
		AvailableSpareLow:    w&nvme.WarningAvailableSpare != 0,
		Temperature:          w&nvme.WarningTemperature != 0,
		ReliabilityDegraded:  w&nvme.WarningReliability != 0,
		ReadOnly:             w&nvme.WarningReadOnly != 0,
		VolatileBackupFailed: w&nvme.WarningVolatileBackup != 0,
		PMRUnreliable:        w&nvme.WarningPMR != 0,
	}
}

// NewSMART returns the section of a SMART log.
func NewSMART(l *nvme.SMARTLog) *SMART {
	s := &SMART{
		CriticalWarning:             newCriticalWarning(l.CriticalWarning),
		CompositeTemperatureCelsius: celsius(l.CompositeTemperature),
		CompositeTemperatureKelvin:  kelvin(l.CompositeTemperature),
		TemperatureSensorsCelsius:   sensors(l.TemperatureSensors),
		TemperatureSensors:          sensorsThere(l.TemperatureSensors),
		AvailableSparePercent:       int(l.AvailableSpare),
		SpareThresholdPercent:       int(l.AvailableSpareThreshold),
		PercentageUsedPercent:       int(l.PercentageUsed),
		EnduranceGroupWarning:       int(l.EnduranceGroupCriticalWarning),
		WarningTemperatureMinutes:   l.WarningTemperatureTime,
		CriticalTemperatureMinutes:  l.CriticalTemperatureTime,
		ThermalManagement:           Thermal{l.TMT1Transitions, l.TMT2Transitions, l.TMT1Time, l.TMT2Time},
	}
	s.setCounters(l)
	return s
}

func (s *SMART) setLimits(id *nvme.IdentifyController) {
	s.WarningThresholdCelsius, s.CriticalThresholdCelsius = celsius(id.WCTEMP), celsius(id.CCTEMP)
}

func (s *SMART) setCounters(l *nvme.SMARTLog) {
	for _, c := range []struct {
		from nvme.Uint128
		to   *nvme.Uint128
		text *string
	}{
		{l.DataUnitsRead, &s.DataUnitsRead, &s.DataUnitsReadText},
		{l.DataUnitsWritten, &s.DataUnitsWritten, &s.DataUnitsWrittenText},
		{l.HostReadCommands, &s.HostReadCommands, &s.HostReadCommandsText},
		{l.HostWriteCommands, &s.HostWriteCommands, &s.HostWriteCommandsText},
		{l.ControllerBusyTime, &s.ControllerBusyMinutes, &s.ControllerBusyMinutesText},
		{l.PowerCycles, &s.PowerCycles, &s.PowerCyclesText},
		{l.PowerOnHours, &s.PowerOnHours, &s.PowerOnHoursText},
		{l.UnsafeShutdowns, &s.UnsafeShutdowns, &s.UnsafeShutdownsText},
		{l.MediaErrors, &s.MediaErrors, &s.MediaErrorsText},
		{l.ErrorLogEntries, &s.ErrorLogEntries, &s.ErrorLogEntriesText},
	} {
		*c.to, *c.text = c.from, twin(c.from)
	}
	s.BytesRead, s.BytesReadText = unitBytes(l.DataUnitsRead)
	s.BytesWritten, s.BytesWrittenText = unitBytes(l.DataUnitsWritten)
}

// unitBytes converts data units to bytes exactly, with the decimal twin that a
// large value needs.
func unitBytes(units nvme.Uint128) (*big.Int, string) {
	b := units.Big()
	b.Mul(b, big.NewInt(nvme.DataUnit))
	if b.BitLen() > 53 {
		return b, b.String()
	}
	return b, ""
}

// celsius is nil for what is not reported and for what no drive can have.
func celsius(k nvme.Kelvin) *int {
	c, ok := smart.Temperature(k)
	if !ok {
		return nil
	}
	return &c
}

func kelvin(k nvme.Kelvin) *int {
	if k == 0 {
		return nil
	}
	v := int(k)
	return &v
}

// sensors keeps the slot of each sensor: sensor n is element n-1, null where
// the drive has none. Slots after the last sensor are left out.
func sensors(slots [8]nvme.Kelvin) []*int {
	list := make([]*int, 0, len(slots))
	last := 0
	for i, k := range slots {
		list = append(list, celsius(k))
		if k != 0 {
			last = i + 1
		}
	}
	return list[:last]
}
