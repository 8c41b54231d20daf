package prometheus

import (
	"math/big"
	"strconv"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

func (s *section) identity(r *report.Report) {
	s.add(gauge, "nvme_device_info", "Who the drive is; always 1.", "1",
		"model", r.Drive.Model, "firmware", r.Drive.Firmware, "serial", r.Drive.Serial)
	s.add(gauge, "qd1_drive_simulated", "Whether the drive is simulated and no real one.", boolean(r.Simulated))
}

// smart enters the SMART log under the established names. Counters are exact
// however large.
func (s *section) smart(l *report.SMART) {
	s.add(gauge, "nvme_available_spare_ratio", "Spare capacity that is left, of 1.", percent(l.AvailableSparePercent))
	s.add(gauge, "nvme_available_spare_threshold_ratio", "Spare capacity below which the drive warns, of 1; 0 is none.", percent(l.SpareThresholdPercent))
	s.add(gauge, "nvme_percentage_used_ratio", "Rated life that is used by the drive's own account, of 1; may be more.", percent(l.PercentageUsedPercent))
	s.add(gauge, "nvme_critical_warning", "The byte Critical Warning; 0 is none.", integer(l.CriticalWarning.Value))
	s.temperature(l.CompositeTemperatureCelsius)
	for _, c := range []struct {
		name, help string
		value      nvme.Uint128
	}{
		{"nvme_data_units_read_total", "Data units of 512000 bytes that the host has read.", l.DataUnitsRead},
		{"nvme_data_units_written_total", "Data units of 512000 bytes that the host has written.", l.DataUnitsWritten},
		{"nvme_host_read_commands_total", "Read commands of the host.", l.HostReadCommands},
		{"nvme_host_write_commands_total", "Write commands of the host.", l.HostWriteCommands},
		{"nvme_media_errors_total", "Errors of the media or of data integrity that could not be corrected.", l.MediaErrors},
		{"nvme_num_err_log_entries_total", "Entries that the drive has ever made in its error log; refused commands count too.", l.ErrorLogEntries},
		{"nvme_power_cycles_total", "Power cycles.", l.PowerCycles},
		{"nvme_power_on_hours_total", "Hours powered on.", l.PowerOnHours},
		{"nvme_unsafe_shutdowns_total", "Losses of power without a shutdown before.", l.UnsafeShutdowns},
	} {
		s.add(counter, c.name, c.help, c.value.String())
	}
	s.add(counter, "nvme_controller_busy_time_seconds_total", "Time with commands under way, in steps of a minute.", times(l.ControllerBusyMinutes, secondsPerMinute))
	s.add(counter, "qd1_read_bytes_total", "Bytes that the host has read, in steps of 512000.", l.BytesRead.String())
	s.add(counter, "qd1_written_bytes_total", "Bytes that the host has written, in steps of 512000.", l.BytesWritten.String())
	s.warnings(&l.CriticalWarning)
}

const secondsPerMinute = 60

// times multiplies a counter exactly.
func times(u nvme.Uint128, by int64) string {
	return new(big.Int).Mul(u.Big(), big.NewInt(by)).String()
}

// temperature is left out where the drive does not report it: 0 would be one.
func (s *section) temperature(celsius *int) {
	if celsius != nil {
		s.add(gauge, "nvme_temperature_celsius", "The composite temperature.", integer(*celsius))
	}
}

func (s *section) warnings(w *report.CriticalWarning) {
	for _, bit := range []struct {
		name string
		on   bool
	}{
		{"available_spare_low", w.AvailableSpareLow}, {"temperature", w.Temperature}, {"reliability_degraded", w.ReliabilityDegraded},
		{"read_only", w.ReadOnly}, {"volatile_backup_failed", w.VolatileBackupFailed}, {"pmr_unreliable", w.PMRUnreliable},
	} {
		s.add(gauge, "qd1_critical_warning_active", "Each critical warning by name: 1 if the drive raises it.", boolean(bit.on), "warning", bit.name)
	}
}

func (s *section) thermal(l *report.SMART) {
	for i, c := range l.TemperatureSensorsCelsius {
		if c != nil {
			s.add(gauge, "qd1_temperature_sensor_celsius", "The temperature of one sensor; which place it has is the vendor's affair.", integer(*c), "sensor", strconv.Itoa(i+1))
		}
	}
	for _, limit := range []struct {
		name    string
		celsius *int
	}{{"warning", l.WarningThresholdCelsius}, {"critical", l.CriticalThresholdCelsius}} {
		if limit.celsius != nil {
			s.add(gauge, "qd1_temperature_threshold_celsius", "The temperatures from which the drive counts itself as too hot.", integer(*limit.celsius), "threshold", limit.name)
		}
	}
	s.add(counter, "qd1_warning_temperature_seconds_total", "Time above the warning temperature, in steps of a minute.", integer(uint64(l.WarningTemperatureMinutes)*secondsPerMinute))
	s.add(counter, "qd1_critical_temperature_seconds_total", "Time above the critical temperature, in steps of a minute.", integer(uint64(l.CriticalTemperatureMinutes)*secondsPerMinute))
	t := l.ThermalManagement
	for _, level := range []struct {
		name                 string
		transitions, seconds uint32
	}{{"1", t.TMT1Transitions, t.TMT1Seconds}, {"2", t.TMT2Transitions, t.TMT2Seconds}} {
		s.add(counter, "qd1_thermal_management_transitions_total", "How often the drive has slowed down for its heat; 1 is light, 2 heavy.", integer(level.transitions), "level", level.name)
		s.add(counter, "qd1_thermal_management_seconds_total", "How long the drive was slowed down for its heat; 1 is light, 2 heavy.", integer(level.seconds), "level", level.name)
	}
}
