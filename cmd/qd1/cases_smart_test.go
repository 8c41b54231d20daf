package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func smartCase(t *testing.T, file string) caseDrive {
	t.Helper()
	return newCaseDrive(t, map[string]string{"smart": file})
}

func TestCase01SensorSlotsZeroShown(t *testing.T) {
	v, text := smartCase(t, "01-sensor-slots-zero/smart.bin").tell(t, "smart")
	checkValues(t, v, map[string]string{"smart.temperature_sensors_celsius": "[]", "smart.temperature_sensors": "[]", "smart.composite_temperature_celsius": "33"})
	checkSays(t, text, "33 °C, 306 K", "!sensor", "!-273")
}

func TestCase02SensorSlotsSparseShown(t *testing.T) {
	for file, want := range map[string][3]string{
		"smart-kc3000.bin": {"[<nil> 81]", "sensor 2 81 °C", "[map[celsius:81 sensor:2]]"},
		"smart-p3plus.bin": {"[40 59 <nil> <nil> <nil> <nil> <nil> 40]", "sensor 1 40 °C, sensor 2 59 °C, sensor 8 40 °C",
			"[map[celsius:40 sensor:1] map[celsius:59 sensor:2] map[celsius:40 sensor:8]]"},
	} {
		v, text := smartCase(t, "02-sensor-slots-sparse/"+file).tell(t, "smart")
		checkValues(t, v, map[string]string{"smart.temperature_sensors_celsius": want[0], "smart.temperature_sensors": want[2]})
		checkSays(t, text, want[1])
	}
}

// TestCase04And05NoDataIsNoHealth holds that a page without data ends with a
// status of its own, shows no figure, and is never healthy.
func TestCase04And05NoDataIsNoHealth(t *testing.T) {
	for file, says := range map[string]string{"04-smart-page-all-zero/smart.bin": "zeroes: no data", "05-smart-page-all-ff/smart.bin": "all ones: it is gone or dead"} {
		selector := smartCase(t, file).selector(t)
		status, out, msg := run(t.Context(), "smart", selector)
		if status != exitFailed || out != "" || !strings.Contains(msg, says) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", file, status, out, msg)
		}
		status, out, _ = run(t.Context(), "report", "--exit-code", "-o", "json", selector)
		r := decode(t, nil, out)
		if status != exitPartial {
			t.Errorf("%s: report: status %d, want %d", file, status, exitPartial)
		}
		checkValues(t, r, map[string]string{"verdict.level": "unknown", "smart.error.kind": "no-data"})
		if strings.Contains(out, "340282366920938463463374607431768211455") || strings.Contains(strings.ReplaceAll(rulesOf(r), "ok capacity-ok", ""), "ok ") {
			t.Errorf("%s: a figure or a good finding from a page without data: %s\n%s", file, rulesOf(r), out)
		}
	}
	v, _ := smartCase(t, "04-smart-page-all-zero/smart-real-prefix.bin").tell(t, "smart")
	checkValues(t, v, map[string]string{"smart.composite_temperature_celsius": "39", "smart.percentage_used_percent": "1",
		"smart.bytes_read": "70086325248000", "smart.bytes_written": "28353071104000"})
}

func TestCase07PercentageUsedOver100Shown(t *testing.T) {
	for n, says := range map[string]string{"100": "100 %, by", "200": "200 %, by", "255": "255 % or more"} {
		d := smartCase(t, "07-percentage-used-over-100/smart-"+n+".bin")
		v, text := d.tell(t, "smart")
		checkValues(t, v, map[string]string{"smart.percentage_used_percent": n, "smart.critical_warning.reliability_degraded": "true"})
		checkSays(t, text, "percentage used "+says)
		r, _ := d.tell(t, "report")
		if rules := rulesOf(r); !strings.Contains(rules, "note critical-warning-reliability-wear") || !strings.Contains(rules, "ok spare-ok") || !strings.Contains(rules, "ok media-errors-none") {
			t.Errorf("%s %%: findings %s: wear, spare and media errors are not told apart", n, rules)
		}
		for _, key := range []string{"endurance.bytes_to_rated", "endurance.bytes_to_read_only"} {
			if left, ok := at(r, key).(json.Number); ok && strings.HasPrefix(left.String(), "-") {
				t.Errorf("%s %%: %s is %s, below zero", n, key, left)
			}
		}
	}
}

func TestCase08MediaErrorsAreNotHealthy(t *testing.T) {
	d := newCaseDrive(t, map[string]string{"smart": "08-media-errors-but-warning-zero/smart.bin", "errors": "08-media-errors-but-warning-zero/errlog.bin"})
	r, text := d.tell(t, "report")
	checkValues(t, r, map[string]string{"verdict.level": "return", "smart.critical_warning.value": "0", "smart.media_errors": "2481614",
		"errors.entries.lba": "1875384832", "errors.entries.status": fmt.Sprint(0x6281)})
	checkSays(t, text, "2 481 614 media errors", "1 875 384 832", "0x281")
	if status, _, _ := run(t.Context(), "report", "--exit-code", d.selector(t)); status != exitFindings {
		t.Errorf("status %d, want %d", status, exitFindings)
	}
}

func TestCase10VolatileBackupFailedIsReturned(t *testing.T) {
	r, text := smartCase(t, "10-volatile-backup-failed/smart.bin").tell(t, "report")
	checkValues(t, r, map[string]string{"verdict.level": "return", "smart.critical_warning.volatile_backup_failed": "true"})
	checkSays(t, text, "volatile memory backup failed", "critical-warning-volatile-backup")
}

// TestCase11WarningUnknownBits holds that each bit is told by itself, and those
// that no revision defines in hexadecimal.
func TestCase11WarningUnknownBits(t *testing.T) {
	for file, says := range map[string]string{
		"smart-03.bin": "critical warning 0x03 (spare low, temperature)",
		"smart-3f.bin": "0x3f (spare low, temperature, reliability degraded, read-only, volatile memory backup failed, persistent memory region unreliable)",
		"smart-c1.bin": "critical warning 0xc1 (spare low, reserved bits 0xc0)",
	} {
		_, text := smartCase(t, "11-warning-unknown-bits/"+file).tell(t, "smart")
		checkSays(t, text, says)
	}
}

// TestCase13JSONTypesStay holds one schema for what two versions of another tool
// say differently: the same keys with the same types, whole numbers without
// grouping, and nothing on stdout but the object.
func TestCase13JSONTypesStay(t *testing.T) {
	files := []string{"smart-2.3.json", "smart-2.11.json"}
	types := map[string]map[string]string{}
	for _, file := range files {
		r := reportOf(t, "testdata/cases/13-json-types-change/"+file)
		types[file] = map[string]string{}
		shapes(t, "", r["smart"], types[file])
	}
	direct, _ := smartCase(t, "17-thermal-counters-in-json/smart.bin").tell(t, "smart")
	types["drive"] = map[string]string{}
	shapes(t, "", direct["smart"], types["drive"])
	for _, name := range append(files, "drive") {
		if len(types[name]) < 25 {
			t.Errorf("%s has only %d keys", name, len(types[name]))
		}
		for key, kind := range types[name] {
			if want := types[files[0]][key]; kind != want && kind != "null" && want != "null" {
				t.Errorf("%s: %s is %q, in %s %q", name, key, kind, files[0], want)
			}
		}
	}
	r := reportOf(t, "testdata/cases/13-json-types-change/smart-2.11.json")
	checkValues(t, r, map[string]string{"smart.critical_warning.value": "0", "smart.data_units_written": "1928683480", "smart.composite_temperature_celsius": "51",
		"smart.error_log_entries": "212", "smart.thermal_management.tmt1_seconds": "1474"})
}

// shapes lists the JSON type of each member, and refuses texts that are numbers.
func shapes(t *testing.T, path string, v any, into map[string]string) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			shapes(t, path+"."+key, value, into)
		}
	case json.Number:
		into[path] = "number"
		if strings.ContainsAny(v.String(), "eE,") {
			t.Errorf("%s is %s", path, v)
		}
	case string:
		into[path] = "string"
		if strings.Trim(v, "0123456789,. ") == "" {
			t.Errorf("%s is the text %q, want a number", path, v)
		}
	case nil:
		into[path] = "null"
	default:
		into[path] = fmt.Sprintf("%T", v)
	}
}

func TestCase14TemperatureBelowZeroShown(t *testing.T) {
	v, text := smartCase(t, "14-temperature-below-zero/smart.bin").tell(t, "smart")
	checkValues(t, v, map[string]string{"smart.composite_temperature_celsius": "-10", "smart.temperature_sensors_celsius": "[-15]"})
	checkSays(t, text, "-10 °C, 263 K, sensor 1 -15 °C")
}

// TestCase16PowerHoursAreNotWallClock holds that hours are called what the drive
// reports, and that too few of them, or such that cannot be, give no rate.
func TestCase16PowerHoursAreNotWallClock(t *testing.T) {
	d := smartCase(t, "16-power-hours-not-wall-clock/smart.bin")
	r, text := d.tell(t, "report")
	checkValues(t, r, map[string]string{"smart.power_on_hours": "241"})
	checkSays(t, text, "powered on 241 h", "!per day")
	if at(r, "endurance.years_left_at_observed_rate") == nil {
		t.Error("241 hours and 96 TB give no rate at all")
	}
	page := d["smart"].Data
	for _, hours := range []byte{0, 23} {
		page[128], page[129] = hours, 0
		r, text := d.tell(t, "report")
		checkValues(t, r, map[string]string{"smart.power_on_hours": fmt.Sprint(hours), "endurance.years_left_at_observed_rate": "<nil>"})
		checkSays(t, text, "!at the rate so far")
	}
}

func TestCase17ThermalCountersInBoth(t *testing.T) {
	v, text := smartCase(t, "17-thermal-counters-in-json/smart.bin").tell(t, "smart")
	want := map[string]any{"tmt1_transitions": json.Number("44087"), "tmt2_transitions": json.Number("516"), "tmt1_seconds": json.Number("5825"), "tmt2_seconds": json.Number("388")}
	if diff := cmp.Diff(want, at(v, "smart.thermal_management")); diff != "" {
		t.Errorf("thermal management (-want +got):\n%s", diff)
	}
	checkValues(t, v, map[string]string{"smart.warning_temperature_minutes": "1052", "smart.critical_temperature_minutes": "0"})
	checkSays(t, text, "1 052 min above warning, 0 min above critical", "level 1: 44 087 times, 5 825 s in all; level 2: 516 times, 388 s in all")
}

// TestCase67SMARTByController holds that health belongs to the controller, also
// where the drive can tell it for each namespace.
func TestCase67SMARTByController(t *testing.T) {
	d := newCaseDrive(t, map[string]string{"ctrl": "67-per-namespace-smart-label/idctrl-lpa1.bin"})
	v, _ := d.tell(t, "smart") // The answer to a log page of namespace 1 is not in the capture.
	checkValues(t, v, map[string]string{"drive.controller": "nvme0", "drive.serial": "S4EVNX0M123456", "smart.nsid": "<nil>"})
	r, _ := d.tell(t, "report")
	if _, ok := r["smart"].(map[string]any); !ok {
		t.Errorf("smart is %T, want one object for the drive", r["smart"])
	}
	if namespaces, _ := r["namespaces"].([]any); len(namespaces) == 0 || at(namespaces[0], "smart") != nil {
		t.Errorf("namespaces %v, want them without counters", r["namespaces"])
	}
}
