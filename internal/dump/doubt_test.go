package dump

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reading is a "smartctl -a" of one drive, at a time, with a number of media
// errors and hours.
func reading(serial, date string, media, hours int) string {
	return fmt.Sprintf("smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n\n=== START OF INFORMATION SECTION ===\n"+
		"Model Number: MODEL\nSerial Number: %s\nFirmware Version: FW\nLocal Time is: %s\n\n=== START OF SMART DATA SECTION ===\n"+
		"SMART overall-health self-assessment test result: PASSED\n\n"+
		"Critical Warning: 0x00\nPower On Hours: %d\nMedia and Data Integrity Errors: %d\n\n", serial, date, hours, media)
}

// TestReadings has several readings of one drive in one file: all that is told
// is of the last, and what does not fit is said.
func TestReadings(t *testing.T) {
	const used = "the file has 2 readings of this drive: the one that stands last, on line 16, is used"
	fell := func(name string, from, to int) string {
		return fmt.Sprintf("%s fell from %d to %d between two readings in this file: one of them is not of this drive, or was altered", name, from, to)
	}
	for _, tc := range []struct {
		name         string
		media, hours [2]int
		want         []string
	}{
		{"grown", [2]int{0, 500}, [2]int{100, 200}, []string{used}},
		{"equal", [2]int{5, 5}, [2]int{100, 100}, []string{used}},
		{"altered", [2]int{500, 0}, [2]int{100, 101}, []string{used, fell("media errors", 500, 0)}},
		{"newer one first", [2]int{500, 0}, [2]int{200, 100}, []string{used, fell("power-on hours", 200, 100), fell("media errors", 500, 0),
			"every counter that differs is lower in the reading that stands later: the newer one may stand first"}},
	} {
		d := only(t, read(t, reading("A1", "Monday", tc.media[0], tc.hours[0])+reading("A1", "Friday", tc.media[1], tc.hours[1])))
		l := smartOf(t, d)
		if d.Host.Time != "Friday" || int(l.MediaErrors.Lo) != tc.media[1] || int(l.PowerOnHours.Lo) != tc.hours[1] {
			t.Errorf("%s: %s, %v media errors, %v hours", tc.name, d.Host.Time, l.MediaErrors, l.PowerOnHours)
		}
		if diff := cmp.Diff(tc.want, d.Notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", tc.name, diff)
		}
	}
}

// A reading that has less than the one before is used all the same, and takes
// nothing of its moment from it.
func TestLastReadingAlone(t *testing.T) {
	first := strings.Replace(reading("A1", "Monday", 0, 100), "Critical", "Power Cycles: 7\nCritical", 1) +
		"Error Information (NVMe Log 0x01, 16 of 64 entries)\nNum   ErrCount  SQId   CmdId  Status  PELoc          LBA  NSID    VS\n  0 3 0 0x0015 0xc005 0x028 - 0 -\n"
	last := strings.ReplaceAll(strings.ReplaceAll(reading("A1", "Friday", 9, 200), "Local Time is: Friday\n", ""), "PASSED", "")
	d := only(t, read(t, first+strings.ReplaceAll(last, "Firmware Version: FW", "Firmware Version: NEW")))
	if d.Host.Time != "" || d.Host.Verdict != "" || d.Has("smart.power_cycles") || d.Has(PageErrors) || d.Firmware != "NEW" {
		t.Errorf("%+v, firmware %s, power cycles %t, errors %t", d.Host, d.Firmware, d.Has("smart.power_cycles"), d.Has(PageErrors))
	}
	if got := smartOf(t, d).MediaErrors.Lo; got != 9 {
		t.Errorf("%d media errors, want 9", got)
	}
}

// TestAlone has pages of which nothing says which drive they are of.
func TestAlone(t *testing.T) {
	const smart = "nothing in the file says that the SMART log and the identity are of one drive"
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"SMART log and identity", idCtrl("A1") + smartLog("nvme0", 5), []string{smart}},
		{"smartctl of A and the health of nobody", strings.Split(smartctlOf("A1", 5), "=== START OF SMART")[0] + smartctlHalf(6), []string{smart}},
		{"the list names the device", strings.Join(strings.SplitAfter(nvmeListText, "\n")[:3], "") + smartLog("nvme0", 5), nil},
		{"one smartctl", smartctlOf("A1", 5), nil},
		{"identity alone", idCtrl("A1"), nil},
		{"logs of nobody", smartLog("nvme0", 5) + "Error Log Entries for device: entries:1\nerror_count : 7\n",
			[]string{"nothing in the file says that the error log and the other pages are of one drive"}},
		{"a firmware log", idCtrl("A1") + "afi : 0x1\n", []string{"nothing in the file says that the firmware slot log and the identity are of one drive"}},
	} {
		if diff := cmp.Diff(tc.want, only(t, read(t, tc.text)).Notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestContradictions has dumps that do not fit themselves.
func TestContradictions(t *testing.T) {
	verdict := func(result string, bits int) string {
		return fmt.Sprintf("=== START OF SMART DATA SECTION ===\nSMART overall-health self-assessment test result: %s\n\nCritical Warning: 0x%02x\n", result, bits)
	}
	units := func(text string) string { return verdict("PASSED", 0) + "Data Units Written: " + text + "\n" }
	for _, tc := range []struct{ text, want string }{
		{verdict("PASSED", 0), ""},
		{verdict("PASSED", 2), ""},
		{verdict("FAILED!", 4), ""},
		{verdict("FAILED!", 0), "the overall verdict is FAILED, but no bit of Critical Warning is set"},
		{verdict("PASSED", 8), "the overall verdict is PASSED, but Critical Warning is 0x08"},
		{`{"smartctl":{},"smart_status":{"passed":false},"nvme_smart_health_information_log":{"critical_warning":0,"power_cycles":1}}`, "the overall verdict is FAILED, but no bit of Critical Warning is set"},
		{units("17,153,344 [8.78 TB]"), ""},
		{units("17\u00a0153\u00a0344 [8,78 TB]"), ""},
		{units("17,153,344 [8.90 TB]"), ""},
		{units("17,153,344 [9.00 TB]"), "data units written is 17,153,344, and in brackets 9.00 TB"},
		{units("153,344 [8.78 TB]"), "data units written is 153,344, and in brackets 8.78 TB"},
		{units("0 [0]"), ""},
		{"critical_warning : 0\nData Units Read : 26,438,573 (13.54 TB)\n", ""},
		{"critical_warning : 0\nData Units Read : 26,438 (13.54 TB)\n", "data units read is 26,438, and in brackets 13.54 TB"},
		{"=== START OF INFORMATION SECTION ===\nModel Number: M\nNamespace 1 Size/Capacity: 960,197,124,096 [480 GB]\n", "namespace 1 size/capacity is 960,197,124,096, and in brackets 480 GB"},
	} {
		var want []string
		if tc.want != "" {
			want = []string{"the dump contradicts itself: " + tc.want}
		}
		if diff := cmp.Diff(want, only(t, read(t, tc.text)).Notes); diff != "" {
			t.Errorf("%q: notes (-want +got):\n%s", tc.text, diff)
		}
	}
}
