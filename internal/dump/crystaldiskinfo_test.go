package dump

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestCrystalDiskInfo reads the second drive of each export, which has sensors
// and is in a narrow slot.
func TestCrystalDiskInfo(t *testing.T) {
	want := truthOf(t, "crystaldiskinfo/second.truth.json")
	for _, tc := range []struct {
		name, verdict string
		pages         bool
	}{
		{"english-utf8", "Good (100 %)", true},
		{"english-attributes", "Good (100 %)", false},
		{"japanese-utf16", "正常 (100 %)", true},
		{"japanese-shift-jis", "正常 (100 %)", false},
	} {
		d := read(t, string(load(t, "crystaldiskinfo/"+tc.name+".txt"))).Drives[1]
		got := smartOf(t, d)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(*got)); diff != "" {
			t.Errorf("%s: SMART log (-want +got):\n%s", tc.name, diff)
		}
		host := Host{
			Platform: "Windows 11 Pro 23H2 [10.0 Build 22631] (x64)", Time: "2024/08/18 9:26:03", Interface: "NVM Express",
			SizeBytes: 500100000000, SizeRounded: true, Verdict: tc.verdict,
			Link: &Link{SpeedGTs: 8, Width: 2, MaxSpeedGTs: 8, MaxWidth: 4},
		}
		if tc.pages {
			host.VendorID, host.SubsystemVendorID, host.SizeBytes, host.SizeRounded = 0x144d, 0x144d, 500107862016, false
		}
		if diff := cmp.Diff(host, d.Host); diff != "" {
			t.Errorf("%s: host (-want +got):\n%s", tc.name, diff)
		}
		for field, has := range map[string]bool{
			"identify_controller.sn": true, "identify_controller.ver": true, "identify_controller.oacs": tc.pages, "identify_controller.pels": tc.pages,
			"identify_controller.nn": false, "identify_controller.psds": false, "namespaces": false, "errors": false,
		} {
			if d.Has(field) != has {
				t.Errorf("%s: has %s: %t", tc.name, field, !has)
			}
		}
	}
}

// TestCrystalSummary reads an export without attributes and pages, in which the
// serial numbers are hidden.
func TestCrystalSummary(t *testing.T) {
	d := read(t, string(load(t, "crystaldiskinfo/english-summary.txt")))
	if len(d.Drives) != 2 {
		t.Fatalf("%d drives: hidden serial numbers are not one drive", len(d.Drives))
	}
	drive := d.Drives[0]
	if drive.Serial != "" || drive.Has("identify_controller.sn") || drive.Model != "INTEL SSDPE21D960GA" {
		t.Errorf("serial %q, model %q", drive.Serial, drive.Model)
	}
	want := truthOf(t, "forms/truth.json")
	got := smartOf(t, drive)
	if got.PowerOnHours != want.PowerOnHours || got.PowerCycles != want.PowerCycles || got.CompositeTemperature != want.CompositeTemperature || got.PercentageUsed != want.PercentageUsed {
		t.Errorf("summary: %+v", got)
	}
	// A GiB is 2097 data units.
	if off := want.DataUnitsWritten.Lo - got.DataUnitsWritten.Lo; off > 2098 {
		t.Errorf("%v data units written, want about %v", got.DataUnitsWritten, want.DataUnitsWritten)
	}
	if rounded := drive.RoundedFields(); !slices.Equal(rounded, []string{"smart.data_units_read", "smart.data_units_written"}) {
		t.Errorf("rounded: %v", rounded)
	}
	for _, field := range []string{"smart.critical_warning", "smart.media_errors", "smart.unsafe_shutdowns", "smart.temperature_sensors_kelvin"} {
		if drive.Has(field) {
			t.Errorf("%s is not in a summary", field)
		}
	}
}

// crystalText is an export of one drive.
func crystalText(lines ...string) string {
	return "           Model : EXAMPLE\n       Interface : NVM Express\n" + strings.Join(lines, "\n") + "\n"
}

func TestCrystalValues(t *testing.T) {
	const attributes = "-- S.M.A.R.T. -----\nID RawValues(6) Attribute Name\n"
	for _, tc := range []struct {
		name, text, field string
		has, rounded      bool
		value             uint64
	}{
		{"worn out", crystalText("   Health Status : Caution (0 %)"), "percentage_used_percent", true, true, 100},
		{"worn", crystalText("   Health Status : Good (98 %)"), "percentage_used_percent", true, false, 2},
		{"no life", crystalText("   Health Status : Unknown"), "percentage_used_percent", false, false, 0},
		{"no hours", crystalText("  Power On Hours : Unknown", "     Temperature : 31 C (87 F)"), "power_on_hours", false, false, 0},
		{"cold", crystalText("     Temperature : -3 C (27 F)"), "composite_temperature_kelvin", true, false, 270},
		{"full counter", crystalText(attributes + "0C 000000000010 Power On Hours\n07 FFFFFFFFFFFF Host Writes"), "data_units_written", true, true, 1<<48 - 1},
		{"old attributes", crystalText(attributes + "0C 000000000010 Power On Hours"), "temperature_sensors_kelvin", false, false, 0},
		{"cut page", crystalText(attributes+"0C 000000000010 Power On Hours", "-- SMART_NVME -----", "000: 00 30 01 64 0A 03 00 00 00 00 00 00 00 00 00 00"), "power_on_hours", true, false, 16},
		{"cut page alone", crystalText("-- SMART_NVME -----", "000: 00 30 01 64 0A 03 00 00 00 00 00 00 00 00 00 00"), "available_spare_percent", true, false, 100},
		{"cut page does not reach", crystalText("-- SMART_NVME -----", "000: 00 30 01 64 0A 03 00 00 00 00 00 00 00 00 00 00"), "power_on_hours", false, false, 0},
	} {
		d := only(t, read(t, tc.text))
		field := "smart." + tc.field
		if d.Has(field) != tc.has || d.Rounded(field) != tc.rounded {
			t.Errorf("%s: has %t, rounded %t", tc.name, d.Has(field), d.Rounded(field))
			continue
		}
		if !tc.has {
			continue
		}
		v := d.smart.field(tc.field)
		got := nvme.Uint128{}
		if v.CanUint() {
			got.Lo = v.Uint()
		} else {
			got = v.Interface().(nvme.Uint128)
		}
		if got.Lo != tc.value {
			t.Errorf("%s: %v, want %d", tc.name, got, tc.value)
		}
	}
}

func TestLinkOf(t *testing.T) {
	for _, tc := range []struct {
		text string
		want *Link
	}{
		{"PCIe 3.0 x4 | PCIe 4.0 x4", &Link{8, 16, 4, 4}},
		{"PCIe 5.0 x2 | PCIe 5.0 x4", &Link{32, 32, 2, 4}},
		{"---- | PCIe 3.0 x4", &Link{0, 8, 0, 4}},
		{"PCIe 1.0 x1 | ----", &Link{2.5, 0, 1, 0}},
		{"---- | ----", nil},
		{"SATA/600 | SATA/600", nil},
		{"PCIe 9.0 x4", nil},
		{"PCIe 3.0 x3", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tc.want, linkOf(tc.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, diff)
		}
	}
}
