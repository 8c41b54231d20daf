package dump

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestCutEnd has dumps whose last line has no end: its value may be cut, unless
// it is where the tool's output ends.
func TestCutEnd(t *testing.T) {
	const health = "=== START OF SMART DATA SECTION ===\nCritical Warning: 0x00\nPower Cycles: 5\n"
	const crystal = "CrystalDiskInfo 9.5.0 (C) 2008-2024 hiyohiyo\n\n           Model : EXAMPLE\n       Interface : NVM Express\n"
	for _, tc := range []struct {
		text, field string
		cut         bool
	}{
		{health + "Power On Hours: 12", "smart.power_on_hours", true},
		{health + "Power On Hours: 12\n", "smart.power_on_hours", false},
		{health + "Power On Hours: 12\r", "smart.power_on_hours", false},
		{health + "Percentage Used: 12%", "smart.percentage_used_percent", false},
		{health + "Data Units Written: 17,153,344 [8.78 TB]", "smart.data_units_written", false},
		{health + "Data Units Written: 17,153", "smart.data_units_written", true},
		{health + "Thermal Temp. 2 Total Time: 12", "smart.tmt2_seconds", false},
		{strings.Replace(health, "===\n", "===\nTemperature Sensor 1: 40 Celsius\nError Information Log Entries: 3\n", 1) + "Thermal Temp. 1 Total Time: 12", "smart.tmt1_seconds", true},
		{health + "\nuser@host:~$ ", "smart.power_cycles", false},
		{"critical_warning : 0\npower_cycles : 5\npower_on_hours : 4125", "smart.power_on_hours", true},
		{"critical_warning : 0\nnum_err_log_entries : 5\nTemperature Sensor 1 : 4", "smart.temperature_sensors_kelvin", true},
		{"critical_warning : 0\nThermal Management T2 Total Time : 0", "smart.tmt2_seconds", false},
		{idCtrl("A1") + "ps 0 : mp:9.00W operational\n          rwt:0 rwl:0 idle_power:- active_power:-", "identify_controller.psds", false},
		{idCtrl("A1") + "oacs : 0x1", "identify_controller.oacs", true},
		{strings.TrimSuffix(idNS, "\n"), "namespaces.lbafs", false},
		{strings.TrimSuffix(nvmeListText, "\n"), "namespaces.nuse", false},
		{crystal + "  Power On Hours : 12", "smart.power_on_hours", true},
		{crystal + "-- S.M.A.R.T. ----\nID RawValues(6) Attribute Name\n0C 00000000000C Power On Hours", "smart.power_on_hours", false},
	} {
		d, err := Read(strings.NewReader(tc.text))
		if err != nil {
			t.Errorf("%q: %v", tc.text, err)
			continue
		}
		drive := d.Drives[len(d.Drives)-1]
		note := fmt.Sprintf("line %d is left out: the file ends in it, and its value may be cut", strings.Count(tc.text, "\n")+1)
		if has := drive.Has(tc.field); has == tc.cut || slices.Contains(drive.Notes, note) != tc.cut {
			t.Errorf("%q: has %s: %t, notes %q", tc.text, tc.field, has, drive.Notes)
		}
	}
}

// TestCutAnywhere cuts an output at every byte: no counter may come out as
// another one than that of the whole.
func TestCutAnywhere(t *testing.T) {
	for _, name := range []string{"forms/smartctl.txt", "nvme-cli/smart-log-samsung-970EVO.txt"} {
		text := string(load(t, name))
		whole := file(t, name).smart
		for i := range text {
			d, err := Read(strings.NewReader(text[:i]))
			if err != nil || len(d.Drives) == 0 || d.Drives[0].smart == nil {
				continue
			}
			for key := range d.Drives[0].smart.known {
				if got, want := d.Drives[0].smart.number(key), whole.number(key); got != want && key != sensorsField {
					t.Errorf("%s cut at byte %d: %s is %v, want %v", name, i, key, got, want)
				}
			}
		}
	}
}
