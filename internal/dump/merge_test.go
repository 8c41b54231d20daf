package dump

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// idCtrl is a small "nvme id-ctrl".
func idCtrl(serial string) string {
	return "NVME Identify Controller:\nvid : 0x8086\nsn : " + serial + "\nmn : MODEL\nfr : FW\nnn : 1\n"
}

// smartLog is a small "nvme smart-log".
func smartLog(device string, cycles int) string {
	return fmt.Sprintf("Smart Log for NVME device:%s namespace-id:ffffffff\ncritical_warning : 0\ntemperature : 35 C\npower_cycles : %d\n", device, cycles)
}

// smartctlOf is a small "smartctl -a".
func smartctlOf(serial string, cycles int) string {
	return fmt.Sprintf("smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n\n=== START OF INFORMATION SECTION ===\n"+
		"Model Number: MODEL\nSerial Number: %s\nFirmware Version: FW\n\n=== START OF SMART DATA SECTION ===\nCritical Warning: 0x00\nPower Cycles: %d\n", serial, cycles)
}

// smartctlHalf is a small "smartctl -A".
func smartctlHalf(cycles int) string {
	return fmt.Sprintf("smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n\n=== START OF SMART DATA SECTION ===\nCritical Warning: 0x00\nPower Cycles: %d\n", cycles)
}

// nvmeListText is an "nvme list" of two drives.
const nvmeListText = "Node             SN                   Model                                    Namespace Usage                      Format           FW Rev  \n" +
	"---------------- -------------------- ---------------------------------------- --------- -------------------------- ---------------- --------\n" +
	"/dev/nvme0n1     A1234                MODEL                                    1          29.26  GB /  29.26  GB    512   B +  0 B   FW\n" +
	"/dev/nvme1n1     B1234                MODEL                                    1           1.00  TB /   2.00  TB      4 KiB +  0 B   FW\n"

const idNS = "NVME Identify Namespace 1:\nnsze : 0x1000\nlbaf  0 : ms:0   lbads:9  rp:0x2 (in use)\n"

// TestMerge puts several dumps into one file.
func TestMerge(t *testing.T) {
	for _, tc := range []struct {
		name   string
		parts  []string
		drives string // Serial number and power cycles of each; cycles 0 for no SMART log.
		err    string // If not "", the error.
	}{
		{"identify and SMART", []string{idCtrl("A1234"), smartLog("nvme0", 5)}, "A1234:5", ""},
		{"SMART first", []string{smartLog("nvme0n1", 5), idCtrl("A1234")}, "A1234:5", ""},
		{"with text between", []string{"$ nvme id-ctrl\n", idCtrl("A1234"), "\n$ nvme smart-log\n", smartLog("nvme0", 5), "$ \n"}, "A1234:5", ""},
		{"namespace too", []string{idCtrl("A1234"), idNS, smartLog("nvme0", 5)}, "A1234:5", ""},
		{"the same identify twice", []string{idCtrl("A1234"), idCtrl("A1234"), smartLog("nvme0", 5)}, "A1234:5", ""},
		{"identify as text, SMART as JSON", []string{idCtrl("A1234"), `{"avail_spare":100,"power_cycles":5}` + "\n"}, "A1234:5", ""},
		{"smartctl of two drives", []string{smartctlOf("A1234", 5), smartctlOf("B1234", 6)}, "A1234:5 B1234:6", ""},
		{"smartctl twice of one drive", []string{smartctlOf("A1234", 5), smartctlOf("A1234", 6)}, "A1234:6", ""},
		{"smartctl of two redacted drives", []string{smartctlOf("XXXX", 5), smartctlOf("XXXX", 6)}, ":5 :6", ""},
		{"redacted in part", []string{smartctlOf("A***4", 5), idCtrl("A1234")}, "A1234:5", ""},
		{"smartctl and identify", []string{smartctlOf("A1234", 5), idCtrl("A1234")}, "A1234:5", ""},
		{"a list and smartctl", []string{nvmeListText, smartctlOf("B1234", 6)}, "A1234:0 B1234:6", ""},
		{"a list and two SMART logs", []string{nvmeListText, smartLog("nvme1n1", 6), smartLog("nvme0", 5)}, "A1234:5 B1234:6", ""},
		{"a list and identify with SMART", []string{nvmeListText, idCtrl("B1234"), smartLog("", 6)}, "A1234:0 B1234:6", ""},
		{"two SMART logs alone", []string{smartLog("nvme0", 5), smartLog("nvme1", 6)}, ":5 :6", ""},
		{"SMART and error log of one", []string{smartLog("nvme0", 5), "Error Log Entries for device:nvme0 entries:1\nerror_count : 7\n"}, ":5", ""},
		{"identify of two drives", []string{idCtrl("A1234"), smartLog("nvme0", 5), idCtrl("B1234")}, "",
			`line 11: nvme-cli: the pages are of different drives: serial number "B1234" here, "A1234" on line 1`},
		{"smartctl and another identify", []string{smartctlOf("A1234", 5), idCtrl("B1234")}, "",
			`line 11: nvme-cli: the pages are of different drives: serial number "B1234" here, "A1234" on line 1`},
		{"two SMART logs of one name", []string{smartLog("nvme0", 5), smartLog("nvme0", 6)}, "",
			"line 5: nvme-cli: the pages are of different drives, or of one at two times: a second SMART log without a serial number, after that on line 1"},
		{"two SMART logs without a name", []string{smartLog("", 5), `{"avail_spare":100,"power_cycles":5}` + "\n"}, "",
			"line 5: nvme-cli: the pages are of different drives, or of one at two times: a second SMART log without a serial number, after that on line 1"},
		{"identify and two SMART logs", []string{smartLog("nvme0", 5), idCtrl("A1234"), smartLog("nvme0", 6)}, "",
			"line 11: nvme-cli: the pages are of different drives, or of one at two times: a second SMART log without a serial number, after that on line 1"},
		{"two health parts of smartctl", []string{smartctlHalf(5), smartctlHalf(6)}, "",
			"line 6: smartctl: the pages are of different drives, or of one at two times: a second SMART log without a serial number, after that on line 1"},
		{"two firmware logs", []string{"afi : 0x1\n\n", "afi : 0x1\n"}, "",
			"line 3: nvme-cli: the pages are of different drives, or of one at two times: a second firmware slot log without a serial number, after that on line 1"},
		{"a namespace twice", []string{idCtrl("A1234"), idNS, idNS}, "",
			"line 10: nvme-cli: the pages are of different drives, or of one at two times: a second page of namespace 1 without a serial number, after that on line 7"},
		{"SMART of nobody", []string{smartctlOf("A1234", 5), smartctlOf("B1234", 5), smartLog("nvme0", 6)}, "",
			"line 21: nvme-cli: the pages are of different drives: this part names no drive, and the dump has 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := Read(strings.NewReader(strings.Join(tc.parts, "")))
			if tc.err != "" {
				if !errors.Is(err, ErrSeveralDrives) || err.Error() != tc.err {
					t.Errorf("got  %v\nwant %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, drive := range d.Drives {
				cycles := uint64(0)
				if drive.Has(PageSMART) {
					cycles = smartOf(t, drive).PowerCycles.Lo
				}
				got = append(got, fmt.Sprintf("%s:%d", drive.Serial, cycles))
			}
			if strings.Join(got, " ") != tc.drives {
				t.Errorf("drives %q, want %q", got, tc.drives)
			}
		})
	}
}

func TestMergeKeepsTheBetter(t *testing.T) {
	d := read(t, nvmeListText+idCtrl("A1234")+idNS+smartLog("nvme0", 5)+"\n"+smartLog("nvme0", 6)).Drives[0]
	ns, err := nvme.NewController(d).IdentifyNamespace(t.Context(), 1)
	if err != nil || ns.NSZE != 0x1000 || d.Rounded("namespaces.nsze") || !d.Rounded("namespaces.nuse") {
		t.Errorf("size %d, rounded %t, %v", ns.NSZE, d.Rounded("namespaces.nsze"), err)
	}
	if got := smartOf(t, d).PowerCycles.Lo; got != 6 {
		t.Errorf("%d power cycles: the later log was to be used", got)
	}
	if want := "the file has 2 readings of this drive: the one that stands last, on line 19, is used"; !slices.Contains(d.Notes, want) {
		t.Errorf("notes %q, want %q", d.Notes, want)
	}
	if d := only(t, read(t, idCtrl("A1234")+`{"nsze":4096,"lbafs":[{"ms":0,"ds":9,"rp":0}]}`)); len(d.Notes) != 2 || !d.Has("namespaces.lbafs") {
		t.Errorf("notes %q, namespace without identifier: %v", d.Notes, d.nsids())
	}
}

func TestControllerName(t *testing.T) {
	for device, want := range map[string]string{
		"/dev/nvme0": "nvme0", "/dev/nvme12n1": "nvme12", "nvme3n1p2": "nvme3", "nvd1": "nvd1", "": "", "/dev/sda": "sda",
	} {
		if got := controllerName(device); got != want {
			t.Errorf("%q: %q, want %q", device, got, want)
		}
	}
}
