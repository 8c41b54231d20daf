package dump

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// load reads a file of testdata.
func load(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read reads a dump that must be good.
func read(t testing.TB, text string) *Dump {
	t.Helper()
	d, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return d
}

// only returns the drive of a dump that must have one.
func only(t testing.TB, d *Dump) *Drive {
	t.Helper()
	if len(d.Drives) != 1 {
		t.Fatalf("%d drives, want 1", len(d.Drives))
	}
	return d.Drives[0]
}

// file reads a dump of testdata that is of one drive.
func file(t testing.TB, name string) *Drive {
	t.Helper()
	return only(t, read(t, string(load(t, name))))
}

// smartOf asks a drive for its SMART log as the rest of the program does.
func smartOf(t testing.TB, d *Drive) *nvme.SMARTLog {
	t.Helper()
	l, err := nvme.NewController(d).SMARTLog(t.Context())
	if err != nil {
		t.Fatalf("SMART log: %v", err)
	}
	return l
}

// truth is the right answers that belong to a capture.
type truth struct {
	Firmware         string
	CriticalWarning  nvme.CriticalWarning `json:"critical_warning"`
	TemperatureK     nvme.Kelvin          `json:"temperature_k"`
	Spare            uint8                `json:"available_spare"`
	Threshold        uint8                `json:"available_spare_threshold"`
	Used             uint8                `json:"percentage_used"`
	EnduranceWarning uint8                `json:"endurance_grp_critical_warning"`
	Read             nvme.Uint128         `json:"data_units_read"`
	Written          nvme.Uint128         `json:"data_units_written"`
	Reads            nvme.Uint128         `json:"host_reads"`
	Writes           nvme.Uint128         `json:"host_writes"`
	Busy             nvme.Uint128         `json:"ctrl_busy_minutes"`
	Cycles           nvme.Uint128         `json:"power_cycles"`
	Hours            nvme.Uint128         `json:"power_on_hours"`
	Unsafe           nvme.Uint128         `json:"unsafe_shutdowns"`
	Media            nvme.Uint128         `json:"media_errors"`
	Errors           nvme.Uint128         `json:"num_err_log_entries"`
	WarningTime      uint32               `json:"warning_temp_time_min"`
	CriticalTime     uint32               `json:"critical_temp_time_min"`
	Count1           uint32               `json:"tmt1_count"`
	Count2           uint32               `json:"tmt2_count"`
	Time1            uint32               `json:"tmt1_time_s"`
	Time2            uint32               `json:"tmt2_time_s"`
	Sensors          map[string]int       `json:"temp_sensors_c"`
}

// truthOf reads the right answers as a SMART log.
func truthOf(t testing.TB, name string) *nvme.SMARTLog {
	t.Helper()
	var a truth
	if err := json.Unmarshal(load(t, name), &a); err != nil {
		t.Fatal(err)
	}
	l := &nvme.SMARTLog{
		CriticalWarning: a.CriticalWarning, CompositeTemperature: a.TemperatureK,
		AvailableSpare: a.Spare, AvailableSpareThreshold: a.Threshold, PercentageUsed: a.Used,
		EnduranceGroupCriticalWarning: a.EnduranceWarning,
		DataUnitsRead:                 a.Read, DataUnitsWritten: a.Written, HostReadCommands: a.Reads, HostWriteCommands: a.Writes,
		ControllerBusyTime: a.Busy, PowerCycles: a.Cycles, PowerOnHours: a.Hours, UnsafeShutdowns: a.Unsafe,
		MediaErrors: a.Media, ErrorLogEntries: a.Errors,
		WarningTemperatureTime: a.WarningTime, CriticalTemperatureTime: a.CriticalTime,
		TMT1Transitions: a.Count1, TMT2Transitions: a.Count2, TMT1Time: a.Time1, TMT2Time: a.Time2,
	}
	for slot, celsius := range a.Sensors {
		l.TemperatureSensors[slot[0]-'1'] = nvme.Kelvin(celsius + 273)
	}
	return l
}
